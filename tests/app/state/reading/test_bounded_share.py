"""What comes faster than it can be drawn."""

import sys
import threading
import time

from PySide6.QtCore import QObject

from emberscope_app.state.reading.bounded_share import Share, polite


def busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_the_first_time_is_at_once(qapp):
    calls = []
    owner = QObject()
    Share(lambda: calls.append(1), owner).ask()
    assert calls == [1]


def test_what_is_asked_meanwhile_becomes_one_call(qtbot):
    calls = []
    owner = QObject()
    share = Share(lambda: (calls.append(1), busy(0.02)), owner)
    for _ in range(5):
        share.ask()
    qtbot.waitUntil(lambda: len(calls) == 2)
    qtbot.wait(300)
    assert len(calls) == 2


def test_the_rest_of_the_thread_is_left_to_others(qtbot):
    calls = []
    owner = QObject()
    share = Share(lambda: (calls.append(time.perf_counter()), busy(0.05)), owner, share=0.25)
    share.ask()
    share.ask()
    qtbot.waitUntil(lambda: len(calls) == 2)
    assert calls[1] - calls[0] >= 0.19  # 0.05 of work, 0.15 of rest


def test_the_interval_of_the_interpreter_comes_back_after_the_last_polite_thread():
    usual = sys.getswitchinterval()
    inside, go = threading.Event(), threading.Event()

    def other() -> None:
        with polite():
            inside.set()
            go.wait()

    thread = threading.Thread(target=other)
    with polite():
        thread.start()
        inside.wait()
    assert sys.getswitchinterval() < usual
    go.set()
    thread.join()
    assert sys.getswitchinterval() == usual
