"""How one chip is painted."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter

from emberscope_app.chips.delegate import paint_header
from emberscope_app.chips.model import Heading
from emberscope_app.lists.paint import paint_ring
from emberscope_app.theme.look import current


def test_the_place_of_the_keyboard_is_a_whole_line(qapp):
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("#808080"))
    with QPainter(image) as painter:
        paint_ring(painter, QRect(8, 8, 24, 24), selected=False, hovered=False, cursor=True)
    along_the_top = {image.pixelColor(x, 6).name() for x in range(6, 33)}
    assert along_the_top == {current().ink.lower()}


def test_the_heading_of_a_concept_that_tells_nothing_has_a_smaller_sign(qapp):
    def inked(tells):
        image = QImage(60, 30, QImage.Format.Format_RGB32)
        with QPainter(image) as painter:
            heading = Heading("Concept 1", None, 3, (0, tells))
            paint_header(painter, QRect(0, 0, 60, 30), heading, folded=False)
        ground = QColor(current().bg1).rgb()
        return sum(image.pixel(x, y) != ground for x in range(26, 44) for y in range(30))

    assert 0 < inked(False) < inked(True) / 2
