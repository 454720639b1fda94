"""What this run learned: the sheet about bags, rounds of imputed labels, axes and witnesses."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from emberscope.course.scores import BY_SIZE
from emberscope.features.extract import feature_names
from emberscope.features.recipe import FeatureRecipe
from emberscope.findings.coloring import FOUND
from emberscope.project import PutRuns
from emberscope_app.sheets.learned import NOTHING, TITLE, LearnedSheet
from emberscope_app.sheets.learned_axes import Bars
from emberscope_app.sheets.methods import MethodSheet
from emberscope_app.theme.feature_glyph import strongest
from emberscope_app.theme.look import look

from ..layout import paint_faults, written

LEFT, KEY, SHIFT = Qt.MouseButton.LeftButton, Qt.Key, Qt.KeyboardModifier.ShiftModifier
NAMES = feature_names(FeatureRecipe(kind="hog+statistics", chip=32))


def learned(run):
    """The run with everything the sheet shows: 3 rounds of which the second was kept, one wrong bag
    of either kind."""
    rng = np.random.default_rng(0)
    score = np.where(run.bag_labels > 0, 1.0, -1.0) * rng.uniform(0.1, 1, len(run.bag_labels))
    for label in (1, -1):
        score[np.flatnonzero(run.bag_labels == label)[0]] *= -1
    start = run.y.astype(np.int8)
    history, positive = np.stack([start] * 4), np.flatnonzero(start > 0)
    for number, share in ((1, 0.5), (2, 0.7), (3, 0.75)):
        history[number:, positive[: int(len(positive) * share)]] = -1
    return msgspec.structs.replace(
        run,
        recipe=msgspec.structs.replace(run.recipe, method="mi-le", classifier="mil-boost"),
        point_scores={
            **run.point_scores,
            "witness": rng.uniform(size=len(run.ids)).astype(np.float32),
        },
        metrics={
            **run.metrics,
            "bag_accuracy": 0.89,
            "bag_accuracy_low": 0.672,
            "bag_accuracy_high": 0.969,
            "bag_auc": 0.95,
            "bag_auc_low": 0.86,
            "bag_auc_high": 1.0,
            "bag_majority": 2 / 3,
        },
        state={
            "history_": history,
            "changes_": np.array([0.5, 0.2, 0.05]),
            "kept_round_": 2,
            "feature_names": NAMES,
        },
        diagnostics={
            "bag_score": score.astype(np.float32),
            "loadings": rng.uniform(-0.9, 0.9, (len(NAMES), 3)).astype(np.float32),
        },
    )


@pytest.fixture
def explored(used_window):
    """The window in Explore, its run as `learned`."""
    session = used_window.session
    session.do(PutRuns(before=[session.run], after=[learned(session.run)]))
    used_window.show_workspace("explore")
    return used_window


@pytest.fixture
def sheet(explored):
    QTest.keyClick(explored, KEY.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert isinstance(explored.sheet, LearnedSheet)
    return explored.sheet


def replace(session, **values):
    session.do(
        PutRuns(before=[session.run], after=[msgspec.structs.replace(session.run, **values)])
    )


# --- axes


def test_names_of_features_that_differ_at_their_end_stay_whole(qtbot):
    names = [f"hotter than {lag} frames away" for lag in (8, 16)]
    bars = Bars()
    qtbot.addWidget(bars)
    bars.resize(396, 60)
    bars.show_rows([(name, 0.9) for name in names])
    assert {*names} <= {text.words for text in written(bars)}


# --- steps of the fit


def test_a_fit_in_steps_shows_its_objective(explored, sheet):
    replace(explored.session, state={"history_": np.array([9.0, 4.0, 3.5])})
    assert sheet.fit.isVisible()
    assert sheet.fit.plot.accessibleName() == (
        "Objective of the fit: 9 at the start, 3.5 after 2 steps"
    )


def test_the_objective_can_be_saved_as_a_figure(explored, sheet, tmp_path):
    replace(explored.session, state={"history_": np.array([9.0, 4.0, 3.5])})
    wanted = []
    explored.session.figure_wanted.connect(wanted.append)
    next(a for a in sheet.fit.plot.actions() if a.text() == "Save its data...").trigger()
    wanted[0].save(tmp_path / "steps.csv")
    assert "3.5" in (tmp_path / "steps.csv").read_text(encoding="utf-8")


# --- opening and following


def test_keys_open_it_and_close_it_again(explored, sheet):
    assert sheet.accessibleName() == TITLE
    QTest.keyClick(explored, KEY.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert explored.sheet is None


def test_the_menu_of_the_history_opens_it_on_that_run(explored):
    session = explored.session
    second = msgspec.structs.replace(session.run, id=12)
    session.do(PutRuns(after=[second]))
    history = explored.panel("run").history
    row = next(at for at, run in enumerate(history.model.runs) if run.id == 12)
    action = next(a for a in history.menu(row).actions() if a.text() == TITLE)
    action.trigger()
    assert isinstance(explored.sheet, LearnedSheet)
    assert session.focus.run == 12
    action.trigger()  # stays
    assert isinstance(explored.sheet, LearnedSheet)


def test_without_a_run_there_is_nothing_to_open(used_window):
    session = used_window.session
    session.do(PutRuns(before=[session.run]))
    assert not used_window.actions_by_id["run.learned"].isEnabled()


def test_it_closes_with_the_last_run(explored, sheet):
    session = explored.session
    session.do(PutRuns(before=[session.run]))
    assert explored.sheet is None


def test_sections_show_only_what_the_run_has(explored, sheet):
    shown = [part for part in sheet.parts if part not in (sheet.concepts, sheet.fit)]
    assert [part for part in sheet.parts if part.isVisible()] == shown
    replace(explored.session, state={}, point_scores={})
    assert [part for part in sheet.parts if part.isVisible()] == [sheet.bags]
    assert not sheet.empty.isVisible()


def test_a_run_that_learned_nothing_says_what_to_do(explored, sheet):
    replace(explored.session, state={}, point_scores={}, diagnostics={})
    assert sheet.empty.isVisible()
    assert sheet.empty.sentence.text() == NOTHING
    QTest.mouseClick(sheet.empty.button, LEFT)
    assert isinstance(explored.sheet, MethodSheet)


def test_a_classifier_that_could_not_judge_is_not_said_to_be_missing(explored, sheet):
    note = "No classification of bags: all are on frames near each other."
    replace(explored.session, state={}, point_scores={}, diagnostics={}, notes=[note])
    assert sheet.empty.sentence.text() == note


# --- bags


def test_where_size_alone_tells_bags_apart_the_numbers_say_so(explored, sheet):
    assert not sheet.bags.doubt.isVisible()
    note = BY_SIZE.format(1.0)
    replace(explored.session, notes=["Something else.", note])
    assert sheet.bags.doubt.text() == note
    assert sheet.bags.doubt.isVisible()


def test_bags_have_numbers_with_intervals(sheet):
    assert "MIL-Boost" in sheet.bags.note.text()
    assert sheet.bags.figures.accessibleName() == (
        "Bag accuracy 0.89 0.67 \u2013 0.97, Area under the curve 0.95 0.86 \u2013 1.00")
    assert sheet.bags.roc.accessibleName() == "ROC curve of bags, 92 % found, 17 % false"


def test_of_how_many_bags_and_by_which_split_stands_whole_beside_the_tiles(sheet):
    assert paint_faults(sheet.bags.confusion) == []


def test_the_corner_of_the_diagram_is_perfect(sheet):
    roc = sheet.bags.roc
    assert roc.at(0, 1).x() < roc.at(1, 1).x()
    assert roc.at(0, 1).y() < roc.at(0, 0).y()


def test_cells_say_shares_of_their_row(sheet):
    cells = sheet.bags.confusion.cells
    assert cells[1, -1].accessibleName() == "Positive bags judged negative: 1 bag, 8 %"
    assert cells[-1, -1].accessibleName() == "Negative bags judged negative: 5 bags, 83 %"


def test_a_click_on_a_cell_selects_the_instances_of_its_bags_everywhere(explored, sheet):
    session, run = explored.session, explored.session.run
    missed = int(np.flatnonzero(run.bag_labels > 0)[0])
    QTest.mouseClick(sheet.bags.confusion.cells[1, -1], LEFT)
    np.testing.assert_array_equal(session.selection.ids, np.sort(run.ids[run.bags.of(missed)]))
    assert explored.panel("map2d").cloud.chosen_count == 16


def test_shift_adds_the_other_cell(explored, sheet):
    cells = sheet.bags.confusion.cells
    QTest.mouseClick(cells[1, -1], LEFT)
    QTest.mouseClick(cells[-1, 1], LEFT, SHIFT)
    assert len(explored.session.selection) == 32


def test_a_cell_is_pressed_by_keyboard(explored, sheet):
    cell = sheet.bags.confusion.cells[1, 1]
    cell.setFocus()
    QTest.keyClick(cell, KEY.Key_Space)
    assert len(explored.session.selection) == 11 * 16


def test_an_empty_cell_cannot_be_pressed(explored, sheet):
    run = explored.session.run
    replace(explored.session, diagnostics={"bag_score": np.where(run.bag_labels > 0, 1.0, -1.0)})
    assert not sheet.bags.confusion.cells[1, -1].isEnabled()


# --- rounds


def test_it_opens_on_the_kept_round_and_leaves_the_colors(explored, sheet):
    assert sheet.rounds.slider.value() == 2
    assert sheet.rounds.words.text() == "Round 2 of 3: 38 instances flipped, 58 are target; kept"
    assert explored.session.focus.color_by == FOUND


def test_the_slider_moved_by_keys_colors_both_maps_by_the_labels_of_that_round(explored, sheet):
    session = explored.session
    cloud = explored.panel("map2d").cloud
    sheet.rounds.slider.setFocus()
    QTest.keyClick(sheet.rounds.slider, KEY.Key_Left)
    assert (session.focus.color_by, session.focus.round) == ("imputed", 1)
    history = session.run.state["history_"]
    np.testing.assert_array_equal(cloud.style.group == 1, history[1] > 0)
    QTest.keyClick(sheet.rounds.slider, KEY.Key_Home)
    np.testing.assert_array_equal(cloud.style.group == 1, history[0] > 0)
    assert sheet.rounds.words.text() == "At the start: 192 are target"
    assert explored.panel("map2d").color_box.currentData() == "imputed"
    assert explored.sheet is sheet


def test_a_click_on_the_curve_chooses_a_round(explored, sheet):
    plot = sheet.rounds.plot
    QTest.mouseClick(plot, LEFT, pos=plot.at(3, 0.1).toPoint() - QPoint(4, 0))
    assert sheet.rounds.slider.value() == explored.session.focus.round == 3


def test_playing_runs_from_the_start_to_the_end(explored, sheet, qtbot):
    rounds = sheet.rounds
    rounds._timer.setInterval(1)
    rounds.slider.setValue(3)
    seen = []
    rounds.slider.valueChanged.connect(seen.append)
    QTest.mouseClick(rounds.play, LEFT)
    assert rounds.playing
    assert rounds.play.accessibleName() == "Pause"
    qtbot.waitUntil(lambda: not rounds.playing)
    assert seen == [0, 1, 2, 3]
    assert rounds.play.accessibleName() == "Play the rounds"


def test_a_second_press_pauses(explored, sheet):
    QTest.mouseClick(sheet.rounds.play, LEFT)
    QTest.mouseClick(sheet.rounds.play, LEFT)
    assert not sheet.rounds.playing


def test_closing_leaves_the_colors_at_the_kept_round(explored, sheet):
    session = explored.session
    sheet.rounds.slider.setValue(0)
    QTest.keyClick(sheet, KEY.Key_Escape)
    assert (session.focus.color_by, session.focus.round) == ("imputed", None)
    kept = session.run.state["history_"][2]
    np.testing.assert_array_equal(explored.panel("map2d").cloud.style.group == 1, kept > 0)


def test_the_color_list_has_imputed_labels_only_where_the_run_has_rounds(explored):
    box = explored.panel("map2d").color_box
    assert box.itemText(box.findData("imputed")) == "imputed labels"
    replace(explored.session, state={})
    assert box.findData("imputed") < 0


def test_another_run_starts_at_its_own_kept_round(explored, sheet):
    session = explored.session
    sheet.rounds.slider.setValue(0)
    other = msgspec.structs.replace(
        session.run, id=12, state={**session.run.state, "kept_round_": 1}
    )
    session.do(PutRuns(after=[other]))
    assert sheet.rounds.slider.value() == 1
    assert session.focus.round is None


def test_a_change_of_other_runs_leaves_the_round_on_show(explored, sheet):
    session = explored.session
    other = msgspec.structs.replace(session.run, id=12)
    session.do(PutRuns(after=[other]))
    session.focus.set(run=11)
    sheet.rounds.slider.setValue(1)
    session.do(PutRuns(before=[other]))
    assert session.focus.run == 11
    assert sheet.rounds.slider.value() == session.focus.round == 1


def test_a_class_hidden_in_the_legend_stays_hidden_over_the_rounds(explored, sheet):
    cloud = explored.panel("map2d").cloud
    sheet.rounds.slider.setValue(1)
    cloud.hide(frozenset({2}))
    sheet.rounds.slider.setValue(3)
    assert cloud.hidden == frozenset({2})
    assert cloud.shown_count == int((explored.session.run.state["history_"][3] > 0).sum())


# --- axes


def test_every_axis_has_its_strongest_features(explored, sheet):
    values = explored.session.run.diagnostics["loadings"]
    for axis in range(3):
        QTest.mouseClick(sheet.axes.segments.button(str(axis)), LEFT)
        name, value = sheet.axes.bars.rows[0]
        assert name == NAMES[int(np.abs(values[:, axis]).argmax())]
        assert abs(value) == pytest.approx(np.abs(values[:, axis]).max())
        assert len(sheet.axes.bars.rows) == 12


def test_pointing_at_a_bar_tells_its_full_name(sheet):
    bars = sheet.axes.bars
    place = QPoint(20, 30)
    QApplication.sendEvent(bars, QHelpEvent(QEvent.Type.ToolTip, place, bars.mapToGlobal(place)))
    assert QToolTip.text().startswith(f"{bars.rows[1][0]}: correlation ")


def test_edges_are_drawn_for_gradients_pixels_for_pixels_and_nothing_else(explored, sheet):
    image = sheet.axes.axis_glyph
    assert image.accessibleName() == "Edges that axis 1 looks at, 4 x 4"
    for kind, shown in (("pixels", True), ("statistics", False)):
        names = feature_names(FeatureRecipe(kind=kind, chip=16))
        values = np.linspace(-1, 1, 2 * len(names)).reshape(-1, 2)
        replace(explored.session, state={"feature_names": names}, diagnostics={"loadings": values})
        assert image.isVisibleTo(sheet) == shown
    assert sheet.axes.bars.rows


def test_many_cells_show_their_strongest_stroke_over_the_whole_width(explored, sheet):
    names = feature_names(FeatureRecipe(kind="hog-seed"))
    values = np.random.default_rng(0).uniform(-1, 1, (len(names), 1))
    replace(explored.session, state={"feature_names": names}, diagnostics={"loadings": values})
    image = sheet.axes.axis_glyph
    assert image.frame.width() == pytest.approx(image.width())
    assert (np.count_nonzero(strongest(image._strokes), axis=2) == 1).all()
    assert not sheet.axes.segments.isVisible()  # one axis is no choice


def test_the_table_is_copied(sheet):
    QTest.mouseClick(sheet.axes.copy, LEFT)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "feature,axis 1,axis 2,axis 3"
    assert len(lines) == 1 + len(NAMES)


# --- witnesses


def test_the_maps_are_colored_by_witness(explored, sheet):
    assert "MIL-Boost" in sheet.witnesses.words.text()
    QTest.mouseClick(sheet.witnesses.color, LEFT)
    assert explored.session.focus.color_by == "witness"


def test_nothing_sticks_out_at_the_side(sheet):
    inside = sheet.pages.widget()
    assert inside.width() <= sheet.pages.viewport().width()


def test_screenshots(explored, sheet, screenshot):
    sheet.rounds.slider.setValue(1)
    for theme in ("dark", "light"):
        look().apply(theme)
        screenshot(explored, "learned")
        sheet.pages.verticalScrollBar().setValue(10_000)
        screenshot(explored, "learned-below")
        sheet.pages.verticalScrollBar().setValue(0)
