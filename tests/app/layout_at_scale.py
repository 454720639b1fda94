"""Every state of the window on the screen there is, of any size and scale: test_layout.py runs this
on some.

By hand: QT_SCALE_FACTOR=1.5 python -m pytest tests/app/layout_at_scale.py
"""

import os

import pytest
from PySide6.QtWidgets import QApplication

from emberscope_app.shell.window import MainWindow
from emberscope_app.state.core.preferences import Preferences

from .layout import faults, paint_faults
from .layout_states import faults_of, open_run_form, settle


@pytest.fixture
def fitted(inter, described, empty_session, crowded, qtbot):
    """The window as it opens on this screen, with the crowded project."""
    window = MainWindow(empty_session, Preferences())
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield window
    window.hide()


def test_the_window_and_its_start_page_are_on_the_screen(fitted):
    assert fitted.devicePixelRatioF() == float(os.environ["QT_SCALE_FACTOR"])
    assert fitted.screen().availableGeometry().contains(fitted.geometry())
    settle()
    assert faults(fitted) + paint_faults(fitted, shortens=True) == []


def test_nothing_is_cut_and_nothing_overlaps(fitted, crowded, qtbot):
    fitted.session.replace(crowded, None)
    open_run_form(fitted, qtbot)
    fitted.session.focus.set(class_id=9)
    fitted.session.selection.select(fitted.session.run.ids[:20])
    fitted.session.go(10, 0)
    fitted.session.focus.set(labels=(100,))
    assert faults_of(fitted, shortens=True) == ""


def test_what_opens_over_the_window_lies_within_it(fitted, crowded, qtbot):
    fitted.session.replace(crowded, None)
    fitted.show_palette()
    fitted.session.say(
        "A message of many words that asks for something and stays until somebody reads it. " * 3,
        level="err",
        details="more",
    )
    popover = fitted.panel("frame").canvas.controller.popover
    fitted.session.focus.set(tool="frame")
    settle()
    fitted.palette_sheet.show()
    assert faults(fitted) + paint_faults(fitted, shortens=True) == []
    for part in (fitted.palette_sheet, fitted.messages, popover):
        assert part.isVisible()
        assert fitted.rect().contains(part.geometry()), part
    assert QApplication.activeWindow() is fitted
