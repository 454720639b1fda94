"""The set of labels by id, by frame and as columns."""

import gc
import random
from dataclasses import fields

import numpy as np
import pytest

from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import Box, FrameLabel, Spot
from emberscope.labels.table import LabelTable

SPOT = Spot(id=3, source=1, frame=2, x=1, y=1)
BOX = Box(id=2, source=1, frame=0, x0=0, y0=0, x1=1, y1=1)


def test_labels_come_in_the_order_of_drawing():
    assert [label.id for label in LabelSet([SPOT, BOX])] == [2, 3]


def test_labels_are_found_by_frame():
    labels = LabelSet([SPOT, BOX])
    assert labels.on_frame(1, 2) == [SPOT]
    assert labels.frames(1) == [0, 2]
    assert labels.in_source(1) == [BOX, SPOT]
    assert labels.in_source(9) == []


def test_putting_an_id_again_replaces_its_label_even_on_another_frame():
    labels = LabelSet([SPOT])
    labels.put(Spot(id=3, source=1, frame=5, x=1, y=1))
    assert labels.frames(1) == [5]
    assert len(labels) == 1


def test_a_dropped_label_leaves_no_trace():
    labels = LabelSet([SPOT, BOX])
    labels.drop(3)
    labels.drop(99)
    assert labels == LabelSet([BOX])
    assert labels.frames(1) == [0]


def test_of_two_labels_with_one_id_the_later_stays():
    labels = LabelSet([SPOT, Spot(id=3, source=1, frame=5, x=1, y=1)])
    assert labels.frames(1) == [5]


def test_words_about_a_frame_are_found_among_its_labels():
    empty = FrameLabel(id=9, source=1, frame=2, says="empty")
    labels = LabelSet([empty, SPOT])
    assert labels.frame_labels(1, 2) == [empty]
    assert labels.frame_labels(1, 3) == []


def same(one: LabelTable, other: LabelTable) -> bool:
    return all(
        np.array_equal(
            getattr(one, column.name),
            getattr(other, column.name),
            equal_nan=getattr(one, column.name).dtype == float,
        )
        for column in fields(one)
    )


def test_the_columns_follow_every_edit():
    rng = random.Random(0)
    labels = LabelSet()
    for _ in range(200):
        key, frame = rng.randrange(30), rng.randrange(4)
        new = rng.choice(
            [
                Spot(id=key, source=1, frame=frame, x=1, y=2),
                FrameLabel(id=key, source=2, frame=frame),
                Box(
                    id=key,
                    source=1,
                    frame=frame,
                    x0=0,
                    y0=0,
                    x1=3,
                    y1=4,
                    looseness=rng.choice([0, 1.5]),
                ),
            ]
        )
        labels.swap([rng.randrange(30)], [new] if rng.random() < 0.7 else [])
        if rng.random() < 0.5:
            assert same(labels.table(), LabelTable.of(labels))
    assert same(labels.table(), LabelTable.of(labels))


def test_the_columns_are_made_once_until_labels_change():
    labels = LabelSet([SPOT, BOX])
    table = labels.table()
    assert labels.table() is table
    assert labels.copy().table() is table
    labels.drop(3)
    assert labels.table() is not table


def test_only_labels_that_changed_are_read_again(monkeypatch):
    labels = LabelSet(Spot(id=k, source=1, frame=0, x=k, y=0) for k in range(100))
    labels.table()
    read, make = [], LabelTable.of
    monkeypatch.setattr(LabelTable, "of", lambda some: (read.append(len(some)), make(some))[1])
    labels.put(Spot(id=7, source=1, frame=0, x=0, y=5))
    labels.drop(8)
    assert len(labels.table()) == 99
    assert read == [1]


def test_a_copy_keeps_its_columns_when_the_set_changes():
    labels = LabelSet([SPOT, BOX])
    labels.table()
    labels.drop(3)
    copy = labels.copy()
    labels.put(SPOT)
    assert copy.table().ids.tolist() == [2]
    assert labels.table().ids.tolist() == [2, 3]


def spot(label_id, frame=0):
    return Spot(id=label_id, source=10, frame=frame, x=1, y=1)


def prepared(labels, come):
    labels.prepare(come, labels.outlook())
    return labels


def test_labels_that_were_prepared_come_as_others_do():
    there, come = [spot(1), spot(2, frame=1)], [spot(3, frame=1), spot(4, frame=2)]
    labels, plain = prepared(LabelSet(there), come), LabelSet(there)
    for each in (labels, plain):
        each.swap((), come)
    assert labels == plain
    assert [label.id for label in labels.on_frame(10, 1)] == [2, 3]
    assert labels.table().ids.tolist() == plain.table().ids.tolist() == [1, 2, 3, 4]
    assert labels.coverage(10) == plain.coverage(10) == (4, 3)


def test_what_was_prepared_before_another_edit_takes_nothing_of_it_back():
    come = [spot(3, frame=1)]
    labels = prepared(LabelSet([spot(1), spot(2)]), come)
    labels.drop(2)
    labels.swap((), come)
    assert sorted(labels.ids) == [1, 3]
    assert labels.table().ids.tolist() == [1, 3]


def test_other_labels_than_those_prepared_come_alone():
    labels = prepared(LabelSet([spot(1)]), [spot(3)])
    labels.put(spot(5))
    assert sorted(labels.ids) == [1, 5]


def test_undo_and_redo_of_prepared_labels_read_no_label_again(monkeypatch):
    come = [spot(3, frame=1), spot(4, frame=2)]
    labels = prepared(LabelSet([spot(1), spot(2, frame=1)]), come)
    before = labels.table()
    labels.swap((), come)
    after = labels.table()
    monkeypatch.setattr(LabelTable, "edited", lambda *_: pytest.fail("labels were read again"))
    assert labels.swap([3, 4], []) == {(10, 1), (10, 2)}
    assert labels == LabelSet([spot(1), spot(2, frame=1)])
    assert labels.table() is before
    assert labels.swap((), come) == {(10, 1), (10, 2)}
    assert [label.id for label in labels.on_frame(10, 1)] == [2, 3]
    assert labels.table() is after


def test_undo_of_prepared_labels_keeps_what_was_edited_since():
    come = [spot(3, frame=1)]
    labels = prepared(LabelSet([spot(1)]), come)
    labels.swap((), come)
    labels.put(spot(2))
    labels.swap([3], [])
    assert sorted(labels.ids) == [1, 2]
    labels.swap((), come)
    assert sorted(labels.ids) == [1, 2, 3]


def test_after_the_undo_of_prepared_labels_others_go_and_come_alone():
    come = [spot(3, frame=1), spot(4)]
    labels = prepared(LabelSet([spot(1)]), come)
    labels.swap((), come)
    labels.swap([4], [])
    assert sorted(labels.ids) == [1, 3]
    assert labels.table().ids.tolist() == [1, 3]


def test_a_swap_says_on_which_frames_labels_went_and_came():
    labels = LabelSet(
        [Spot(id=1, source=1, frame=0, x=1, y=2), Spot(id=2, source=1, frame=4, x=1, y=2)]
    )
    assert labels.swap([2, 99], [Spot(id=3, source=1, frame=7, x=1, y=2)]) == {(1, 4), (1, 7)}


def test_labels_that_came_last_leave_the_columns_without_a_copy():
    labels = LabelSet(Spot(id=k, source=1, frame=0, x=k, y=0) for k in range(100))
    before = labels.table()
    labels.drop(99)
    assert np.shares_memory(labels.table().corners, before.corners)


def test_the_garbage_collector_does_not_look_at_labels():
    assert not gc.is_tracked(Spot(id=1, source=1, frame=0, x=1, y=2))
