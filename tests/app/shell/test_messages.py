"""Bars lie over the docks: they move nothing, and what was under their cross stays under it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication


def place_of(window, widget):
    return widget.mapTo(window, QPoint(0, 0)), widget.size()


def test_messages_do_not_move_the_frame(used_window):
    canvas = used_window.panels["frame"].canvas
    before = place_of(used_window, canvas)
    for words in ("One file cannot be read.", "Another cannot.", "And a third."):
        used_window.session.say(words, level="err")
    QApplication.processEvents()
    assert len(used_window.messages.words) == 3
    assert place_of(used_window, canvas) == before


def test_the_cross_of_a_bar_lies_over_no_button_of_the_window(used_window):
    used_window.session.say("One file cannot be read.", level="err")
    QApplication.processEvents()
    bar = used_window.messages.bars[0]
    cross = next(b for b in bar.findChildren(QAbstractButton) if b.accessibleName() == "Dismiss")
    where = cross.mapTo(used_window, cross.rect().center())
    QTest.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert used_window.messages.words == []
    assert not isinstance(used_window.childAt(where), QAbstractButton)


def test_long_words_are_shown_whole(used_window, screenshot):
    used_window.session.say("The clip range_pass_01.npy has other content than it had. " * 4, level="warn")
    used_window.session.say("6 of 19 files cannot be opened.", level="err", action="Show the log")
    QApplication.processEvents()
    messages = used_window.messages
    assert messages.height() >= messages.layout().totalHeightForWidth(messages.width())
    assert messages.geometry().bottom() < used_window.status.mapTo(used_window, QPoint(0, 0)).y()
    screenshot(used_window, "messages")


@pytest.mark.parametrize(("words", "title"), [("log", "Log"), ("compare", "Run"), ("history", "Edits")])
def test_the_palette_finds_docks_and_other_words_for_them(used_window, words, title):
    palette = used_window.palette_sheet
    palette.open()
    palette.field.setText(words)
    assert title in [entry.title for entry in palette.model.rows[:3]]


def test_the_palette_brings_a_dock_to_the_front(used_window):
    palette = used_window.palette_sheet
    palette.open()
    palette.field.setText("log")
    palette.choose(0)
    assert used_window.panels["log"].isVisible()
    assert used_window.workspace == "label"


def test_the_palette_says_where_nothing_is_found(used_window):
    palette = used_window.palette_sheet
    palette.open()
    palette.field.setText("qqqq")
    assert [entry.title for entry in palette.model.rows] == ["Nothing found"]
    palette.choose(0)
    assert palette.isVisible()
