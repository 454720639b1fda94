"""Who is alike: rules of labels and bags."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.metric.known_kinds import Draw, agreement_of, folds_of, known_of, with_witnesses


@pytest.fixture
def bags():
    """Two positive bags of three, two negative ones."""
    return Bags.from_lists([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]], np.array([1, 1, -1, -1]))


@pytest.fixture
def Z():
    """Background at 0 to 1 on a line, positive bags within it but for rows 1 and 5."""
    Z = np.concatenate([np.full(6, 0.4), np.linspace(0, 1, 6)])[:, None]
    Z[[1, 5]] = 9.0
    return Z


def unlabeled(n=12):
    return np.zeros(n, np.int64), np.zeros(n)


def test_members_of_negative_bags_are_known_and_of_positive_ones_nobody(bags):
    known = known_of(*unlabeled(), bags)
    assert known.rows.tolist() == [6, 7, 8, 9, 10, 11]
    assert (known.kind == -1).all()
    assert [bag.tolist() for bag in known.bags] == [[0, 1, 2], [3, 4, 5]]


def test_a_positive_bag_gives_one_witness_the_member_farthest_from_the_background(bags, Z):
    known = with_witnesses(known_of(*unlabeled(), bags), Z, np.random.default_rng(0))
    assert known.rows[known.kind == 1].tolist() == [1, 5]


def test_a_witness_that_looks_like_background_hardly_counts(bags, Z):
    Z[1] = 0.41
    known = with_witnesses(known_of(*unlabeled(), bags), Z, np.random.default_rng(0))
    sure = dict(zip(known.rows.tolist(), known.weight))
    assert sure[5] == 1.0
    # A bag of background stands for nothing: 0.001
    assert min(weight for row, weight in sure.items() if row < 3) < 0.5


def test_a_known_target_stands_for_its_bag(bags, Z):
    code, weight = unlabeled()
    code[2], weight[2] = 1, 1.0
    known = with_witnesses(known_of(code, weight, bags), Z, np.random.default_rng(0))
    assert known.rows[known.kind == 1].tolist() == [2, 5]


def test_each_kind_is_drawn_as_often(bags, Z):
    known = with_witnesses(known_of(*unlabeled(), bags), Z, np.random.default_rng(0))
    kinds = known.kind[Draw(known).take(10_000, np.random.default_rng(1))]
    assert abs((kinds == 1).mean() - 0.5) < 0.03  # six deviations


def test_bags_are_held_out_whole(bags):
    fold = folds_of(known_of(*unlabeled(), bags), 3, np.random.default_rng(0))
    for k in range(4):
        assert len(set(fold[bags.of(k)])) == 1


def test_what_is_held_out_and_what_is_learned_from_have_no_instance_in_common(bags):
    known = known_of(*unlabeled(), bags)
    held = np.arange(12) < 7
    held[[7, 8]] = True
    learned, unseen = known.split(held)
    assert learned.rows.tolist() == [9, 10, 11]
    assert unseen.rows.tolist() == [6, 7, 8]
    assert (len(learned.bags), len(unseen.bags)) == (0, 2)


def test_at_most_so_many_known_instances_are_drawn(bags):
    known = known_of(*unlabeled(), bags)
    some = known.drawn(4, np.random.default_rng(0))
    assert len(some.rows) == 4
    assert set(some.rows.tolist()) < set(known.rows.tolist())
    assert some.bags == known.bags
    assert known.drawn(6, np.random.default_rng(0)) is known


def test_where_nothing_can_be_held_out_no_agreement_is_known():
    found = agreement_of([])
    assert np.isnan(found.share)
    assert found.tested == 0
