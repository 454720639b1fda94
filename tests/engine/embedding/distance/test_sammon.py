"""Sammon mapping: exact planes, spheres, near copies, luck."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist, pdist

from emberscope.embedding.distance.sammon import Sammon
from emberscope.embedding.distance.stress import AllPairs, all_distances, majorize
from emberscope.embedding.linear.pca import PCA

SPHERE = np.random.default_rng(0).normal(size=(200, 3))
SPHERE /= np.linalg.norm(SPHERE, axis=1, keepdims=True)


def sammon_stress(X, Z):
    """E as printed."""
    d = pdist(X)
    return (np.square(d - pdist(Z)) / d).sum() / d.sum()


def test_distances_in_a_plane_leave_no_stress():
    X = np.random.default_rng(1).uniform(size=(100, 2)) @ [[1.0, 2, 0], [0, 1, 1]]
    assert Sammon().fit(X).stress_ < 1e-10


def test_the_stress_told_is_sammons():
    est = Sammon().fit(SPHERE)
    # The floor on short distances
    assert est.stress_ == pytest.approx(sammon_stress(SPHERE, est.embedding_), rel=0.01)


def test_a_sphere_is_drawn_better_than_by_classical_scaling():
    classical = PCA().fit_transform(SPHERE)  # of Euclidean distances
    assert sammon_stress(SPHERE, Sammon().fit(SPHERE).embedding_) < 0.8 * sammon_stress(
        SPHERE, classical
    )


def test_no_luck_is_needed():
    X = np.random.default_rng(2).normal(size=(200, 5)) * [2, 1, 1, 1, 1]
    est = Sammon().fit(X)
    problem = AllPairs(all_distances(X), power=-1, floor=est.floor_)
    rng = np.random.default_rng(3)
    starts = [rng.normal(size=(200, 2)) * X.std() for _ in range(20)]
    best = min(
        majorize(problem, Z, max_iter=300, tolerance=1e-4, show=lambda i, Z: None)[1][-1]
        for Z in starts
    )
    assert est.stress_ * problem.total < 1.02 * best


def test_two_nearly_equal_instances_do_not_rule_the_picture():
    X = np.random.default_rng(4).normal(size=(100, 4))
    twin = np.vstack([X, X[:1] + 1e-12])
    assert procrustes(Sammon().fit(X).embedding_, Sammon().fit(twin).embedding_[:100])[2] < 1e-3


def test_short_distances_are_kept_better_than_by_even_weights():
    from emberscope.embedding.distance.smacof import Smacof

    d = pdist(SPHERE)
    near = d < np.quantile(d, 0.05)
    error = [
        np.abs(pdist(est.fit(SPHERE).embedding_) - d)[near].mean() for est in (Sammon(), Smacof())
    ]
    assert error[0] < error[1]


def test_new_instances_land_at_their_distances():
    est = Sammon().fit(SPHERE[:150])
    Z = est.transform(SPHERE[150:])
    error = np.abs(cdist(Z, est.embedding_) - cdist(SPHERE[150:], SPHERE[:150])).mean()
    own = np.abs(pdist(est.embedding_) - pdist(SPHERE[:150])).mean()
    assert error < 1.2 * own
