"""Rows on a page: as high as they are, pressed and pointed at as a whole or cell by cell."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope_app.lists.cells import REST, Picture, Row, Words, line
from emberscope_app.lists.stack import RowStack

LEFT = Qt.MouseButton.LeftButton


class Names(RowStack):
    """A row that stands for its name, and one with a chip that stands for 7."""

    names = ("one", "two")

    def rows_of(self, width):
        rows = [(Row((line(Words(name, wide=REST)),), does=name), 20) for name in self.names]
        return [*rows, (Row((line(Picture(None, wide=30, does=7)),)), 40)]


@pytest.fixture
def stack(qtbot):
    found = Names()
    qtbot.addWidget(found)
    found.resize(200, 10)
    found.fit()
    with qtbot.waitExposed(found):
        found.show()
    return found


def test_it_is_as_high_as_its_rows(stack):
    assert stack.height() == 80
    stack.names = ("one",)
    stack.fit()
    assert stack.height() == 60


def test_a_place_stands_for_a_row_or_for_a_cell(stack):
    assert [(place.getRect(), what) for place, what in stack.spots] == [
        ((0, 0, 200, 20), "one"), ((0, 20, 200, 20), "two"), ((12, 40, 30, 40), 7),
    ]  # fmt: skip


def test_a_click_asks_for_what_lies_there(stack):
    found = []
    stack.asked.connect(found.append)
    for y in (30, 60):
        QTest.mouseClick(stack, LEFT, pos=QPoint(20, y))
    QTest.mouseClick(stack, LEFT, pos=QPoint(150, 60))
    QTest.mouseClick(stack, Qt.MouseButton.RightButton, pos=QPoint(20, 30))
    assert found == ["two", 7]


def test_pointing_says_what_lies_there_and_that_nothing_does(stack):
    found = []
    stack.pointed.connect(found.append)
    for at in (QPoint(20, 30), QPoint(21, 30), QPoint(150, 60)):
        QTest.mouseMove(stack, at)
    assert found == ["two", None]
    assert stack.cursor().shape() == Qt.CursorShape.ArrowCursor
