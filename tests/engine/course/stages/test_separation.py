"""How bags are separated that were held out."""

import numpy as np

from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.course.labels import Labels
from emberscope.course.stages.separation import FoldFits
from emberscope.course.stages.separation import separation as separation_of
from emberscope.embedding.linear.lda import LDA
from emberscope.evaluate.held_out import parts_of
from emberscope.evaluate.learned_from import LearnedFrom


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


def separation(Z, labels, fits=None):
    return separation_of(
        Z, Z, Labels.of(labels), parts_of(labels.instances, labels.bags), fits=fits
    )


def test_a_picture_that_reads_no_label_is_judged_as_it_is():
    Z, labels = clouds()
    found = separation(Z, labels).metrics
    assert found["method_bag_auc"] == found["knn_balanced"] == found["knn_balanced_features"] == 1.0
    assert found["method_bag_auc_low"] < 1.0 == found["method_bag_auc_high"]
    assert (found["method_bag_groups"], found["method_bag_by_clip"], found["made_from_labels"]) == (
        12,
        0,
        0,
    )
    assert "knn_balanced_map" not in found


def test_a_picture_made_from_labels_says_so_and_is_judged_by_other_fits():
    Z, labels = clouds()
    found = separation(
        Z, labels, FoldFits(lambda: LDA(n_components=1), LearnedFrom(labels.y))
    ).metrics
    assert found["made_from_labels"] == found["method_bag_auc"] == found["knn_balanced_map"] == 1.0


def test_what_takes_too_long_is_left_out_and_its_seconds_are_said():
    Z, labels = clouds()
    found = separation(
        Z, labels, FoldFits(LDA, LearnedFrom(labels.y), seconds=40.0, affordable=False)
    )
    assert "method_bag_auc" not in found.metrics
    assert found.metrics["method_bag_auc_seconds"] == 40.0
    assert found.notes == [
        "Bags are not held out: the method would have to be fitted 5 times more, which takes about "
        "40 s."
    ]
    assert np.isfinite(found.points["score"]).all()  # votes in the embedding


def test_bags_of_one_class_or_on_one_frame_are_not_held_out():
    Z = np.random.default_rng(0).normal(size=(4, 2))
    for labels in (
        made([4, 4, 4, 4], [0, 0, 1, 1], [1, -1]),
        made([0, 0, 30, 30], [0, 0, 1, 1], [1, 1]),
    ):
        found = separation(Z, labels)
        assert "method_bag_auc" not in found.metrics
        assert found.notes[0].startswith("Bags are not held out: what is labeled is of one class")


def test_a_fold_that_cannot_be_left_out_leaves_a_note():
    Z, labels = clouds()
    found = separation(Z, labels, FoldFits(lambda: LDA(n_components=9), LearnedFrom(labels.y)))
    assert found.notes[0].startswith("Bags are not held out: a fold cannot be left out.")


def test_the_scores_that_the_area_rests_on_stay_with_the_run():
    Z, labels = clouds()
    kept = separation(Z, labels).arrays["held_score"]
    assert kept.dtype == np.float32
    assert kept[labels.y > 0].min() > kept[labels.y < 0].max()


def test_scores_that_were_not_held_out_are_not_kept():
    Z, labels = clouds()
    fits = FoldFits(LDA, LearnedFrom(labels.y), seconds=40.0, affordable=False)
    assert "held_score" not in separation(Z, labels, fits).arrays
