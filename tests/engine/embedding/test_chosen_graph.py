"""Methods on the graph that a person chose: dense twins, closed forms, known answers."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from emberscope.base.errors import DataError, ParamError, TooLarge
from emberscope.catalogue import load
from emberscope.embedding.linear.lpp import LPP
from emberscope.embedding.spectral.diffusion_maps import DiffusionMaps
from emberscope.embedding.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from emberscope.embedding.spectral.lle import LLE
from emberscope.mil.reduction.pole import POLE

CHOICES = ["knn", "mutual", "radius", "full"]
PLACED = [LaplacianEigenmaps, DiffusionMaps]


def strip(seed, n=150, noisy=4):
    """A long strip in 3-D beside features that say nothing, and where along it a point lies."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, 12, n))
    X = np.column_stack([t, rng.uniform(0, 1, n), 0.3 * np.sin(t)])
    return np.hstack([X, 0.15 * rng.normal(size=(n, noisy))]), t


def heat(D, sigma):
    W = np.exp(-np.square(D) / (2 * sigma**2))
    np.fill_diagonal(W, 0)
    return W


def alike(A, B):
    """Smallest |correlation| of columns."""
    return min(abs(np.corrcoef(a, b)[0, 1]) for a, b in zip(A.T, B.T, strict=True))


# --- known answers

@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("choice", ["knn", "mutual", "radius"])
@pytest.mark.parametrize("method", [LaplacianEigenmaps, DiffusionMaps, LLE])
def test_near_edges_of_any_kind_find_the_order_along_a_strip_among_noise(method, choice, seed):
    X, t = strip(seed)
    # noise makes distances alike in many features: the radius is that of the 20th neighbor
    est = method(n_components=1, n_neighbors=20, graph=choice).fit(X)
    assert abs(spearmanr(est.embedding_[:, 0], t)[0]) > 0.97


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("method", [LaplacianEigenmaps, DiffusionMaps])
def test_all_pairs_find_the_order_along_a_strip_by_a_narrow_kernel(method, seed):
    X, t = strip(seed)
    est = method(n_components=1, graph="full", sigma=0.5).fit(X)
    assert abs(spearmanr(est.embedding_[:, 0], t)[0]) > 0.97


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("method", [LPP, POLE])
def test_straight_axes_find_the_strip_on_any_graph(method, choice):
    X, t = strip(0)
    Z = method(n_components=1, graph=choice, **({"standardize": False} if method is POLE else {})
               ).fit(X).embedding_
    assert abs(np.corrcoef(Z[:, 0], t)[0, 1]) > 0.95


def test_the_line_has_the_cosines_and_eigenvalues_of_the_plain_graph():
    n = 40
    X = np.column_stack([np.arange(n, dtype=float), np.zeros(n)])
    est = LaplacianEigenmaps(n_components=3, graph="radius", radius=1.5, kernel="binary",
                             normalized=False).fit(X)
    j = np.arange(1, 4)
    np.testing.assert_allclose(est.eigenvalues_, 2 - 2 * np.cos(np.pi * j / n), atol=1e-9)
    assert alike(est.embedding_, np.cos(np.pi * j * (np.arange(n)[:, None] + 0.5) / n)) > 1 - 1e-9


# --- dense twins

@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_all_pairs_give_the_eigenvectors_of_the_dense_laplacian(seed, normalized, dtype):
    X = np.random.default_rng(seed).normal(size=(60, 4)).astype(dtype)
    est = LaplacianEigenmaps(n_components=3, graph="full", sigma=1.0, normalized=normalized).fit(X)
    W = heat(cdist(X, X), 1.0)
    values, V = eigh(np.diag(W.sum(axis=1)) - W, np.diag(W.sum(axis=1)) if normalized else None)
    np.testing.assert_allclose(est.eigenvalues_, values[1:4], rtol=1e-5)
    assert alike(est.embedding_, V[:, 1:4]) > 1 - 1e-5


def test_without_degrees_columns_have_mean_0_and_variance_1():
    X = np.random.default_rng(0).normal(size=(80, 3))
    Z = LaplacianEigenmaps(normalized=False).fit(X).embedding_
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(Z.T @ Z / 80, np.eye(2), atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_diffusion_on_all_pairs_is_the_dense_random_walk(seed):
    X = np.random.default_rng(seed).normal(size=(60, 3))
    est = DiffusionMaps(n_components=2, graph="full", sigma=1.0, alpha=1.0).fit(X)
    W = heat(cdist(X, X), 1.0)
    q = W.sum(axis=1)
    W = W / q / q[:, None]
    values, V = eigh(W, np.diag(W.sum(axis=1)))
    np.testing.assert_allclose(est.eigenvalues_, values[-2:-4:-1], rtol=1e-8)
    assert alike(est.embedding_, V[:, -2:-4:-1]) > 1 - 1e-8


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_straight_axes_on_all_pairs_are_those_of_the_dense_pencil(dtype):
    X = (np.random.default_rng(0).normal(size=(80, 3)) * [3, 2, 1]).astype(dtype)
    est = LPP(n_components=2, graph="full", sigma=1.0, ridge=0.0).fit(X)
    W = heat(cdist(X, X), 1.0)
    d = W.sum(axis=1)
    A = X - d @ X / d.sum()
    values, V = eigh(A.T @ (np.diag(d) - W) @ A, A.T * d @ A)
    np.testing.assert_allclose(est.eigenvalues_, values[:2], rtol=1e-4)
    assert alike(est.embedding_, A @ V[:, :2]) > 1 - 1e-5


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_all_others_rebuild_an_instance_the_embedding_is_linear(seed):
    X = np.random.default_rng(seed).normal(size=(80, 3)) * [4, 2, 1]
    Z = LLE(n_components=2, graph="full", rectify=False).fit(X).embedding_
    design = np.column_stack([np.ones(80), X])
    left = Z - design @ np.linalg.lstsq(design, Z, rcond=None)[0]
    assert np.square(left).mean() < 3e-4  # of a variance of 1; by 12 neighbors .001 and more


# --- new instances

@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("method", PLACED)
def test_a_new_instance_lies_where_its_twin_does(method, choice):
    X, t = strip(0)
    est = method(n_components=1, graph=choice, n_neighbors=20,
                 **({"sigma": 0.5} if choice == "full" else {})).fit(X[::2])
    assert abs(spearmanr(est.transform(X[1::2])[:, 0], t[1::2])[0]) > 0.97


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("method", PLACED)
def test_where_it_lies_does_not_depend_on_its_company(method, choice):
    X, _ = strip(0)
    est = method(graph=choice).fit(X[::2])
    together = est.transform(X[1::2])
    np.testing.assert_allclose(est.transform(X[1:8:2]), together[:4], rtol=1e-9, atol=1e-12)


def test_on_all_pairs_a_new_instance_is_the_mean_by_all_affinities():
    X = np.random.default_rng(0).normal(size=(40, 3))
    q = np.random.default_rng(1).normal(size=(5, 3))
    est = LaplacianEigenmaps(graph="full", sigma=1.0, normalized=False).fit(X)
    w = np.exp(-np.square(cdist(q, X)) / 2)
    mean = w @ est.embedding_ / w.sum(axis=1)[:, None]
    share = np.maximum(1 - est.eigenvalues_ / w.sum(axis=1)[:, None], 0.1)
    np.testing.assert_allclose(est.transform(q), mean / share, rtol=1e-9)


def test_a_stored_method_remembers_the_radius_it_took():
    X, _ = strip(0)
    est = LaplacianEigenmaps(graph="radius").fit(X[::2])
    again = LaplacianEigenmaps.from_state(est.to_state())
    np.testing.assert_array_equal(again.transform(X[1::2]), est.transform(X[1::2]))


# --- what is said and refused

@pytest.mark.parametrize("choice", ["mutual", "radius"])
@pytest.mark.parametrize("method", [LaplacianEigenmaps, DiffusionMaps, LLE, LPP, POLE])
@pytest.mark.parametrize("apart", [0.9, 40.0])
def test_a_graph_in_parts_is_said_and_no_other(method, choice, apart):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(size=(40, 2)), rng.uniform(size=(40, 2)) + np.array([apart, 0])])
    est = method(n_components=1, graph=choice, n_neighbors=8).fit(X)
    assert any("components" in note for note in est.notes_) == (apart > 1)
    assert np.isfinite(est.embedding_).all()


@pytest.mark.parametrize("policy", ["largest", "per-component"])
@pytest.mark.parametrize("choice", ["mutual", "radius"])
@pytest.mark.parametrize("method", [LaplacianEigenmaps, DiffusionMaps, LLE])
def test_parts_that_are_not_joined_all_get_a_place(method, choice, policy):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 3)), rng.normal(size=(30, 3)) + 40, [[200.0, 0, 0]]])
    est = method(graph=choice, n_neighbors=10, components=policy).fit(X)
    assert np.isfinite(est.embedding_).all()
    assert np.isfinite(est.transform(X + 0.01)).all()


@pytest.mark.parametrize("method", [LaplacianEigenmaps, LPP])
def test_all_pairs_of_one_weight_are_refused(method):
    with pytest.raises(ParamError, match="edges of the same weight"):
        method(graph="full", kernel="binary").fit(strip(0)[0])


@pytest.mark.parametrize("method", [LPP, POLE, LaplacianEigenmaps])
def test_a_radius_without_a_neighbor_is_refused(method):
    with pytest.raises(DataError, match="no two instances are neighbors"):
        method(graph="radius", radius=1e-9).fit(strip(0)[0])


@pytest.mark.parametrize(("method", "most"), [(LaplacianEigenmaps, 6000), (LLE, 2000)])
def test_all_pairs_of_more_than_fit_are_refused_before_they_are_made(method, most):
    X = np.random.default_rng(0).normal(size=(most + 1, 2))
    with pytest.raises(TooLarge, match=f"at most {most} instances"):
        method(graph="full").fit(X)


@pytest.mark.parametrize("id", ["laplacian-eigenmaps", "diffusion-maps", "lpp", "lle", "pole"])
def test_the_cost_of_all_pairs_stands_in_the_help_of_the_setting(id):
    help = next(param.help for param in load(id).params if param.name == "graph")
    assert "instances" in help.partition("Full:")[2]


@pytest.mark.parametrize("method", [LaplacianEigenmaps, DiffusionMaps, LPP, POLE, LLE])
def test_what_all_pairs_take_is_a_note_of_the_run(method):
    assert any("pairs are edges" in note for note in method(graph="full").fit(strip(0)[0]).notes_)
