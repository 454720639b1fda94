"""Classical scaling: PCA where distances are Euclidean, exact recovery, what is done about the
rest."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

from emberscope.base.errors import Cancelled, DataError, TooLarge
from emberscope.base.monitor import Watch
from emberscope.embedding.distance import mds as mds_module
from emberscope.embedding.distance.mds import MDS, additive_constant, double_center, negative_mass
from emberscope.embedding.distance.pairs import squared_distances, symmetrize
from emberscope.embedding.linear.pca import PCA

CLOUD = np.random.default_rng(0).normal(size=(80, 5)) * [5, 3, 2, 1, 0.5]
FLAT = np.random.default_rng(2).uniform(size=(50, 2)) * [3, 1]


def uneven(n):
    D = np.random.default_rng(n).uniform(1, 2, (n, n))
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    return D


def test_with_euclidean_distances_it_is_pca():
    est, pca = MDS(n_components=3).fit(CLOUD), PCA(n_components=3).fit(CLOUD)
    np.testing.assert_allclose(np.abs(est.embedding_), np.abs(pca.embedding_), atol=1e-8)
    np.testing.assert_allclose(est.eigenvalues_, 79 * pca.explained_variance_)


def test_points_are_recovered_from_their_distances():
    Z = MDS(metric="precomputed").fit(cdist(FLAT, FLAT)).embedding_
    assert procrustes(FLAT, Z)[2] < 1e-12


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock"])
def test_new_instances_get_the_coordinates_they_would_have_had(metric):
    est = MDS(metric=metric).fit(CLOUD)
    np.testing.assert_allclose(est.transform(CLOUD), est.embedding_, atol=1e-9)


def test_distances_of_new_instances_are_triangulated():
    D = cdist(FLAT, FLAT)
    est = MDS(metric="precomputed").fit(D[:40, :40])
    both = np.vstack([est.embedding_, est.transform(D[40:, :40])])
    assert procrustes(FLAT, both)[2] < 1e-12


def test_contradicting_distances_are_noted_with_their_share():
    est = MDS(metric="precomputed").fit(uneven(40))
    assert est.negative_mass_ > 0.1  # six other draws: 0.18 to 0.19
    assert f"{est.negative_mass_:.1%} of the spectrum is negative" in est.notes_[0]
    assert MDS().fit(CLOUD).negative_mass_ == 0


@pytest.mark.parametrize("n", [12, 60])
def test_the_least_constant_makes_distances_euclidean(n):
    D = uneven(n)
    constant = additive_constant(D)
    for factor, euclidean in ((1.0, True), (0.99, False)):
        gram = (D + factor * constant) ** 2
        np.fill_diagonal(gram, 0)
        double_center(gram)
        assert (np.linalg.eigvalsh(gram)[0] > -1e-8) == euclidean


def test_euclidean_distances_need_no_constant():
    assert additive_constant(cdist(FLAT, FLAT)) == 0


def test_with_the_constant_all_distances_are_drawn_as_given():
    D = uneven(15)
    est = MDS(n_components=14, metric="precomputed", additive_constant=True).fit(D)
    apart = ~np.eye(15, dtype=bool)
    np.testing.assert_allclose(
        cdist(est.embedding_, est.embedding_)[apart], (D + est.constant_)[apart], rtol=1e-5
    )
    np.testing.assert_allclose(est.transform(D), est.embedding_, atol=1e-5)


def test_cosine_looks_at_directions_only():
    long = CLOUD * np.linspace(1, 9, 80)[:, None]
    a, b = (MDS(metric="cosine").fit(X).embedding_ for X in (CLOUD, long))
    np.testing.assert_allclose(a, b, atol=1e-9)


BAD = {
    "not square": (CLOUD, "square matrix"),
    "not symmetric": (np.triu(uneven(6)), "not symmetric"),
    "negative": (-uneven(6), "negative"),
    "likenesses": (uneven(6) + np.eye(6), "0 on the diagonal"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_distance_matrix_is_refused(case):
    X, message = BAD[case]
    with pytest.raises(DataError, match=message):
        MDS(metric="precomputed").fit(X)


def test_too_many_instances_are_sent_to_the_landmark_method(monkeypatch):
    monkeypatch.setattr(mds_module, "EXACT_LIMIT", 79)
    with pytest.raises(TooLarge, match="landmark-mds"):
        MDS().fit(CLOUD)


def test_more_dimensions_than_distances_can_fill_are_zero_and_noted():
    est = MDS(n_components=3).fit(FLAT[:3])
    assert (est.embedding_[:, 2] == 0).all()
    assert "1 of 3 axes are empty" in est.notes_[-1]


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_squared_distances_are_those_of_differences_also_far_from_the_origin(metric):
    X = CLOUD + 1e6
    found = squared_distances(X[:7], X, metric=metric)
    np.testing.assert_allclose(found, cdist(X[:7], X, metric) ** 2, rtol=1e-6)


def test_a_copy_is_exactly_at_no_distance_and_a_near_copy_near():
    X = np.vstack([CLOUD, CLOUD[:1], CLOUD[:1] + 1e-9])
    found = squared_distances(CLOUD[:1], X)[0]
    assert found[0] == found[80] == 0
    assert found[81] == pytest.approx(5e-18, rel=1e-3)


def test_symmetrizing_by_blocks_is_the_mean_with_the_transpose():
    A = np.random.default_rng(0).normal(size=(1100, 1100))
    expected = (A + A.T) / 2
    symmetrize(A)
    np.testing.assert_array_equal(A, expected)


def test_negative_mass_is_the_share_of_the_spectrum():
    D = uneven(20)
    centering = np.eye(20) - 1 / 20
    values = np.linalg.eigvalsh(-0.5 * centering @ D**2 @ centering)
    assert negative_mass(D) == pytest.approx(-values[values < 0].sum() / np.abs(values).sum())


def test_the_search_for_the_constant_stops_when_asked():
    with pytest.raises(Cancelled):
        additive_constant(uneven(30), monitor=Watch(stop=lambda: True))
