"""The split by which runs were judged, above their numbers."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.split_sides import Fold, Side, Split, split_of
from emberscope_app.docks.evaluate.roc import RocPanel
from emberscope_app.docks.evaluate.runs import RunsPanel
from emberscope_app.docks.evaluate.slices import SlicesPanel
from emberscope_app.docks.evaluate.split_line import FoldStrip
from emberscope_app.state.runs import splits

HELD = "3 folds of blocks of frames; 1 clip on both sides"


FOLD = Fold(Side(1, 1, 1), Side(29, 29, 29), [])
THIRTY = Split([FOLD] * 30, "30 folds of clips", "no clip on both sides", "clip: 30 folds")


def test_folds_that_find_no_room_are_counted(qtbot):
    strip = FoldStrip()
    qtbot.addWidget(strip)
    strip.resize(2400, 24)
    strip.show_split(THIRTY)
    assert strip.left_out == ", 6 more not drawn"


def test_a_strip_draws_as_many_folds_as_it_can_tell_apart(qtbot):
    strip = FoldStrip(small=True)
    qtbot.addWidget(strip)
    strip.show_split(THIRTY)
    assert 2 <= strip.drawn <= 6


def test_the_split_of_a_run_is_counted_once_however_often_it_is_said(
    show, evaluation, monkeypatch
):
    counted = []
    monkeypatch.setattr(splits, "split_of", lambda run: counted.append(run.id) or split_of(run))
    show(RocPanel)
    show(SlicesPanel)
    show(RunsPanel)
    evaluation.check(1, True)
    assert sorted(counted) == [1, 3]


@pytest.mark.parametrize("card", [RocPanel, SlicesPanel])
def test_the_split_stands_above_curves_and_slices(card, show):
    assert show(card).split.words.text() == HELD


def test_the_list_of_runs_says_what_is_held_out_together(show):
    card = show(RunsPanel)
    assert card.split_title.text() == "3 folds of blocks of frames"
    assert card.split_shared.text() == "1 clip on both sides"


def test_a_run_of_another_split_is_named_beside_its_curve(show, evaluation, judged_session):
    runs = judged_session.project.runs
    kept = runs[1].diagnostics | {"bag_fold": np.arange(len(runs[1].bag_ids)) % 2}
    runs[1] = msgspec.structs.replace(runs[1], diagnostics=kept)
    card = show(RocPanel)
    evaluation.check(1, True)
    assert card.split.words.text() == f"Run 3: {HELD}"
    assert card.split.others[0].text() == "Run 1: 2 folds of blocks of frames"


def test_the_table_of_runs_has_a_column_of_splits(show):
    rows = show(RunsPanel).data().splitlines()
    at = rows[0].split("\t").index("split")
    assert "3 folds of blocks of frames" in rows[1].split("\t")[at]


def test_one_side_that_judges_once_is_as_long_as_its_share_of_the_bags(qtbot):
    fold = Fold(Side(10, 3, 10), Side(30, 6, 30), [])
    strip = FoldStrip()
    qtbot.addWidget(strip)
    strip.resize(240, 24)
    strip.show_split(Split([fold], "hold-out", "", ""))
    image = strip.grab().toImage()
    light = [image.pixelColor(x, 12).lightness() for x in (30, 60, 90, 200)]
    assert light[0] == light[1] > light[2] + 40
    assert light[2] == light[3]
