"""How strongly pairs may change distances: what held-out pairs support."""

import numpy as np
import pytest

from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import held_out_agreement, metric_of
from emberscope.metric.equivalence import EquivalenceMetric
from emberscope.metric.pairs import Pairs
from emberscope.metric.soft_equivalence import pair_moment, soft_map
from emberscope.metric.strength import UNCHANGED, SoftFolds, _near, soft_weights, supported_strength


def parted(n=400):
    """n rows of 12 features, of which the last, a faint one, parts two classes; pairs of two
    neighbors in the table."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    T = rng.normal(size=(n, 12))
    T[:, -1] = 1.5 * y + 0.1 * rng.normal(size=n)
    return T, y, np.arange(n).reshape(-1, 2)


def of_classes(rows, y):
    return Pairs(rows, y[rows[:, 0]] == y[rows[:, 1]], np.ones(len(rows)))


def test_pairs_that_hold_for_others_change_distances():
    T, y, rows = parted()
    found = supported_strength(SoftFolds.of(T, of_classes(rows, y), push=1.0))
    assert found.softness < UNCHANGED
    assert found.order > found.plain
    assert "support softness" in found.words()


def test_random_marks_leave_distances_as_they_are():
    T, y, rows = parted()
    for seed in range(5):
        noise = np.random.default_rng(seed).permutation(y)
        assert (
            supported_strength(SoftFolds.of(T, of_classes(rows, noise), push=1.0)).softness
            == UNCHANGED
        )


def test_few_pairs_leave_distances_as_they_are_and_say_so():
    T, y, rows = parted()
    found = supported_strength(SoftFolds.of(T, of_classes(rows[:8], y), push=1.0))
    assert found.softness == UNCHANGED
    assert found.words().startswith("Too few pairs could be held out")


def test_pairs_of_one_kind_are_judged_against_pairs_drawn_at_random():
    T, y, rows = parted()
    pairs = of_classes(rows, y)
    found = supported_strength(SoftFolds.of(T, pairs.take(pairs.same), push=1.0))
    assert np.isfinite(found.order)


def test_unsupported_pairs_leave_all_distances():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    rows = rng.permutation(200).reshape(-1, 2)
    est = EquivalenceMetric(n_components=None).fit(X, side=SideInfo.of_pairs(rows[:50], rows[50:]))
    assert est.softness_ == UNCHANGED
    i, j = rng.integers(0, 200, (2, 50))
    before, after = (np.linalg.norm(A[i] - A[j], axis=1) for A in (X, est.embedding_))
    np.testing.assert_allclose(after, before)


def test_a_softness_that_was_given_is_taken():
    T, _, rows = parted()
    side = SideInfo.of_pairs(rows[:4], rows[4:8])
    est = EquivalenceMetric(softness=0.5).fit(T, side=side)
    assert est.softness_ == 0.5
    assert not any("Held-out pairs" in note for note in est.notes_)


def test_the_near_order_is_one_where_alike_pairs_are_all_nearer():
    apart, same = np.array([1.0, 2, 3, 4]), np.array([True, True, False, False])
    assert _near(apart, same, np.ones(4))[same].mean() == 1
    assert _near(-apart, same, np.ones(4))[same].mean() == 0


def test_the_near_order_of_pairs_that_say_nothing_is_an_eighth():
    rng = np.random.default_rng(0)
    apart, same = rng.random(20_000), rng.integers(0, 2, 20_000) > 0
    assert _near(apart, same, np.ones(20_000))[same].mean() == pytest.approx(0.125, abs=0.01)


def test_a_pair_of_double_weight_counts_as_two():
    apart, same = (
        np.array([1.0, 2, 0.5, 3, 4, 5]),
        np.array([True, True, False, False, False, False]),
    )
    weight = np.array([2.0, 1, 1, 2, 1, 1])
    twice = np.repeat(np.arange(6), weight.astype(int))
    own, other = _near(apart, same, weight), _near(apart[twice], same[twice], np.ones(8))
    assert weight[same] @ own[same] / 3 == pytest.approx(other[same[twice]].mean())


def test_infinite_softness_weighs_all_directions_alike():
    np.testing.assert_allclose(soft_weights(np.array([-1.0, 0, 2]), UNCHANGED), np.ones(3))


@pytest.mark.parametrize("softness", [0.3, 3.0, UNCHANGED])
def test_the_agreement_of_shared_folds_is_that_of_metrics_learned_anew(softness):
    T, y, rows = parted()
    pairs = of_classes(rows, y)

    def learn(some):
        return metric_of(T, soft_map(pair_moment(T, some, 1.0), softness))

    shared, anew = (
        SoftFolds.of(T, pairs, push=1.0).agreement(softness),
        held_out_agreement(pairs, len(T), learn),
    )
    assert (shared.share, shared.tested) == (anew.share, anew.tested)
