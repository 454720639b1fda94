"""Isomap: identities with PCA, the roll that it unrolls, landmarks, new instances, what it
reports."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from sklearn.manifold import Isomap as Oracle
from sklearn.manifold import trustworthiness

from emberscope.base.errors import TooLarge
from emberscope.embedding.kernel import isomap as isomap_module
from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.linear.pca import PCA

PLANE = np.random.default_rng(0).uniform(size=(60, 2)) @ [[2.0, 0.5, 1], [0, 1, -1]]


def roll(n, seed, noise=0.0):
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
    np.testing.assert_allclose(
        np.abs(est.embedding_), np.abs(PCA().fit(PLANE).embedding_), atol=1e-8
    )


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


@pytest.mark.parametrize(("n", "seed"), [(1000, 0), (1000, 1), (1000, 2), (2000, 1)])
def test_the_roll_is_unrolled_also_where_edges_between_its_arms_must_go(n, seed):
    X, flat = roll(n, seed)
    Z = Isomap(n_neighbors=10, drop_short_circuits=True).fit(X).embedding_
    assert procrustes(flat, Z)[2] < (1.5e-3 if n == 1000 else 1e-3)
    assert trustworthiness(flat, Z, n_neighbors=10) > 0.999  # six other draws: 0.9995 to 0.9998


def test_a_hole_is_widened_as_the_theory_says():
    X, flat = roll(2200, 0)
    outside = (np.abs(flat - [44, 15]) > [15, 8]).any(axis=1)
    found = Isomap(n_neighbors=10, drop_short_circuits=True).fit(X[outside]).embedding_
    assert 5e-3 < procrustes(flat[outside], found)[2] < 2e-2


def test_few_landmarks_unroll_it_too():
    X, flat = roll(1000, 1)
    est = Isomap(n_neighbors=7, n_landmarks=100).fit(X)
    assert procrustes(flat, est.embedding_)[2] < 5e-3  # six other draws: 1.1e-3 to 2.6e-3
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
    np.testing.assert_allclose(
        Isomap().fit(X + shift).embedding_, Isomap().fit(X).embedding_, atol=1e-6
    )


@pytest.mark.parametrize("n_landmarks", [None, 80])
def test_new_instances_of_the_roll_land_on_their_place(n_landmarks):
    X, _ = roll(1100, 1)
    whole = Isomap(n_neighbors=7).fit(X).embedding_
    est = Isomap(n_neighbors=7, n_landmarks=n_landmarks).fit(X[:1000])
    both = np.vstack([est.embedding_, est.transform(X[1000:])])
    assert procrustes(whole, both)[2] < 2e-3


def test_one_new_instance_and_many_get_the_same_coordinates():
    X, _ = roll(400, 1)
    est = Isomap(n_neighbors=7).fit(X[:200])
    many, one = est.transform(X[200:]), est.transform(X[200:201])
    np.testing.assert_allclose(one[0], many[0], atol=1e-9)


def test_parts_without_a_common_map_place_new_instances_by_reconstruction():
    X = np.vstack([PLANE, PLANE + 100])
    est = Isomap(components="largest").fit(X)
    assert len(est.map_) == 0
    assert np.isfinite(est.transform(PLANE + 0.01)).all()


def test_residual_variance_bends_at_the_dimension_of_the_roll():
    X, _ = roll(1000, 1)
    left = Isomap(n_neighbors=7).fit(X).residual_variance_
    assert len(left) == 10
    assert left[0] > 0.02  # six other draws: 0.04 to 0.05
    assert left[1] < 0.003  # six other draws: 1.2e-3 to 2.1e-3


def test_a_flat_sheet_has_no_negative_eigenvalues_and_a_sphere_has():
    ball = np.random.default_rng(0).normal(size=(200, 3))
    sphere = ball / np.linalg.norm(ball, axis=1, keepdims=True)
    assert Isomap(n_neighbors=59).fit(PLANE).negative_mass_ < 1e-9
    assert Isomap().fit(sphere).negative_mass_ > 0.1  # six other draws: 0.26 to 0.27


def test_conformal_lengths_undo_a_change_of_scale_across_the_sheet():
    rng = np.random.default_rng(0)
    # Log-polar: conformal to a rectangle
    r, angle = np.exp(rng.uniform(0, 2, 800)), rng.uniform(0, np.pi, 800)
    X = np.column_stack([r * np.cos(angle), r * np.sin(angle)])
    flat = np.column_stack([np.log(r), angle])
    plain, even = (
        procrustes(flat, Isomap(conformal=c).fit(X).embedding_)[2] for c in (False, True)
    )
    assert even < 0.1 * plain


def test_conformal_keeps_its_rule_for_new_instances():
    X, _ = roll(300, 1)
    est = Isomap(conformal=True, n_neighbors=7).fit(X)
    near = est.transform(X + 1e-6)
    np.testing.assert_allclose(near, est.embedding_, atol=1e-2 * np.abs(est.embedding_).max())


NOISY, FLAT = roll(1000, 3)
NOISY = NOISY + 0.3 * np.random.default_rng(1003).normal(size=NOISY.shape)


def test_one_neighbor_more_ruins_the_picture_and_is_reported():
    good, bad = Isomap(n_neighbors=11).fit(NOISY), Isomap(n_neighbors=12).fit(NOISY)
    assert procrustes(FLAT, good.embedding_)[2] < 2e-3  # of this draw; six others: 9.5e-4 to 0.54
    assert procrustes(FLAT, bad.embedding_)[2] > 0.1
    assert not len(good.short_circuits_)
    assert len(bad.short_circuits_) == 1
    assert "try k = 11" in bad.notes_[0]


def test_short_circuits_can_be_removed():
    est = Isomap(n_neighbors=12, drop_short_circuits=True).fit(NOISY)
    assert procrustes(FLAT, est.embedding_)[2] < 2e-3
    assert "1 edges that seemed to jump" in est.notes_[0]


@pytest.mark.parametrize("graph", ["mutual", "radius"])
def test_other_graphs_unroll_the_roll_as_well(graph):
    X, flat = roll(1000, 1)
    est = Isomap(graph=graph, n_neighbors=10, drop_short_circuits=True).fit(X)
    assert procrustes(flat, est.embedding_)[2] < 1e-2  # six other draws: 1.5e-3 to 6.5e-3


def test_too_many_paths_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(isomap_module, "_BYTES", 8 * 20 * 60 - 1)
    with pytest.raises(TooLarge, match="fewer landmarks"):
        Isomap(n_landmarks=20).fit(PLANE)
