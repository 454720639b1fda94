"""Frames by key: on over the end of a clip, from clip to clip."""

import dataclasses

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from emberscope.project import PutSources


@pytest.fixture
def two_clips(session):
    """Clips 10 and 30 of six frames each."""
    import msgspec

    first = session.project.sources[10]
    copy = dataclasses.replace if dataclasses.is_dataclass(first) else msgspec.structs.replace
    session.do(PutSources(after=[copy(first, id=30, name="second.npy")]))
    return session


def place(session):
    return session.focus.source, session.focus.frame


def test_d_at_the_end_of_a_clip_goes_on_to_the_next_and_a_comes_back(two_clips, hand):
    two_clips.go(10, 5)
    hand.key(Qt.Key.Key_D)
    assert place(two_clips) == (30, 0)
    hand.key(Qt.Key.Key_A)
    assert place(two_clips) == (10, 5)


def test_d_held_down_stops_at_the_end(two_clips, canvas):
    two_clips.go(10, 5)
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_D, Qt.KeyboardModifier.NoModifier, "d", True)
    QApplication.sendEvent(canvas, held)
    assert place(two_clips) == (10, 5)


def test_page_down_and_up_go_from_clip_to_clip(two_clips, hand):
    two_clips.go(10, 3)
    hand.key(Qt.Key.Key_PageDown)
    assert place(two_clips) == (30, 0)
    hand.key(Qt.Key.Key_PageDown)
    assert place(two_clips) == (30, 0)
    hand.key(Qt.Key.Key_PageUp)
    assert place(two_clips) == (10, 3)  # where it was left


def test_the_last_frame_of_the_last_clip_is_the_end(two_clips, hand):
    two_clips.go(30, 5)
    hand.key(Qt.Key.Key_D)
    assert place(two_clips) == (30, 5)
