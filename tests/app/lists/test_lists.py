"""Lists whose rows are data: where cells stand, what is pressed, what is said of shortened words."""

import dataclasses

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionViewItem, QToolTip

from emberscope_app.lists import cells, paint
from emberscope_app.lists.cells import REST, Bar, Blank, Button, Ground, Row, Words, line
from emberscope_app.lists.layout import placed, width_of
from emberscope_app.lists.model import THING, RowModel
from emberscope_app.lists.view import RowList

PLACE = QRect(0, 0, 200, 28)
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


def places(*parts, **place):
    return [rect.getRect() for _, rect in placed(Row((line(*parts, **place),)), PLACE, PLACE)]


def test_cells_stand_beside_one_another_and_one_takes_the_rest():
    assert places(Bar(0.5, wide=20), Words("x", wide=REST, before=4), Bar(0.5, wide=30)) == [
        (12, 0, 20, 28), (36, 0, 122, 28), (158, 0, 30, 28),
    ]  # fmt: skip


def test_a_line_has_a_place_of_its_own_in_a_row():
    assert places(Blank(), top=5, high=17, left=40, right=10) == [(40, 5, 150, 17)]


def test_empty_words_take_no_room_nor_the_gap_before_them(qapp):
    assert places(Words("x", wide=REST), Words("", before=8)) == [(12, 0, 176, 28)]


@pytest.mark.parametrize(("needs", "count"), [(80, 2), (160, 1)])
def test_a_cell_gives_way_where_the_rest_would_have_too_little_room(needs, count):
    assert len(places(Words("x", wide=REST), Bar(0.5, wide=60, gives_way=needs))) == count


def test_words_as_wide_as_their_content_are_shortened_before_others_are_pushed_out(qapp):
    (first, rest, last) = places(Words(LONG), Blank(), Bar(0.5, wide=30))
    assert first[2] == 200 - 24 - 30 < width_of(Words(LONG))
    assert (rest[2], last[0] + last[2]) == (0, 188)


def test_a_line_across_a_table_starts_at_the_left_of_the_row():
    row = Row((line(Blank(), across=True),))
    [(_, rect)] = placed(row, QRect(50, 0, 30, 28), PLACE)
    assert rect.getRect() == (12, 0, 176, 28)


def kinds():
    return [kind for kind in vars(cells).values()
            if isinstance(kind, type) and issubclass(kind, cells.Cell) and kind is not cells.Cell]  # fmt: skip


def test_every_kind_of_cell_has_a_painter():
    assert set(paint.PAINTERS) == set(kinds())
    assert all(dataclasses.is_dataclass(kind) for kind in kinds())


@pytest.mark.parametrize("cell", [
    Words("x"), cells.Icon("warn"), cells.Glyph(1), cells.Star("#ff0000"), Bar(0.5),
    cells.Spark((1.0, 0.5), "#ff0000"), cells.Interval((0.2, 0.8)), cells.Picture(None, wide=20),
    cells.Strokes(None, wide=20), Button("x"), cells.Tag("x"), cells.Radio(taken=True),
], ids=lambda cell: type(cell).__name__)  # fmt: skip
def test_a_cell_paints_something(qapp, cell):
    image = QImage(60, 28, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.magenta)
    bare = image.copy()
    with QPainter(image) as painter:
        paint.paint_cell(painter, QRect(10, 0, 40, 28), cell)
    assert image != bare


def test_a_rule_lies_below_a_row_and_leaves_its_ends_free(qapp):
    image = QImage(60, 28, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.magenta)
    with QPainter(image) as painter:
        paint.paint_ground(painter, image.rect(), Ground(rule=12), first=True)
    inked = [x for x in range(60) if image.pixelColor(x, 27) != Qt.GlobalColor.magenta]
    assert (inked[0], inked[-1]) == (12, 47)


def test_a_row_knows_what_it_is_about_and_what_it_is_called(view):
    index = view.model().index(1, 0)
    assert [index.data(role) for role in (THING, 0, Qt.ItemDataRole.AccessibleTextRole)] == ["two"] * 3


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
