"""Documents as bags of paragraphs: several topics, one bag per document."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags

_SPREAD = 1.0  # of topic centers per feature
_OUTLIER = 5.0  # how many times wider gross outliers are


def topic_bags(
    n_per_topic: int = 50,
    *,
    n_topics: int = 5,
    n_features: int = 300,
    noise: Literal["isotropic", "subspace"] = "isotropic",
    outliers: float = 0.1,
    seed: int = 0,
) -> tuple[NDArray[np.float64], Bags, NDArray[np.int64]]:
    """Bags of 5 to 19 instances about the center of their topic; any single-instance classifier
    tells bag means apart.

    Parameters
    ----------
    noise : "isotropic": the same in every direction. "subspace": wide in three directions of each
        topic's own (kinder to projections learned from a single bag), narrow in the others.
    outliers : share of instances that lie anywhere, five times as far out.

    Returns
    -------
    X : (N, D). bags : unlabeled; its classes are topic + 1. topic : (K,) int64, 0 .. n_topics - 1.
    """
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(n_topics), n_per_topic)
    sizes = rng.integers(5, 20, len(topic))
    owner = np.repeat(np.arange(len(topic)), sizes)
    centers = _SPREAD * rng.standard_normal((n_topics, n_features))
    X = rng.standard_normal((len(owner), n_features))
    if noise == "subspace":
        axes = np.linalg.qr(rng.standard_normal((n_topics, n_features, 3)))[0]
        wide = 3.0 * np.sqrt(n_features) * rng.standard_normal((len(owner), 3))
        X += np.einsum("ndk,nk->nd", axes[topic[owner]], wide)
    else:
        X *= 2.0
    stray = rng.random(len(owner)) < outliers
    X[stray] = _OUTLIER * rng.standard_normal((stray.sum(), n_features))
    X[~stray] += centers[topic[owner[~stray]]]
    members = np.split(np.arange(len(owner)), np.cumsum(sizes)[:-1])
    return X, Bags.from_lists(members, np.zeros(len(topic), np.int8), classes=topic + 1), topic
