"""A list: what its model says, what is pressed, what is said of shortened words."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem, QToolTip

from emberscope_app.lists.cells import REST, Button, Row, Words, line
from emberscope_app.lists.model import THING, RowModel
from emberscope_app.lists.view import RowList

LONG = "a name of so many words that a narrow list has no room for them"


class Names(RowModel[str]):
    """A name, and a button that forgets it; the name "head" cannot be chosen."""

    def words(self, name, column):
        return name

    def usable(self, name):
        return name != "head"

    def row(self, name, spot):
        return Row((line(Words(name, wide=REST), Button("Forget", wide=60, does="forget")),))


@pytest.fixture
def view(qtbot):
    model = Names()
    model.show_rows(["one", "two", LONG])
    found = RowList(model, "Names")
    qtbot.addWidget(found)
    found.resize(200, 120)
    with qtbot.waitExposed(found):
        found.show()
    return found


def test_a_row_knows_what_it_is_about_and_what_it_is_called(view):
    index = view.model().index(1, 0)
    assert [index.data(role) for role in (THING, 0, Qt.ItemDataRole.AccessibleTextRole)] == [
        "two"
    ] * 3


def test_a_row_that_cannot_be_used_cannot_be_chosen(qtbot):
    model = Names()
    model.show_rows(["head", "one"])
    assert [bool(model.flags(model.index(row, 0))) for row in (0, 1)] == [False, True]


def pressed(view):
    found = []
    view.asked.connect(lambda index, what, keys: found.append((index.data(), what)))
    return found


def test_a_click_on_a_cell_that_does_something_asks_for_it(view):
    found = pressed(view)
    _, place = view.delegate.cells(view.model().index(1, 0))[1]
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert found == [("two", "forget")]


def test_the_pointer_is_a_hand_over_what_can_be_pressed(view):
    _, place = view.delegate.cells(view.model().index(0, 0))[1]
    QTest.mouseMove(view.viewport(), place.center())
    assert view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    QTest.mouseMove(view.viewport(), QPoint(20, 10))
    assert view.viewport().cursor().shape() == Qt.CursorShape.ArrowCursor


def told(view, row):
    index = view.model().index(row, 0)
    at = view.visualRect(index).center()
    event = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
    view.delegate.helpEvent(event, view, QStyleOptionViewItem(), index)
    return QToolTip.text()


def test_words_that_are_shortened_have_the_whole_in_a_tooltip(view):
    assert view.delegate.shortened(view.model().index(2, 0)) == [LONG]
    assert told(view, 2) == LONG


def test_words_in_full_need_no_tooltip(view):
    assert view.delegate.shortened(view.model().index(0, 0)) == []


def test_enter_takes_the_row_in_hand(view):
    found = []
    view.entered_row.connect(lambda index: found.append(index.data()))
    view.setCurrentIndex(view.model().index(1, 0))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert found == ["two"]


def test_enter_that_nobody_takes_goes_on_to_what_the_list_stands_in(view):
    view.setCurrentIndex(view.model().index(1, 0))
    enter = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view, enter)
    assert not enter.isAccepted()


def test_a_tooltip_of_shortened_words_takes_nothing_for_markup(view):
    view.model().show_rows([f"<b>{LONG}</b>"])
    assert told(view, 0).count("&lt;b&gt;") == 1
