"""Random and cubic bags of labeled points."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.datasets.bags_of_points import cubic_bags, random_bags
from emberscope.datasets.surfaces import quadratic_surfaces

Y = np.repeat([1, -1], 500)


def holds_standard_assumption(bags, y):
    return all((bags.labels[k] > 0) == (y[bags.of(k)] > 0).any() for k in range(len(bags)))


def test_random_bags_are_a_partition_into_bags_of_up_to_40():
    bags = random_bags(Y)
    assert np.array_equal(np.sort(bags.members), np.arange(1000))
    assert bags.sizes.max() <= 40
    assert bags.sizes.min() >= 1


def test_a_random_bag_is_positive_where_it_holds_a_target():
    assert holds_standard_assumption(random_bags(Y, seed=3), Y)


@pytest.mark.parametrize("rate", [0.5, 0.75])
def test_the_witness_rate_is_the_share_of_targets_among_what_they_are_mixed_with(rate):
    bags = random_bags(Y, witness_rate=rate)
    positive = bags.instance_labels(1000) > 0
    assert Y[positive].mean() / 2 + 0.5 == pytest.approx(rate, abs=0.01)


def test_the_seed_decides():
    assert np.array_equal(random_bags(Y, seed=1).members, random_bags(Y, seed=1).members)
    assert not np.array_equal(random_bags(Y, seed=1).members, random_bags(Y, seed=2).members)


def test_too_little_background_for_a_witness_rate_is_refused():
    with pytest.raises(DataError, match="wants 4500"):
        random_bags(Y, witness_rate=0.1)


def test_cubic_bags_are_the_cells_of_a_grid():
    X = np.array([[0.2, 0.9, 14.0], [0.8, 0.1, 1.0], [1.1, 0.1, 1.0], [0.2, 0.9, -0.5]])
    bags = cubic_bags(X, [-1, 1, -1, -1])
    members = [sorted(bags.of(k).tolist()) for k in range(3)]
    assert sorted(members) == [[0, 1], [2], [3]]
    assert bags.labels[members.index([0, 1])] == 1
    assert (bags.labels > 0).sum() == 1


def test_cubic_bags_of_the_surfaces_give_the_bag_label_accuracy_of_the_spec():
    X, y = quadratic_surfaces(1000)
    bags = cubic_bags(X, y)
    assert holds_standard_assumption(bags, y)
    assert (bags.instance_labels(2000) == y).mean() == pytest.approx(0.88, abs=0.02)


def test_cells_want_a_length_per_feature():
    with pytest.raises(DataError, match="2 lengths for 3 features"):
        cubic_bags(np.zeros((4, 3)), Y[:4], cell=(1.0, 1.0))
