"""PySide6 6.12.0 on Python 3.11 loses a reference to None in every call that returns nothing, until
it dies."""

import sys

from PySide6.QtGui import QPainter, QPen, QPixmap


def test_ten_thousand_void_calls_leave_the_references_to_none_alone(qapp):
    image = QPixmap(8, 8)
    painter, pen = QPainter(image), QPen()
    before = sys.getrefcount(None)
    for _ in range(10_000):
        painter.setPen(pen)
    painter.end()
    assert abs(sys.getrefcount(None) - before) < 1000
