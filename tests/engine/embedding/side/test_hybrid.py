"""Hybrid embedding: its optimum, what it is at both ends, chips and what is forgiven, new
instances, bad input."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.ndimage import rotate
from scipy.optimize import minimize
from scipy.spatial import procrustes
from sklearn.datasets import make_swiss_roll

from emberscope.base.errors import DataError, TooLarge
from emberscope.datasets.shifted_digits import shifted_digits
from emberscope.embedding.distance.mds import MDS
from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.side import hybrid
from emberscope.embedding.side.hybrid import Hybrid
from emberscope.embedding.spectral.lle import LLE
from emberscope.evaluate.purity import neighborhood_purity
from emberscope.labels.side_info import Invariance, SideInfo
from emberscope.metric.dissimilarities import KINDS, Dissimilarity
from emberscope.neighbors.graph import affinity, knn, neighborhood_graph

ROLL = make_swiss_roll(200, random_state=0)[0]


def matrices(X, k=10):
    """M of Euclidean distances, scaled to the size of L, and L = D - W of the neighborhood
    graph."""
    H = np.eye(len(X)) - 1 / len(X)
    M = H @ (X @ X.T) @ H
    W = affinity(neighborhood_graph(X, knn(X, k)), knn(X, k)).toarray()
    L = np.diag(W.sum(axis=1)) - W
    return M * np.linalg.norm(L) / np.linalg.norm(M), L


def sideways(reach, step=1):
    return SideInfo(
        invariances=(Invariance(id=1, family="translate", step=step, reach=reach, direction=0),)
    )


@pytest.mark.parametrize("a", [0.1, 0.5, 0.9])
def test_no_restart_of_a_general_solver_finds_less(a):
    X = ROLL[:40]
    M, L = matrices(X)

    def objective(z):
        Z = z.reshape(-1, 2)
        left = M - Z @ Z.T
        return (1 - a) * (left**2).sum() + a * np.trace(Z.T @ L @ Z), (
            -4 * (1 - a) * left @ Z + 2 * a * L @ Z
        ).ravel()

    rng = np.random.default_rng(0)
    best = min(
        minimize(objective, rng.normal(size=80), jac=True, options={"maxiter": 2000}).fun
        for _ in range(5)
    )
    Z = Hybrid(strength=a, distances="euclidean", scale="exact").fit(X).embedding_
    size = np.linalg.norm(M) / np.linalg.norm((X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T)
    ours = objective((Z * np.sqrt(size)).ravel())[0]
    assert ours <= best + 1e-6 * abs(best)


def test_without_strength_it_is_mds_and_has_its_units():
    Z = Hybrid(strength=0.0, distances="euclidean").fit(ROLL).embedding_
    np.testing.assert_allclose(Z, MDS().fit(ROLL).embedding_, atol=1e-6)


def test_without_strength_and_by_geodesics_it_is_isomap():
    Z = Hybrid(strength=0.0, scale="exact").fit(ROLL).embedding_
    np.testing.assert_allclose(Z, Isomap().fit(ROLL).embedding_, atol=1e-6)


def angle_to_laplacian_eigenmaps(X, a):
    Z = Hybrid(strength=a, scale="unit").fit(X).embedding_
    return subspace_angles(Z, np.linalg.eigh(matrices(X)[1])[1][:, 1:3]).max()


def test_with_nearly_all_strength_it_is_laplacian_eigenmaps():
    assert angle_to_laplacian_eigenmaps(np.random.default_rng(0).normal(size=(40, 3)), 0.999) < 1e-2
    # On a roll the eigenvalues lie so close that it takes more.
    assert angle_to_laplacian_eigenmaps(ROLL, 0.99999) < 2e-3


def test_with_all_but_full_strength_and_weights_it_is_lle():
    Z = Hybrid(strength=1 - 1e-9, scale="unit", locality="lle").fit(ROLL).embedding_
    assert procrustes(Z, LLE(n_neighbors=10, rectify=False).fit(ROLL).embedding_)[2] < 1e-4


@pytest.mark.parametrize("distances", ["euclidean", "geodesic"])
@pytest.mark.parametrize("scale", ["shift", "exact", "unit"])
@pytest.mark.parametrize("a", [0.0, 0.5, 0.99])
def test_columns_sum_to_0(a, scale, distances):
    Z = Hybrid(strength=a, scale=scale, distances=distances).fit(ROLL).embedding_
    np.testing.assert_allclose(Z.sum(axis=0), 0, atol=1e-9 * max(np.abs(Z).sum(), 1))


def test_the_exact_optimum_of_much_strength_is_a_point_and_says_so():
    est = Hybrid(strength=0.9999, scale="exact").fit(ROLL)
    assert est.clipped_ == 2
    assert not est.embedding_.any()
    assert "2 of 2 axes are empty" in est.notes_[-1]
    assert (Hybrid(strength=0.9999).fit(ROLL).embedding_.std(axis=0) > 0).all()


def test_more_than_the_dense_limit_is_solved_the_same_way(monkeypatch):
    dense = Hybrid(strength=0.95).fit(ROLL).embedding_
    monkeypatch.setattr("emberscope.neighbors.spectral.DENSE_LIMIT", 50)
    np.testing.assert_allclose(Hybrid(strength=0.95).fit(ROLL).embedding_, dense, atol=1e-6)


def test_another_strength_does_not_measure_distances_again(monkeypatch):
    first = Hybrid(strength=0.5).fit(ROLL)
    monkeypatch.setattr(hybrid, "geodesics", None)
    again = Hybrid(strength=0.95).fit(ROLL)
    assert procrustes(first.embedding_, again.embedding_)[2] > 1e-6
    assert again.notes_ == first.notes_


def test_without_strength_new_instances_are_placed_by_their_distances():
    est, mds = Hybrid(strength=0.0, distances="euclidean").fit(ROLL), MDS().fit(ROLL)
    np.testing.assert_allclose(
        est.transform(ROLL[:9] + 0.3), mds.transform(ROLL[:9] + 0.3), atol=1e-6
    )


@pytest.mark.parametrize("distances", ["registration", "tangent-correction"])
def test_without_strength_new_chips_are_placed_by_what_is_forgiven(distances):
    chips, _, _ = shifted_digits((5, 6, 8, 9))
    X = chips.reshape(len(chips), -1)
    est = Hybrid(strength=0.0, distances=distances, chip_columns=36, scale="exact").fit(
        X, side=sideways(2)
    )
    np.testing.assert_allclose(
        est.transform(X), est.embedding_, atol=2e-3 * np.abs(est.embedding_).max()
    )


def test_two_objects_that_turn_are_two_groups_where_turns_are_forgiven_and_one_else():
    """As the teapots of Ghodsi 2005, figure 2.14: 18 angles of each, 20 degrees apart."""
    still, digit, _ = shifted_digits((2, 5), n_shifts=1)
    chips = np.concatenate(
        [
            [rotate(np.pad(chip, 4), 20 * k, reshape=False, order=1) for k in range(18)]
            for chip in still
        ]
    )
    turns = SideInfo(invariances=(Invariance(id=1, family="rotate", step=20, reach=20),))
    X, kind = chips.reshape(36, -1), np.repeat(digit, 18)
    forgiven, strict = (
        neighborhood_purity(
            Hybrid(strength=0.15, distances=distances).fit(X, side=turns).embedding_, kind, k=3
        ).mean()
        for distances in ("reconstruction", "geodesic")
    )
    assert forgiven == 1 > 0.8 > strict


def test_shifts_of_two_pixels_are_forgiven_where_nothing_is_marked():
    chips, _, _ = shifted_digits((5, 6, 8))
    X = chips[:, :, 4:32].reshape(27, -1)
    est = Hybrid(distances="registration").fit(X)
    assert "Nothing is marked as not mattering: shifts of up to 2 px are taken." in est.notes_
    marked = SideInfo(invariances=(Invariance(id=3, family="translate", step=1, reach=2),))
    np.testing.assert_array_equal(
        Hybrid(distances="registration").fit(X, side=marked).embedding_, est.embedding_
    )


def test_distances_that_forgive_nothing_say_so():
    est = Hybrid().fit(ROLL, side=sideways(1))
    assert "Changes that do not matter are not looked at with geodesic distances." in est.notes_


def test_flat_chips_are_counted():
    chips = np.concatenate([np.random.default_rng(0).normal(size=(20, 36)), np.full((1, 36), 7.0)])
    est = Hybrid(distances="tangent-correction").fit(chips)
    assert any("1 chip that no change alters" in note for note in est.notes_)


@pytest.mark.parametrize("kind", KINDS)
def test_features_that_are_no_chips_are_refused(kind):
    with pytest.raises(DataError, match="n_features = 3 make not a square chip"):
        Hybrid(distances=kind).fit(ROLL)


@pytest.mark.parametrize("kind", KINDS)
def test_changes_larger_than_the_chip_are_refused(kind):
    X = np.random.default_rng(0).normal(size=(20, 36))
    with pytest.raises(DataError, match="larger than chips of 6 x 6 px"):
        Hybrid(distances=kind).fit(X, side=sideways(6))


def test_more_instances_than_are_affordable_are_refused_in_words():
    with pytest.raises(TooLarge, match="5000 instances at most"):
        Hybrid().fit(np.arange(10_002.0).reshape(5001, 2))


def test_only_distances_between_chips_read_chips():
    assert not Hybrid().reads_chips
    assert Hybrid(distances="registration").reads_chips


def test_chips_without_any_difference_that_counts_lie_on_one_point_without_strength(monkeypatch):
    nothing = Dissimilarity(np.zeros((20, 20), np.float32), np.zeros(20, bool))
    monkeypatch.setattr(hybrid, "dissimilarity", lambda *args, **options: nothing)
    X = np.random.default_rng(0).normal(size=(20, 36))
    est = Hybrid(strength=0.0, distances="registration").fit(X)
    assert not est.embedding_.any()
    assert "All instances are alike in what the distances compare." in est.notes_
    assert Hybrid(strength=0.5, distances="registration").fit(X).embedding_.std(axis=0).min() > 0


def test_before_another_method_it_has_thirty_dimensions_or_as_many_as_there_are():
    assert Hybrid(n_components=None, strength=0.0).fit(ROLL).embedding_.shape == (200, 30)
    assert Hybrid(n_components=None, strength=0.0).fit(ROLL[:20]).embedding_.shape == (20, 19)


def test_any_method_after_it_sees_what_it_forgives():
    """Isomap of digits three steps apart sees shifts; of their registration, digits."""
    chips, digit, _ = shifted_digits((5, 6, 8), step=3)
    X = chips.reshape(len(chips), -1)
    forgiving = Hybrid(
        n_components=None, strength=0.0, distances="registration", chip_columns=chips.shape[2]
    )
    seen = forgiving.fit(X, side=sideways(24)).embedding_
    alone, after = (
        neighborhood_purity(
            Isomap(n_neighbors=5).fit(features).embedding_.astype(float), digit, k=3
        ).mean()
        for features in (X, seen)
    )
    assert after > 0.95 > 0.5 > alone
