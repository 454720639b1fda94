"""Once, again and again, and at most a share of the time."""

import time

from PySide6.QtCore import QObject
from shiboken6 import delete

from emberscope_app.when.timers import Every, Later, Share, later


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


def test_what_is_asked_for_again_while_it_waits_is_called_once(qtbot):
    calls, owner = [], QObject()
    soon = Later(owner, lambda: calls.append(1), 20)
    soon.start()
    soon.start()
    assert soon.isActive()
    qtbot.waitUntil(lambda: calls == [1])
    assert not soon.isActive()


def test_what_is_given_up_is_not_called(qtbot):
    calls, owner = [], QObject()
    soon = Later(owner, lambda: calls.append("given up"))
    soon.start()
    soon.stop()
    later(owner, lambda: calls.append("later"))
    qtbot.waitUntil(lambda: bool(calls))
    assert calls == ["later"]


def test_again_and_again_until_it_is_stopped(qtbot):
    calls, owner = [], QObject()
    again = Every(owner, lambda: (calls.append(1), again.stop() if len(calls) == 3 else None), 1)
    again.start()
    qtbot.waitUntil(lambda: not again.isActive())
    assert len(calls) == 3


def test_nothing_is_called_for_an_owner_that_is_gone(qtbot):
    calls, owner, other = [], QObject(), QObject()
    later(owner, lambda: calls.append("gone"))
    later(other, lambda: calls.append("there"))
    delete(owner)
    qtbot.waitUntil(lambda: bool(calls))
    assert calls == ["there"]
