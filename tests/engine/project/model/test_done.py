"""Clips and frames that a person is done with: kept in the project, undone, merged, unknown to
older files."""

import shutil
from pathlib import Path

import msgspec
import pytest

from emberscope.findings.describe import describe_project
from emberscope.labels import Spot
from emberscope.labels.model import About
from emberscope.project import Project, PutLabels, PutSources, from_record, to_record
from emberscope.project.model.done import Done, done_of, frames_left, mark_clips, mark_frames
from emberscope.project.store.file import VERSION, load, save
from emberscope.project.store.journal import Entry
from emberscope.project.store.merging import merged

from ..builders import a_source


@pytest.fixture
def project():
    """Two clips; the first has labels on frames 0 and 1."""
    found = Project()
    found.apply(PutSources(after=[a_source(10), a_source(11)]))
    found.apply(
        PutLabels(
            after=[Spot(id=frame + 1, source=10, frame=frame, x=1.0, y=2.0) for frame in (0, 1)]
        )
    )
    return found


def test_a_clip_and_frames_are_done_and_taken_back(project):
    steps = [mark_clips(project, [10, 11], done=True)]
    project.apply(steps[0])
    steps.append(mark_frames(project, 11, [4, 2], done=True))
    project.apply(steps[1])
    assert (done_of(project, 10), done_of(project, 11)) == (
        Done(clip=True),
        Done(True, frozenset({2, 4})),
    )
    assert [step.title for step in steps] == ["2 clips are done", "2 frames are done"]
    for step in reversed(steps):
        project.revert(step)
    assert (done_of(project, 10), done_of(project, 11)) == (Done(), Done())
    assert project.settings == {}


def test_a_frame_that_is_not_done_after_all_leaves_the_others(project):
    project.apply(mark_frames(project, 10, [1, 2], done=True))
    back = mark_frames(project, 10, [1], done=False)
    project.apply(back)
    assert done_of(project, 10).frames == {2}
    assert back.title == "Take back: Frame 2 is done"


def test_frames_are_left_that_carry_no_label_and_are_not_done(project):
    assert frames_left(project) == {10: 598, 11: 600}
    project.apply(mark_frames(project, 10, [1, 2], done=True))  # one of them is labeled too
    assert frames_left(project) == {10: 597, 11: 600}
    project.apply(mark_clips(project, [11], done=True))
    assert frames_left(project) == {10: 597, 11: 0}


@pytest.mark.parametrize(("checked", "left"), [(False, 598), (True, 597)])
def test_a_frame_with_suggestions_alone_is_left_until_one_is_checked(project, checked, left):
    found = Spot(id=9, source=10, frame=5, x=1.0, y=2.0, origin="model run 1",
                 about=About(checked=checked))
    project.apply(PutLabels(after=[found]))
    assert frames_left(project)[10] == left


@pytest.mark.parametrize(
    "value", [7, "x", [1], {"clip": 1, "frames": "no"}, {"frames": [True, -1, "2", None]}]
)
def test_what_does_not_fit_says_nothing(project, value):
    project.settings["done with source 10"] = value
    assert done_of(project, 10) == Done()
    project.apply(mark_frames(project, 10, [3], done=True))
    assert done_of(project, 10).frames == {3}


def test_what_is_done_is_in_the_journal_and_in_the_saved_project(project, tmp_path):
    project.apply(from_record(to_record(mark_clips(project, [10], done=True))))
    project.apply(from_record(to_record(mark_frames(project, 11, [5], done=True))))
    save(project, tmp_path / "a.ember")
    found = load(tmp_path / "a.ember")
    assert (done_of(found, 10), done_of(found, 11)) == (
        Done(clip=True),
        Done(frames=frozenset({5})),
    )


@pytest.mark.parametrize("schema", range(1, VERSION + 1))
def test_in_a_file_of_every_schema_nothing_is_done_until_somebody_says_so(tmp_path, schema):
    kept = Path(__file__).parents[1] / "files" / f"schema_{schema}.h5"
    shutil.copy(kept, tmp_path / "old.ember")
    found = load(tmp_path / "old.ember")
    source = min(found.sources)
    assert done_of(found, source) == Done()
    found.apply(mark_clips(found, [source], done=True))
    save(found, tmp_path / "old.ember")
    assert done_of(load(tmp_path / "old.ember"), source).clip


def test_what_two_people_are_done_with_merges(project):
    ours, theirs = mark_clips(project, [10], done=True), mark_frames(project, 11, [3], done=True)
    project.apply(theirs)
    project.apply(merged([Entry(what="do", at=1.0, op=ours)], project))
    assert (done_of(project, 10).clip, done_of(project, 11).frames) == (True, {3})


def test_what_is_done_of_a_clip_that_gets_another_id_in_a_merge_goes_with_it(project):
    theirs = Project()
    theirs.apply(PutSources(after=[a_source(10)]))
    new = msgspec.structs.replace(a_source(10, path="/frames/other.arf"), fingerprint="other")
    ours = Project()
    steps = [PutSources(after=[new])]
    ours.apply(steps[0])
    steps.append(mark_clips(ours, [10], done=True))
    theirs.apply(merged([Entry(what="do", at=1.0, op=step) for step in steps], theirs))
    (other,) = [key for key, ref in theirs.sources.items() if ref.fingerprint == "other"]
    assert other != 10
    assert (done_of(theirs, 10).clip, done_of(theirs, other).clip) == (False, True)


def test_info_counts_what_is_done_and_the_labels_of_each_class(project):
    project.apply(mark_clips(project, [11], done=True))
    project.apply(mark_frames(project, 10, [3], done=True))
    found = describe_project(project)
    assert found["done"] == {"clips": 1, "frames": 1, "clips left": 1}
    assert found["labels by class"] == {"Target": 2, "Background": 0}
