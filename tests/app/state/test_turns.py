"""What is read of very many instances is read one after the other."""

import time

import pytest
from PySide6.QtCore import QObject, QTimer

from emberscope_app.state.turns import Turns


class Views:
    """Two views that note when they read."""

    def __init__(self):
        self.read = []

    def map(self):
        self.read.append("map")

    def chips(self):
        self.read.append("chips")


@pytest.fixture
def views(qapp):
    return Views()


def test_a_little_is_read_at_once(views):
    turns = Turns(QObject(), lambda: False)
    turns.take(views.map)
    assert views.read == ["map"]
    assert not turns.waits(views.map)


def test_much_is_read_one_a_turn_in_order(views, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True)
    for method in (views.map, views.chips, views.map):
        turns.take(method)
    assert views.read == []
    assert turns.waits(views.map)
    turns._take_one()
    assert views.read == ["map"]
    qtbot.waitUntil(lambda: views.read == ["map", "chips"])


def test_what_asks_for_a_turn_of_its_own_gets_it_however_little_there_is(views, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: False)
    turns.later(views.map)
    assert views.read == []
    qtbot.waitUntil(lambda: views.read == ["map"])


def test_what_became_due_meanwhile_comes_before_the_next_turn(views, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True)
    turns.take(views.map)
    QTimer.singleShot(2, owner, views.chips)
    time.sleep(0.01)  # both are due now
    qtbot.waitUntil(lambda: views.read == ["chips", "map"])


def test_what_waited_is_not_read_twice_where_it_became_little(views, qtbot):
    much, owner = [True], QObject()
    turns = Turns(owner, lambda: bool(much[0]))
    turns.take(views.map)
    much[0] = False
    turns.take(views.map)
    qtbot.wait(20)
    assert views.read == ["map"]


def test_nothing_is_read_after_the_end(views, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True)
    turns.take(views.map)
    turns.end()
    turns.take(views.chips)
    qtbot.wait(20)
    assert views.read == []
