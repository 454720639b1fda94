"""The sheet of a new study."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest

from emberscope.findings.studied.grid import PlaceScore
from emberscope.project import Recipe
from emberscope.tasks.studies import FillStudy, PlanStudy, ReportStudy, StudyFound, StudyPlan
from emberscope_app.sheets.study import StudySheet
from emberscope_app.state.runs.computing import Computing, set_computing

SCORE = "method_bag_auc"


def places(study, mean=None):
    return [PlaceScore({"d": d}, mean, mean, mean, seeds=1 if mean else 0)
            for d in study.axes.get("d", [2])]


@pytest.fixture
def asked(worker):
    """Studies that were planned; the worker plans and fills any."""
    found = []

    def plan(request):
        found.append(request.study)
        there = places(request.study)
        return StudyPlan(12, 2, 0, 150.0, there, [Recipe()] * len(there), SCORE, [])

    worker.answers[PlanStudy] = plan
    worker.answers[FillStudy] = lambda request: StudyFound(
        "", SCORE, places(request.study, 0.9), 12, 12, "Best of 4 places: d 2.", "cells.csv", [])
    return found


@pytest.fixture
def sheet(full_window, asked, qtbot):
    sheet = StudySheet(full_window.session, full_window)
    qtbot.addWidget(sheet)
    sheet.start_from.setCurrentIndex(sheet.start_from.findData(""))
    sheet._begin_with()
    qtbot.waitUntil(lambda: sheet.go.isEnabled())
    return sheet


def test_it_says_beforehand_what_a_study_takes(sheet):
    assert sheet.cost.text() == "12 cells, 2 done, about 2 min."


def test_a_study_that_is_done_shows_its_curve_which_can_be_saved(sheet, tmp_path, qtbot):
    assert sheet.curve.isHidden()
    sheet.go.click()
    qtbot.waitUntil(lambda: not sheet.curve.isHidden())
    wanted = []
    sheet._session.figure_wanted.connect(wanted.append)
    next(a for a in sheet.curve.actions() if a.text() == "Save figure...").trigger()
    wanted[0].save(tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").stat().st_size > 1000


def test_in_a_low_window_the_grid_keeps_its_room_beside_the_curve(sheet, full_window, qtbot):
    full_window.resize(1024, 600)
    sheet.go.click()
    qtbot.waitUntil(lambda: not sheet.curve.isHidden())
    qtbot.waitUntil(lambda: sheet.grid_area.height() >= sheet.grid.sizeHint().height() > 150)


def test_values_are_read_as_numbers(sheet, asked):
    assert asked[-1].axes == {"d": [2, 3, 5, 10], "seed": [0, 1, 2]}


def test_another_value_asks_again(sheet, asked, qtbot):
    sheet.axes[0].values.selectAll()
    QTest.keyClicks(sheet.axes[0].values, "2, 7")
    qtbot.waitUntil(lambda: asked[-1].axes["d"] == [2, 7])


def test_an_axis_without_values_is_said(sheet):
    sheet.axes[0].values.selectAll()
    QTest.keyClick(sheet.axes[0].values, Qt.Key.Key_Backspace)
    assert sheet.cost.text().startswith("the axis d has no values")
    assert not sheet.go.isEnabled()


def test_two_rows_of_one_axis_are_said(sheet):
    sheet._add("d", "3")
    assert sheet.cost.text() == "Two rows are of one axis."


def test_the_grid_is_there_before_it_fills(sheet):
    (view,) = sheet.views
    assert [row.words for row in view.tiles.rows] == ["d 2", "d 3", "d 5", "d 10"]
    assert all(tile.hatched for (tile,) in view.tiles.tiles)


def test_a_study_that_ended_says_what_is_best(sheet, qtbot):
    QTest.mouseClick(sheet.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.answer.text() == "Best of 4 places: d 2.")
    assert [tile.big for (tile,) in sheet.views[0].tiles.tiles] == ["0.90"] * 4


def test_cells_that_are_done_show_while_others_are_computed(sheet, full_window):
    sheet.studying.start()
    job = full_window.session.jobs.running[-1]
    job.partial = np.array([[0.8, 0.7, 0.9], *[[np.nan] * 3] * 3])
    full_window.session.jobs.partial.emit(job)
    assert [tile.big for (tile,) in sheet.views[0].tiles.tiles] == ["0.80", "", "", ""]


def test_a_click_says_what_a_place_reached(sheet, qtbot):
    sheet.go.click()
    qtbot.waitUntil(lambda: bool(sheet.answer.text()))
    sheet.views[0].wanted.emit(1, 0, None)
    assert sheet.said.text().startswith("d 3: 0.900")
    assert sheet.run_place.isEnabled()


def test_the_menu_opens_it_once(full_window, asked):
    full_window.actions_by_id["run.study"].trigger()
    assert isinstance(full_window.sheet, StudySheet)
    full_window.actions_by_id["run.study"].trigger()
    assert full_window.sheet is None


def test_a_changed_axis_is_not_the_study_that_came_along(sheet):
    sheet.start_from.setCurrentIndex(0)
    sheet._begin_with()
    QTest.keyClicks(sheet.axes[0].values, ", 4")
    assert sheet.start_from.currentText() == "Axes of your own"


def test_what_was_given_up_is_said_and_tried_again_where_a_person_asks(sheet, worker, qtbot):
    assert not sheet.again.isVisibleTo(sheet)
    plan = worker.answers[PlanStudy]
    worker.answers[PlanStudy] = lambda request: msgspec.structs.replace(plan(request), given_up=3)
    sheet._write()
    qtbot.waitUntil(lambda: sheet.again.isVisibleTo(sheet))
    assert sheet.cost.text() == "12 cells, 2 done, 3 given up, about 2 min."
    asked, fill = [], worker.answers[FillStudy]
    worker.answers[FillStudy] = lambda request: asked.append(request.again) or fill(request)
    qtbot.waitUntil(sheet.again.isEnabled)
    sheet.again.click()
    qtbot.waitUntil(lambda: asked == [True])


def test_a_study_that_comes_along_brings_its_recipe_and_its_number(sheet, asked, qtbot):
    sheet.start_from.setCurrentIndex(sheet.start_from.findData("protocol"))
    sheet._begin_with()
    qtbot.waitUntil(lambda: asked[-1].score == "bag_accuracy")
    assert asked[-1].recipe["split"] == "column:range train=1000,2000 test=1500"
    assert asked[-1].recipe["classifier_reads"] == "map"
    assert "split column:range train=1000,2000 test=1500" in sheet.base.text()


def test_halving_is_asked_for_by_a_check(sheet, worker, qtbot):
    asked, fill = [], worker.answers[FillStudy]
    worker.answers[FillStudy] = lambda request: asked.append(request.halving) or fill(request)
    sheet.halving.click()
    QTest.mouseClick(sheet.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: asked == [True])


def test_the_grid_is_saved_as_a_figure_and_as_data(sheet, full_window, tmp_path):
    wanted = []
    full_window.session.figure_wanted.disconnect()
    full_window.session.figure_wanted.connect(wanted.append)
    QTest.mouseClick(sheet.figure, Qt.MouseButton.LeftButton)
    QTest.mouseClick(sheet.data, Qt.MouseButton.LeftButton)
    assert [each.forms for each in wanted] == [("svg", "pdf", "png"), ("csv", "parquet")]
    wanted[1].save(tmp_path / "grid.csv")
    assert (tmp_path / "grid.csv").read_text().splitlines()[1].startswith("2,")


def test_the_grid_is_that_of_the_fields_and_not_of_a_study_before(sheet, asked, qtbot):
    sheet.go.click()
    qtbot.waitUntil(lambda: bool(sheet.answer.text()))
    sheet.axes[0].values.selectAll()
    QTest.keyClicks(sheet.axes[0].values, "4, 7")
    qtbot.waitUntil(lambda: asked[-1].axes["d"] == [4, 7] and sheet.go.isEnabled())
    assert [row.words for row in sheet.views[0].tiles.rows] == ["d 4", "d 7"]
    assert sheet.answer.text() == ""
    assert not sheet.report.isEnabled()


def test_the_sheet_opens_again_with_the_study_it_was_closed_with(sheet, full_window, qtbot):
    sheet.axes[0].values.selectAll()
    QTest.keyClicks(sheet.axes[0].values, "2, 25")
    sheet.seeds.setValue(2)
    qtbot.waitUntil(sheet.go.isEnabled)
    sheet.go.click()
    qtbot.waitUntil(lambda: bool(sheet.answer.text()))
    sheet.close_sheet()
    again = StudySheet(full_window.session, full_window)
    qtbot.addWidget(again)
    assert (again.axes[0].values.text(), again.seeds.value()) == ("2, 25", 2)
    assert again.answer.text() == "Best of 4 places: d 2."


def test_the_report_of_a_study_that_ended_is_saved_as_the_command_writes_it(
    sheet, worker, tmp_path, qtbot
):
    worker.answer_as_engine(ReportStudy)
    assert not sheet.report.isEnabled()
    sheet.go.click()
    qtbot.waitUntil(sheet.report.isEnabled)
    wanted = []
    sheet._session.figure_wanted.connect(wanted.append)
    sheet.report.click()
    assert wanted[0].forms == ("html",)
    wanted[0].save(tmp_path / "study.html")
    qtbot.waitUntil(lambda: (tmp_path / "study.html").exists())
    assert "Best of 4 places: d 2." in (tmp_path / "study.html").read_text()


def test_fields_that_cannot_be_changed_now_look_so(sheet):
    combo, check = sheet.axes[0].name, sheet.halving
    bright = {each: each.palette().color(QPalette.ColorRole.Text) for each in (combo, check)}
    sheet.studying.start()
    assert not combo.isEnabled()
    for each, color in bright.items():
        assert each.palette().color(QPalette.ColorRole.Text) != color


def test_the_curve_goes_along_the_axis_that_is_chosen(sheet, qtbot):
    found = [PlaceScore({"d": d, "alpha": a}, 0.5 + d * a / 100, 0.4, 0.9, seeds=1)
             for d in (2, 5, 10) for a in (0.1, 0.5, 1, 2)]
    sheet.studying.places = found
    sheet._read()
    assert sheet.curve.plot.x.title == "alpha"
    sheet.over.setCurrentIndex(1)
    sheet.over.activated.emit(1)
    assert sheet.curve.plot.x.title == "d"


def test_after_the_end_it_says_how_many_cells_are_done(sheet, worker, qtbot):
    plan = worker.answers[PlanStudy]
    worker.answers[PlanStudy] = lambda request: msgspec.structs.replace(plan(request), done=12)
    QTest.mouseClick(sheet.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.cost.text() == "12 cells, 12 done.")


def test_a_study_is_computed_where_the_preferences_say(sheet, worker, qtbot):
    set_computing(Computing(2, "tls://head:8786"))
    sheet._read()
    assert "Computed on the cluster at tls://head:8786" in sheet.cost.text()
    asked, fill = [], worker.answers[FillStudy]
    worker.answers[FillStudy] = lambda request: asked.append(request) or fill(request)
    QTest.mouseClick(sheet.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(asked))
    assert (asked[0].workers, asked[0].dask, asked[0].fall_back) == (2, "tls://head:8786", True)


def test_a_study_says_that_the_cluster_was_gone(sheet, worker, qtbot):
    fill = worker.answers[FillStudy]
    worker.answers[FillStudy] = lambda request: msgspec.structs.replace(
        fill(request), notes=["Cells are computed on this computer."])
    QTest.mouseClick(sheet.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Cells are computed on this computer." in sheet.cost.text())
