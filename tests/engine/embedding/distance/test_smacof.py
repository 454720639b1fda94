"""SMACOF: exact planes, the optimum of scikit-learn, pivots, new instances."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold import smacof as oracle

from emberscope.base.monitor import Watch
from emberscope.embedding.distance import scaling
from emberscope.embedding.distance.sammon import Sammon
from emberscope.embedding.distance.smacof import Smacof
from emberscope.embedding.distance.stress import AllPairs, all_distances, best_scale
from emberscope.embedding.linear.pca import PCA
from emberscope.embedding.nonlinear import Nonlinear

PLANE = np.random.default_rng(0).uniform(size=(60, 2)) @ [[2.0, 0.5, 1], [0, 1, -1]]
BALL = np.random.default_rng(1).normal(size=(400, 6)) * [3, 2, 1, 1, 1, 1]


def share_of_all_pairs(X, Z):
    """Stress of an embedding over every pair of X."""
    problem = AllPairs(all_distances(X))
    return problem.force(Z)[0] / problem.total


def test_distances_in_a_plane_are_kept_exactly():
    est = Smacof().fit(PLANE)
    np.testing.assert_allclose(
        cdist(est.embedding_, est.embedding_), cdist(PLANE, PLANE), atol=1e-9
    )
    assert est.stress_ < 1e-20


def test_it_is_at_least_as_good_as_scikit_learn_from_the_same_start():
    X = BALL[:80]
    D = all_distances(X)
    start = PCA().fit_transform(X)
    start = start * best_scale(AllPairs(D), start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Z, _ = oracle(D, init=start, n_init=1, max_iter=3000, eps=1e-12, random_state=0)
    assert Smacof(tolerance=1e-7, max_iter=3000).fit(X).stress_ <= share_of_all_pairs(X, Z) * (
        1 + 1e-6
    )


def test_it_improves_on_pca():
    Z = PCA().fit_transform(BALL)
    assert Smacof().fit(BALL).stress_ < 0.95 * share_of_all_pairs(BALL, Z)


def test_the_stress_told_is_that_of_all_pairs():
    est = Smacof().fit(BALL)
    assert est.stress_ == pytest.approx(share_of_all_pairs(BALL, est.embedding_))


def test_inverse_weights_are_sammons():
    one, other = Smacof(weights="inverse").fit(BALL), Sammon().fit(BALL)
    assert np.array_equal(one.embedding_, other.embedding_)


def test_pivots_come_near_the_stress_of_all_pairs():
    few, every = Smacof(n_pivots=100).fit(BALL), Smacof().fit(BALL)
    assert share_of_all_pairs(BALL, few.embedding_) < 1.05 * every.stress_
    assert "100 pivots" in few.notes_[0]


def test_pivots_keep_a_plane_exactly():
    est = Smacof(n_pivots=20).fit(PLANE)
    np.testing.assert_allclose(
        cdist(est.embedding_, est.embedding_), cdist(PLANE, PLANE), atol=1e-3
    )


def test_the_seed_chooses_the_pivots():
    a, b, c = (Smacof(n_pivots=50, random_state=seed).fit(BALL).embedding_ for seed in (0, 1, 0))
    assert not np.allclose(a, b)
    assert np.array_equal(a, c)


def test_many_instances_get_pivots_by_themselves(monkeypatch):
    monkeypatch.setattr(scaling, "EXACT_LIMIT", 300)
    monkeypatch.setattr(scaling, "_PIVOTS", 150)
    assert len(Smacof().fit(BALL).pivots_) == 150
    assert len(Smacof().fit(BALL[:300]).pivots_) == 300


def test_pictures_show_every_instance_while_only_pivots_are_scaled(monkeypatch):
    monkeypatch.setattr("emberscope.embedding.layout.layout._PREVIEW_EVERY", -1.0)
    seen = []
    Smacof(n_pivots=50).fit(BALL, monitor=Watch(on_partial=seen.append))
    assert len(seen) > 3
    assert all(Z.shape == (400, 2) and np.isfinite(Z).all() for Z in seen)


@pytest.mark.parametrize("n_pivots", [None, 30])
def test_new_instances_of_a_plane_land_where_their_distances_put_them(n_pivots):
    est = Smacof(n_pivots=n_pivots).fit(PLANE[:50])
    np.testing.assert_allclose(
        cdist(est.transform(PLANE[50:]), est.embedding_), cdist(PLANE[50:], PLANE[:50]), atol=2e-3
    )


def test_new_instances_keep_their_distances_better_than_their_neighbors_would_put_them():
    est = Smacof().fit(BALL[:350])
    truth = cdist(BALL[350:], BALL[:350])
    ours, theirs = est.transform(BALL[350:]), Nonlinear.transform(est, BALL[350:])
    assert (
        np.abs(cdist(ours, est.embedding_) - truth).mean()
        < np.abs(cdist(theirs, est.embedding_) - truth).mean()
    )


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_units_do_not_matter(scale):
    np.testing.assert_allclose(
        Smacof().fit(BALL * scale).embedding_ / scale, Smacof().fit(BALL).embedding_, atol=1e-6
    )
