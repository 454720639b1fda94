"""Patches that fit: what labels say of the sizes of targets, and what is suggested for it."""

from emberscope.bags.sizes import JudgedSide, fitting_sizes, open_sizes
from emberscope.labels.model import (
    BACKGROUND,
    DEFAULT_CLASSES,
    Box,
    FrameLabel,
    Scribble,
    Spot,
    TargetClass,
)
from emberscope.labels.table import LabelTable

CLASSES = {c.id: c for c in (*DEFAULT_CLASSES, TargetClass(id=3, name="Van", role=1, slot=3))}
FRAMES = {1: (100, 512, 640)}


def box(width, height, **more):
    return Box(id=1, source=1, frame=0, x0=100, y0=100, x1=100 + width, y1=100 + height, **more)


def sizes(*labels, frames=FRAMES):
    return fitting_sizes(LabelTable.of(labels), CLASSES, frames)


def test_a_patch_has_the_area_of_tight_boxes_and_steps_of_two_thirds():
    found = sizes(box(64, 16), box(128, 8), box(40, 24))
    assert (found.patch, found.stride, found.also) == (32, 20, ())
    assert (
        found.why == "Targets have the area of squares of 31 to 32 px: patches of 32 px, step 20."
    )


def test_the_core_of_a_relaxed_box_counts_not_its_outline():
    assert sizes(box(200, 200, looseness=2.0, core=(120, 120, 152, 152))).patch == 32


def test_a_relaxed_box_without_core_is_taken_for_as_much_larger_as_it_is_loose():
    found = sizes(box(96, 96, looseness=3.0))  # r = 3 triples the sides
    assert found.patch == 32
    assert found.why.startswith("Targets have the area of squares of about 32 px")


def test_estimates_do_not_count_where_the_class_has_tight_boxes():
    assert sizes(box(32, 32), *[box(120, 120, looseness=0.5)] * 9).patch == 32


def test_a_size_that_is_partly_estimated_is_about():
    found = sizes(box(30, 30), box(90, 90, looseness=3.0, class_id=3))
    assert found.why.startswith("Targets have the area of squares of about 30 px")


def test_spots_span_their_target_and_scribbles_run_along_one_half_as_wide():
    assert sizes(Spot(id=1, source=1, frame=0, x=50, y=50, rho=16)).patch == 32
    # 45 x 22 px
    assert sizes(Scribble(id=1, source=1, frame=0, points=((10, 10), (55, 10)))).patch == 32


def test_classes_of_sizes_that_differ_by_more_than_twice_get_patches_of_their_own():
    found = sizes(*[box(24, 24)] * 3, *[box(80, 80, class_id=3)] * 2)
    assert (found.patch, found.also) == (24, (80,))
    assert found.why.endswith("squares of 24 to 80 px: patches of 24 and 80 px, step 16.")


def test_targets_of_one_class_that_differ_by_more_than_twice_get_them_too():
    assert sizes(*[box(24, 24)] * 3, *[box(80, 80)] * 2).also == (80,)


def test_no_patch_lies_between_two_kinds_of_targets():
    assert sizes(*[box(30, 30)] * 4, *[box(80, 80, class_id=3)] * 4).patch == 32
    assert sizes(*[box(30, 30)] * 4, *[box(80, 80)] * 4).patch == 32


def test_a_rare_size_gets_none():
    assert sizes(*[box(24, 24)] * 30, box(100, 100)).also == ()


def test_sizes_stay_between_24_and_128_px_and_half_a_frame():
    assert sizes(box(3, 3)).patch == 24
    assert sizes(box(400, 300)).patch == 128
    assert (
        sizes(Spot(id=1, source=1, frame=0, x=60, y=60, rho=50), frames={1: (1, 120, 160)}).patch
        == 56
    )


def test_background_frame_labels_and_unknown_sources_say_nothing_so_the_frames_decide():
    elsewhere = Spot(id=3, source=9, frame=0, x=1, y=1)
    found = sizes(box(90, 90, class_id=BACKGROUND), FrameLabel(id=2, source=1, frame=0), elsewhere)
    assert (found.patch, found.stride) == (32, 20)
    assert (
        found.why
        == "No label says how large targets are: patches of 32 px, step 20, for frames of 512 px."
    )


def test_without_any_frame_there_is_an_answer_too():
    assert sizes(frames={}).patch == 24


def spot(rho=5.0):
    return Spot(id=1, source=1, frame=0, x=150, y=150, rho=rho)


def open_(*labels):
    return open_sizes(LabelTable.of(labels), CLASSES, FRAMES)


def test_a_target_is_larger_than_its_spot_and_smaller_than_its_loose_box():
    found = sizes(*[box(75, 75, looseness=1.0)] * 9, *[spot()] * 3)  # boxes alone suggest 48 px
    assert found.patch == 24
    assert sizes(*[box(75, 75, looseness=1.0)] * 9).patch == 48


def test_what_bags_judged_counts_instead_of_what_labels_say():
    judged = JudgedSide(1, 20, 0.97, 48, 0.9)
    found = fitting_sizes(
        LabelTable.of([box(75, 75, looseness=1.0)]), CLASSES, FRAMES, judged=[judged]
    )
    assert (found.patch, found.stride, found.also, found.judged) == (20, 12, (), (judged,))
    assert found.why == (
        "Patches of 20 px, step 12: they tell targets from the ground of held-out bags best (20 px "
        "0.97, 48 px 0.90)."
    )


def test_classes_that_bags_find_of_sizes_far_apart_get_patches_of_their_own_and_are_named():
    judged = [JudgedSide(1, 20, 0.97, 48, 0.9), JudgedSide(3, 64, 0.9, 48, 0.8)]
    labels = [*[box(75, 75, looseness=1.0)] * 3, *[box(90, 90, looseness=1.0, class_id=3)] * 2]
    found = fitting_sizes(LabelTable.of(labels), CLASSES, FRAMES, judged=judged)
    assert (found.patch, found.also) == (20, (64,))
    assert "Van 64 px 0.90, 48 px 0.80" in found.why


def test_a_class_that_has_no_label_any_more_needs_no_patch():
    found = fitting_sizes(
        LabelTable.of([box(30, 30)]), CLASSES, FRAMES, judged=[JudgedSide(3, 64, 0.9, 48, 0.8)]
    )
    assert (found.patch, found.also, found.judged) == (32, (), ())


def test_boxes_that_a_person_drew_leave_open_how_large_their_targets_are():
    (found,) = open_(box(75, 75, looseness=1.0))
    assert found.said == 48
    assert {20, 24, 32, 64} <= set(found.sides)
    assert open_(box(75, 75))  # somebody said it is tight, by drawing it with another tool


def test_cores_and_truth_leave_nothing_open_nor_do_spots_alone():
    assert (
        open_(box(75, 75, looseness=1.0, core=(120, 120, 140, 140)), box(75, 75, looseness=1.0))
        == []
    )
    assert open_(box(75, 75, origin="imported, relaxed u=0 seed=0")) == []
    assert open_(spot()) == []
