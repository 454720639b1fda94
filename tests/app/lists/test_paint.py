"""How cells and the ground of a row are painted."""

import dataclasses

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter

from emberscope_app.lists import cells, paint
from emberscope_app.lists.cells import Bar, Button, Ground, Words


def kinds():
    kinds = [kind for kind in vars(cells).values() if isinstance(kind, type)]
    return [kind for kind in kinds if issubclass(kind, cells.Cell) and kind is not cells.Cell]


def test_every_kind_of_cell_has_a_painter():
    assert set(paint.PAINTERS) == set(kinds())
    assert all(dataclasses.is_dataclass(kind) for kind in kinds())


@pytest.mark.parametrize("cell", [
    Words("x"), cells.Icon("warn"), cells.Glyph(1), cells.Star("#ff0000", True), Bar(0.5),
    cells.Spark((1.0, 0.5), "#ff0000"), cells.Interval((0.2, 0.8)), cells.Picture(None, wide=20),
    cells.Histogram((0.5, 1.0)), cells.Strokes(None, wide=20), Button("x"), cells.Tag("x"),
    cells.Radio(taken=True),
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
