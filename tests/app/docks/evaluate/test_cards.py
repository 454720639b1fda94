"""The cards of the Evaluate workspace: what they show, and that they follow the threshold."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from emberscope.base.grouping import score_text
from emberscope.findings.judged.levels import BAG, DETECTION, GROUND
from emberscope.findings.judged.plots import PRECISION
from emberscope.findings.plot import Callout, Curve
from emberscope.labels.label_set import LabelSet
from emberscope.project import Changes, PutRuns
from emberscope.project.model.run_notes import put_run_note
from emberscope.tasks.evaluation import CompareRuns, CutSlices
from emberscope.tasks.measures import MeasureCeiling
from emberscope_app.docks.evaluate.confusion import ConfusionPanel
from emberscope_app.docks.evaluate.quality import QualityPanel
from emberscope_app.docks.evaluate.roc import RocPanel
from emberscope_app.docks.evaluate.runs import RunsPanel
from emberscope_app.docks.evaluate.slices import SHARE, SlicesPanel
from emberscope_app.docks.evaluate.study import StudyPanel
from emberscope_app.lists.layout import words_width
from emberscope_app.state.runs.checked_runs import MOST, checked_runs
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.theme.look import look

from ...layout import faults, paint_faults
from .conftest import held_out

NO_KEY = Qt.KeyboardModifier.NoModifier
CARDS = (RunsPanel, RocPanel, ConfusionPanel, SlicesPanel, QualityPanel)


def marks(card, kind):
    return [mark for mark in card.plot.plot.marks if isinstance(mark, kind)]


def click(view, row, column):
    at = view.place(row, column).center().toPoint()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, NO_KEY, at)


# --- which runs


def test_the_run_on_show_is_judged_when_somebody_looks(show, evaluation, judged_session):
    assert evaluation.checked == {}
    show(RocPanel)
    assert list(evaluation.checked) == [judged_session.run.id]


def test_nothing_is_judged_before_anybody_looks(judged_session, worker):
    evaluation_of(judged_session)
    assert worker.submitted == []


def test_a_card_that_outlives_what_it_shows_hides_without_a_word(show, evaluation, capfd):
    card = show(RocPanel)
    delete(evaluation)
    card.hide()
    assert capfd.readouterr().err == ""


def test_a_check_box_puts_a_run_beside_the_others(show, evaluation, qtbot):
    card = show(RunsPanel)
    row = next(k for k, run in enumerate(card.model.rows) if run.id not in evaluation.checked)
    cells = card.runs.delegate.cells(card.model.index(row, 0))
    place = next(place for cell, place in cells if cell.does)
    QTest.mouseClick(card.runs.viewport(), Qt.MouseButton.LeftButton, NO_KEY, place.center())
    assert card.model.rows[row].id in evaluation.checked


def test_space_checks_the_run_that_has_the_keyboard(show, evaluation):
    card = show(RunsPanel)
    card.runs.setCurrentIndex(card.model.index(2, 1))
    QTest.keyClick(card.runs, Qt.Key.Key_Space)
    assert card.model.rows[2].id in evaluation.checked


def test_a_fifth_run_is_refused_with_a_reason(show, evaluation, judged_session):
    show(RunsPanel)
    said = []
    judged_session.message.connect(lambda message: said.append(message.words))
    checked_runs(judged_session).places = {100 + k: k for k in range(MOST)}
    evaluation.check(2, True)
    assert 2 not in evaluation.checked
    assert "Uncheck one first." in said[0]


def test_runs_that_are_checked_in_the_history_are_those_of_evaluate(show, evaluation,
                                                                   judged_session):
    checked_runs(judged_session).set([1, 2])
    show(RunsPanel)
    assert list(evaluation.checked) == [1, 2]
    evaluation.check(3, True)
    assert checked_runs(judged_session).ids == (1, 2, 3)


def test_a_run_keeps_its_color_while_others_come_and_go(show, evaluation):
    show(RocPanel)
    evaluation.check(1, True)
    place = evaluation.checked[1]
    evaluation.check(2, True)
    evaluation.check(2, False)
    assert evaluation.checked[1] == place


def test_a_click_on_a_row_makes_its_run_the_active_one(show, evaluation, judged_session):
    card = show(RunsPanel)
    evaluation.check(1, True)
    card.runs.clicked.emit(card.model.index(2, 1))
    assert judged_session.run.id == 1
    assert evaluation.active.id == 1


def test_the_filter_leaves_runs_that_bear_its_words(show):
    card = show(RunsPanel)
    card.filter.setText("no such method")
    assert card.model.rowCount() == 0


def test_what_changed_between_two_runs_is_listed(show, evaluation, qtbot):
    card = show(RunsPanel)
    evaluation.check(1, True)
    qtbot.waitUntil(lambda: evaluation.compared is not None)
    assert card.changed_title.text() == "What changed, 1 to 3"
    assert card.changes.words
    assert "Time" in card.changes.accessibleName()


def test_undoing_a_checked_run_leaves_the_others(show, evaluation, judged_session, capfd):
    show(RunsPanel)
    made = held_out(judged_session.run, 6)
    judged_session.do(PutRuns(after=[made]))
    evaluation.check(made.id, True)
    judged_session.undo_stack.undo()
    assert made.id not in evaluation.checked
    assert capfd.readouterr().err == ""


def test_a_run_that_is_deleted_leaves_the_others(show, evaluation, judged_session):
    card = show(RunsPanel)
    evaluation.check(1, True)
    del judged_session.project.runs[1]
    judged_session.changed.emit(Changes(runs=frozenset({1})))
    assert 1 not in evaluation.checked
    assert len(card.model.rows) == 2


def test_the_command_names_the_runs_that_are_checked(show, evaluation):
    card = show(RunsPanel)
    evaluation.check(1, True)
    assert card.command_words == "emberscope evaluate PROJECT.ember --runs 3,1 --level instance"


# --- the threshold


def test_dragging_the_curve_moves_the_threshold_of_every_card(show, evaluation):
    roc, confusion = show(RocPanel), show(ConfusionPanel)
    before = [tile.small for row in confusion.view.tiles.tiles for tile in row]
    QTest.mousePress(roc.plot, Qt.MouseButton.LeftButton, NO_KEY, roc.plot.at(0.9, 0.5).toPoint())
    assert evaluation.at().false == pytest.approx(0.9, abs=0.02)
    said = score_text(evaluation.threshold())
    assert marks(roc, Callout)[0].title == f"Threshold {said}"
    assert [tile.small for row in confusion.view.tiles.tiles for tile in row] != before
    assert confusion.count.endswith(f"threshold {said}")


def test_the_pointer_held_down_keeps_dragging(show, evaluation):
    roc = show(RocPanel)
    where = [roc.plot.at(x, 0.5).toPoint() for x in (0.2, 0.6)]
    QTest.mousePress(roc.plot, Qt.MouseButton.LeftButton, NO_KEY, where[0])
    first = evaluation.threshold()
    QTest.mouseMove(roc.plot, where[1])
    assert evaluation.threshold() < first


def test_arrow_keys_step_from_one_score_to_the_next(show, evaluation):
    roc = show(RocPanel)
    scores, before = evaluation.tally().thresholds, evaluation.threshold()
    QTest.keyClick(roc.plot, Qt.Key.Key_Right)
    assert evaluation.threshold() == scores[np.searchsorted(scores, before) - 1]
    QTest.keyClick(roc.plot, Qt.Key.Key_Left)
    assert evaluation.threshold() == before


def test_on_the_precision_curve_a_drag_says_how_much_is_found(show, evaluation):
    roc = show(RocPanel)
    evaluation.show(kind=PRECISION)
    roc.plot.chosen.emit(0.5)
    assert evaluation.at().found.value == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("level", [BAG, DETECTION])
def test_each_level_has_a_threshold_of_its_own(show, evaluation, level):
    roc = show(RocPanel)
    before = evaluation.threshold()
    evaluation.show(level=level)
    roc.plot.chosen.emit(0.5)
    evaluation.show(level="instance")
    assert evaluation.threshold() == before


def test_every_checked_run_has_a_curve(show, evaluation, qtbot):
    roc = show(RocPanel)
    evaluation.check(1, True)
    qtbot.waitUntil(lambda: evaluation.judged(1) is not None)
    assert len(marks(roc, Curve)) == 2


def test_in_a_narrow_card_the_kinds_of_curves_stand_in_its_menu(show, evaluation):
    roc = show(RocPanel)
    needed = roc.levels.sizeHint().width() + roc.kinds.sizeHint().width()
    roc.resize(needed + 10, 300)
    assert not roc.kinds.isVisible()
    next(each for each in roc.menu().actions() if each.text() == "Precision").trigger()
    assert evaluation.kind == PRECISION
    roc.resize(needed + 60, 300)
    assert roc.kinds.isVisible()


def test_in_a_low_card_tiles_keep_their_numbers_and_figures_make_room(show, evaluation):
    card = show(ConfusionPanel, size=(380, 520))
    every = len(card.figures.rows)
    card.resize(380, 200)
    assert len(card.figures.rows) < every
    assert len(card.figures.toolTip().splitlines()) == every
    assert card.view.place(0, 0).height() >= 26


def test_the_curve_of_bags_says_how_its_area_goes_with_that_of_the_list(
    show, evaluation, judged_session
):
    judged_session.run.metrics.update(method_bag_auc=0.91, method_bag_clips=3.0)
    roc = show(RocPanel)
    assert roc.note.text() == ""
    evaluation.show(level=BAG)
    assert roc.note.text() == ("Bags of all clips together; held-out bag AUC 0.91 in the list of "
                               "runs is the mean of 3 clips.")


@pytest.mark.parametrize(("state", "words"), [({}, "labels seen"),
                                              ({"held_score_": []}, "bags left out")])
def test_witnesses_found_say_what_their_scores_have_seen(state, words, show, judged_session):
    run = judged_session.run
    run.metrics["witness_found"] = 0.8
    run.point_scores["witness"] = np.zeros(len(run.ids), np.float32)
    run.state.update(state)
    assert f"Witness found, {words}" in [row[0] for row in show(ConfusionPanel).figures.rows]


def test_a_checked_run_without_a_curve_is_named_below_it(show, evaluation, judged_session, qtbot):
    del judged_session.project.runs[1].diagnostics["held_score"]
    roc = show(RocPanel)
    evaluation.check(1, True)
    qtbot.waitUntil(lambda: evaluation.judged(1) is not None)
    assert roc.note.text() == "No curve of run 1: the tooltip in the list says why."


def test_two_runs_that_are_still_compared_are_named(show, evaluation, worker):
    del worker.answers[CompareRuns]
    card = show(RunsPanel)
    evaluation.check(1, True)
    assert card.changed_title.text() == "What changed, 1 to 3"


def test_all_runs_whose_neighbors_are_shown_are_named(show, evaluation):
    card = show(QualityPanel)
    evaluation.check(1, True)
    evaluation.check(2, True)
    assert card.count == "1, 2 and 3, neighbors kept"


# --- tiles


def test_a_tile_of_the_confusion_selects_its_instances(show, evaluation, judged_session):
    card = show(ConfusionPanel)
    tally = evaluation.tally()
    click(card.view, len(tally.kinds), len(tally.kinds))  # ground said to be ground
    rows = tally.rows(GROUND, GROUND, evaluation.threshold())
    assert set(judged_session.selection.ids) == set(tally.level.ids[rows])


def test_a_tile_of_bags_selects_all_their_instances(show, evaluation, judged_session):
    card = show(ConfusionPanel)
    evaluation.show(level=BAG)
    evaluation.set_threshold(0.0)
    click(card.view, 0, 0)
    positive = judged_session.run.bag_labels > 0
    assert len(judged_session.selection.ids) == judged_session.run.bags.sizes[positive].sum()


def test_enter_asks_for_the_tile_that_the_arrows_reached(show):
    card, asked = show(ConfusionPanel), []
    card.view.wanted.connect(lambda row, column, _keys: asked.append((row, column)))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(card.view, key)
    assert asked == [(1, 1)]
    assert "Background said to be Background" in card.view.accessibleDescription()


def test_slices_show_areas_and_then_what_is_found(show, evaluation, qtbot):
    card = show(SlicesPanel)
    qtbot.waitUntil(lambda: bool(card.view.tiles.rows))
    assert card.view.tiles.title == "AUC by slice"
    card.measure.button(SHARE).click()
    assert card.view.tiles.title == "Found by slice"
    evaluation.set_threshold(9.0)
    known = [tile for row in card.view.tiles.tiles for tile in row if not tile.hatched]
    assert {tile.big for tile in known} == {"0.00"}


def test_the_title_of_slices_says_what_tiles_show_now(show):
    card = show(SlicesPanel)
    assert card.count.startswith("AUC by ")
    card.measure.button(SHARE).click()
    assert card.count.startswith("found by ")
    card.second.setCurrentIndex(0)
    card.second.activated.emit(0)
    assert " and " not in card.count.partition(";")[0]


def test_slices_that_are_still_asked_for_are_not_blank(judged_session, worker, qtbot):
    worker.answers.pop(CutSlices)
    card = SlicesPanel(judged_session)
    qtbot.addWidget(card)
    card.show()
    qtbot.waitUntil(lambda: card.evaluation.tally() is not None)
    assert card.view.instead == "Judging slices."


def test_a_slice_selects_its_targets(show, evaluation, judged_session, qtbot):
    card = show(SlicesPanel)
    qtbot.waitUntil(lambda: bool(card.view.tiles.rows))
    click(card.view, 0, 0)
    level = evaluation.tally().level
    assert 0 < len(judged_session.selection.ids) < (level.truth != GROUND).sum()


# --- when there is nothing to show


@pytest.mark.parametrize("kind", CARDS)
def test_a_project_without_a_run_says_so_and_offers_one(kind, judged_session, qtbot):
    judged_session.project.runs.clear()
    card = kind(judged_session)
    qtbot.addWidget(card)
    card.show()
    assert card.empty.isVisible()
    assert card.empty.sentence.text().startswith("No run yet.")
    assert card.empty.button.text() == "Run"


@pytest.mark.parametrize("kind", [RocPanel, ConfusionPanel, SlicesPanel])
def test_without_truth_the_card_offers_to_import_it(kind, show, evaluation, judged_session, qtbot):
    project = judged_session.project
    bare = [label for label in project.labels if not getattr(label, "looseness", 1.0)]
    project.labels = LabelSet(bare)
    card = show(kind)
    qtbot.waitUntil(lambda: card.empty.isVisible())
    assert card.empty.sentence.text().startswith(("No label knows", "Nothing that was held out"))
    assert card.empty.button.isVisible()


def test_a_run_of_an_old_version_offers_to_run_again(show, evaluation, judged_session):
    del judged_session.run.diagnostics["held_score"]
    card = show(RocPanel)
    assert card.empty.sentence.text().endswith("kept no held-out scores. Run it again.")
    assert card.empty.button.text() == "Run again"


def test_a_worker_that_fails_is_named_and_can_be_asked_again(judged_session, worker, qtbot):
    worker.answers.clear()
    card = RocPanel(judged_session)
    qtbot.addWidget(card)
    card.show()
    worker.fail(1, "Out of memory.")
    qtbot.waitUntil(lambda: card.empty.sentence.text() == "Out of memory.")
    card.empty.button.click()
    assert len(worker.submitted) == 2


# --- menus


@pytest.mark.parametrize("kind", CARDS)
def test_the_menu_copies_what_the_card_shows(kind, show, qtbot):
    card = show(kind)
    if kind is SlicesPanel:
        qtbot.waitUntil(lambda: bool(card.view.tiles.rows))
    next(each for each in card.menu().actions() if each.text() == "Copy data").trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) > 1
    assert "\t" in lines[0]


def test_labels_that_change_are_judged_again(show, evaluation, judged_session, worker, qtbot):
    show(RocPanel)
    before = len(worker.submitted)
    judged_session.changed.emit(Changes(labels=frozenset({100})))
    qtbot.waitUntil(lambda: len(worker.submitted) > before)
    qtbot.waitUntil(lambda: evaluation.tally() is not None)


def test_the_band_says_on_what_it_rests(show):
    assert "intervals by" in show(RocPanel).plot.toolTip()


def test_a_pointer_beside_all_tiles_asks_for_nothing(show):
    card, asked = show(ConfusionPanel), []
    card.view.wanted.connect(lambda *what: asked.append(what))
    QTest.mouseClick(card.view, Qt.MouseButton.LeftButton, NO_KEY, QPoint(1, 1))
    assert asked == []


@pytest.mark.parametrize(("kind", "word"), [
    (RocPanel, "run3-roc"), (ConfusionPanel, "run3-confusion"), (SlicesPanel, "run3-slices"),
    (QualityPanel, "run3-neighbors"),
])
def test_a_card_is_saved_as_a_figure_with_its_run_below(
    kind, word, show, judged_session, qtbot, tmp_path
):
    card, wanted = show(kind), []
    if kind is SlicesPanel:
        qtbot.waitUntil(lambda: bool(card.view.tiles.rows))
    judged_session.figure_wanted.connect(wanted.append)
    next(each for each in card.menu().actions() if each.text() == "Save figure...").trigger()
    assert wanted[0].name == word
    wanted[0].save(tmp_path / "figure.svg")
    assert "Run 3" in (tmp_path / "figure.svg").read_text()


def test_the_data_of_tiles_have_a_row_for_each(show, judged_session, tmp_path):
    card, wanted = show(ConfusionPanel), []
    judged_session.figure_wanted.connect(wanted.append)
    next(each for each in card.menu().actions() if each.text() == "Save its data...").trigger()
    wanted[0].save(tmp_path / "data.csv")
    lines = (tmp_path / "data.csv").read_text().splitlines()
    assert len(lines) == 1 + sum(map(len, card.view.tiles.tiles))


@pytest.mark.parametrize(("high", "rows"), [(600, True), (220, False)])
def test_in_little_room_tiles_come_before_the_weakest_slices(high, rows, show, evaluation):
    card = show(SlicesPanel, size=(520, high))
    assert card.weakest.isVisible() == rows


def test_what_tiles_of_slices_say_is_in_the_menu_too(show):
    card = show(SlicesPanel)
    next(each for each in card.menu().actions() if each.text() == "Found").trigger()
    assert card.measure.value == SHARE


def test_what_is_judged_rightly_now_can_be_selected(show, evaluation, judged_session, qtbot):
    card = show(RunsPanel)
    evaluation.check(1, True)
    qtbot.waitUntil(lambda: evaluation.compared is not None)
    action = next(each for each in card.menu().actions()
                  if each.text() == "Select what is judged rightly now")  # fmt: skip
    action.trigger()
    pair = next(pair for pair in evaluation.compared.pairs if pair.level == "instance")
    assert set(judged_session.selection.ids) == set(pair.won)
    assert f"Instances {pair.only_first} lost, now {pair.only_second} won" in (
        card.changes.accessibleName())


SIZES = {RunsPanel: (256, 640), RocPanel: (320, 280), ConfusionPanel: (240, 320),
         SlicesPanel: (379, 260), QualityPanel: (260, 220)}  # fmt: skip


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("kind", CARDS)
def test_no_words_of_a_narrow_card_are_cut_or_overlap(kind, theme, show, evaluation, qtbot):
    look().apply(theme)
    card = show(kind, size=SIZES[kind])
    evaluation.check(1, True)
    qtbot.waitUntil(lambda: evaluation.compared is not None)
    assert faults(card) == []
    assert paint_faults(card) == []


def test_the_ceiling_is_measured_from_the_menu(show, judged_session, worker):
    judged_session.run.metrics["witness_found"] = 0.8
    card = show(ConfusionPanel)
    next(each for each in card.menu().actions() if each.text() == "Measure the ceiling").trigger()
    assert len(worker.asked(MeasureCeiling)) == 1


def test_without_truth_there_is_no_ceiling_to_measure(show):
    card = show(ConfusionPanel)
    action = next(each for each in card.menu().actions() if each.text() == "Measure the ceiling")
    assert not action.isEnabled()


# --- study, export, what stands beside numbers


def test_the_study_says_what_the_value_that_is_clicked_reached_and_opens_its_run(
    show, judged_session
):
    runs = judged_session.project.runs
    for number, (features, score) in enumerate((("hog", 0.7), ("pixels", 0.9)), 1):
        recipe = msgspec.structs.replace(
            runs[number].recipe,
            features=msgspec.structs.replace(runs[number].recipe.features, kind=features))
        runs[number] = msgspec.structs.replace(runs[number], recipe=recipe,
                                               metrics={"map_accuracy": score})
    judged_session.focus.set(run=1)
    card = show(StudyPanel)
    assert card.found.found, card.found.why_not
    at = [point.words for point in card.study.points].index("hog")
    card.plots[0].chosen.emit(float(at))
    assert card.said.text().startswith("Features hog: 0.70")
    best = [point.words for point in card.study.points].index("pixels")
    card.plots[0].chosen.emit(float(best))
    QTest.mouseClick(card.open_run, Qt.MouseButton.LeftButton)
    assert judged_session.run.id == 2


def test_a_study_of_runs_that_do_not_differ_says_what_to_do(show):
    card = show(StudyPanel)
    assert "in one setting alone" in card.empty.sentence.text()


def test_the_list_of_runs_is_saved_as_a_table(show, judged_session, tmp_path):
    card, wanted = show(RunsPanel), []
    judged_session.figure_wanted.connect(wanted.append)
    QTest.mouseClick(card.export, Qt.MouseButton.LeftButton)
    wanted[0].save(tmp_path / "runs.csv")
    lines = (tmp_path / "runs.csv").read_text().splitlines()
    assert lines[0].startswith("run,method,name,settings")
    assert len(lines) == 4


def test_detections_on_ground_stand_apart_from_targets(show, evaluation):
    card = show(ConfusionPanel)
    evaluation.show(level=DETECTION)
    assert card.view.tiles.rows[-1].words == "On ground"
    last = len(card.view.tiles.columns) - 1
    between = card.view.place(0, last).left() - card.view.place(0, last - 1).right()
    assert between > 8


def test_a_run_is_found_and_shown_by_what_a_person_wrote_beside_it(show, judged_session):
    judged_session.do(put_run_note(judged_session.project, 2, title="", name="loose boxes",
                                   note="for the paper"))
    card = show(RunsPanel)
    card.filter.setText("paper")
    assert [run.id for run in card.model.rows] == [2]
    assert card.model.words(card.model.rows[0], 1) == "loose boxes"


def test_the_time_gives_way_where_the_name_of_a_run_would_be_cut(show, judged_session):
    card = show(RunsPanel)
    card.resize(300, 640)
    assert [column.title for column in card.model.columns][2:] == ["AUC", "Kept", "Time"]
    name = "baseline, two seeds"
    judged_session.do(put_run_note(judged_session.project, 2, title="", name=name))
    QApplication.processEvents()
    assert [column.title for column in card.model.columns][2:] == ["AUC", "Kept"]
    room = card.runs.visualRect(card.model.index(0, 1)).width()
    assert room >= words_width(name) + 12
    assert "Made " in card.model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    card.resize(360, 640)
    assert [column.title for column in card.model.columns][2:] == ["AUC", "Kept", "Time"]
