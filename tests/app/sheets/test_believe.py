"""How far to believe this map: the sheet behind the quality plate."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.project import PutRuns
from emberscope_app.sheets.believe import TITLE, BelieveSheet, figure
from emberscope_app.state.runs.measuring import measure_job
from emberscope_app.theme.look import look

LEFT = Qt.MouseButton.LeftButton


def measured(run):
    """The run with everything the sheet shows."""
    n = len(run.ids)
    rng = np.random.default_rng(0)
    edges = np.geomspace(0.01, 10, 49)
    near, far = np.zeros((48, 48), np.uint32), np.zeros((48, 48), np.uint32)
    near[5:30, 5:30], far[20:48, 20:48] = 40, 90
    return msgspec.structs.replace(
        run,
        notes=["The graph had 2 parts; 3 edges join them."],
        point_scores={**run.point_scores, "stretch": rng.normal(size=n).astype(np.float32)},
        metrics={
            **run.metrics,
            "r_nx_auc": 0.48,
            "r_nx_auc_error": 0.02,
            "intrinsic_dimension": 7.25,
            "short_circuits": 3.0,
            "spread": float("nan"),
        },
        diagnostics={
            "curve_k": np.array([1, 10, 100]),
            "r_nx": np.array([0.2, 0.5, 0.1], np.float32),
            "shepard_edges_x": edges,
            "shepard_edges_z": edges,
            "shepard_local": near,
            "shepard_global": far,
        },
    )


@pytest.fixture
def explored(used_window, qtbot):
    """The window in Explore, its run measured."""
    session = used_window.session
    session.do(PutRuns(before=[session.run], after=[measured(session.run)]))
    used_window.show_workspace("explore")
    plate = used_window.panel("map2d").quality
    qtbot.waitUntil(plate.isVisible)
    return used_window


@pytest.fixture
def sheet(explored):
    QTest.mouseClick(explored.panel("map2d").quality, LEFT)
    assert isinstance(explored.sheet, BelieveSheet)
    return explored.sheet


def test_a_click_on_the_plate_opens_it_and_another_closes_it(explored, sheet):
    assert sheet.accessibleName() == TITLE
    QTest.mouseClick(explored.panel("map2d").quality, LEFT)
    assert explored.sheet is None


def test_the_plate_is_reached_by_keyboard(explored):
    plate = explored.panel("map2d").quality
    plate.setFocus()
    QTest.keyClick(plate, Qt.Key.Key_Space)
    assert isinstance(explored.sheet, BelieveSheet)


def test_numbers_come_with_their_errors_and_those_unknown_are_left_out(sheet):
    rows = {row.title: row.value for row in sheet.numbers.rows}
    assert rows["Trust, all 3 axes"] == "0.93"
    assert rows["Trust, axes 1 and 2"] == "not measured yet"  # of a version that did not
    assert rows["Agreement, all 3 axes"] == "0.48 \u00b1 0.02"
    assert rows["Dimensions of the data"] in ("7.2", "7.3")
    assert rows["Short circuits"] == "3"
    assert "Spread" not in rows


def test_the_notes_of_the_run_are_there(sheet):
    assert sheet.notes.text() == "The graph had 2 parts; 3 edges join them."


def test_a_button_colors_both_maps(explored, sheet):
    QTest.mouseClick(sheet.colors.buttons["stretch"], LEFT)
    assert explored.session.focus.color_by == "stretch"
    assert explored.panel("map2d").color_box.currentData() == "stretch"
    assert sheet.colors.buttons["stretch"].isChecked()
    QTest.mouseClick(sheet.colors.buttons["stretch"], LEFT)  # stays chosen
    assert sheet.colors.buttons["stretch"].isChecked()
    assert not sheet.colors.buttons["class"].isChecked()


def test_what_says_something_of_the_target_is_no_doubt_about_the_picture(sheet):
    assert list(sheet.colors.buttons) == [
        "class", "trustworthiness", "trustworthiness_all_axes", "stretch", "stretch_all_axes"]


def test_pointing_at_the_curve_reads_it_off(sheet, qtbot):
    plain = sheet.curve.grab().toImage()
    place = sheet.curve.at(10, 0.5).toPoint()
    QTest.mouseMove(sheet.curve, place + QPoint(3, 20))
    qtbot.waitUntil(lambda: sheet.curve.grab().toImage() != plain)
    assert sheet.curve.accessibleName().startswith("Neighbors kept above chance: ")


def test_a_run_of_an_older_version_has_numbers_only(explored, sheet):
    session = explored.session
    old = msgspec.structs.replace(session.run, diagnostics={}, notes=[])
    session.do(PutRuns(before=[session.run], after=[old]))
    assert not sheet.curve.isVisible()
    assert not sheet.shepard.isVisible()
    assert not sheet.notes.isVisible()
    assert sheet.numbers.rows


def test_it_closes_with_the_last_run(explored, sheet):
    session = explored.session
    session.do(PutRuns(before=[session.run]))
    assert explored.sheet is None


def test_a_figure_that_is_no_number_is_not_shown(session):
    assert figure(session.run, "stress") == ""


def test_screenshots(explored, sheet, screenshot):
    screenshot(explored, "believe")
    look().apply("light")
    screenshot(explored, "believe")


def with_metrics(window, **metrics):
    run = window.session.run
    window.session.do(
        PutRuns(
            before=[run], after=[msgspec.structs.replace(run, metrics={**run.metrics, **metrics})]
        )
    )
    return window.session.run


def test_the_headline_comes_first_with_its_interval_and_what_was_held_out(explored, sheet):
    with_metrics(explored, method_bag_auc=0.84, method_bag_auc_low=0.61, method_bag_auc_high=0.94,
                 method_bag_groups=12.0, method_bag_by_clip=0.0)
    row = sheet.headline.rows[0]
    assert (row.title, row.value) == ("Held-out bag AUC", "0.84 (0.61 – 0.94)")
    assert row.meaning == "Held out by blocks of frames, 12 blocks; 0.5 is chance"


def test_purity_of_a_picture_made_from_labels_says_so(explored, sheet):
    with_metrics(explored, purity=0.97, made_from_labels=1.0)
    (meaning,) = [row.meaning for row in sheet.numbers.rows if row.title == "Purity"]
    assert meaning.endswith("made from these labels")


def test_what_takes_long_is_asked_for_by_a_button_that_cancels_too(explored, sheet, monkeypatch):
    assert not sheet.measure.isVisible()
    run = with_metrics(explored, method_bag_auc_seconds=40.0)
    assert sheet.measure.words.text() == "Not measured yet: held-out bag AUC. About 40 s."
    QTest.mouseClick(sheet.measure.button, LEFT)
    job = measure_job(explored.session, run)
    assert job.title == f"Measure run {run.id}"
    assert sheet.measure.button.text() == "Cancel"
    cancelled = []
    monkeypatch.setattr(explored.session.jobs, "cancel", cancelled.append)
    QTest.mouseClick(sheet.measure.button, LEFT)
    assert cancelled == [job.id]
