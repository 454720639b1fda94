"""One filter by what is known, for all views."""

import msgspec
import numpy as np
import pytest

from emberscope.project import PutSources
from emberscope_app.state.points.cloud import cloud_of
from emberscope_app.state.points.filter import filter_of
from emberscope_app.state.points.frame_instances import FrameInstances


@pytest.fixture
def session(session, qtbot):
    """A run on one clip whose first frames are of the day."""
    (ref,) = session.project.sources.values()
    light = ["day" if frame < ref.n_frames // 2 else "night" for frame in range(ref.n_frames)]
    known = msgspec.structs.replace(ref, frame_columns={"light": light}, columns={"site": "hill"})
    session.do(PutSources(before=[ref], after=[known]))
    qtbot.waitUntil(lambda: "light" in filter_of(session).columns)
    return session


def test_the_values_of_a_column_are_counted(session):
    levels = {level.words: level.number for level in filter_of(session).levels("light")}
    assert set(levels) == {"day", "night"}
    assert sum(levels.values()) == 288


def test_maps_show_what_passes_and_the_counts_say_how_much_of_how_much(session):
    known = filter_of(session)
    day = {level.words: level.number for level in known.levels("light")}["day"]
    known.choose("light", frozenset({"day"}))
    assert known.counts == (day, 288)
    assert int(cloud_of(session).visible.sum()) == day
    known.clear()
    assert cloud_of(session).visible.all()


def test_an_instance_has_to_pass_every_column(session):
    known = filter_of(session)
    known.choose("light", frozenset({"day"}))
    known.choose("site", frozenset({"swamp"}))
    assert known.counts == (0, 288)


def test_instances_of_a_frame_are_those_that_pass(session):
    here = FrameInstances(session)
    session.go(frame=0)
    here.update()
    there = len(here.rows)
    filter_of(session).choose("light", frozenset({"night"}))
    here.update()
    assert there > 0
    assert len(here.rows) == 0


def test_a_value_is_taken_out_again_by_choosing_it_again(session):
    known = filter_of(session)
    known.toggle("light", "day")
    known.toggle("light", "day")
    assert not known.on


def test_a_clip_passes_where_anything_of_it_does(session):
    known, (source,) = filter_of(session), session.project.sources
    known.choose("light", frozenset({"night"}))
    assert known.passes(source)
    known.choose("site", frozenset({"swamp"}))
    assert not known.passes(source)


def test_instances_in_sight_are_of_the_frames_that_pass(session):
    known = filter_of(session)
    known.choose("light", frozenset({"night"}))
    rows = np.flatnonzero(cloud_of(session).visible)
    assert (session.run.frame[rows] >= 3).all()


def test_another_project_has_no_filter(session):
    from emberscope.project import Project

    known = filter_of(session)
    known.choose("light", frozenset({"night"}))
    session.replace(Project(), None)
    assert not known.on


def test_frames_of_which_nothing_passes_are_left_out(session):
    known, (source,) = filter_of(session), session.project.sources
    n_frames, labeled = session.project.sources[source].n_frames, np.unique(session.run.frame)
    assert not len(known.left_out(source, n_frames))
    known.choose("light", frozenset({"night"}))
    day = labeled[labeled < n_frames // 2]
    assert len(day)
    assert known.left_out(source, n_frames).tolist() == day.tolist()


def test_a_clip_of_which_nothing_passes_is_left_out_as_a_whole(session):
    known, (source,) = filter_of(session), session.project.sources
    known.choose("site", frozenset({"swamp"}))
    assert known.left_out(source, 3).tolist() == [0, 1, 2]


def test_clips_are_put_in_order_by_what_they_have_a_value_of(session):
    known, (source,) = filter_of(session), session.project.sources
    assert "site" in known.of_clips_known
    assert known.of_clips("site") == {source: 0.0}
    assert known.of_clips("range") == {}
