"""Measurements of pOLE: what wrong edges of a graph cost, and bags made single vectors."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor
from emberscope.datasets.model import Points
from emberscope.mil.conversion import convert
from emberscope.mil.reduction.reweighted import power_axes
from emberscope.neighbors.search import nearest

_N, _D, _CLUSTERS, _NEAR = 200, 20, 5, 10
# Spread of the cluster centers: the level of the reference, which does not name its own
_APART = 2.2
_TEST = 0.2  # share of the documents that are classified


def scatter_ratio(
    *, seed: int, monitor: Monitor, points: Points | None, p: float, wrong: float
) -> float:
    """Scatter between five clusters over that within, in four axes from a 10-NN graph with a share
    of wrong edges."""
    rng = np.random.default_rng(seed)
    label = np.arange(_N) % _CLUSTERS
    A = _APART * rng.normal(size=(_CLUSTERS, _D))[label] + rng.normal(size=(_N, _D))
    W = power_axes(A, _graph(A, wrong, rng), 4, p=p, monitor=monitor).W
    Z = A @ W
    centers = np.stack([Z[label == c].mean(axis=0) for c in range(_CLUSTERS)])
    within = np.square(Z - centers[label]).sum()
    return float(np.square(centers[label] - Z.mean(axis=0)).sum() / within)


def topic_accuracy(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    variant: str,
    projection: str,
    noise: str = "isotropic",
    p: float = 1.0,
    n_components: int = 4,
    k: int = 5,
) -> float:
    """5-NN accuracy of documents (bags of paragraphs) of five generated topics, after conversion to
    single vectors."""
    from emberscope.datasets.topics import topic_bags

    X, bags, topic = topic_bags(noise=noise, seed=seed)  # type: ignore[arg-type]
    vectors = convert(
        X,
        bags,
        variant=variant,
        projection=projection,
        p=p,
        n_components=n_components,
        monitor=monitor,
    ).vectors
    order = np.random.default_rng(seed).permutation(len(topic))
    test, train = np.split(order, [int(_TEST * len(order))])
    found = nearest(vectors[train], vectors[test], k).idx
    voted = [np.bincount(row).argmax() for row in topic[train][found]]
    return float((np.array(voted) == topic[test]).mean())


def _graph(A: NDArray, wrong: float, rng: np.random.Generator) -> csr_array:
    """The symmetrized 10-NN graph in which a share of the edges is replaced by random pairs."""
    near = nearest(A, A, _NEAR + 1).idx[:, 1:].astype(np.int64)
    pairs = np.stack([np.repeat(np.arange(len(A)), _NEAR), near.ravel()])
    swapped = np.flatnonzero(rng.random(pairs.shape[1]) < wrong)
    pairs[1, swapped] = rng.integers(len(A), size=len(swapped))
    pairs = pairs[:, pairs[0] != pairs[1]]
    S = csr_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(len(A), len(A)))
    S = csr_array(S.maximum(S.T))
    S.data[:] = 1.0
    return S
