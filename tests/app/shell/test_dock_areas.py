"""Docks show what their panels say of themselves."""

from importlib import import_module

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from emberscope_app.docks.side.panel import SidePanel
from emberscope_app.shell import dock_areas
from emberscope_app.shell.dock_areas import DOCKS, Dock, Group, Panels, dock_of
from emberscope_app.theme.panel import Panel


class Counting(Panel):
    """Has a fact from the start, and a button."""

    def __init__(self, session, parent=None):
        super().__init__(parent)
        self.set_count("3 things")

    def icons(self):
        return [QLabel("button")]


class Plain(Panel):
    """Says nothing of itself."""

    def __init__(self, session, parent=None):
        super().__init__(parent)


@pytest.fixture
def group(empty_session, qtbot, monkeypatch):
    """Two docks in one place; the panel of the first is `Counting`, the other says nothing."""
    modules = {
        "emberscope_app.first": {"Counting": Counting},
        "emberscope_app.second": {"Plain": Plain},
    }
    monkeypatch.setattr(dock_areas, "import_module", lambda name: type("Module", (), modules[name]))
    monkeypatch.setitem(DOCKS, "jobs", Dock("jobs", "Jobs", "first:Counting"))
    monkeypatch.setitem(DOCKS, "log", Dock("log", "Log", "second:Plain"))
    owner = QWidget()
    qtbot.addWidget(owner)
    found = Group(("jobs", "log"), Panels(empty_session, owner), owner)
    found.settle()
    return found


@pytest.mark.parametrize("dock", DOCKS.values(), ids=lambda dock: dock.name)
def test_what_fills_a_dock_is_a_panel(dock):
    module, _, name = dock.factory.partition(":")
    assert issubclass(getattr(import_module(f"emberscope_app.{module}"), name), Panel)


def test_what_a_panel_counted_before_it_was_seen_stands_beside_the_title(group):
    assert group.title.count.text() == "3 things"


def test_a_new_count_of_the_panel_in_front_is_shown(group):
    group.stack.currentWidget().set_count("4 things")
    assert group.title.count.text() == "4 things"


def test_a_new_count_of_a_panel_behind_waits_until_it_comes_to_the_front(group):
    first = group.stack.currentWidget()
    group.choose("log")
    first.set_count("5 things")
    assert group.title.count.text() == ""
    group.choose("jobs")
    assert group.title.count.text() == "5 things"


def test_a_dock_is_found_by_the_class_of_its_panel(full_window):
    assert full_window.dock(SidePanel) is full_window.panels["side"]
    assert full_window.panels["side"].isVisible()


def test_a_class_that_no_dock_shows_is_a_defect():
    with pytest.raises(LookupError, match="no dock has a panel"):
        dock_of(QWidget)
