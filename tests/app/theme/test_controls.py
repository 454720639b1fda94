"""How a view asks for what only the window can do."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QWidget

from emberscope_app.theme.controls import offer_data, trigger


@pytest.fixture
def host(qtbot):
    """A window that has one action."""
    found = QMainWindow()
    qtbot.addWidget(found)
    QAction(found, objectName="run.run")
    return found


@pytest.fixture
def view(host):
    """A view in it."""
    inside = QWidget(host)
    host.setCentralWidget(inside)
    return inside


def test_an_action_of_the_window_is_done(host, view, qtbot):
    with qtbot.waitSignal(host.findChild(QAction, "run.run").triggered):
        trigger(view, "run.run")


def test_an_action_that_the_window_has_not_is_a_defect(view):
    with pytest.raises(LookupError, match=r"the window has no action 'run\.rnu'"):
        trigger(view, "run.rnu")


def test_a_menu_leaves_no_action_out_that_is_not_there(view):
    with pytest.raises(LookupError, match="the window has no action"):
        offer_data(view)
