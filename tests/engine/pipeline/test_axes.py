"""How faithful two axes of an embedding are."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.base.monitor import Watch
from emberscope.course.stages.faithful import axes_scores, faithful
from emberscope.pipeline import run
from emberscope.pipeline.measures import measure_axes, neighbor_distances
from emberscope.project import to_snapshot
from emberscope.tasks.measures import MeasureAxes
from emberscope.tasks.table import TABLE

from .conftest import RECIPE

DEEP, FLAT = (msgspec.structs.replace(RECIPE, params={"n_components": count}) for count in (3, 2))
# Flat in its second column
SHEET = np.random.default_rng(0).normal(size=(60, 3)) * [1.0, 0.01, 1.0]


def test_axes_that_hold_the_data_are_faithful_and_others_are_not():
    found = axes_scores(SHEET, SHEET, (0, 2)).metrics | axes_scores(SHEET, SHEET, (0, 1)).metrics
    assert found["trustworthiness_axes_1_3"] > 0.99
    assert found["trustworthiness_axes_1_2"] < 0.9


def test_they_are_judged_as_an_embedding_of_these_alone_is():
    found, alone = axes_scores(SHEET, SHEET, (0, 1)), faithful(SHEET, SHEET[:, :2])
    assert found.metrics["r_nx_auc_axes_1_2"] == alone.metrics["r_nx_auc"]
    np.testing.assert_array_equal(found.points["continuity_axes_1_2"], alone.points["continuity"])


def test_a_run_of_three_dimensions_knows_how_faithful_the_first_two_are(project, cache):
    deep, flat = run(project, DEEP, cache=cache), run(project, FLAT, cache=cache)
    # The same axes, of PCA
    assert deep.metrics["r_nx_auc_axes_1_2"] == pytest.approx(flat.metrics["r_nx_auc"])
    assert deep.metrics["r_nx_auc_axes_1_2"] < deep.metrics["r_nx_auc"]
    assert len(deep.point_scores["trustworthiness_axes_1_2"]) == len(deep.ids)
    assert not [name for name in (*flat.metrics, *flat.point_scores) if "axes" in name]


def test_other_axes_are_measured_when_asked_for(project, cache):
    found = measure_axes(project, run(project, DEEP, cache=cache), (0, 2), cache=cache)
    assert {
        "trustworthiness_axes_1_3",
        "trustworthiness_axes_1_2",
        "trustworthiness",
    } <= found.metrics.keys()
    assert "stretch_axes_1_3" in found.point_scores


def test_the_worker_measures_them_and_gets_what_the_run_had_from_the_start(
    project, cache, monkeypatch
):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    deep = run(project, DEEP)
    again = TABLE.answer(MeasureAxes(snapshot=to_snapshot(project), run=deep, axes=(0, 1)), Watch())
    assert again.metrics == deep.metrics


def test_a_flat_run_is_left_as_it_is_and_axes_that_are_not_there_are_refused(project, cache):
    flat = run(project, FLAT, cache=cache)
    assert measure_axes(project, flat, (0, 1), cache=cache) is flat
    with pytest.raises(DataError, match="has 2 axes"):
        measure_axes(project, flat, (0, 2), cache=cache)


def test_one_axis_is_as_faithful_as_a_run_of_that_alone(project, cache):
    found = axes_scores(SHEET, SHEET, (2, 2)).metrics
    assert found["trustworthiness_axes_3_3"] == faithful(SHEET, SHEET[:, [2]]).metrics[
        "trustworthiness"]  # fmt: skip
    flat = run(project, FLAT, cache=cache)
    alone = measure_axes(project, flat, (1, 1), cache=cache)
    assert alone.metrics["r_nx_auc_axes_2_2"] < flat.metrics["r_nx_auc"]


def test_the_distances_of_the_neighbors_that_a_run_keeps_grow_from_the_nearest(project, cache):
    flat = run(project, FLAT, cache=cache)
    far = neighbor_distances(project, flat, cache=cache)
    assert far.shape == flat.diagnostics["neighbors"].shape
    assert (np.diff(far, axis=1) >= -1e-4).all()
