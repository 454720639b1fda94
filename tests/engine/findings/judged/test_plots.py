"""Curves of judged runs as plots, tables of tiles."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.judged.levels import Estimate, SliceAxis, Tally, Traced, WhyNot, without
from emberscope.findings.judged.plots import FOUND, PRECISION, Shown, judged_plot, kept_plot
from emberscope.findings.judged.tiles import Heading, area_tiles, confusion_tiles, found_tiles
from emberscope.findings.plot import Callout, Curve, Legend, Note, Ribbon

from ...project.builders import a_run
from .test_levels import CAR, GROUND, a_level


def judged_level(name="instance"):
    x = np.array([0.0, 0.5, 1.0])
    band = Traced(x, x**0.5, x**0.5 - 0.1, np.minimum(x**0.5 + 0.1, 1))
    level = a_level([0.9, 0.4], [CAR, GROUND], name=name, frames=2)
    return msgspec.structs.replace(level, found=band, precision=band, area=Estimate(0.8, 0.7, 0.9),
                                   average_precision=Estimate(0.6, 0.5, 0.7),
                                   partial=Estimate(0.5, 0.4, 0.6))


def marks(plot, kind):
    return [mark for mark in plot.marks if isinstance(mark, kind)]


@pytest.mark.parametrize("name", ["instance", "detection"])
@pytest.mark.parametrize("kind", [FOUND, PRECISION])
def test_each_run_has_a_curve_and_the_active_one_a_band_and_a_dot(name, kind):
    level = judged_level(name)
    shown = [Shown(3, 0, level), Shown(7, 1, level)]
    plot = judged_plot(shown, kind, 7, Tally(level).at(0.5))
    assert len(marks(plot, Curve)) == 2
    assert len(marks(plot, Ribbon)) == 1
    assert "Threshold 0.50" in marks(plot, Callout)[0].title
    assert [row.name for row in marks(plot, Legend)[0].rows] == ["7", "3"]


@pytest.mark.parametrize(("name", "kind", "title"), [
    ("bag", FOUND, "ROC of bags"), ("instance", PRECISION, "Precision of instances")])
def test_a_curve_says_of_what_it_is(name, kind, title):
    assert judged_plot([Shown(3, 0, judged_level(name))], kind, 3, None).title == title


def test_a_threshold_near_zero_keeps_digits_that_tell():
    level = judged_level()
    plot = judged_plot([Shown(3, 0, level)], FOUND, 3, Tally(level).at(0.00378))
    assert marks(plot, Callout)[0].title == "Threshold 0.0038"


def test_curves_of_runs_differ_in_their_strokes_and_not_in_color_alone():
    level = judged_level()
    plot = judged_plot([Shown(k, k, level) for k in range(4)], FOUND, 0, None)
    assert len({curve.dash for curve in marks(plot, Curve)}) == 4


def test_a_run_that_cannot_be_judged_has_no_curve():
    assert judged_plot([Shown(1, 0, without("bag", WhyNot("No.", "")))], FOUND, 1, None) is None


def test_runs_without_a_curve_of_neighbors_have_no_plot(tmp_path):
    assert kept_plot([]) is None


def test_tiles_of_a_confusion_say_share_and_count():
    tally = Tally(a_level([0.9, 0.1, 0.2], [CAR, CAR, GROUND]))
    tiles = confusion_tiles(tally, 0.5, [Heading("Car", 1), Heading("Background", 2)])
    assert [[tile.big for tile in row] for row in tiles.tiles] == [
        ["50 %", "50 %"],
        ["0 %", "100 %"],
    ]
    assert tiles.tiles[1][0].empty
    assert tiles.tiles[0][0].spoken == "Car said to be Car: 1, 50 %"


def test_slices_of_few_are_hatched_and_bear_no_number():
    axis = SliceAxis("a", "A", ["x", "y"], np.array([0, 1]))
    tiles = area_tiles([Estimate(0.9, 0.8, 0.95), Estimate(0.8, 0.0, 1.0)],
                       np.array([True, False]), np.array([40, 3]), np.array([9, 2]),
                       (axis, None), 20)
    assert [(row[0].big, row[0].hatched) for row in tiles.tiles] == [("0.90", False), ("", True)]


def test_a_tile_of_few_groups_says_so_instead_of_an_interval_that_says_nothing():
    axis = SliceAxis("a", "A", ["x"], np.array([0, 0]))
    tiles = area_tiles([Estimate(0.9, 0.0, 1.0)], np.array([True]), np.array([40]), np.array([2]),
                       (axis, None), 20)
    assert tiles.tiles[0][0].spoken == "x: AUC 0.90, too few groups (2), 40 targets"


def test_a_tile_of_few_groups_is_hatched_and_no_end_of_the_color_scale():
    axis = SliceAxis("a", "A", ["x", "y"], np.array([0, 1]))
    tiles = area_tiles([Estimate(0.9, 0.8, 0.95), Estimate(0.3, 0.0, 1.0)],
                       np.array([True, True]), np.array([40, 40]), np.array([9, 1]),
                       (axis, None), 20)
    assert [(tile.hatched, tile.big, tile.empty) for (tile,) in tiles.tiles] == [
        (False, "0.90", False), (True, "", False)]
    assert tiles.ends[0] > 0.8
    assert tiles.note == "hatched: under 20, or few groups"


def test_slices_say_what_is_found_at_the_threshold():
    axis = SliceAxis("a", "A", ["x"], np.array([0, 0]))
    level = a_level([0.9, 0.1], [CAR, CAR])
    tiles = found_tiles(level, 0.5, (axis, None), axis.code, 1)
    assert tiles.tiles[0][0].big == "0.50"


def test_detections_on_ground_are_no_background_and_stand_apart():
    tally = Tally(a_level([0.9, 0.1, 0.2], [CAR, CAR, GROUND], name="detection", frames=2))
    tiles = confusion_tiles(tally, 0.5, [Heading("Car", 1), Heading("Background", 2)])
    assert tiles.apart
    assert [heading.words for heading in tiles.rows] == ["Car", "On ground"]
    assert [heading.words for heading in tiles.columns] == ["Car", "None"]


@pytest.mark.parametrize(("kind", "words"), [
    (FOUND, "AUC, 95 % interval"), (PRECISION, "Average precision"),
])
def test_a_legend_says_what_its_numbers_are(kind, words):
    plot = judged_plot([Shown(3, 0, judged_level())], kind, 3, None)
    assert marks(plot, Legend)[0].heading == ("Run", words)


def test_the_curve_of_chance_bears_no_words():
    run = a_run(diagnostics={"curve_k": np.array([1.0, 10.0, 100.0]),
                             "q_nx": np.array([0.2, 0.4, 1.0])})
    plot = kept_plot([(run, 0)])
    assert not marks(plot, Note)
    assert [row.name for row in marks(plot, Legend)[0].rows] == ["11", "by chance"]
