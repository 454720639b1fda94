"""The title row of a dock: tabs are whole, facts are whole or not there."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from emberscope_app.shell.dock_title import DockTitle, Heading

NAMES = ("labels", "inspector", "bags", "sources")


@pytest.fixture
def build(qtbot):
    """`build(*names, width=...)`: the row of docks of these names, the first in front."""

    dock = QWidget()

    def make(*names, width):
        qtbot.addWidget(dock)
        row = DockTitle([Heading(name, name.title()) for name in names], dock)
        row.resize(width, 32)
        dock.show()
        row.show_current(names[0], [])
        return row

    return make


def tabs(row):
    return [name for name, button in row._buttons.items() if button.isVisible()]


@pytest.mark.parametrize("width", [130, 150, 220, 280, 400])
def test_a_tab_is_as_wide_as_its_words_or_not_there(build, width):
    row = build(*NAMES, width=width)
    row.layout().activate()
    shown = [row._buttons[name] for name in tabs(row)]
    assert shown
    assert all(
        button.width() >= button.fontMetrics().horizontalAdvance(button.text()) for button in shown
    )


def test_tabs_without_room_stand_in_a_menu(build):
    row = build(*NAMES, width=190)
    hidden = [name.title() for name in NAMES if name not in tabs(row)]
    assert hidden
    assert row.more.isVisible()
    assert [action.text() for action in row.menu_of_hidden().actions()] == hidden


def test_with_room_for_all_there_is_no_menu(build):
    row = build(*NAMES, width=500)
    assert tabs(row) == list(NAMES)
    assert not row.more.isVisible()


def test_the_dock_in_front_always_has_its_tab(build):
    row = build(*NAMES, width=140)
    row.show_current("sources", [])
    assert "sources" in tabs(row)


def test_the_menu_brings_a_dock_to_the_front(build, qtbot):
    row = build(*NAMES, width=140)
    with qtbot.waitSignal(row.chosen) as chosen:
        row.menu_of_hidden().actions()[-1].trigger()
    assert chosen.args == ["sources"]


def test_arrows_reach_tabs_without_room(build, qtbot):
    row = build(*NAMES, width=140)
    row.chosen.connect(lambda name: row.show_current(name, []))
    for _ in NAMES[1:]:
        qtbot.keyClick(row, Qt.Key.Key_Right)
    assert "sources" in tabs(row)


@pytest.mark.parametrize(("width", "shown"), [
    (600, "frame 12 of 200 · range_pass_01.npy"), (250, "frame 12 of 200"), (130, ""),
])
def test_the_number_of_the_frame_is_never_cut(build, width, shown):
    row = build("frame", width=width)
    row.count.setText("frame 12 of 200 · range_pass_01.npy")
    row.layout().activate()
    assert row.count.shown().partition(" · ")[0] == shown.partition(" · ")[0]
    assert row.toolTip() == ("" if row.count.shown() == row.count.text() else row.count.text())
