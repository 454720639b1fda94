"""What a view shows is painted in a turn of the event loop of its own."""

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from emberscope_app.shell.paint_turns import PaintTurns


@pytest.fixture
def painted(qtbot):
    """A window that is painted in turns, and a list of what happens in it."""
    happened: list[str] = []

    class Window(QWidget):
        def paintEvent(self, event) -> None:
            happened.append("painted")

    window = Window()
    PaintTurns(window)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: "painted" in happened)
    happened.clear()
    return window, happened


def test_what_is_due_comes_between_an_edit_and_its_picture(painted, qtbot):
    window, happened = painted

    def edit() -> None:
        QTimer.singleShot(0, window, lambda: happened.append("edited again"))
        window.update()
        happened.append("edited")

    QTimer.singleShot(0, window, edit)
    qtbot.waitUntil(lambda: "painted" in happened)
    assert happened == ["edited", "edited again", "painted"]


def test_many_edits_in_one_turn_are_painted_once(painted, qtbot):
    window, happened = painted
    for _ in range(5):
        window.update()
    qtbot.waitUntil(lambda: "painted" in happened)
    qtbot.wait(20)
    assert happened == ["painted"]


def test_a_window_is_painted_again_after_it_was_painted(painted, qtbot):
    window, happened = painted
    for times in (1, 2):
        window.update()
        qtbot.waitUntil(lambda times=times: happened == times * ["painted"])


def test_the_main_window_paints_in_turns(window):
    assert window.findChild(PaintTurns) is not None
