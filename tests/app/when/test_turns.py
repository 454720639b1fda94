"""What is read of very many instances is read one after the other."""

import threading
import time

import pytest
from PySide6.QtCore import QObject, QTimer

from emberscope_app.when.turns import Turns


class Views:
    """Two views that note when they read."""

    def __init__(self):
        self.read = []

    def map(self):
        self.read.append("map")

    def chips(self):
        self.read.append("chips")

    def wrong(self):
        raise ZeroDivisionError


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


class Repaints(Views):
    """Whose painting asks for the next one."""

    def __init__(self):
        super().__init__()
        self.owner = QObject()
        self.turns = Turns(self.owner, lambda: True)

    def paint(self):
        self.read.append("paint")
        self.turns.first(self.paint)


def test_what_asks_to_be_the_first_each_time_keeps_nobody_waiting(qtbot):
    views = Repaints()
    views.turns.later(views.map)
    views.turns.later(views.chips)
    views.turns.first(views.paint)
    qtbot.waitUntil(lambda: len(views.read) >= 4)
    assert views.read[:4] == ["paint", "map", "paint", "chips"]
    views.turns.end()


def test_nothing_is_read_after_the_end(views, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True)
    turns.take(views.map)
    turns.end()
    turns.take(views.chips)
    qtbot.wait(20)
    assert views.read == []


def test_a_view_that_goes_wrong_holds_up_no_other(views, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True)
    with qtbot.captureExceptions() as errors:
        turns.take(views.wrong)
        turns.take(views.map)
        qtbot.waitUntil(lambda: views.read == ["map"])
    assert len(errors) == 1


class Reader:
    """A view whose reading is computed: notes what it began, and in which thread it was
    computed."""

    def __init__(self):
        self.begun, self.shown, self.threads = 0, [], []
        self.go = threading.Event()
        self.go.set()

    def begin(self):
        self.begun += 1
        number = self.begun

        def compute():
            self.threads.append(threading.current_thread())
            self.go.wait(60)
            return number

        return compute

    def show(self, number):
        self.shown.append(number)

    def begin_badly(self):
        return lambda: 1 / 0


@pytest.fixture
def reader(qapp):
    found = Reader()
    yield found
    found.go.set()


def test_a_little_is_computed_and_shown_at_once(reader):
    turns = Turns(QObject(), lambda: False)
    turns.aside(reader.begin, reader.show)
    assert reader.shown == [1]
    assert reader.threads == [threading.main_thread()]


def test_much_is_computed_and_shown_in_one_turn(reader, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True)
    turns.aside(reader.begin, reader.show)
    assert reader.shown == []
    qtbot.waitUntil(lambda: reader.shown == [1])
    assert reader.threads == [threading.main_thread()]
    assert not turns.busy


def test_too_much_is_computed_by_a_thread_and_shown_in_a_turn(reader, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True, too_much=lambda: True)
    turns.aside(reader.begin, reader.show)
    assert (reader.begun, turns.waits(reader.begin)) == (0, True)
    qtbot.waitUntil(lambda: reader.shown == [1])
    assert threading.main_thread() not in reader.threads
    assert not turns.busy


def test_what_is_asked_for_many_times_before_it_begins_is_computed_once(reader, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True, too_much=lambda: True)
    for _ in range(3):
        turns.aside(reader.begin, reader.show)
    qtbot.waitUntil(lambda: not turns.busy)
    assert reader.shown == [1]


def test_what_is_asked_for_again_meanwhile_is_shown_and_computed_again(reader, qtbot):
    """Else nothing would be shown as long as a person moves."""
    owner = QObject()
    turns = Turns(owner, lambda: True, too_much=lambda: True)
    reader.go.clear()
    turns.aside(reader.begin, reader.show)
    qtbot.waitUntil(lambda: len(reader.threads) == 1)
    turns.aside(reader.begin, reader.show)
    reader.go.set()
    qtbot.waitUntil(lambda: not turns.busy)
    assert reader.shown == [1, 2]


def test_what_became_little_is_shown_at_once_and_what_a_thread_does_is_dropped(reader, qtbot):
    much, owner = [True], QObject()
    turns = Turns(owner, lambda: bool(much[0]), too_much=lambda: True)
    reader.go.clear()
    turns.aside(reader.begin, reader.show)
    qtbot.waitUntil(lambda: len(reader.threads) == 1)
    much[0] = False
    reader.go.set()
    turns.aside(reader.begin, reader.show)
    qtbot.wait(20)
    assert reader.shown == [2]


def test_of_another_project_nothing_is_shown(reader, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True, too_much=lambda: True)
    reader.go.clear()
    turns.aside(reader.begin, reader.show)
    qtbot.waitUntil(lambda: len(reader.threads) == 1)
    turns.forget()
    reader.go.set()
    turns._pool.waitForDone()
    qtbot.wait(20)
    assert reader.shown == []


def test_what_goes_wrong_in_the_thread_is_an_error_of_the_window(reader, qtbot):
    owner = QObject()
    turns = Turns(owner, lambda: True, too_much=lambda: True)
    with qtbot.captureExceptions() as errors:
        turns.aside(reader.begin_badly, reader.show)
        qtbot.waitUntil(lambda: not turns.busy)
    assert [kind for kind, *_ in errors] == [ZeroDivisionError]
