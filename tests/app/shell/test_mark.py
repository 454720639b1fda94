"""The name of the program in the header stands there whole."""

import pytest
from PySide6.QtGui import QFont, QFontMetrics

from emberscope_app.shell import header


@pytest.mark.parametrize("px", [14, 20])
def test_the_name_of_the_program_has_the_room_that_its_font_needs(qtbot, monkeypatch, px):
    wide = QFont("DejaVu Sans")
    wide.setPixelSize(px)
    wide.setWeight(QFont.Weight(700))
    monkeypatch.setattr(header, "font", lambda *size: wide)
    mark = header.Mark()
    qtbot.addWidget(mark)
    name = QFontMetrics(wide).horizontalAdvance("Emberscope")
    assert mark.width() >= 42 + name
