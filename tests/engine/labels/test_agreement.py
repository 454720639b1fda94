"""Where two sets of labels agree, and where they do not."""

import math

import pytest

from emberscope.labels import Box, FrameLabel, Scribble, Spot
from emberscope.labels.agreement import agreement

AT = {"source": 1, "frame": 0}


def box(key, x0, y0=0.0, side=10.0, **more):
    return Box(id=key, **{**AT, **more}, x0=x0, y0=y0, x1=x0 + side, y1=y0 + side)


def test_boxes_that_have_half_in_common_are_one_object():
    found = agreement([box(1, 0.0)], [box(2, 3.0)])
    assert (found.both, found.differences, found.share) == ({1: 1}, [], 1.0)


def test_boxes_that_have_less_in_common_are_two():
    found = agreement([box(1, 0.0)], [box(2, 4.0)])
    assert [difference.why for difference in found.differences] == [
        "only the first",
        "only the second",
    ]
    assert (found.only_a, found.only_b, found.share) == ({1: 1}, {1: 1}, 0.0)


def test_one_object_in_two_classes_is_one_difference():
    found = agreement([box(1, 0.0, class_id=1)], [box(2, 0.0, class_id=7)])
    (difference,) = found.differences
    assert (difference.why, difference.a.id, difference.b.id, found.mixed) == (
        "other class",
        1,
        2,
        {(1, 7): 1},
    )


def test_a_label_of_the_same_class_is_preferred_to_one_that_lies_nearer():
    found = agreement([box(1, 0.0, class_id=1)], [box(2, 0.0, class_id=7), box(3, 2.0, class_id=1)])
    assert (found.both, found.only_b) == ({1: 1}, {7: 1})


def test_each_label_is_of_one_object():
    found = agreement([box(1, 0.0)], [box(2, 0.0), box(3, 1.0)])
    assert (found.both, found.only_b) == ({1: 1}, {1: 1})


@pytest.mark.parametrize("loose", [
    Box(id=2, **AT, x0=-20.0, y0=-20.0, x1=30.0, y1=30.0, looseness=2.0),
    Spot(id=2, **AT, x=4.0, y=4.0, rho=2.0),
    Scribble(id=2, **AT, points=((2.0, 5.0), (8.0, 5.0))),
])  # fmt: skip
def test_a_loose_label_is_of_the_object_whose_middle_it_holds(loose):
    assert agreement([box(1, 0.0)], [loose]).both == {1: 1}
    assert agreement([loose], [box(1, 90.0)]).both == {}


def test_a_loose_box_that_knows_its_target_is_compared_by_that():
    cored = Box(
        id=2, **AT, x0=-20.0, y0=-20.0, x1=30.0, y1=30.0, looseness=2.0, core=(0.0, 0.0, 10.0, 10.0)
    )
    assert agreement([cored], [box(1, 1.0)]).both == {1: 1}
    assert agreement([cored], [box(1, 9.0)]).both == {}


def test_labels_of_other_frames_and_clips_are_other_objects():
    found = agreement([box(1, 0.0)], [box(2, 0.0, frame=1), box(3, 0.0, source=2)])
    assert [(one.source, one.frame) for one in found.differences] == [(1, 0), (1, 1), (2, 0)]


def test_words_about_whole_frames_are_no_objects():
    assert math.isnan(agreement([FrameLabel(id=1, **AT)], []).share)
