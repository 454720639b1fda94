"""Trustworthiness and continuity: against scikit-learn, and what must not change them."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold import trustworthiness

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.neighbors.distances import Distances

X = np.random.default_rng(0).normal(size=(120, 5))
Z = X[:, :2]


@pytest.mark.parametrize("k", [1, 7, 30])
def test_it_equals_scikit_learn(k):
    found = faithfulness(X, Z, k=k)
    assert found.trustworthiness == pytest.approx(trustworthiness(X, Z, n_neighbors=k), abs=1e-12)
    assert found.overall_continuity == pytest.approx(
        trustworthiness(Z, X, n_neighbors=k), abs=1e-12
    )
    assert found.exact


@pytest.mark.parametrize("options", [{}, {"exact_limit": 0, "n_reference": 60, "n_queries": 40}])
def test_the_mean_per_instance_is_the_overall_value(options):
    found = faithfulness(X, Z, **options)
    assert found.preservation.mean() == pytest.approx(found.numbers["q_nx"])
    assert found.trust.mean() == pytest.approx(found.trustworthiness)
    assert found.continuity.mean() == pytest.approx(found.overall_continuity)


def test_swapping_the_spaces_swaps_the_two():
    there, back = faithfulness(X, Z), faithfulness(Z, X)
    np.testing.assert_allclose(there.trust, back.continuity)
    np.testing.assert_allclose(there.continuity, back.trust)


def test_turning_scaling_and_moving_the_picture_keeps_it_perfect(rng):
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    found = faithfulness(X, 3 * X @ turn + 7)
    assert found.trustworthiness == found.overall_continuity == 1.0


def test_the_order_of_rows_does_not_matter(rng):
    order = rng.permutation(120)
    there, here = faithfulness(X[order], Z[order]), faithfulness(X, Z)
    for name, scores in here.points().items():
        np.testing.assert_allclose(there.points()[name], scores[order], err_msg=name)
    assert there.numbers == pytest.approx(here.numbers)


def test_one_misplaced_instance_is_the_least_trusted():
    moved = X.copy()
    moved[3] = X[np.linalg.norm(X - X[3], axis=1).argmax()] + 1e-3
    found = faithfulness(X, moved, k=5)
    assert found.trust.argmin() == 3
    assert found.continuity.argmin() == 3


BIG = np.random.default_rng(2).normal(size=(3000, 8))
EMBEDDING = BIG[:, :2]
ESTIMATED = ("trustworthiness", "continuity", "r_nx_auc")


@pytest.fixture(scope="module")
def counted():
    return faithfulness(BIG, EMBEDDING)


@pytest.fixture(scope="module")
def sampled():
    return [
        faithfulness(BIG, EMBEDDING, exact_limit=0, n_reference=400, n_queries=200, seed=s)
        for s in range(5)
    ]


def test_the_sampled_estimate_is_the_counted_value_within_its_error(counted, sampled):
    assert counted.exact
    assert not sampled[0].exact
    for name in ESTIMATED:
        error = [
            (s.numbers[name] - counted.numbers[name]) / s.numbers[f"{name}_error"] for s in sampled
        ]
        assert np.abs(error).max() < 3
        assert abs(np.mean(error)) < 3 / np.sqrt(len(error))


def test_the_error_of_an_instance_is_of_the_size_that_is_stated(counted, sampled):
    for name in ("trust", "continuity"):
        off, stated = (
            getattr(sampled[0], name) - getattr(counted, name),
            getattr(sampled[0], f"{name}_error"),
        )
        assert 0.5 < np.sqrt(np.mean(off**2) / np.mean(stated**2)) < 2
        # An error of variance s² that does not depend on the value, of variance v, leaves sqrt(v /
        # (v + s²)) of the correlation; s is at most twice what is stated.
        v = getattr(counted, name).var()
        least = np.sqrt(v / (v + 4 * np.mean(stated**2)))
        assert np.corrcoef(getattr(sampled[0], name), getattr(counted, name))[0, 1] > least


def test_what_the_neighbor_lists_tell_is_not_estimated(counted, sampled):
    np.testing.assert_array_equal(sampled[0].preservation, counted.preservation)
    np.testing.assert_allclose(sampled[0].curves.q_nx[:32], counted.curves.q_nx[:32])


def test_with_all_rows_as_reference_the_estimate_is_the_count():
    exact = faithfulness(X, Z, k=5)
    found = faithfulness(X, Z, k=5, exact_limit=0, n_reference=120, n_queries=2)
    np.testing.assert_allclose(found.trust, exact.trust, atol=1e-12)
    np.testing.assert_allclose(found.continuity, exact.continuity, atol=1e-12)
    np.testing.assert_allclose(found.trust_error, 0)


def test_single_precision_gives_the_same_numbers(rng):
    wide = rng.normal(size=(400, 30)).astype(np.float32)
    for options in ({}, {"exact_limit": 0, "n_reference": 100, "n_queries": 50}):
        single = faithfulness(wide, wide[:, :2], **options)
        double = faithfulness(wide.astype(np.float64), wide[:, :2].astype(np.float64), **options)
        np.testing.assert_allclose(single.trust, double.trust, atol=2e-3)
        np.testing.assert_allclose(
            list(single.numbers.values()), list(double.numbers.values()), atol=1e-4
        )


@pytest.mark.parametrize("options", [{}, {"exact_limit": 0, "n_reference": 60, "n_queries": 40}])
def test_an_isometric_picture_of_any_size_is_perfect(options, rng):
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    found = faithfulness(X, 3 * X @ turn + 7, **options)
    for scores in (found.trust, found.continuity, found.preservation):
        assert (scores == 1).all()
    for name in ("r_nx_auc", "q_nx", "spearman_local", "spearman_global", "pearson_global"):
        assert found.numbers[name] == pytest.approx(1, abs=1e-12)
    for name in ("stress", "stress_local", "anisotropy", "b_nx"):
        assert found.numbers[name] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(found.stretch, 0, atol=1e-12)


def test_the_ellipses_of_a_scaled_picture_are_circles(rng):
    flat = rng.normal(size=(80, 2))
    np.testing.assert_allclose(
        faithfulness(flat, flat / 2).ellipses, np.tile(4 * np.eye(2), (80, 1, 1)), atol=1e-3
    )


def test_a_picture_of_more_than_three_dimensions_has_no_ellipses():
    found = faithfulness(X, X[:, :4])
    assert found.ellipses.shape == (120, 0, 0)
    assert "ellipses" not in found.arrays()


def test_a_random_picture_is_no_better_than_chance(rng):
    data = rng.normal(size=(2000, 5))
    found = faithfulness(data, rng.normal(size=(2000, 2)))
    small = found.curves.k < 1900
    assert np.abs(found.curves.r_nx[small]).max() < 0.02  # six other draws: 3.9e-3 to 6.6e-3
    np.testing.assert_allclose(found.curves.q_nx[small], found.curves.k[small] / 1999, atol=0.02)
    assert abs(found.numbers["lcmc"]) < 0.005
    assert abs(found.numbers["r_nx_auc"]) < 0.005


def test_clusters_that_change_places_keep_their_trust_and_lose_their_distances(rng):
    centers = np.array([0.0, 10.0, 40.0, 100.0])
    group = np.repeat(np.arange(4), 40)
    data = rng.normal(size=(160, 2)) + centers[group, None]
    swapped = data + (centers[[0, 3, 2, 1]] - centers)[group, None]
    found, kept = faithfulness(data, swapped), faithfulness(data, data)
    assert found.trustworthiness == kept.trustworthiness == 1.0
    assert found.numbers["spearman_local"] == pytest.approx(1)
    assert found.numbers["spearman_global"] < 0.7  # six other draws: 0.30


def test_copies_count_once_and_get_the_value_of_the_original():
    found = faithfulness(np.vstack([X, X[:10]]), np.vstack([Z, Z[:10]]))
    plain = faithfulness(X, Z)
    assert found.trustworthiness == plain.trustworthiness
    assert np.array_equal(found.trust[120:], plain.trust[:10])


def test_k_is_lowered_for_few_instances():
    assert faithfulness(X[:9], Z[:9]).k == 4


def test_three_instances_have_no_neighborhoods_to_compare():
    with pytest.raises(DataError, match="at least 4"):
        faithfulness(X[:3], Z[:3])


def test_rows_must_correspond():
    with pytest.raises(DataError, match="120 rows"):
        faithfulness(X, Z[:7])


def test_a_place_that_is_not_finite_is_told():
    with pytest.raises(DataError, match="no finite place for 2 instances"):
        faithfulness(X, np.where(np.arange(120)[:, None] < 2, np.nan, Z))


def test_a_collapsed_picture_has_scores_and_no_stretch():
    found = faithfulness(X, np.zeros((120, 2)))
    assert 0 <= found.trustworthiness < 1
    assert np.isnan(found.stretch).all()


@pytest.mark.parametrize("n", [4, 5, 8])
def test_few_instances_have_every_number(n):
    found = faithfulness(X[:n], Z[:n])
    assert all(np.isfinite(value) for value in found.numbers.values())
    assert found.curves.k.tolist() == list(range(1, n - 1))


def test_it_can_be_stopped():
    with pytest.raises(Cancelled):
        faithfulness(X, Z, monitor=Watch(stop=lambda: True))


def test_by_the_distances_of_the_features_faithfulness_is_that_to_the_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    X[70:] = X[:10]
    Z = X[:, :2] + 0.1 * rng.normal(size=(80, 2))
    Z[70:] = Z[:10]
    given = Distances(cdist(X, X, "sqeuclidean"))
    plain, found = faithfulness(X, Z), faithfulness(X, Z, distances=given)
    assert found.numbers == pytest.approx(plain.numbers)
    for name, values in plain.points().items():
        np.testing.assert_allclose(found.points()[name], values, atol=1e-6)
