"""Instances of bags that say nothing about concepts are left out: of crowds,
and of features by the hundred."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.mil.concepts.starts import NEGATIVE_CLUSTERS, gaussian_clusters
from emberscope.mil.rules.agreement import agree_little, doubts
from emberscope.mil.rules.ensemble import ensemble_scores
from emberscope.mil.scaling import z_score
from emberscope.mil.training_bags import renumbered, thinned

MOST = 256  # instances of a bag; each with probability .01 they make any bag positive
# instances that a rule learns from: with all of them time grows with their square
LEARNED_FROM = 5000
STANDING_OUT = 0.7  # of the way from the median score of a bag to its best


def thinned_bags(X: NDArray, bags: Bags, rng: np.random.Generator) -> tuple[Bags, list[str]]:
    """The same bags of rows of X (N, D), each of at most 256 members,
    and the sentence that says so.

    A negative bag keeps members evenly spaced in order of values, a positive one those farthest
    from clusters of negative instances: among these is whatever makes it positive.
    """
    n = int((bags.sizes > MOST).sum())
    if not n:
        return bags, []
    negative = thinned(X, bags.take(np.flatnonzero(bags.labels < 0)), MOST)
    members = {int(k): rows
               for k, rows in zip(np.flatnonzero(bags.labels < 0), _parts(negative), strict=True)}
    mean, scale = z_score(X[negative.members])
    width = np.where(np.isfinite(scale), scale, 1.0)
    clusters = gaussian_clusters((X[negative.members] - mean) / width, NEGATIVE_CLUSTERS, rng)
    for k in np.flatnonzero(bags.labels > 0).tolist():
        rows = bags.of(k)
        if len(rows) > MOST:
            rarity = clusters.distance2((X[rows] - mean) / width).min(axis=1)
            rows = rows[np.sort(np.argsort(-rarity, kind="stable")[:MOST])]
        members[k] = rows
    parts = [members[k] for k in range(len(bags))]
    indptr = np.concatenate([[0], np.cumsum([len(rows) for rows in parts])]).astype(np.int64)
    which = f"{MOST}{' each' * (n != 1)} take part: in positive bags those least like background."
    note = f"Of {n} bag{'s' * (n != 1)} with more than {MOST} instances {which}"
    return replace(bags, indptr=indptr, members=np.concatenate(parts)), [note]


def standing_out(
    X: NDArray, bags: Bags, *, seed: int = 0, monitor: Monitor | None = None
) -> tuple[Bags, list[str]]:
    """The same bags of rows of X (N, D), positive ones with those members only that stand out of
    them as targets do; and what speaks against trusting that.

    Instances are scored by rules that have not seen their bags (`ensemble_scores`). A
    member stays that lies 70 % or more of the way from the median score of its bag to the best one.
    One stays at least. Where the rules agree little, all stay: what such rules point at is target
    no more often than what they pass over.

    Notes
    -----
    Ground that only positive bags show explains their labels as well as targets do, and is more
    alike: in hundreds of features concepts lay on it. Far more of the members that stay are targets
    than of all members of positive bags. Five fits of every rule, each of 5000 instances at most,
    in bags drawn at random: O(N min(N, 5000) D).
    """
    rows, own = renumbered(bags)
    found = ensemble_scores(X[rows], own, most=LEARNED_FROM, seed=seed, monitor=monitor)
    score = found.score
    doubted = doubts(found.rules, own)
    if agree_little(found.rules, own):
        return bags, doubted
    parts = []
    for k in range(len(own)):
        members = own.of(k)
        if own.labels[k] > 0 and len(members):
            value = score[members]
            middle = np.median(value)
            members = members[value >= middle + STANDING_OUT * (value.max() - middle)]
        parts.append(rows[members])
    indptr = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return replace(bags, indptr=indptr, members=np.concatenate(parts)), doubted


def _parts(bags: Bags) -> list[NDArray[np.int64]]:
    return [bags.of(k) for k in range(len(bags))]
