"""What is said of an embedding, and of bags that were held out."""

import numpy as np

from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.course.scores import Scores, faithful, joined, ranks, separation, steady
from emberscope.embedding.linear.lda import LDA
from emberscope.embedding.linear.pca import PCA


def made(frame, bag, labels):
    """One instance per entry: its frame, its bag."""
    frame, labels = np.array(frame, np.int32), np.array(labels, np.int8)
    box = np.stack([np.arange(len(frame))] * 4, axis=1)
    bags = Bags.from_column(np.array(bag), labels)
    instances = Instances.at(np.zeros(len(frame), int), frame, box)
    y = bags.instance_labels(len(frame))
    return MadeBags(instances, bags, y, np.empty(0, np.int64), [], np.zeros(len(frame), bool))


def clouds():
    """Two of background and target, a bag of two instances on each of twelve frames apart."""
    y = np.repeat([1, -1] * 6, 2)
    Z = np.random.default_rng(0).normal(size=(24, 2)) + 9 * y[:, None]
    return Z, made(np.repeat(np.arange(12), 2) * 20, np.repeat(np.arange(12), 2), [1, -1] * 6)


def test_a_picture_that_reads_no_label_is_judged_as_it_is():
    Z, labels = clouds()
    found = separation(Z, Z, labels).metrics
    assert found["method_bag_auc"] == found["knn_balanced"] == found["knn_balanced_features"] == 1.0
    assert found["method_bag_auc_low"] < 1.0 == found["method_bag_auc_high"]
    assert (found["method_bag_groups"], found["method_bag_by_clip"], found["made_from_labels"]) == (12, 0, 0)
    assert "knn_balanced_map" not in found


def test_a_picture_made_from_labels_says_so_and_is_judged_by_other_fits():
    Z, labels = clouds()
    found = separation(Z, Z, labels, refit=lambda: LDA(n_components=1)).metrics
    assert found["made_from_labels"] == found["method_bag_auc"] == found["knn_balanced_map"] == 1.0


def test_what_takes_too_long_is_left_out_and_its_seconds_are_said():
    Z, labels = clouds()
    found = separation(Z, Z, labels, refit=LDA, seconds=40.0, affordable=False)
    assert "method_bag_auc" not in found.metrics
    assert found.metrics["method_bag_auc_seconds"] == 40.0
    assert found.notes == ["Bags are not held out: the method would have to be fitted 5 times more, which takes about "
                           "40 s."]
    assert np.isfinite(found.points["score"]).all()  # votes in the embedding


def test_bags_of_one_class_or_on_one_frame_are_not_held_out():
    Z = np.random.default_rng(0).normal(size=(4, 2))
    for labels in (made([4, 4, 4, 4], [0, 0, 1, 1], [1, -1]), made([0, 0, 30, 30], [0, 0, 1, 1], [1, 1])):
        found = separation(Z, Z, labels)
        assert "method_bag_auc" not in found.metrics
        assert found.notes[0].startswith("Bags are not held out: what is labeled is of one class")


def test_a_fold_that_cannot_be_left_out_leaves_a_note():
    Z, labels = clouds()
    found = separation(Z, Z, labels, refit=lambda: LDA(n_components=9))
    assert found.notes[0].startswith("Bags are not held out: a fold cannot be left out.")


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
