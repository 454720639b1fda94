"""A look at files before they come into a project, and taking them in."""

import numpy as np
import pytest
from PIL import Image

from emberscope.labels import Spot
from emberscope.labels.jsonl import write_jsonl
from emberscope.project import Project
from emberscope.project.exchange.label_file import label_source
from emberscope.project.exchange.set_up import look_at, take_in
from emberscope.project.exchange.sources import add_sources

BOX = (
    "<annotation><object><name>Car</name><bndbox><xmin>4</xmin><ymin>5</ymin><xmax>14</xmax>"
    "<ymax>15</ymax></bndbox></object></annotation>"
)


def stills(folder, count):
    folder.mkdir(parents=True)
    for k in range(count):
        Image.fromarray(np.full((40, 50), 60 + k, np.uint8)).save(folder / f"{folder.name}{k}.png")


@pytest.fixture
def campaign(tmp_path):
    """A clip, a folder of three stills with boxes of one of them, notes that are neither."""
    np.save(tmp_path / "pass.npy", np.ones((4, 40, 50), np.uint16))
    stills(tmp_path / "day", 3)
    (tmp_path / "day" / "day1.xml").write_text(BOX)
    (tmp_path / "day" / "notes.doc").write_text("windy")
    return tmp_path


@pytest.fixture
def project():
    return Project()


def test_what_is_found_has_kind_size_depth_and_the_truth_beside_it(campaign, project):
    found = look_at(project, [campaign]).found
    assert [(one.kind, one.frames, one.cols, one.rows, one.depth) for one in found] == [
        ("clip", 4, 50, 40, "uint16"), ("sequence", 3, 50, 40, "uint8"),
    ]
    assert [one.truth for one in found] == ["", str(campaign / "day")]


def test_the_look_leaves_the_project_as_it_was(campaign, project):
    look_at(project, [campaign])
    assert not project.sources


def test_stills_of_a_folder_become_single_images_where_that_is_asked(campaign, project):
    found = look_at(project, [campaign], apart=[campaign / "day"]).found
    assert [one.kind for one in found] == ["clip", "image", "image", "image"]


def test_truth_of_a_single_image_follows_it_out_of_its_sequence(campaign, project):
    look = look_at(project, [campaign], apart=[campaign / "day"])
    names = {ref.id: ref.name for ref in look.refs}
    assert [(row.state, names[row.source]) for row in look.table] == [("given", "day1.png")]


def test_files_that_are_truth_are_not_among_those_that_no_reader_knows(campaign, project):
    assert look_at(project, [campaign]).left_out == [
        f"{campaign.name}: 1 file is left out, which no reader knows: day/notes.doc."
    ]


def test_a_clip_dropped_with_its_truth_comes_with_it(tmp_path, project):
    np.save(tmp_path / "pass.npy", np.ones((4, 40, 50), np.uint16))
    (tmp_path / "pass.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    look = look_at(project, [tmp_path / "pass.csv", tmp_path / "pass.npy"])
    assert not look.failed
    assert [(row.state, sum(row.objects.values())) for row in look.table] == [("given", 1)]


def test_one_file_without_truth_is_plain(tmp_path, project):
    np.save(tmp_path / "pass.npy", np.ones((4, 40, 50), np.uint16))
    assert look_at(project, [tmp_path / "pass.npy"]).is_plain


def test_one_file_with_truth_beside_it_is_not_plain(tmp_path, project):
    np.save(tmp_path / "pass.npy", np.ones((4, 40, 50), np.uint16))
    (tmp_path / "pass.csv").write_text("frame,x,y,w,h\n0,5,6,10,10\n")
    assert not look_at(project, [tmp_path / "pass.npy"]).is_plain


def test_a_file_of_raw_binary_waits_and_is_no_failure(tmp_path, project):
    (tmp_path / "a.raw").write_bytes(b"\1\2" * 640)
    look = look_at(project, [tmp_path / "a.raw"])
    assert (look.raw, look.failed) == ([tmp_path / "a.raw"], [])


def test_sources_and_labels_of_their_truth_are_one_step(campaign, project):
    look = look_at(project, [campaign])
    step = take_in(project, look.refs, look.truths, kind="tight", n_background=0)
    assert not project.sources
    project.apply(step)
    assert step.title == "Add 2 sources with truth"
    (label,) = project.labels
    assert (project.sources[label.source].name, label.frame) == ("day", 1)


def test_one_bad_truth_among_several_costs_itself_alone(campaign, project):
    (campaign / "pass.csv").write_text("frame,x,y,w,h\n0,5,six,10,10\n")
    look, notes = look_at(project, [campaign]), []
    project.apply(
        take_in(project, look.refs, look.truths, kind="tight", n_background=0, notes=notes)
    )
    assert len(project.labels) == 1
    assert any("pass.csv" in note for note in notes)


def test_truth_of_a_source_that_the_project_has_is_offered(campaign, project):
    project.apply(add_sources(project, [campaign])[0])
    look = look_at(project, [campaign])
    assert not look.refs
    assert [row.state for row in look.table] == ["given"]


@pytest.fixture
def spots(campaign):
    """A spot on each of two clips in a file of labels."""
    np.save(campaign / "other.npy", np.full((4, 40, 50), 7, np.uint16))
    there = Project()
    there.apply(add_sources(there, [campaign / "pass.npy", campaign / "other.npy"])[0])
    labels = [Spot(id=key, source=key, frame=1, class_id=1, x=9, y=9) for key in there.sources]
    write_jsonl(campaign / "spots.jsonl", labels, classes=there.classes.values(),
                sources=[label_source(ref) for ref in there.sources.values()])  # fmt: skip
    return campaign / "spots.jsonl"


def test_labels_of_the_program_come_with_the_clips_that_they_name(campaign, spots, project):
    (campaign / "other.csv").write_text("frame,x,y,w,h\n0,5,5,9,9\n")
    look = look_at(project, [campaign / "pass.npy", campaign / "other.npy", spots])
    step = take_in(project, look.refs, look.truths, kind="tight", n_background=0)
    assert not project.sources
    project.apply(step)
    assert sorted((type(label).__name__, label.frame) for label in project.labels) == [
        ("Box", 0), ("Spot", 1), ("Spot", 1)]  # fmt: skip


def test_labels_of_the_program_that_are_of_no_clip_say_of_which_they_are(spots, project):
    look = look_at(project, [spots])
    assert [(line.state, line.why) for line in look.table] == [
        ("none", "its labels are of none of the clips: they are of pass.npy, other.npy")]
    assert (look.truths, look.has_truth) == ([], False)
