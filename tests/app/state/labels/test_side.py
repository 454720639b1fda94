"""What a person says of the selected chips becomes records of side information."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope_app.state.labels.side import (
    MOST,
    attributes_of,
    record_about,
    record_words,
    say_alike,
    say_different,
    say_distance,
)


def select(session, *rows):
    session.selection.select(session.run.ids[list(rows)])


def said(session):
    """[(rows, same)] of the pairs."""
    row = {int(key): at for at, key in enumerate(session.run.ids)}
    return [({row[r.a], row[r.b]}, r.same) for r in session.project.side.values()]


def test_two_selected_chips_are_alike_or_differ(session):
    select(session, 0, 5)
    assert say_alike(session)
    select(session, 0, 6)
    assert say_different(session)
    assert said(session) == [({0, 5}, True), ({0, 6}, False)]
    assert {(r.origin, r.weight) for r in session.project.side.values()} == {("hand", 1.0)}


def test_each_gesture_is_one_step_that_undo_takes_back(session):
    select(session, 0, 5, 9)
    say_alike(session)
    assert len(session.project.side) == 3
    session.undo_stack.undo()
    assert session.project.side == {}
    session.undo_stack.redo()
    assert len(session.project.side) == 3


def test_who_changes_his_mind_does_not_contradict_himself(session):
    select(session, 0, 5)
    say_alike(session)
    say_different(session)
    assert said(session) == [({0, 5}, False)]
    session.undo_stack.undo()
    assert said(session) == [({0, 5}, True)]


def test_what_was_said_already_is_not_said_twice(session):
    select(session, 0, 5)
    say_alike(session)
    assert not say_alike(session)
    assert len(session.project.side) == 1


def test_a_large_group_gives_some_pairs_of_low_weight(session):
    session.selection.select(session.run.ids[:100])
    say_alike(session)
    records = list(session.project.side.values())
    assert len(records) == MOST
    assert {(r.origin, r.weight) for r in records} == {("lasso", 0.01)}
    assert len({frozenset((r.a, r.b)) for r in records}) == MOST


def test_two_groups_one_after_the_other_differ(session):
    select(session, 0, 1, 2)
    select(session, 7, 8, 9)
    assert say_different(session)
    assert len(said(session)) == 9
    assert all(len(pair & {0, 1, 2}) == 1 and not same for pair, same in said(session))


def test_one_group_alone_does_not_differ_from_anything(session):
    heard = []
    session.message.connect(heard.append)
    select(session, 0, 1, 2)
    assert not say_different(session)
    assert "one group and then another" in heard[0].words
    select(session, 2, 3, 4)  # shares a chip with the group before
    assert not say_different(session)


def test_pairs_are_compared_by_the_attribute_in_hand(session):
    session.focus.set(attribute="engine")
    select(session, 0, 5)
    say_alike(session)
    session.focus.set(attribute="")
    say_different(session)
    assert [r.attribute for r in session.project.side.values()] == ["engine", ""]
    assert attributes_of(session.project) == ["engine"]


def test_two_selected_chips_lie_so_far_apart(session):
    select(session, 0, 5)
    assert say_distance(session, 30, "deg")
    assert say_distance(session, 45, "deg")
    [record] = session.project.side.values()
    assert (record_words(record), record_about(record)) == ("45 deg", "")


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_what_is_no_distance_is_refused(session, value):
    select(session, 0, 5)
    with pytest.raises(DataError, match="negative or not finite"):
        say_distance(session, value, "m")


def test_a_record_says_where_it_is_from_and_what_it_weighs(session):
    session.focus.set(attribute="engine")
    select(session, 0, 5, 6, 7)
    say_alike(session)
    assert (
        record_about(next(iter(session.project.side.values()))) == "engine, by lasso, weight 0.25"
    )
