"""Garbage is collected by the thread that draws."""

import gc
import threading

import pytest
from PySide6.QtCore import QObject

from emberscope_app.state.reading.garbage import Garbage


class Cycle:
    """Garbage as soon as nobody holds it; says where it was collected."""

    def __init__(self, ends):
        self.ends, self.itself = ends, self

    def __del__(self):
        self.ends.append(threading.current_thread())


@pytest.fixture
def collecting():
    """As Python does by itself; in tests garbage goes between them."""
    gc.enable()
    yield
    gc.disable()


def make_much():
    return [[] for _ in range(10 * gc.get_threshold()[0])]


def test_a_thread_that_makes_much_collects_nothing(qtbot, collecting):
    owner, ends = QObject(), []
    Garbage(owner)
    Cycle(ends)
    thread = threading.Thread(target=make_much)
    thread.start()
    thread.join()
    assert ends == []


def test_what_is_due_goes_in_a_turn_of_the_thread_that_draws(qtbot, collecting):
    owner, ends = QObject(), []
    Garbage(owner)
    Cycle(ends)
    kept = make_much()
    qtbot.waitUntil(lambda: ends == [threading.main_thread()])
    assert kept


def test_where_little_was_made_nothing_is_collected(qtbot, collecting):
    owner, ends = QObject(), []
    garbage = Garbage(owner)
    gc.collect()
    Cycle(ends)
    garbage.look()
    assert ends == []
