"""What runs that differ in one setting alone say of it."""

import math

import numpy as np
import pytest

from emberscope.findings.judged.study import (
    DIMENSIONS,
    LOOSENESS,
    METHOD,
    PATCH,
    studies,
    study_plots,
    study_record,
)
from emberscope.findings.plot import Dots, Ribbon, Whiskers
from emberscope.project import BagRecipe, Recipe

from ...project.builders import a_run

ONE_ERROR = 0.0392  # wide an interval of one hundredth of standard error


def run_of(number, score, *, dims=2, wide=ONE_ERROR, more=(), labels=(7,), **recipe):
    """A run of MIDA with as many dimensions and a map accuracy."""
    recipe = {"method": "mida", "params": {"n_components": dims}} | recipe
    metrics = {"map_accuracy": score, "map_accuracy_low": score - wide / 2,
               "map_accuracy_high": score + wide / 2} | dict(more)  # fmt: skip
    return a_run(number, recipe=Recipe(**recipe), metrics=metrics, bag_ids=np.array(labels),
                 Z=np.zeros((3, dims), np.float32))


def of(*runs, about=0):
    return studies(runs, runs[about])


def test_runs_that_differ_in_dimension_alone_are_a_study_in_order_of_it():
    found = of(run_of(1, 0.80), run_of(2, 0.90, dims=10), run_of(3, 0.85, dims=3)).found
    assert [study.axis for study in found] == [DIMENSIONS]
    assert [point.words for point in found[0].points] == ["2", "3", "10"]


def test_a_run_that_differs_in_two_settings_takes_no_part():
    found = of(run_of(1, 0.8), run_of(2, 0.9, dims=3, reduce=7))
    assert not found.found
    assert "No other run differs from run 1 in one setting alone" in found.why_not


def test_another_seed_does_not_count_and_scores_of_a_value_are_averaged():
    runs = run_of(1, 0.80), run_of(2, 0.90, seed=5), run_of(3, 0.7, dims=3, seed=9)
    first = of(*runs).found[0].points[0]
    assert first.runs == (1, 2)
    assert first.score.value == pytest.approx(0.85)


def test_patch_and_step_are_one_setting():
    study = of(run_of(1, 0.8), run_of(2, 0.9, bags=BagRecipe(patch=48, stride=24))).found[0]
    assert study.axis == PATCH
    assert [point.words for point in study.points] == ["32", "48"]


def test_methods_are_compared_on_maps_of_as_many_dimensions():
    others = [run_of(2, 0.6, method="pca"), run_of(3, 0.7, dims=3, method="pca")]
    study = of(run_of(1, 0.8), *others).found[0]
    assert study.axis == METHOD
    assert [point.runs for point in study.points] == [(1,), (2,)]


def test_labels_that_are_looser_are_a_setting_too():
    tight, loose = {"label_looseness": 0.0}, {"label_looseness": 2.0}
    study = of(run_of(1, 0.9, more=tight), run_of(2, 0.7, more=loose, labels=(8,))).found[0]
    assert study.axis == LOOSENESS
    assert [point.words for point in study.points] == ["0", "2"]


def test_runs_of_other_labels_are_counted_and_left_out():
    found = of(run_of(1, 0.9), run_of(2, 0.9, dims=3, labels=(8,)))
    assert (found.left_out, found.found) == (1, ())


def test_the_fewest_within_one_standard_error_of_the_best_is_named():
    study = of(run_of(1, 0.895), run_of(2, 0.90, dims=3), run_of(3, 0.80, dims=1)).found[0]
    assert study.words.startswith("3 is best, 0.90 (0.88 \N{EN DASH} 0.92).")
    assert "2 is the fewest within one standard error of it." in study.words


def test_a_best_that_stands_alone_is_said_to():
    study = of(run_of(1, 0.80), run_of(2, 0.90, method="pca")).found[0]
    assert study.words.endswith("No other is within one standard error of it.")


def test_a_score_without_an_interval_has_no_standard_error():
    study = of(run_of(1, 0.80, wide=math.nan), run_of(2, 0.90, dims=3, wide=math.nan)).found[0]
    assert study.words == "3 is best, 0.90. How sure that is is not known."
    assert not [mark for mark in study_plots([study])[0].marks if isinstance(mark, Ribbon)]


def test_the_score_is_that_which_most_runs_have():
    other = {"inside_auc": 0.7}
    runs = run_of(1, 0.8, more=other), run_of(2, 0.9, dims=3)
    assert of(*runs).measure == "map_accuracy"


def test_a_score_that_any_guess_reaches_compares_nothing():
    easy = {"witness_found": 1.0, "witness_found_chance": 1.0, "witness_found_bags": 40}
    runs = run_of(1, 0.8, more=easy), run_of(2, 0.9, dims=3, more=easy)
    assert of(*runs).measure == "map_accuracy"
    assert not studies(runs, runs[0], "witness_found").found


def test_plots_share_one_range_and_fill_the_run_that_others_differ_from():
    runs = run_of(1, 0.8), run_of(2, 0.9, dims=3), run_of(3, 0.6, method="pca")
    plots = study_plots(of(*runs).found)
    assert plots[0].y == plots[1].y
    assert all(plot.title.startswith("Map accuracy by ") for plot in plots)
    dots = next(mark for mark in plots[0].marks if isinstance(mark, Dots))
    assert dots.now == 0
    whiskers = next(mark for mark in plots[0].marks if isinstance(mark, Whiskers))
    assert whiskers.readings[1] == "3: 0.90 (0.88 \N{EN DASH} 0.92), run 2"


def test_a_program_gets_the_same():
    record = study_record(of(run_of(1, 0.8), run_of(2, 0.9, dims=3)))
    assert record["settings"][0]["values"][1]["within_one_error"] is True
