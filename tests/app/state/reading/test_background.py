"""Work in a thread that is waited for while the window goes on."""

import threading
import time

import pytest
from PySide6.QtCore import QObject, QTimer

from emberscope.base.errors import Cancelled
from emberscope_app.state.reading.background import Aside


@pytest.fixture
def aside(empty_session):
    return Aside(empty_session, empty_session)


def test_its_result_is_handed_over(aside):
    assert aside.wait(lambda: (time.sleep(0.1), 7)[1], words="Reading") == 7


def test_what_it_raises_is_raised(aside):
    with pytest.raises(ZeroDivisionError):
        aside.wait(lambda: 1 // 0, words="Reading")


def test_the_event_loop_turns_meanwhile(aside):
    go, owner = threading.Event(), QObject()
    QTimer.singleShot(0, owner, go.set)  # only the event loop lets it go on
    assert aside.wait(lambda: go.wait(60), words="Reading")


def test_what_takes_long_says_so_and_can_be_canceled(aside, empty_session):
    received, go, brought = [], threading.Event(), []
    empty_session.message.connect(
        lambda message: (received.append(message.words), message.on_action())
    )
    unwanted = threading.Event()
    with pytest.raises(Cancelled):
        aside.wait(
            lambda: go.wait(60),
            words="Opening range",
            unwanted=lambda r: (brought.append(r), unwanted.set()),
        )
    go.set()
    assert received == ["Opening range"]
    assert unwanted.wait(60)
    assert brought == [True]


def test_what_it_said_is_taken_back(aside, empty_session, qtbot):
    go = threading.Event()
    empty_session.message.connect(lambda message: go.set())
    with qtbot.waitSignal(empty_session.settled):
        aside.wait(lambda: go.wait(60), words="Opening range")


def test_a_session_that_closes_ends_the_wait(aside, empty_session):
    go, owner = threading.Event(), QObject()
    QTimer.singleShot(0, owner, empty_session.closing.emit)
    with pytest.raises(Cancelled):
        aside.wait(lambda: go.wait(60), words="Opening range")
    go.set()
