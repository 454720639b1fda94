"""What a class on a map rests on: labels that hold patches, not patches that are targets."""

import numpy as np
import pytest

from emberscope.base.ids import bag_id
from emberscope.findings.point_looks import PALE, style_points
from emberscope.labels import BACKGROUND, Box, FrameLabel, Spot, TargetClass
from emberscope.project import Project, PutClasses, PutLabels, mark
from emberscope.project.model.membership import bag_weights, class_words

from ..builders import a_run

PERSON = 12


@pytest.fixture
def project():
    """Person, with two boxes (20, 21) and a frame label (22)."""
    project = Project()
    project.apply(PutClasses(after=[TargetClass(id=PERSON, name="Person", role=1, slot=4)]))
    boxes = [
        Box(id=key, source=10, frame=0, x0=0, y0=0, x1=9, y1=9, class_id=PERSON) for key in (20, 21)
    ]
    project.apply(PutLabels(after=[*boxes, FrameLabel(id=22, source=10, frame=1, class_id=PERSON)]))
    return project


def run_of(*labels, sizes):
    """A bag of Person of each label, and one of background with the last instance."""
    n = sum(sizes) + 1
    return a_run(
        n=n,
        indptr=np.cumsum([0, *sizes, 1]),
        members=np.arange(n),
        bag_labels=np.array([1] * len(labels) + [-1], np.int8),
        bag_ids=np.array([*map(bag_id, labels), bag_id(30)]),
        bag_classes=np.array([PERSON] * len(labels) + [BACKGROUND]),
    )


def words_of(project, run):
    return [entry.says for entry in style_points(project, run, "class", "dark").legend]


def test_the_legend_counts_labels_and_calls_no_patch_a_person(project):
    found = words_of(project, run_of(20, 21, sizes=[4, 4]))
    assert sorted(found) == ["Background, 1 bag", "Patches in 2 boxes of Person"]


def test_a_frame_label_is_counted_once_however_many_patches_it_has(project):
    assert "Patches in 2 boxes and 1 frame label of Person" in words_of(
        project, run_of(20, 21, 22, sizes=[4, 4, 900])
    )
    assert "Patches in 1 frame with Person" in words_of(project, run_of(22, sizes=[900]))


def test_labels_that_are_gone_are_counted_as_bags(project):
    assert "Patches in 1 bag of Person" in words_of(project, run_of(99, sizes=[4]))


def test_marks_are_said_besides(project):
    run = run_of(20, 21, sizes=[4, 4])
    project.apply(mark(project, run.ids[:3], PERSON))
    assert "Patches in 2 boxes of Person, 3 marked" in words_of(project, run)


def test_a_label_of_one_patch_is_what_it_says(project):
    assert "Person, 2 boxes" in words_of(project, run_of(20, 21, sizes=[1, 1]))


def test_patches_of_one_frame_label_are_paler_than_those_of_boxes(project):
    run = run_of(20, 21, 22, sizes=[4, 4, 900])
    weight = bag_weights(project, run)
    assert (weight[:8] == 1).all()
    assert (weight[8:-1] == 0.25).all()
    rgb = style_points(project, run, "class", "dark").rgb.astype(int)
    gray = np.array([0x8D, 0x96, 0xA1])
    assert np.abs(rgb[0] - gray).sum() > 3 * np.abs(rgb[100] - gray).sum()


def test_a_class_of_large_boxes_keeps_its_color_beside_one_of_small_boxes(project):
    car = Box(id=25, source=10, frame=0, x0=0, y0=0, x1=90, y1=90, class_id=13)
    project.apply(PutClasses(after=[TargetClass(id=13, name="Car", role=1, slot=5)]))
    project.apply(PutLabels(after=[car]))
    run = run_of(20, 21, 25, sizes=[4, 4, 60])
    run.bag_classes[2] = 13
    assert (bag_weights(project, run) == 1).all()


def test_a_class_that_only_a_frame_label_names_is_paler_than_one_of_boxes(project):
    project.apply(PutClasses(after=[TargetClass(id=13, name="Car", role=1, slot=5)]))
    project.apply(PutLabels(after=[FrameLabel(id=25, source=10, frame=1, class_id=13)]))
    run = run_of(20, 21, 25, sizes=[4, 4, 900])
    run.bag_classes[2] = 13
    assert (bag_weights(project, run)[8:-1] == 0.25).all()


def test_points_that_are_pale_have_words_in_the_legend(project):
    pale, whole = run_of(20, 21, 22, sizes=[4, 4, 900]), run_of(20, 21, sizes=[4, 4])
    assert style_points(project, pale, "class", "dark").note == PALE
    assert style_points(project, whole, "class", "dark").note == ""


def test_labels_of_several_kinds_are_counted_by_kind(project):
    project.apply(
        PutLabels(after=[Spot(id=26, source=10, frame=1, x=4, y=4, rho=3, class_id=PERSON)])
    )
    found = words_of(project, run_of(20, 21, 22, 26, 99, sizes=[4, 4, 900, 4, 4]))
    assert "Patches in 2 boxes, 1 frame label, 1 spot and 1 bag of Person" in found


def test_where_all_labels_are_of_frames_their_patches_keep_the_color(project):
    assert (bag_weights(project, run_of(22, sizes=[900])) == 1).all()


def test_what_lies_in_a_box_too_and_what_is_marked_keeps_its_color(project):
    run = run_of(20, 21, 22, sizes=[4, 4, 900])
    project.apply(mark(project, run.ids[50:51], PERSON))
    run = a_run(
        n=len(run.ids),
        indptr=np.array([0, 4, 8, 908, 909]),
        members=np.r_[0:8, 4:904, 908],
        bag_labels=run.bag_labels,
        bag_ids=run.bag_ids,
        bag_classes=run.bag_classes,
        ids=run.ids,
    )
    weight = bag_weights(project, run)
    assert weight[[0, 5, 50, 908]].tolist() == [1, 1, 1, 1]
    assert weight[20] == 0.25


def test_class_words_of_nothing_known_are_none(project):
    run = run_of(20, sizes=[4])
    assert class_words(project, run, 0, np.zeros(5, np.int64)) == ""


def test_a_run_without_witnesses_is_colored_by_its_votes_until_somebody_chooses(project):
    run = run_of(20, sizes=[4])
    run = a_run(
        n=5,
        indptr=run.indptr,
        members=run.members,
        bag_labels=run.bag_labels,
        bag_ids=run.bag_ids,
        bag_classes=run.bag_classes,
        point_scores={"score": np.linspace(0, 1, 5, dtype=np.float32)},
    )
    assert style_points(project, run, "witness", "dark").note.startswith("Score")


# --- colors that tell places


def several_clips():
    """Two clips of two frames; patches of 24 and 48 px."""
    sides = np.array([24, 24, 48, 48], np.float32)
    return a_run(
        n=4,
        source=np.array([10, 10, 11, 11]),
        frame=np.array([3, 7, 0, 9], np.int32),
        box=np.column_stack([np.zeros((4, 2)), sides, sides]).astype(np.float32),
        indptr=np.array([0, 4]),
        members=np.arange(4),
        bag_classes=np.array([PERSON]),
    )


def test_frames_are_colored_in_their_order_over_the_clips(project):
    style = style_points(project, several_clips(), "frame", "dark")
    assert len(np.unique(style.rgb, axis=0)) == 4
    assert style.scale.ends == ("first clip", "last clip")
    assert style.note == "Frames of one clip after the other"


def test_frames_of_one_clip_say_their_numbers(project):
    run = a_run(n=2, frame=np.array([3, 1200], np.int32))
    assert style_points(project, run, "frame", "dark").scale.ends == ("4", "1\N{THIN SPACE}201")


def test_patches_are_colored_by_their_size(project):
    legend = style_points(project, several_clips(), "patch", "dark").legend
    assert [(entry.title, entry.count) for entry in legend] == [("24 px", 2), ("48 px", 2)]
