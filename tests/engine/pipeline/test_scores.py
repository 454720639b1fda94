"""Folds that keep together what belongs together."""

import numpy as np

from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.embedding.linear.pca import PCA
from emberscope.pipeline.scores import Scores, faithful, folds, joined, ranks, steady


def made(frame, bag, labels):
    """One instance per entry: its frame, its bag."""
    frame, labels = np.array(frame, np.int32), np.array(labels, np.int8)
    box = np.stack([np.arange(len(frame))] * 4, axis=1)
    bags = Bags.from_column(np.array(bag), labels)
    instances = Instances.at(np.zeros(len(frame), int), frame, box)
    y = bags.instance_labels(len(frame))
    return MadeBags(instances, bags, y, np.empty(0, np.int64), [], np.zeros(len(frame), bool))


def test_instances_of_one_bag_are_never_in_two_folds():
    found = folds(made(np.repeat(np.arange(12), 2) * 20, np.repeat(np.arange(12), 2), [1, -1] * 6))
    assert np.array_equal(found[::2], found[1::2])
    assert len(np.unique(found)) == 5


def test_neighboring_frames_are_in_one_fold_where_there_are_enough():
    frame = np.arange(100)
    found = folds(made(frame, np.arange(100), [1, -1] * 50))
    assert all(len(np.unique(found[frame // 10 == block])) == 1 for block in range(10))


def test_few_frames_are_folds_of_their_own():
    assert len(np.unique(folds(made([0, 1, 2], [0, 1, 2], [1, -1, 1])))) == 3


def test_one_frame_or_one_class_makes_no_folds():
    assert folds(made([4, 4], [0, 1], [1, -1])) is None
    assert folds(made([0, 30], [0, 1], [1, 1])) is None


def test_instances_without_label_are_in_no_fold():
    assert folds(made([0, 1, 2], [0, 1, -1], [1, -1])).tolist()[2] == -1


def test_ranks_are_shares_of_the_lower_and_ties_share_theirs():
    np.testing.assert_allclose(ranks(np.array([5.0, -1e9, 7.0, 5.0, np.nan])), [0.5, 0.0, 1.0, 0.5, np.nan])
    np.testing.assert_array_equal(ranks(np.array([3.0])), [0.0])


def test_too_few_instances_for_faithfulness_leave_a_note():
    found = faithful(np.eye(3), np.eye(3))
    assert found.points == found.metrics == {}
    assert found.notes[0].startswith("No faithfulness: 3 different instances")


def test_a_fit_that_fails_leaves_a_note():
    found = steady(lambda number: PCA(n_components=9), np.eye(4), np.eye(4), None, None, fits=3)
    assert found.points == {}
    assert found.notes[0].startswith("No spread between fits: ")


def test_scores_are_joined_in_order_and_in_single_precision():
    found = joined(Scores({"a": np.ones(2)}, {"m": 1.0}, ["first"]), Scores({}, {"n": 2.0}, ["second"]))
    assert (found.metrics, found.notes) == ({"m": 1.0, "n": 2.0}, ["first", "second"])
    assert found.points["a"].dtype == np.float32
