"""Bags of hundreds of instances: what a noisy-or cannot use of them is left out."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.mil.concepts.starts import NEGATIVE_CLUSTERS, gaussian_clusters
from emberscope.mil.scaling import z_score
from emberscope.mil.training_bags import thinned

MOST = 256  # instances of a bag; each with probability .01 they make any bag positive


def thinned_bags(X: NDArray, bags: Bags, rng: np.random.Generator) -> tuple[Bags, list[str]]:
    """The same bags of rows of X (N, D), each of at most 256 members, and the sentence that says so.

    A negative bag keeps members evenly spaced in order of values, a positive one those farthest from clusters of
    negative instances: among these is whatever makes it positive.
    """
    n = int((bags.sizes > MOST).sum())
    if not n:
        return bags, []
    negative = thinned(X, bags.take(np.flatnonzero(bags.labels < 0)), MOST)
    members = {int(k): rows for k, rows in zip(np.flatnonzero(bags.labels < 0), _parts(negative), strict=True)}
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


def _parts(bags: Bags) -> list[NDArray[np.int64]]:
    return [bags.of(k) for k in range(len(bags))]
