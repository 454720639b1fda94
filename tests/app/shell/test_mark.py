"""The name of the program in the header stands there whole."""

import pytest
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QToolButton

from emberscope_app.shell import header
from emberscope_app.theme.icons import icon


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


def test_the_sign_of_menus_without_room_is_drawn_as_other_icons_are(empty_session, qtbot):
    found = header.Header(empty_session)
    qtbot.addWidget(found)
    sign = found.menus.findChild(QToolButton, "qt_menubar_ext_button")
    assert sign.icon().pixmap(16).toImage() == icon("more").pixmap(16).toImage()
