"""Frames that the filter leaves out are pale on the timeline."""

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QColor

from emberscope.project import PutSources
from emberscope_app.frame_view.timeline.timeline_panel import TimelinePanel
from emberscope_app.state.points.filter import filter_of
from emberscope_app.theme.look import current


@pytest.fixture
def view(session, qtbot):
    """The timeline of a clip of which the first half of the frames is by day."""
    (ref,) = session.project.sources.values()
    light = ["day" if frame < ref.n_frames // 2 else "night" for frame in range(ref.n_frames)]
    known = msgspec.structs.replace(ref, frame_columns={"light": light})
    session.do(PutSources(before=[ref], after=[known]))
    qtbot.waitUntil(lambda: "light" in filter_of(session).columns)
    panel = TimelinePanel(session)
    qtbot.addWidget(panel)
    panel.resize(900, 240)
    panel.show()
    return panel.view


def ink(view, frame):
    """How far the row of a class is from the ground, at most, where a frame has a label."""
    image, ground = view.grab().toImage(), QColor(current().bg1)
    x, top = round(view.x_of(frame)), round(view._top(1))
    colors = [image.pixelColor(x, y) for y in range(top + 4, top + 30)]
    return max(abs(color.lightness() - ground.lightness()) for color in colors)


def test_frames_that_the_filter_leaves_out_are_pale(view, session):
    first = int(view.marks.tracks[0].drawn[0])
    session.go(frame=session.project.sources[session.focus.source].n_frames - 1)
    plain = ink(view, first)
    filter_of(session).choose("light", frozenset({"night"}))
    assert ink(view, first) < 0.6 * plain
    filter_of(session).clear()
    assert ink(view, first) == plain


def test_the_stretches_that_are_pale_are_those_of_the_clip_on_show(view, session):
    assert view.left_out.stretches == []
    filter_of(session).choose("light", frozenset({"day"}))
    frames = [frame for first, last in view.left_out.stretches for frame in range(first, last + 1)]
    half = session.project.sources[session.focus.source].n_frames // 2
    labeled = np.unique(session.run.frame)
    assert frames == labeled[labeled >= half].tolist()
