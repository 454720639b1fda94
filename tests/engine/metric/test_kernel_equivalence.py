"""The equivalence metric in kernel principal components."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.decomposition import KernelPCA
from sklearn.metrics import roc_auc_score

from emberscope.labels.side_info import SideInfo
from emberscope.metric.equivalence import EquivalenceMetric
from emberscope.metric.kernel_equivalence import (
    KernelEquivalenceMetric,
    _applied,
    _kernel_axes,
    gaussian,
)


def ring(seed):
    """A disk and a ring around it (200, 2), which each is of, and 200 pairs."""
    rng = np.random.default_rng(seed)
    angle, radius = rng.uniform(0, 2 * np.pi, 200), np.repeat([0.3, 2.0], 100)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    X += 0.1 * rng.normal(size=(200, 2))
    y = np.repeat([0, 1], 100)
    rows = np.concatenate([rng.permutation(200).reshape(-1, 2) for _ in range(2)])
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return X, y, SideInfo.of_pairs(rows[same], rows[~same])


def test_scores_are_those_of_kernel_pca():
    T = np.random.default_rng(0).normal(size=(40, 3))
    K = _applied(T, T, 0.5, _kernel_axes(gaussian(T, T, 0.5), 5), None)
    theirs = KernelPCA(5, kernel="rbf", gamma=0.5).fit_transform(T)
    np.testing.assert_allclose(np.abs(K - K.mean(axis=0)), np.abs(theirs), atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_ring_around_a_disk_is_parted_where_straight_directions_fail(seed):
    X, y, side = ring(seed)
    differs = pdist(y[:, None]) > 0
    bent, straight = (
        roc_auc_score(differs, pdist(method().fit(X, side=side).embedding_))
        for method in (KernelEquivalenceMetric, EquivalenceMetric)
    )
    assert bent > 0.85
    assert straight < 0.7


def test_pairs_of_random_labels_agree_no_better_than_chance_when_held_out():
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(5):
        X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
        rows = rng.permutation(200).reshape(-1, 2)
        same = y[rows[:, 0]] == y[rows[:, 1]]
        est = KernelEquivalenceMetric(softness=0.02).fit(
            X, side=SideInfo.of_pairs(rows[same], rows[~same])
        )
        shares.append(est.pair_agreement_)
    assert abs(np.mean(shares) - 0.5) < 0.09  # 500 pairs, four deviations


def test_more_instances_than_landmarks_give_nearly_the_same_distances():
    X, _, side = ring(0)
    many = np.vstack([X, X[:, ::-1], -X, np.random.default_rng(1).normal(size=(600, 2))])
    est = KernelEquivalenceMetric(gamma=0.5).fit(many, side=side)
    assert est.landmarks_.shape[0] == 1000
    assert np.isfinite(est.embedding_).all()
    np.testing.assert_allclose(est.transform(many), est.embedding_, atol=1e-9)
