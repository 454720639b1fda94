"""Threads are begun in one place, and ended before the program is."""

import sys
import threading

import pytest
from PySide6.QtCore import QObject

from emberscope_app.when.threads import Threads, polite


@pytest.fixture
def go():
    """What holds a thread until the test lets it go on."""
    event = threading.Event()
    yield event
    event.set()


def test_a_thread_that_works_on_is_named(go):
    threads = Threads()
    threads.begin(go.wait, name="reads a slow disk")
    assert threads.end(0.0) == ["reads a slow disk"]


def test_the_end_waits_for_what_is_being_done(go):
    threads, done = Threads(), []
    threads.begin(lambda: (go.wait(), done.append(1)), name="writes")
    threading.Timer(0.05, go.set).start()
    assert threads.end(20.0) == []
    assert done == [1]


def test_long_work_hears_that_it_should_stop(go):
    threads = Threads()

    def work():
        while not threads.ending:
            go.wait(0.01)

    threads.begin(work, name="imports")
    assert threads.end(20.0) == []


def test_a_pool_that_works_on_is_named(qapp, go):
    threads, owner = Threads(), QObject()
    threads.pool(owner, most=1, name="frames").start(go.wait)
    late = threads.end(0.0)
    go.set()
    assert late == ["frames"]
    assert threads.end(20.0) == []


def test_a_pool_that_is_gone_is_not_waited_for(qapp):
    threads, owner = Threads(), QObject()
    threads.pool(owner, most=1, name="frames")
    del owner
    assert threads.end(0.0) == []


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
