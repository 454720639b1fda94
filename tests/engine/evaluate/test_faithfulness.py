"""Trustworthiness and continuity: against scikit-learn, and what must not change them."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.evaluate.faithfulness import faithfulness

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
Z = X[:, :2]


@pytest.mark.parametrize("k", [1, 7, 30])
def test_it_equals_scikit_learn(k):
    found = faithfulness(X, Z, k=k)
    assert found.trustworthiness == pytest.approx(trustworthiness(X, Z, n_neighbors=k), abs=1e-12)
    assert found.overall_continuity == pytest.approx(trustworthiness(Z, X, n_neighbors=k), abs=1e-12)
    assert found.exact


def test_the_mean_per_instance_is_the_overall_value():
    found = faithfulness(X, Z)
    assert found.trust.mean() == pytest.approx(found.trustworthiness)
    assert found.continuity.mean() == pytest.approx(found.overall_continuity)


def test_swapping_the_spaces_swaps_the_two():
    there, back = faithfulness(X, Z), faithfulness(Z, X)
    np.testing.assert_allclose(there.trust, back.continuity)
    np.testing.assert_allclose(there.continuity, back.trust)


def test_turning_scaling_and_moving_the_picture_keeps_it_perfect():
    turn = np.linalg.qr(RNG.normal(size=(5, 5)))[0]
    found = faithfulness(X, 3 * X @ turn + 7)
    assert found.trustworthiness == found.overall_continuity == 1.0


def test_the_order_of_rows_does_not_matter():
    order = RNG.permutation(120)
    np.testing.assert_allclose(faithfulness(X[order], Z[order]).trust, faithfulness(X, Z).trust[order])


def test_one_misplaced_instance_is_the_least_trusted():
    moved = X.copy()
    moved[3] = X[np.linalg.norm(X - X[3], axis=1).argmax()] + 1e-3
    found = faithfulness(X, moved, k=5)
    assert found.trust.argmin() == 3
    assert found.continuity.argmin() == 3


def test_the_sampled_estimate_is_close_to_the_counted_one():
    data = RNG.normal(size=(1500, 8))
    exact = faithfulness(data, data[:, :2])
    sampled = [faithfulness(data, data[:, :2], exact_limit=0, n_reference=400, seed=s) for s in range(6)]
    assert not sampled[0].exact
    values = np.array([s.trustworthiness for s in sampled])
    assert abs(values.mean() - exact.trustworthiness) < 3 * values.std(ddof=1) / np.sqrt(6) + 1e-4
    assert np.corrcoef(sampled[0].trust, exact.trust)[0, 1] > 0.99


def test_with_all_rows_as_reference_the_estimate_is_the_count():
    exact = faithfulness(X, Z, k=5)
    found = faithfulness(X, Z, k=5, exact_limit=0, n_reference=120)
    np.testing.assert_allclose(found.trust, exact.trust, atol=1e-12)
    np.testing.assert_allclose(found.continuity, exact.continuity, atol=1e-12)


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


def test_it_can_be_stopped():
    with pytest.raises(Cancelled):
        faithfulness(X, Z, monitor=Watch(stop=lambda: True))
