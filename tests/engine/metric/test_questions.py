"""Which pair is asked about next, and what the answers are worth."""

import numpy as np
import pytest

from emberscope.labels.side_info import Distance, Pair
from emberscope.metric.pairs import Deck, Pairs
from emberscope.metric.questions import _Metric, _soft, questions, standing

NO_PAIRS = Pairs(np.empty((0, 2), np.int64), np.empty(0, bool), np.empty(0))


def deck(n=60, r=4, *, weak=NO_PAIRS, likely=None, seed=0):
    """Instances 100, 101, ... of a cloud that is longer along its first axes."""
    T = np.random.default_rng(seed).normal(size=(n, r)) * np.linspace(1.5, 0.3, r)
    return Deck(
        np.arange(n) + 100, T.astype(np.float32), weak, np.ones(n) if likely is None else likely
    )


def answers(found, count, *, same=None):
    """Answer questions one after the other: alike where both instances are on one side of the first
    axis."""
    records = []
    for key in range(1, count + 1):
        q = questions(found, records)[0]
        side = found.T[[q.a - 100, q.b - 100], 0] > 0
        records.append(
            Pair(id=key, a=q.a, b=q.b, same=bool(side[0] == side[1]) if same is None else same)
        )
    return records


def test_the_same_records_give_the_same_question():
    found = deck()
    records = answers(found, 3)
    assert questions(found, records) == questions(found, records)


def test_no_question_is_asked_twice():
    asked = [frozenset((r.a, r.b)) for r in answers(deck(), 12)]
    assert len(set(asked)) == 12


def test_what_was_skipped_is_not_asked_again():
    found = deck(3)
    first = questions(found, [])[0]
    second = questions(found, [], skipped=[(first.b, first.a)])[0]
    assert {first.a, first.b} != {second.a, second.b}


def test_several_questions_are_of_different_pairs():
    pairs = [frozenset((q.a, q.b)) for q in questions(deck(), [], count=8)]
    assert len(set(pairs)) == 8


def test_what_follows_from_other_answers_is_not_asked():
    """A is B and B is C: then A is C, and nothing is left to ask."""
    records = [Pair(id=1, a=100, b=101, same=True), Pair(id=2, a=101, b=102, same=True)]
    assert questions(deck(3), records) == []
    differs = [Pair(id=1, a=100, b=101, same=True), Pair(id=2, a=101, b=102, same=False)]
    assert questions(deck(3), differs) == []


def test_contradictory_answers_do_not_end_the_questions():
    records = [Pair(id=1, a=100, b=101, same=True), Pair(id=2, a=100, b=101, same=False)]
    assert len(questions(deck(8), records)) == 1


@pytest.mark.parametrize("n", [0, 1])
def test_one_instance_makes_no_question(n):
    assert questions(deck(n), []) == []


def test_copies_of_one_instance_can_be_asked_about():
    same = Deck(np.arange(5), np.zeros((5, 2), np.float32), NO_PAIRS, np.ones(5))
    assert len(questions(same, [])) == 1


def test_the_strangest_instance_is_not_asked_about():
    """An answer about it would change the metric most, but nobody doubts it."""
    found = deck()
    records = answers(found, 6)
    known = {i for r in records for i in (r.a, r.b)}
    strange = next(i for i in found.ids.tolist() if i not in known)
    found.T[strange - 100] = 50.0
    assert all(strange not in (q.a, q.b) for q in questions(found, records, count=20))


def test_likely_targets_are_asked_about_more_often():
    likely = np.zeros(1000)
    likely[:50] = 1.0
    asked = questions(deck(1000, likely=likely), [], count=20)
    # 0.05 by chance; six others: 0.25 to 0.53
    assert np.mean([[q.a < 150, q.b < 150] for q in asked]) > 0.2


def open_deck():
    """Of four, the first two are background, and the last is the less likely target of two whose
    label is open."""
    T = np.array([[0.0], [5.0], [1.0], [4.0]], np.float32)
    likely, known = np.array([0.0, 0.0, 0.9, 0.1]), np.array([-1, -1, 0, 0], np.int8)
    return Deck(np.arange(4) + 100, T, NO_PAIRS, likely, known=known)


def test_a_question_about_a_label_shows_the_least_likely_target_and_the_nearest_background():
    first = questions(open_deck(), [])[0]
    assert (first.a, first.b) == (101, 103)


def test_who_was_in_a_pair_is_not_asked_for_its_label_again():
    records = [Pair(id=1, a=101, b=103, same=False), Pair(id=2, a=100, b=101, same=True)]
    third = questions(open_deck(), records)[0]
    assert (third.a, third.b) == (100, 102)


def test_labels_are_asked_for_every_other_time():
    many = Deck(
        np.arange(200),
        deck(200).T,
        NO_PAIRS,
        np.ones(200),
        known=np.repeat([-1, 0], 100).astype(np.int8),
    )
    asked = questions(many, [], count=20)
    assert all(q.a < 100 <= q.b for q in asked[::2])
    assert not all(q.a < 100 <= q.b for q in asked[1::2])


def test_labels_say_nothing_of_another_attribute():
    plain = Deck(np.arange(4) + 100, open_deck().T, NO_PAIRS, open_deck().likely)
    assert questions(open_deck(), [], attribute="engine") == questions(
        plain, [], attribute="engine"
    )


def test_pairs_of_bag_labels_say_nothing_of_another_attribute():
    weak = Pairs(np.array([(0, 1), (2, 3)]), np.array([True, False]), np.full(2, 0.2))
    plain, informed = deck(), deck(weak=weak)
    assert questions(informed, [], attribute="engine") == questions(plain, [], attribute="engine")
    assert questions(informed, []) != questions(plain, [])


def test_instances_of_another_run_are_left_out():
    records = [Pair(id=1, a=100, b=9999, same=True), Distance(id=2, a=100, b=101, distance=3.0)]
    assert len(questions(deck(), records, skipped=[(9999, 100)])) == 1


def test_a_change_is_that_of_the_metric_with_one_pair_more():
    found = deck(30)
    known = Pairs(np.array([(0, 1), (2, 3), (4, 5)]), np.array([True, False, False]), np.ones(3))
    more = known.joined(Pairs(np.array([(6, 7)]), np.array([False]), np.ones(1)))
    old, new = (W @ W.T for W in (_Metric.of(found, some).W for some in (known, more)))
    d = (found.T[6].astype(float) - found.T[7])[None]
    expected = np.linalg.norm(new - old) / np.linalg.norm(old)
    np.testing.assert_allclose(_Metric.of(found, known)._change(d, same=False), expected, rtol=1e-6)


def test_many_metrics_at_once_are_those_one_by_one():
    metric = _Metric.of(
        deck(), Pairs(np.array([(0, 1), (2, 3)]), np.array([True, False]), np.ones(2))
    )
    np.testing.assert_allclose(
        _soft((metric.alike - metric.apart)[None], 0.3)[0], metric.W @ metric.W.T, atol=1e-9
    )


def test_without_answers_nothing_is_known_of_their_worth():
    found = standing(deck(), [])
    assert found.answered == 0
    assert np.isnan(found.agreement.share)
    assert np.isnan(found.moved)


def test_the_newest_answer_moved_the_distances():
    found = deck()
    records = answers(found, 4)
    assert 0 < standing(found, records).moved < 1
    before, after = (standing(found, some).answered for some in (records[:3], records))
    assert (before, after) == (3, 4)


def test_pairs_of_bag_labels_are_learned_from_and_not_judged():
    weak = Pairs(
        np.array([(i, i + 1) for i in range(0, 40, 2)]), np.ones(20, bool), np.full(20, 0.2)
    )
    records = [Pair(id=k + 1, a=140 + 2 * k, b=141 + 2 * k, same=k % 2 == 0) for k in range(10)]
    assert standing(deck(weak=weak), records).agreement.tested == 10


def test_lasso_pairs_are_no_answers_by_hand():
    records = [Pair(id=1, a=100, b=101, same=True, origin="lasso", weight=0.1)]
    assert standing(deck(), records).answered == 0
