"""Instances and bags in the order of their scores."""

import numpy as np
import pytest

from emberscope.findings.judged.levels import CLASSIFIER, INSTANCE
from emberscope.findings.maps.ranking import (
    Ranking,
    rank_instances,
    ranking_plot,
    ranking_rows,
)
from emberscope.findings.plot import Dots, Note, Rug
from emberscope.project import Project, Recipe

from ...project.builders import a_run

SCORE = np.array([0.2, 0.9, np.nan, 0.5], np.float32)


@pytest.fixture
def run():
    return a_run(n=4, indptr=np.array([0, 2, 4]), members=np.arange(4),
                 bag_labels=np.array([1, -1], np.int8), bag_ids=np.array([1, 2]) << 16,
                 bag_classes=np.array([1, 2]), point_scores={"witness": SCORE})  # fmt: skip


def test_the_highest_score_comes_first_and_what_has_none_is_left_out(run):
    found = rank_instances(Project(), run)
    assert found.ids.tolist() == [2, 4, 1]
    assert found.slot.tolist() == [1, 2, 1]
    assert found.what == "Score"


def test_scores_of_fits_that_have_not_seen_a_bag_go_before_others(run):
    run.diagnostics["held_score"] = np.array([0.8, 0.1, 0.3, np.nan])
    found = rank_instances(Project(), run)
    assert (found.what, found.ids.tolist()) == ("Held-out score", [1, 3, 2])


def test_a_run_without_scores_has_no_ranking():
    assert rank_instances(Project(), a_run()) is None


def test_where_no_truth_is_known_the_threshold_parts_bags_by_their_best_members(run):
    assert rank_instances(Project(), run).start == pytest.approx(0.9)


TWO = Ranking(INSTANCE, np.arange(3), np.array([7, 8, 9]), np.array([0.9, 0.5, 0.2]),
              np.array([1, 2, 1], np.uint8), "Score", 0.5)  # fmt: skip


def test_a_threshold_and_how_many_are_above_it_belong_together():
    assert [TWO.above(TWO.threshold_at(n)) for n in range(4)] == [0, 1, 2, 3]


def test_the_plot_says_the_threshold_and_has_a_lane_a_class():
    plot = ranking_plot(Project(), TWO, 0.4)
    assert [m.words for m in plot.marks if isinstance(m, Note)] == ["Threshold 0.40, 2 above"]
    assert [(m.name, m.x.tolist()) for m in plot.marks if isinstance(m, Rug)] == [
        ("Target", [1, 3]), ("Background", [2])]  # fmt: skip


def test_its_data_have_a_row_an_entry():
    assert ranking_rows(Project(), TWO, 0.4)[1:] == [
        [1, 7, "0.9", "Target", 1], [2, 8, "0.5", "Background", 1], [3, 9, "0.2", "Target", 0]]


def test_instances_are_ranked_by_the_classifier_where_that_is_asked():
    held = {"held_score": np.arange(4.0), "classifier_held": np.arange(4.0)[::-1]}
    run = a_run(n=4, diagnostics=held, recipe=Recipe(method="pca", classifier="svm-rbf"))
    found = rank_instances(Project(), run, by=CLASSIFIER)
    assert found.ids.tolist() == run.ids.tolist()


def test_scores_of_the_method_are_not_taken_for_those_of_a_classifier_that_there_is_not():
    run = a_run(point_scores={"score": np.arange(3.0)}, recipe=Recipe(method="pca"))
    assert rank_instances(Project(), run) is not None
    assert rank_instances(Project(), run, by=CLASSIFIER) is None


def test_a_dot_on_the_curve_is_where_the_threshold_is_taken_hold_of(run):
    found = rank_instances(Project(), run)
    (dot,) = [mark for mark in ranking_plot(Project(), found, 0.5).marks if isinstance(mark, Dots)]
    assert (dot.x.tolist(), dot.y.tolist()) == ([2.5], [0.5])
