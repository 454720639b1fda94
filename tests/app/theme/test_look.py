"""A theme reaches every widget, what is out of sight a little later."""

import gc

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from emberscope_app.theme import look as looks
from emberscope_app.theme.controls import IconButton
from emberscope_app.theme.panel import Panel
from emberscope_app.theme.tokens import THEMES

POLISHED = looks._POLISHED


@pytest.fixture
def place(qtbot):
    """A window with a label in sight, and one in a panel behind."""
    window, panel = QWidget(), Panel()
    panel.setParent(window)
    seen, behind = QLabel("seen", window), QLabel("behind", panel)
    for label in (seen, behind):
        label.setProperty("role", "title")
    qtbot.addWidget(window)
    window.show()
    panel.hide()
    yield panel, seen, behind
    looks.look().apply("dark")
    looks.look().finish()


def color(label: QLabel) -> str:
    return label.palette().windowText().color().name()


def test_what_is_out_of_sight_gets_the_new_theme_in_later_turns(place, qtbot):
    _, seen, behind = place
    looks.look().apply("light")
    light = THEMES["light"].t1.lower()
    assert color(seen) == light
    assert seen.testAttribute(POLISHED)
    assert not behind.testAttribute(POLISHED)
    qtbot.waitUntil(lambda: behind.testAttribute(POLISHED))
    assert color(behind) == light


def test_a_panel_that_is_shown_before_its_turn_has_the_new_theme(place):
    panel, _, behind = place
    looks.look().apply("light")
    panel.show()
    assert behind.testAttribute(POLISHED)
    assert color(behind) == THEMES["light"].t1.lower()


def test_a_widget_whose_style_pyside_takes_for_something_else_has_the_new_theme(place, monkeypatch):
    panel, _, behind = place
    looks.look().apply("light")
    monkeypatch.setattr(QWidget, "style", lambda widget: object())
    panel.show()
    assert color(behind) == THEMES["light"].t1.lower()


def test_an_icon_out_of_sight_is_drawn_in_the_new_colors_once_it_is_seen(place, monkeypatch):
    panel, _, _ = place
    button, drawn = IconButton("x", "Close", parent=panel), []
    monkeypatch.setattr(button, "setIcon", drawn.append)
    looks.look().apply("light")
    assert drawn == []
    panel.show()
    assert len(drawn) == 1


@pytest.fixture
def collecting():
    """As in the program; in tests garbage goes between them."""
    gc.enable()
    yield
    gc.disable()


def test_no_garbage_is_collected_while_widgets_are_listed(monkeypatch, collecting):
    """A closed window that goes meanwhile would be in the list of Qt already."""
    class App:
        @staticmethod
        def allWidgets():
            assert not gc.isenabled()
            return ["all"]

    monkeypatch.setattr(looks, "QApplication", App)
    assert looks._widgets() == ["all"]
    assert gc.isenabled()
