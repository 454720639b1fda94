"""Actions along the frames of a source: what is shown, and what a painted span changes."""

import numpy as np
import pytest

from emberscope.bags.model import Instances
from emberscope.base.errors import DataError, FormatError
from emberscope.labels.side_info import Actions
from emberscope.project import Project, PutSide
from emberscope.project.exchange.action_file import read_actions
from emberscope.project.model.action_track import (
    Candidates,
    action_names,
    chips_along,
    painted,
    renamed,
    stretches,
    without,
)

# Instance 103 is the chip of frame 3 of source 7
WHERE = {100 + frame: (7, frame) for frame in range(10)}


def chips(first, last):
    return {frame: 100 + frame for frame in range(first, last + 1)}


def paint(project, first, last, action):
    before, after = painted(project, WHERE, chips(first, last), action)
    project.apply(PutSide(before=before, after=after))


def shown(project):
    return [(found.action, found.first, found.last) for found in stretches(project, WHERE, 7)]


@pytest.fixture
def project():
    found = Project()
    paint(found, 0, 4, "left")
    return found


def test_a_painted_span_is_a_stretch(project):
    assert shown(project) == [("left", 0, 4)]


def test_a_span_that_goes_on_where_another_ends_is_one_track(project):
    paint(project, 4, 6, "right")
    assert shown(project) == [("left", 0, 4), ("right", 4, 6)]
    assert len(project.side) == 1


def test_a_span_over_another_replaces_what_lies_under_it(project):
    paint(project, 1, 3, "right")
    assert shown(project) == [("left", 0, 1), ("right", 1, 3), ("left", 3, 4)]


def test_spans_apart_are_tracks_of_their_own(project):
    paint(project, 7, 9, "left")
    assert [len(record.instances) for record in project.side.values()] == [5, 3]


def test_nothing_painted_over_a_span_cuts_the_track(project):
    paint(project, 1, 3, "")
    assert shown(project) == [("left", 0, 1), ("left", 3, 4)]
    assert len(project.side) == 2


def test_a_stretch_is_removed_or_gets_another_action(project):
    paint(project, 4, 6, "right")
    before, after = renamed(project, stretches(project, WHERE, 7)[1], "up")
    project.apply(PutSide(before=before, after=after))
    assert action_names(project) == ["left", "up"]
    before, after = without(project, stretches(project, WHERE, 7)[0])
    project.apply(PutSide(before=before, after=after))
    assert shown(project) == [("up", 4, 6)]


@pytest.mark.parametrize(
    ("given", "words"), [({}, "no frame of the span has a chip"), ({3: 103}, "one frame only")]
)
def test_one_chip_makes_no_step(given, words):
    with pytest.raises(DataError, match=words):
        painted(Project(), WHERE, given, "left")


def test_what_is_painted_on_one_source_is_not_on_another(project):
    assert stretches(project, WHERE, 8) == []


def candidates():
    table = Instances(
        np.arange(6), np.full(6, 7), np.array([0, 0, 1, 1, 2, 2]), np.zeros((6, 4), np.float32)
    )
    return Candidates(table, np.array([0.1, 0.9, 0.8, 0.2, 0.3, 0.3]))


def test_the_likeliest_target_of_each_frame_is_its_chip():
    assert chips_along(candidates(), 7, 0, 2) == {0: 1, 1: 2, 2: 4}


def test_chips_of_a_track_that_exists_come_before_likelier_ones():
    assert chips_along(candidates(), 7, 0, 1, known=[0]) == {0: 0, 1: 2}


def test_selected_chips_are_the_track():
    assert chips_along(candidates(), 7, 0, 2, chosen=[0, 3]) == {0: 0, 1: 3}
    assert chips_along(candidates(), 7, 0, 2, chosen=[3]) == {0: 1, 1: 2, 2: 4}


def table(tmp_path, words):
    path = tmp_path / "platform.csv"
    path.write_text(words)
    return path


def test_a_table_names_the_action_of_each_frame(tmp_path):
    path = table(tmp_path, "frame,action\n0,left\n1,\n2,right\n9,left\n")
    notes = []
    found = read_actions(path, Project(), chips(0, 2), notes=notes)
    assert (found.instances, found.actions, found.origin) == (
        (100, 101, 102),
        ("left", ""),
        "imported",
    )
    assert notes == ["1 frame of the table without a chip left out."]


def test_a_table_of_angles_becomes_steps(tmp_path):
    path = table(tmp_path, "frame,azimuth\n0,350\n1,355\n2,0\n3,355\n")
    assert read_actions(path, Project(), chips(0, 3)).actions == (
        "azimuth +5°",
        "azimuth +5°",
        "azimuth -5°",
    )


@pytest.mark.parametrize(("words", "problem"), [
    ("time,action\n0,left\n", "no column frame"),
    ("frame\n0\n", "no column action"),
    ("frame,action\nfirst,left\n", "line 2"),
    ("frame,action\n50,left\n51,left\n", "0 of its 2 frames have a chip"),
])
def test_what_is_no_table_of_actions_is_said(tmp_path, words, problem):
    with pytest.raises(FormatError, match=problem):
        read_actions(table(tmp_path, words), Project(), chips(0, 3))


def test_a_record_of_other_chips_stays_as_it_is(project):
    project.apply(PutSide(after=[Actions(id=900, instances=(5000, 5001), actions=("left",))]))
    paint(project, 0, 1, "right")
    assert project.side[900] == Actions(id=900, instances=(5000, 5001), actions=("left",))
