"""Standard and outside-in boxes on planted bags with noise and features that say nothing."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.rectangles.walls import OutsideInAPR, StandardAPR, walls


def planted(seed, n_noise):
    """30 + 30 bags of 5 on [0, 1]^2 and noise features; a target of every positive bag lies about
    (0.7, 0.7), where no background of either label does."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(60) % 2, 1, -1)
    X = rng.uniform(size=(300, 2 + n_noise))
    taken = (np.abs(X[:, :2] - 0.7) < 0.25).all(axis=1)
    X[taken, 0] -= 0.5
    truth = np.zeros(300, bool)
    truth[5 * np.flatnonzero(labels > 0) + rng.integers(5, size=30)] = True
    X[truth, :2] = 0.7 + 0.05 * rng.normal(size=(30, 2))
    return X, Bags.from_column(np.repeat(np.arange(60), 5), labels), truth


def test_a_wall_that_keeps_no_background_out_is_taken_down_and_others_move_half_the_way():
    low, high = walls(np.array([0.0, 0.0]), np.array([2.0, 2.0]),
                      np.array([[-1.0, 1.0], [-0.5, 1.0]]), margin=10.0)
    np.testing.assert_array_equal(low, [-0.25, -np.inf])
    np.testing.assert_array_equal(high, [np.inf, np.inf])


def test_the_standard_box_holds_every_instance_of_positive_bags():
    X, bags, _ = planted(0, 0)
    positive = bags.members[bags.labels[bags.bag_of_member] > 0]
    assert (StandardAPR().fit(X, bags=bags).score_[positive] > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_outside_in_box_keeps_the_targets_and_lets_the_ground_go(seed):
    X, bags, truth = planted(seed, 0)
    est = OutsideInAPR().fit(X, bags=bags)
    low, high = (wall * est.scale_ + est.mean_ for wall in (est.low_, est.high_))
    assert ((low > 0.35) & (low < 0.7)).all()
    assert ((high > 0.7) & (high < 1)).all()
    assert auc(truth * 2 - 1, est.score_) > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_the_standard_box_is_the_worse_one_in_loose_bags(seed):
    X, bags, truth = planted(seed, 0)
    y = truth * 2 - 1
    assert auc(y, StandardAPR().fit(X, bags=bags).score_) + 0.1 < auc(
        y, OutsideInAPR().fit(X, bags=bags).score_)


def test_a_standard_box_that_most_negative_bags_reach_into_says_so():
    X, bags, _ = planted(0, 0)
    assert any("it says little" in note for note in StandardAPR().fit(X, bags=bags).notes_)
