"""Strips that show what there is room for."""

from PySide6.QtWidgets import QComboBox

from emberscope_app.theme.controls import Strip
from emberscope_app.theme.fit_strip import fit_strip


def test_a_list_of_a_fixed_width_stays_where_its_words_are_longer(qtbot):
    strip, box = Strip(), QComboBox()
    qtbot.addWidget(strip)
    box.addItem("words that are much longer than the list which holds them is wide")
    box.setFixedWidth(120)
    strip.row.addWidget(box)
    strip.resize(200, 40)
    strip.show()
    fit_strip(strip, 200, [[box]])
    assert box.isVisible()
