"""How one chip is painted."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter

from emberscope_app.lists.paint import paint_ring
from emberscope_app.theme.look import current


def test_the_place_of_the_keyboard_is_a_whole_line(qapp):
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("#808080"))
    with QPainter(image) as painter:
        paint_ring(painter, QRect(8, 8, 24, 24), selected=False, hovered=False, cursor=True)
    along_the_top = {image.pixelColor(x, 6).name() for x in range(6, 33)}
    assert along_the_top == {current().ink.lower()}
