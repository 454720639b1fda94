"""Help pages in their sheet."""

from importlib import resources

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextTable
from PySide6.QtWidgets import QApplication, QWidget

from emberscope_app.shell.actions import ACTIONS
from emberscope_app.shell.help_sheet import TITLES, HelpSheet
from emberscope_app.shell.help_text import heading, slug_of
from emberscope_app.theme.look import current, look


@pytest.fixture
def sheet(qtbot):
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1200, 900)
    host.show()
    return HelpSheet("first-steps", host)


def test_every_page_of_the_resources_has_a_title_and_a_row_in_the_help_menu():
    entries = (resources.files("emberscope_resources") / "help").iterdir()
    names = {entry.name.removesuffix(".md") for entry in entries if entry.name.endswith(".md")}
    in_menu = {row.arguments[0]: row.title for row in ACTIONS if row.run == "help"}
    assert set(TITLES) == names
    assert in_menu == {name: title for name, title in TITLES.items() if name != "about"}


@pytest.mark.parametrize("page", TITLES)
def test_a_page_opens_with_its_title(sheet, page):
    sheet.show_page(page)
    assert sheet.pages.currentData() == page
    assert sheet.view.toPlainText().strip()


def test_help_opens_at_the_top_of_its_page(full_window):
    full_window.actions_by_id["help.methods"].trigger()
    QApplication.processEvents()
    bar = full_window.sheet.view.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == 0


def test_a_link_with_a_heading_scrolls_there(sheet):
    sheet.follow(QUrl("methods#tsne"))
    assert sheet.pages.currentData() == "methods"
    assert sheet.view.verticalScrollBar().value() > 1000


def test_another_page_starts_at_its_top(sheet):
    sheet.follow(QUrl("methods#tsne"))
    sheet.show_page("commands")
    assert sheet.view.verticalScrollBar().value() == 0


def test_a_link_to_no_page_is_ignored(sheet):
    sheet.follow(QUrl("https://example.org"))
    assert sheet.pages.currentData() == "first-steps"


def test_the_list_opens_a_page(sheet, qtbot):
    sheet.pages.activated.emit(sheet.pages.findData("files"))
    assert "NAME.ember" in sheet.view.toPlainText()


def test_headings_are_found_as_links_write_them(sheet):
    sheet.show_page("maps")
    assert heading(sheet.view.document(), "how-far-to-believe-a-picture") is not None
    assert heading(sheet.view.document(), "no-such-heading") is None
    assert slug_of("k-NN accuracy") == "k-nn-accuracy"


def test_a_table_after_code_has_no_empty_line_in_its_head(sheet):
    sheet.show_page("files")
    table = next(f for f in sheet.view.document().rootFrame().childFrames() if isinstance(f, QTextTable))
    assert table.cellAt(0, 0).firstCursorPosition().block().text() == "folder"


def test_tables_follow_the_theme(sheet):
    def head_line():
        found = next(f for f in sheet.view.document().rootFrame().childFrames() if isinstance(f, QTextTable))
        return found.cellAt(0, 0).format().toTableCellFormat().bottomBorderBrush().color().name()

    sheet.show_page("maps")
    dark = head_line()
    look().apply("light")
    assert head_line() == current().line2.lower() != dark
    look().apply("dark")
