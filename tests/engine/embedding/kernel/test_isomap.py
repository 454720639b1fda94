"""Isomap: identities with PCA, the roll that it unrolls, landmarks."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from sklearn.manifold import Isomap as Oracle

from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.linear.pca import PCA

PLANE = np.random.default_rng(0).uniform(size=(60, 2)) @ [[2.0, 0.5, 1], [0, 1, -1]]


def roll(n, seed):
    """A flat Swiss roll, uniform in arc length: (X, flat coordinates)."""
    rng = np.random.default_rng(seed)
    t = np.linspace(1.5 * np.pi, 4.5 * np.pi, 20_000)
    arc = np.concatenate([[0], np.cumsum(np.hypot(np.diff(t * np.cos(t)), np.diff(t * np.sin(t))))])
    s = rng.uniform(0, arc[-1], n)
    t = np.interp(s, arc, t)
    h = rng.uniform(0, 30, n)
    return np.column_stack([t * np.cos(t), h, t * np.sin(t)]), np.column_stack([s, h])


def test_with_all_neighbors_it_is_pca():
    est = Isomap(n_neighbors=59).fit(PLANE)
    np.testing.assert_allclose(np.abs(est.embedding_), np.abs(PCA().fit(PLANE).embedding_), atol=1e-8)


def test_a_plane_has_two_dimensions_only():
    est = Isomap(n_components=3, n_neighbors=59).fit(PLANE)
    assert est.eigenvalues_[2] == 0
    assert (est.embedding_[:, 2] == 0).all()
    assert "1 of 3 axes are empty" in est.notes_[0]


def test_it_equals_scikit_learn():
    X, _ = roll(200, 0)
    oracle = Oracle(n_neighbors=10, n_components=2).fit_transform(X)
    ours = Isomap(n_neighbors=10).fit(X).embedding_
    np.testing.assert_allclose(np.abs(ours), np.abs(oracle), atol=1e-6 * np.abs(oracle).max())


def test_the_roll_is_unrolled():
    X, flat = roll(1000, 1)  # with k = 10 a short circuit joins its arms in most draws, in scikit-learn as well
    assert procrustes(flat, Isomap(n_neighbors=7).fit(X).embedding_)[2] < 3e-3


def test_few_landmarks_unroll_it_too():
    X, flat = roll(1000, 1)
    est = Isomap(n_neighbors=7, n_landmarks=100).fit(X)
    assert procrustes(flat, est.embedding_)[2] < 5e-3
    assert "100 landmarks" in est.notes_[-1]


def test_nearly_all_landmarks_agree_with_all_instances():
    X, _ = roll(150, 2)
    full, most = Isomap().fit(X).embedding_, Isomap(n_landmarks=149).fit(X).embedding_
    assert procrustes(full, most)[2] < 1e-3


def test_the_seed_chooses_the_landmarks():
    X, _ = roll(150, 2)
    a, b = (Isomap(n_landmarks=20, random_state=seed).fit(X).embedding_ for seed in (0, 1))
    assert not np.allclose(a, b)
    assert np.array_equal(a, Isomap(n_landmarks=20, random_state=0).fit(X).embedding_)


@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_moving_the_data_moves_nothing_in_the_picture(shift):
    X, _ = roll(150, 2)
    np.testing.assert_allclose(Isomap().fit(X + shift).embedding_, Isomap().fit(X).embedding_, atol=1e-6)
