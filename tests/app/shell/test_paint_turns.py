"""What a view shows is painted in a turn of the event loop of its own."""

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from emberscope_app.shell.paint_turns import PaintTurns
from emberscope_app.when.turns import Turns


@pytest.fixture
def painted(qtbot):
    """A window that is painted in turns, those turns, and a list of what happens."""
    happened: list[str] = []

    class Window(QWidget):
        def paintEvent(self, event) -> None:
            happened.append("painted")

    window = Window()
    turns = Turns(window, lambda: True)
    PaintTurns(window, turns)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: "painted" in happened)
    while happened:  # a window that comes up may be painted more than once
        happened.clear()
        qtbot.wait(50)
    return window, turns, happened


def test_what_is_due_comes_between_an_edit_and_its_painting(painted, qtbot):
    window, _, happened = painted

    def edit() -> None:
        QTimer.singleShot(0, window, lambda: happened.append("edited again"))
        window.update()
        happened.append("edited")

    QTimer.singleShot(0, window, edit)
    qtbot.waitUntil(lambda: "painted" in happened)
    assert happened == ["edited", "edited again", "painted"]


def test_many_edits_in_one_turn_are_painted_once(painted, qtbot):
    window, _, happened = painted
    for _ in range(5):
        window.update()
    qtbot.waitUntil(lambda: "painted" in happened)
    qtbot.wait(20)
    assert happened == ["painted"]


def test_a_window_is_painted_again_after_it_was_painted(painted, qtbot):
    window, _, happened = painted
    for times in (1, 2):
        window.update()
        qtbot.waitUntil(lambda times=times: happened == times * ["painted"])


class View:
    """One that reads in turns, and shows at once what it read."""

    def __init__(self, window, happened):
        self.window, self.happened = window, happened

    def read(self):
        self.happened.append("read")
        self.window.update()

    def read_more(self):
        self.happened.append("read more")


def test_what_a_view_read_is_painted_before_the_next_view_reads(painted, qtbot):
    window, turns, happened = painted
    view = View(window, happened)
    for method in (view.read, view.read_more):
        turns.take(method)
    qtbot.waitUntil(lambda: "read more" in happened)
    assert happened == ["read", "painted", "read more"]


def test_the_main_window_paints_in_turns(window):
    assert window.findChild(PaintTurns) is not None
