"""Acting on finished runs: check, pin, name, run again."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from emberscope.project import PutRuns, Recipe
from emberscope.project.model.run_notes import put_run_note, run_note
from emberscope_app.docks.run.run_menu import other_seed
from emberscope_app.docks.run.runs_history import RunsHistory
from emberscope_app.lists.layout import words_width
from emberscope_app.sheets.run_note import RunNoteSheet
from emberscope_app.state.runs.checked_runs import checked_runs

from ...layout import written


@pytest.fixture
def history(session, qtbot):
    """Runs 15 down to 11."""
    more = [msgspec.structs.replace(session.run, id=number) for number in range(12, 16)]
    session.do(PutRuns(after=more))
    found = RunsHistory(session)
    qtbot.addWidget(found)
    found.resize(300, 400)
    found.show()
    return found


def click(history, qtbot, row, x):
    place = history.table.visualRect(history.model.index(row, 0))
    at = place.topLeft()
    at.setX(place.x() + x)
    at.setY(place.y() + 11)
    qtbot.mouseClick(history.table.viewport(), Qt.MouseButton.LeftButton, pos=at)


def ids(history):
    return [run.id for run in history.model.runs]


def entry(menu, title):
    return next(action for action in menu.actions() if action.text() == title)


def test_a_row_is_as_high_as_what_it_says_where_figures_lose_their_room(
    history, session, monkeypatch
):
    monkeypatch.setattr(type(history.model), "height", lambda model, row, width:
                        57 if len(model.figures) > 1 else 41)
    known = {"inside_auc": 0.9, "map_accuracy": 0.8}
    run = session.project.runs[15]
    session.do(PutRuns(before=[run], after=[msgspec.structs.replace(
        run, metrics=run.metrics | known)]))
    high = history.table.verticalHeader().sectionSize
    history.resize(400, 400)
    assert high(0) == 57
    history.resize(150, 400)
    assert high(0) == 41


def test_a_click_on_its_box_checks_a_run_and_shows_no_other(history, session, qtbot):
    shown = session.run.id
    click(history, qtbot, 2, 18)
    assert checked_runs(session).ids == (13,)
    assert session.run.id == shown


def test_a_click_beside_the_box_shows_the_run(history, session, qtbot):
    click(history, qtbot, 2, 44)
    assert (session.run.id, checked_runs(session).ids) == (13, ())


def test_space_checks_the_row_of_the_keyboard(history, session, qtbot):
    history.table.setCurrentIndex(history.model.index(1, 0))
    qtbot.keyClick(history.table, Qt.Key.Key_Space)
    assert checked_runs(session).ids == (14,)


def test_a_fifth_run_that_is_checked_takes_no_place_of_another(history, session):
    said = []
    session.message.connect(lambda message: said.append(message.words))
    for number in range(11, 16):
        checked_runs(session).check(number, True)
    assert checked_runs(session).ids == (11, 12, 13, 14)
    assert "Uncheck one first." in said[0]


def test_a_run_that_is_gone_is_checked_no_more(history, session):
    checked_runs(session).set([11, 12])
    session.do(PutRuns(before=[session.project.runs[12]]))
    assert checked_runs(session).ids == (11,)


def test_the_button_says_what_it_compares(history, session):
    assert not history.compare.isVisible()
    checked_runs(session).set([11, 12])
    assert history.compare.text() == "Compare 11 with 12"
    checked_runs(session).set([11, 12, 13])
    assert history.compare.text() == "Compare 3 runs"


def test_a_pinned_run_stands_above_newer_ones(history, session):
    entry(history.menu(ids(history).index(12)), "Pin to the top").trigger()
    assert ids(history) == [12, 15, 14, 13, 11]
    entry(history.menu(ids(history).index(12)), "Unpin").trigger()
    assert ids(history) == [15, 14, 13, 12, 11]


def test_a_name_stands_in_place_of_the_method_and_a_note_below(history, session):
    step = put_run_note(session.project, 15, title="", name="night only", note="try 48 px")
    session.do(step)
    assert history.model.index(0, 1).data() == "night only"
    assert history.model.beside(0) == "try 48 px"


def test_numbers_give_way_where_the_name_of_a_run_would_be_cut(history, session):
    metrics = session.run.metrics | {"inside_auc": 0.9, "map_accuracy": 0.8}
    session.do(PutRuns(after=[msgspec.structs.replace(session.run, id=16, metrics=metrics)]))
    history.resize(400, 400)
    assert [figure.key for figure in history.model.figures][-1] == "map_accuracy"
    session.do(put_run_note(session.project, 16, title="", name="night only, two sizes"))
    history.resize(300, 400)
    room = history.table.visualRect(history.model.index(0, 1)).width()
    assert room > words_width("night only, two sizes") + 10
    assert "map_accuracy" not in [figure.key for figure in history.model.figures]


def test_the_split_of_a_number_is_there_as_a_whole_or_not_at_all(history, session):
    metrics = session.run.metrics | {"method_bag_auc": 0.8, "method_bag_by_clip": 1.0}
    recipe = msgspec.structs.replace(session.run.recipe, classifier="citation-knn")
    run = msgspec.structs.replace(session.run, id=16, metrics=metrics, recipe=recipe)
    session.do(PutRuns(after=[run]))
    said = {}
    for wide in (300, 700):
        history.resize(wide, 400)
        said[wide] = [text.words for text in written(history)]
    assert not any("\u2026" in words for words in said[300]), said
    assert any(words.endswith("held out by clip") for words in said[700])


def test_a_pin_stands_beside_the_number_of_its_run(history, session):
    before = history.model.widths[0]
    session.do(put_run_note(session.project, 12, title="", pinned=True))
    assert history.model.widths[0] >= before + 12


def test_the_command_names_the_whole_path_of_the_project(history, session, tmp_path):
    session.path = tmp_path / "night run.ember"
    entry(history.menu(ids(history).index(12)), "Copy as a command").trigger()
    assert f"'{tmp_path / 'night run.ember'}'" in QGuiApplication.clipboard().text()


def test_a_note_is_written_in_a_field_that_has_a_frame(full_window):
    sheet = RunNoteSheet(full_window.session, full_window, full_window.session.run)
    sheet.show()
    image = sheet.note.grab().toImage()
    inside = image.pixelColor(image.width() // 2, image.height() // 2)
    assert image.pixelColor(image.width() // 2, 0) != inside


def test_a_sheet_keeps_name_and_note_in_one_step(full_window):
    session = full_window.session
    sheet = RunNoteSheet(session, full_window, session.run)
    sheet.name.setText(" best ")
    sheet.note.setPlainText("two\nlines")
    sheet.accept()
    found = run_note(session.project, session.run.id)
    assert (found.name, found.note) == ("best", "two lines")
    session.undo_stack.undo()
    assert not run_note(session.project, session.run.id).name


def test_another_seed_is_one_that_no_run_of_the_recipe_has(session):
    recipe = Recipe(method="umap", params={"random_state": 4}, seed=4)
    runs = [msgspec.structs.replace(session.run, id=20 + seed, recipe=msgspec.structs.replace(
        recipe, seed=seed, params={"random_state": seed} if seed else {})) for seed in (0, 4, 6)]
    session.do(PutRuns(after=runs))
    found = other_seed(session, runs[1])
    assert (found.seed, found.params) == (7, {"random_state": 7})


def test_the_command_of_a_run_is_on_the_clipboard(history, session):
    entry(history.menu(ids(history).index(12)), "Copy as a command").trigger()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("emberscope run - --project PROJECT <<'RECIPE'\n")
    assert f'method = "{session.run.recipe.method}"' in copied


def test_compare_with_nothing_checked_takes_the_run_on_show_and_the_one_before(full_window):
    session = full_window.session
    session.do(PutRuns(after=[msgspec.structs.replace(session.run, id=12)]))
    full_window.actions_by_id["run.compare"].trigger()
    assert checked_runs(session).ids == (11, 12)
