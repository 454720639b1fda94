"""The sheet of published tables: which there are, their rows, running, what a table lacks, copying
and saving."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from emberscope.reproduction.tables import Line, draws, not_measured, read_table
from emberscope.tasks.measures import MeasureRow
from emberscope_app.lists.cells import REST, Row, Words
from emberscope_app.lists.layout import placed
from emberscope_app.sheets.published import PublishedSheet, legend
from emberscope_app.sheets.published_rows import COLUMNS, grouped, in_columns, needs
from emberscope_app.state.runs import published_tables
from emberscope_app.theme.look import look

SPOKEN, TOOLTIP = Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole
LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
NAN = float("nan")


@pytest.fixture
def used_window(used_window):
    """A window in which nobody has measured a row or chosen a folder by now."""
    used_window.published = None
    used_window.preferences.forget("published")
    return used_window


@pytest.fixture
def sheet(used_window):
    used_window.actions_by_id["help.published"].trigger()
    assert isinstance(used_window.sheet, PublishedSheet)
    return used_window.sheet


def finish(worker, window, apart):
    """The row at work comes back, so far from print."""
    asked = worker.submitted[-1]
    table = read_table(asked.request.table)
    row = next(row for row in table.rows if row.name == asked.request.row)
    before = not_measured(table, row)
    ours = 50.0 if row.published is None else row.published + apart
    count = draws(table, row, asked.request.seeds)
    worker.finish(
        asked.job, Line(row.name, row.published, ours, NAN, count, before.note, before.tolerance)
    )
    window.session.jobs._poll()


def spoken(sheet, at):
    model = sheet.page.model
    return model.data(model.index(at, 0), SPOKEN)


# --- opening


def test_the_menu_opens_it_and_closes_it_again(used_window, sheet):
    used_window.actions_by_id["help.published"].trigger()
    assert used_window.sheet is None


def test_the_palette_finds_it(used_window):
    used_window.palette_sheet.open()
    QTest.keyClicks(used_window.palette_sheet.field, "published tables")
    QTest.keyClick(used_window.palette_sheet.field, KEY.Key_Return)
    assert isinstance(used_window.sheet, PublishedSheet)


def test_escape_closes_it_from_the_list(used_window, sheet):
    QTest.keyClick(sheet.view, KEY.Key_Escape)
    assert used_window.sheet is None


def test_reading_the_tables_loads_nothing_heavy():
    code = (
        "import sys\n"
        "import emberscope_app.sheets.published\n"
        "from emberscope.reproduction.tables import published_tables, read_table\n"
        "tables = [read_table(name) for name in published_tables()]\n"
        "heavy = 'sklearn numba scipy skimage h5py emberscope.datasets emberscope.mil "
        "emberscope.embedding'.split()\n"
        "print(sorted(name for name in heavy if name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "[]"


# --- the list


def test_tables_stand_by_what_they_need():
    tables = {name: read_table(name) for name in ("musk1", "not-reachable", "surfaces")}
    assert grouped(tables) == [
        ("Generated data", ""),
        ("", "surfaces"),
        ("Public sets", ""),
        ("", "musk1"),
        ("Not measured", ""),
        ("", "not-reachable"),
    ]


def test_a_table_says_which_set_it_needs():
    assert needs(read_table("musk1")).startswith("Needs musk1")
    assert needs(read_table("not-reachable")) == "5 rows, each says why"


def test_arrows_walk_through_the_tables(sheet):
    first = sheet.table
    QTest.keyClick(sheet.view, KEY.Key_Down)
    assert sheet.table != first
    assert sheet.page.title.text() == read_table(sheet.table).title


# --- a table


def test_ours_is_empty_until_it_is_measured(sheet):
    sheet.choose("surfaces")
    assert spoken(sheet, 0) == "separable, 3-D input, published 99.5"
    assert sheet.page.summary.text() == ""


def test_rows_fill_while_the_worker_measures(used_window, sheet, worker):
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.run, LEFT)
    assert spoken(sheet, 1).endswith("waiting")
    finish(worker, used_window, apart=0.2)
    assert "ours 99.7, difference +0.2, agrees" in spoken(sheet, 0)
    assert sheet.page.bar.isVisible()
    assert sheet.page.bar.value() == round(1000 / 14)


def test_what_differs_is_said_by_a_word_and_why(used_window, sheet, worker):
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.run, LEFT)
    finish(worker, used_window, apart=-5.0)
    model = sheet.page.model
    assert "differs" in spoken(sheet, 0)
    assert model.data(model.index(0, 0), TOOLTIP) == "Differs: the table allows 1.5 points"


def test_cancel_keeps_what_was_measured(used_window, sheet, worker):
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.run, LEFT)
    finish(worker, used_window, apart=-5.0)
    QTest.mouseClick(sheet.page.cancel, LEFT)
    used_window.session.jobs._poll()
    assert sheet.page.summary.text() == "1 of 14 rows measured: 0 agree, 1 differ"
    assert sheet.page.run.text() == "Run 13 more rows"
    assert not sheet.page.bar.isVisible()


def test_rows_outlive_the_sheet(used_window, sheet, worker):
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.run, LEFT)
    sheet.close_sheet()
    finish(worker, used_window, apart=0.2)
    used_window.actions_by_id["help.published"].trigger()
    used_window.sheet.choose("surfaces")
    assert "ours 99.7" in spoken(used_window.sheet, 0)


def test_as_many_draws_as_chosen_are_asked_for(sheet, worker):
    sheet.choose("surfaces")
    assert sheet.page.draws.button("all").text() == "5 draws"
    QTest.mouseClick(sheet.page.draws.button("one"), LEFT)
    QTest.mouseClick(sheet.page.run, LEFT)
    assert worker.submitted[-1].request.seeds == 1


def test_another_table_shows_while_the_first_runs(used_window, sheet, worker):
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.run, LEFT)
    sheet.choose("swiss-roll")
    finish(worker, used_window, apart=0.2)
    assert sheet.page.run.isVisible()
    assert sheet.model.state("surfaces") == "7 %"


def test_what_is_out_of_reach_says_why_and_offers_nothing_to_run(sheet):
    sheet.choose("not-reachable")
    assert "never published" in spoken(sheet, 1)
    assert not sheet.page.run.isVisible()
    assert not sheet.page.head.isVisible()


def test_the_legend_says_how_far_a_row_may_be_from_print():
    assert legend(read_table("musk1")) == "\u2248 within 4 points of print, \u2260 further away"
    assert "1.5 to 3 points" in legend(read_table("surfaces"))
    assert legend(read_table("pole-edges")) == ""


# --- data


def test_without_its_set_a_table_says_what_to_do(sheet):
    sheet.choose("musk1")
    assert "Choose the folder that holds musk1" in sheet.page.data.words.text()
    assert not sheet.page.run.isEnabled()


def test_a_chosen_folder_is_looked_into_and_remembered(used_window, sheet, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *a, **k: str(tmp_path))
    sheet.choose("musk1")
    QTest.mouseClick(sheet.page.data.button, LEFT)
    assert f"There is no musk1 in {tmp_path}" in sheet.page.data.words.text()
    (tmp_path / "musk1.data").touch()
    QTest.mouseClick(sheet.page.data.button, LEFT)
    assert sheet.page.data.words.text() == f"musk1 of {tmp_path}"
    assert sheet.page.run.isEnabled()
    assert used_window.preferences.text("published/data") == str(tmp_path)


def test_generated_data_ask_for_no_folder(sheet):
    sheet.choose("surfaces")
    assert not sheet.page.data.isVisible()


def test_while_a_row_is_measured_nobody_looks_for_its_set_again(
    used_window, sheet, worker, tmp_path, monkeypatch
):
    (tmp_path / "musk1.data").touch()
    sheet._published.set_folder(str(tmp_path))
    sheet.choose("musk1")
    QTest.mouseClick(sheet.page.run, LEFT)
    looked = []
    monkeypatch.setattr(published_tables, "has_benchmark", lambda *_: looked.append(1) or True)
    worker.start_job(1)
    worker.progress(1, 0.5, "fold 3")
    used_window.session.jobs._poll()
    assert sheet.page.summary.text().endswith("fold 3")
    assert not looked


def test_damaged_data_are_said_in_the_sheet(used_window, sheet, worker, tmp_path):
    (tmp_path / "musk1.data").touch()
    sheet._published.set_folder(str(tmp_path))
    sheet.choose("musk1")
    QTest.mouseClick(sheet.page.run, LEFT)
    worker.fail(1, "musk1.data, line 2: 4 values, not 168.")
    used_window.session.jobs._poll()
    assert sheet.page.summary.text() == "musk1.data, line 2: 4 values, not 168."


# --- taking it along


def test_copies_hold_the_table_as_it_stands(used_window, sheet, worker):
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.run, LEFT)
    finish(worker, used_window, apart=0.2)
    QTest.mouseClick(sheet.page.csv, LEFT)
    assert (
        QGuiApplication.clipboard().text().splitlines()[1]
        == '"separable, 3-D input",99.5,99.7,,5,0.2,1.5,yes,'
    )
    QTest.mouseClick(sheet.page.markdown, LEFT)
    assert (
        "| separable, 3-D input | 99.5 | 99.7 | +0.2 \u2248 |" in QGuiApplication.clipboard().text()
    )


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("t.csv", "name,published,ours"),
        ("t.md", "# Quadratic surfaces"),
        ("t.json", "{"),
        ("t", "# Quadratic surfaces"),
    ],
)
def test_it_is_saved_as_its_ending_says(sheet, tmp_path, monkeypatch, name, start):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / name), ""))
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.save, LEFT)
    (written,) = tmp_path.glob("t*")
    assert written.suffix
    assert written.read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize(("name", "named"), [("gone/t.md", "gone"), ("t.pdf", "t.pdf")])
def test_a_file_that_cannot_be_written_is_said(
    used_window, sheet, tmp_path, monkeypatch, name, named
):
    heard = []
    used_window.session.message.connect(heard.append)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / name), ""))
    QTest.mouseClick(sheet.page.save, LEFT)
    assert heard[-1].level == "err"
    assert named in heard[-1].words


# --- look


def test_columns_do_not_overlap_and_end_at_the_same_edge():
    place = QRect(0, 0, 700, 28)
    row = Row((in_columns(Words("", wide=REST), *(Words("") for _ in COLUMNS)),))
    name, _, *numbers = [rect for _, rect in placed(row, place, place)]
    for left, right in zip([name, *numbers], numbers, strict=False):
        assert left.right() < right.left()
    assert numbers[-1].right() == 700 - 12 - 1


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)])
def test_it_is_seen_in_both_themes(used_window, sheet, worker, screenshot, theme, size):
    look().apply(theme)
    used_window.resize(*size)
    sheet.choose("surfaces")
    QTest.mouseClick(sheet.page.run, LEFT)
    for at in range(6):
        finish(worker, used_window, apart=(-1) ** at * at)
    assert type(worker.submitted[-1].request) is MeasureRow
    QApplication.processEvents()
    assert sheet.page.view.viewport().width() > 700
    screenshot(used_window, f"published-{size[0]}")
