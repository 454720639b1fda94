"""What bag labels say of pairs of instances, weak side information that no one has to mark; and
pairs of labels."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import joined
from emberscope.bags.model import Bags
from emberscope.labels.side_info import SideInfo

WEIGHT = 0.2  # that of a pair a person marked is 1
# pairs of each kind: enough for a metric of 40 features, and the few of a person stay visible
MOST = 1000


def bag_pairs(
    bags: Bags, n: int, *, y: NDArray | None = None, confidence: NDArray | None = None,
    weight: float = WEIGHT, most: int = MOST, seed: int = 0,
) -> SideInfo:
    """Pairs of n instances that follow from bag labels.

    Parameters
    ----------
    y : (n,) labels that are certain, 0 elsewhere: an instance with +1 is a target, one with -1
        background.
    confidence : (n,) in [0, 1], how sure it is that an instance is a target; without it only those
        with y > 0 are.
    weight : of a pair that is certain. most : pairs of each of the three kinds, drawn at random
        where there are more.

    Returns
    -------
    Two instances of negative bags are the same (background). The witness of a positive bag, its
    likeliest target, and an instance of a negative bag differ, with the confidence of the witness.
    The witnesses of two positive bags of one class are the same, with both confidences. Nothing
    else: of two other instances of positive bags, one may be ground.

    Notes
    -----
    Ghodsi 2005 learns from such pairs; which follow from bags is our rule. The same seed gives the
    same pairs. O(n + M).
    """
    draw = np.random.default_rng(seed)
    certain = np.zeros(n, np.int8) if y is None else np.sign(y).astype(np.int8)
    background = ((bags.instance_labels(n) < 0) & (certain <= 0)) | (certain < 0)
    targets, sure, classes = _witnesses(bags, background, certain, confidence)
    ground = np.flatnonzero(background)
    of_ground = drawn_pairs(len(ground), most, draw)
    t, g = np.divmod(drawn(len(targets) * len(ground), most, draw), max(len(ground), 1))
    of_targets = drawn_pairs(len(targets), most, draw)
    of_targets = of_targets[classes[of_targets[:, 0]] == classes[of_targets[:, 1]]]
    pairs = np.concatenate([ground[of_ground], np.stack([targets[t], ground[g]], axis=1),
                            targets[of_targets]])
    share = np.concatenate([np.ones(len(of_ground)), sure[t], sure[of_targets].prod(axis=1)])
    same = np.ones(len(pairs), bool)
    same[len(of_ground):len(of_ground) + len(t)] = False
    return SideInfo(pairs=pairs, same=same, pair_weight=weight * share,
                    pair_attribute=np.zeros(len(pairs), np.int64))


def labels_of_pairs(alike: NDArray[np.int64], certain: NDArray[np.int8]) -> NDArray[np.int8]:
    """The labels of instances that follow from pairs that are alike, (N,) int8, 0 where none does.

    Parameters
    ----------
    alike : (P, 2) rows. certain : (N,) labels that are certain, 0 elsewhere.

    Notes
    -----
    Whoever is alike, directly or by way of others, to an instance that is certain is of its kind;
    where they are alike to both kinds, nothing follows. Pairs that differ say nothing of labels: a
    road differs from a tree, and both are ground. O(P + N).
    """
    i, j = alike.T
    n = len(certain)
    group = joined(i, j, n)
    target, ground = (np.bincount(group, kind, minlength=n)[group] > 0
                      for kind in (certain > 0, certain < 0))
    return np.where(certain == 0, target.astype(np.int8) - ground, 0).astype(np.int8)


def _witnesses(
    bags: Bags, background: NDArray, certain: NDArray, confidence: NDArray | None
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """The likeliest target of each positive bag that has one: row, confidence, class of the bag; no
    row twice."""
    sure = ((certain > 0).astype(float) if confidence is None
            else np.where(certain > 0, 1.0, confidence))
    sure[background] = 0.0
    found: dict[int, int] = {}  # row -> class
    for k in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist():
        rows = bags.of(k)
        best = int(rows[np.argmax(sure[rows])])
        if sure[best] > 0:
            found.setdefault(best, int(bags.classes[k]))
    targets = np.array(list(found), np.int64)
    return targets, sure[targets], np.array(list(found.values()), np.int64)


def drawn(total: int, most: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """At most `most` different numbers below `total`, ascending."""
    if total <= most:
        return np.arange(total, dtype=np.int64)
    return np.sort(draw.choice(total, most, replace=False))


def drawn_pairs(n: int, most: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """(P, 2) at most `most` different pairs of different numbers below n."""
    k = drawn(n * (n - 1) // 2, most, draw)
    # k = larger (larger - 1) / 2 + smaller
    larger = ((1 + np.sqrt(1 + 8 * k)) / 2).astype(np.int64)
    larger -= larger * (larger - 1) // 2 > k
    return np.stack([larger, k - larger * (larger - 1) // 2], axis=1)
