"""Labels become bags: the rules of the help page, one by one and as properties."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emberscope.bags.make import make_bags
from emberscope.bags.recipe import BagRecipe
from emberscope.base.errors import ParamError
from emberscope.base.ids import bag_id
from emberscope.labels.geometry import area, centers, distance_to_boxes, intersection
from emberscope.labels.model import (
    BACKGROUND,
    BETWEEN,
    DEFAULT_CLASSES,
    UNKNOWN,
    Box,
    FrameLabel,
    Ignore,
    Scribble,
    Spot,
    TargetClass,
)
from emberscope.labels.relax import background_boxes, relax
from emberscope.project.model.operations import PutLabels, from_record, to_record
from emberscope.project.model.project import Project

CLASSES = {c.id: c for c in (*DEFAULT_CLASSES, TargetClass(id=3, name="Van", role=1, slot=3))}
SIZES = {1: (10, 96, 128), 2: (5, 96, 128)}
GRID = BagRecipe()  # patches of 32 px every 16 px
CHIP = BagRecipe(level="chip")
EVERYWHERE = 5 * 7  # patches of a whole frame


def make(*labels, recipe=GRID, **more):
    return make_bags(labels, CLASSES, SIZES, recipe, **more)


def box(key, *corners, **more):
    x0, y0, x1, y1 = corners
    return Box(id=key, source=1, frame=more.pop("frame", 0), x0=x0, y0=y0, x1=x1, y1=y1, **more)


def spot(key, x, y, **more):
    return Spot(id=key, source=1, frame=0, x=x, y=y, **more)


def frame(key, says, **more):
    return FrameLabel(id=key, source=1, frame=more.pop("frame", 0), says=says, **more)


def supports(made, k=0):
    return made.instances.box[made.bags.of(k)].tolist()


# ---- one label
# --------------------------------------------------------------------------------------------------


def test_a_box_is_one_positive_bag_of_the_patches_with_their_center_inside():
    made = make(box(7, 10, 10, 48, 40))
    assert supports(made) == [[0, 0, 32, 32], [16, 0, 48, 32], [0, 16, 32, 48], [16, 16, 48, 48]]
    assert (made.bags.labels.tolist(), made.bags.ids.tolist(), made.bags.classes.tolist()) == (
        [1],
        [bag_id(7)],
        [1],
    )


def test_at_chip_level_a_box_is_one_instance_itself():
    assert supports(make(box(7, 10.5, 10, 50, 40), recipe=CHIP)) == [[10.5, 10, 50, 40]]


def test_a_box_smaller_than_the_grid_still_has_the_patch_about_its_center():
    assert supports(make(box(7, 50, 50, 58, 60))) == [[38, 39, 70, 71]]


def test_a_spot_is_one_bag_and_without_uncertainty_one_instance():
    assert len(supports(make(spot(7, 40, 40, rho=5)))) == 4
    assert len(supports(make(spot(7, 40, 40, rho=0)))) == 1


def test_a_certain_scribble_is_a_bag_of_its_own_per_touched_patch():
    made = make(Scribble(id=7, source=1, frame=0, points=((1, 1), (40, 1))))
    assert made.bags.sizes.tolist() == [1, 1, 1]
    assert made.bags.ids.tolist() == [bag_id(7, k) for k in range(3)]
    assert made.certain.all()


def test_an_imprecise_scribble_is_one_bag():
    made = make(Scribble(id=7, source=1, frame=0, points=((1, 1), (40, 1)), certain=False, rho=10))
    assert made.bags.sizes.tolist() == [4]
    assert not made.certain.any()


def test_contains_is_one_positive_bag_of_the_whole_frame_at_either_level():
    for recipe in (GRID, CHIP):
        made = make(frame(7, "contains"), recipe=recipe)
        assert (made.bags.labels.tolist(), made.bags.sizes.tolist()) == ([1], [EVERYWHERE])


def test_empty_is_a_negative_bag_of_class_background_whatever_class_was_active():
    made = make(frame(7, "empty", class_id=3))
    assert (made.bags.labels.tolist(), made.bags.classes.tolist()) == ([-1], [BACKGROUND])
    assert (made.y == -1).all()


def test_complete_makes_no_bag_unless_background_is_asked_for():
    assert len(make(frame(7, "complete")).bags) == 0


def test_a_label_of_background_makes_a_negative_bag_of_patches_wholly_inside():
    made = make(box(7, 10, 10, 70, 60, class_id=BACKGROUND))
    assert made.bags.labels.tolist() == [-1]
    assert supports(made) == [[16, 16, 48, 48], [32, 16, 64, 48]]


def test_a_small_background_box_has_the_patch_a_small_target_box_has():
    ground, target = make(box(7, 37, 36, 43, 44, class_id=BACKGROUND)), make(box(7, 37, 36, 43, 44))
    assert supports(ground) == supports(target) == [[24, 24, 56, 56]]


def test_a_small_background_box_whose_patch_would_reach_a_target_is_its_own_instance():
    made = make(box(7, 40, 40, 50, 48, class_id=BACKGROUND), box(8, 55, 40, 65, 48))
    assert supports(made, made.bags.labels.tolist().index(-1)) == [[40, 40, 50, 48]]


def test_patches_sampled_between_labels_share_bags_of_the_size_of_positive_ones():
    target = box(1, 0, 0, 48, 48)
    between = [
        box(2 + k, 32 * k, 64, 32 * k + 32, 96, class_id=BACKGROUND, origin=BETWEEN)
        for k in range(4)
    ]  # fmt: skip
    made = make(target, *between)
    assert made.bags.labels.tolist() == [1, -1]
    assert made.bags.sizes.tolist() == [4, 4]
    assert len(make(target, *between, recipe=CHIP).bags) == 5


def test_a_background_spot_vouches_for_its_nearest_patch_only():
    assert len(supports(make(spot(7, 40, 40, rho=20, class_id=BACKGROUND)))) == 1


@pytest.mark.parametrize("class_id", [UNKNOWN, 99])
def test_a_label_without_a_known_class_makes_an_unlabeled_bag(class_id):
    made = make(box(7, 10, 10, 50, 40, class_id=class_id))
    assert made.bags.labels.tolist() == [0]
    assert not made.y.any()


def test_what_no_label_reaches_is_in_no_bag():
    made = make(box(7, 0, 0, 20, 20))
    assert len(made.instances) == 1


def test_no_labels_make_no_bags():
    made = make()
    assert (len(made.instances), len(made.bags), made.notes) == (0, 0, [])


def test_a_label_outside_its_frame_is_left_out_and_said():
    made = make(box(7, 200, 10, 220, 30), spot(8, 40, 40))
    assert len(made.bags) == 1
    assert made.notes == ["Outside the frame, so without a bag: 1 label (7)."]


def test_labels_of_a_source_or_frame_that_is_gone_are_left_out_and_said():
    gone = [box(7, 0, 0, 20, 20, frame=10), Spot(id=8, source=9, frame=0, x=1, y=1)]
    made = make(*gone)
    assert len(made.bags) == 0
    assert made.notes == ["Source or frame is not there: 2 labels (7, 8)."]


# ---- several labels ------------------------------------------------------------------------------


def test_overlapping_labels_share_instances():
    made = make(box(7, 0, 0, 60, 60), box(8, 30, 0, 90, 60))
    shared = set(made.bags.of(0)) & set(made.bags.of(1))
    assert len(shared) == 6
    assert len(made.instances) == made.bags.sizes.sum() - len(shared)
    assert len(set(made.instances.ids)) == len(made.instances)


def test_the_same_place_on_another_frame_or_source_is_another_instance():
    here = box(7, 0, 0, 60, 60)
    there = Box(id=9, source=2, frame=0, x0=0, y0=0, x1=60, y1=60)
    made = make(here, box(8, 0, 0, 60, 60, frame=1), there)
    assert len(made.instances) == made.bags.sizes.sum()


def test_an_instance_in_a_positive_and_a_negative_bag_is_negative_and_a_conflict():
    made = make(box(7, 0, 0, 60, 60), box(8, 0, 0, 48, 48, class_id=BACKGROUND))
    both = set(made.bags.of(0)) & set(made.bags.of(1))
    assert set(made.conflicts) == both
    assert (made.y[made.conflicts] == -1).all()
    assert made.notes == [
        f"{len(both)} instances lie in positive and negative bags; they count as negative."
    ]


def test_ignored_regions_take_out_instances_by_their_center():
    made = make(box(7, 0, 0, 60, 60), Ignore(id=8, source=1, frame=0, x0=0, y0=0, x1=20, y1=96))
    assert made.instances.box[:, 0].min() == 16
    assert made.bags.sizes.tolist() == [6]


def test_an_ignored_frame_has_no_bags():
    made = make(box(7, 0, 0, 60, 60), frame(9, "complete"), Ignore(id=8, source=1, frame=0),
                recipe=BagRecipe(background=3))  # fmt: skip
    assert len(made.bags) == 0
    assert made.notes == ["Wholly ignored, so without a bag: 1 label (7)."]


# ---- marks ---------------------------------------------------------------------------------------


def test_marks_override_bags_and_settle_conflicts():
    labels = [box(7, 0, 0, 60, 60), box(8, 0, 0, 48, 48, class_id=BACKGROUND)]
    plain = make(*labels)
    conflict, other = plain.instances.ids[plain.conflicts[0]], plain.instances.ids[-1]
    made = make(*labels, marks={int(conflict): 1, int(other): BACKGROUND})
    row = made.instances.rows_of([conflict])[0]
    assert made.y[row] == 1
    assert made.y[made.instances.rows_of([other])] == -1
    assert row not in made.conflicts
    assert made.certain[row]


def test_a_mark_of_class_0_takes_the_instance_out():
    plain = make(box(7, 0, 0, 60, 60))
    made = make(box(7, 0, 0, 60, 60), marks={int(plain.instances.ids[0]): 0})
    assert set(plain.instances.ids) - set(made.instances.ids) == {plain.instances.ids[0]}


def test_a_bag_whose_last_instance_is_taken_out_is_gone():
    labels = [spot(7, 20, 20, rho=0), spot(8, 90, 60, rho=0)]
    plain = make(*labels)
    made = make(*labels, marks={int(plain.instances.ids[0]): 0})
    assert made.bags.ids.tolist() == [bag_id(8)]


def test_marks_of_instances_no_label_reaches_change_nothing():
    assert (
        make(box(7, 0, 0, 60, 60), marks={123: 1}).y.tolist()
        == make(box(7, 0, 0, 60, 60)).y.tolist()
    )


# ---- background of complete frames ---------------------------------------------------------------


@pytest.mark.parametrize("level", ["chip", "instance"])
def test_background_of_a_complete_frame_avoids_labels_cores_and_guard(level):
    target = box(7, 40, 30, 70, 60, looseness=1, core=(60, 50, 90, 64))
    made = make(
        target,
        frame(9, "complete"),
        recipe=BagRecipe(level=level, patch=16, stride=8, background=20, guard=3),
    )
    negative = np.flatnonzero(made.bags.labels < 0)
    boxes = np.concatenate([supports(made, k) for k in negative])
    assert len(boxes) == 20
    assert intersection(boxes, [[37, 27, 73, 63], [57, 47, 93, 67]]).max() == 0
    assert made.bags.ids[negative].tolist() == [bag_id(9, k) for k in range(20)]
    assert (made.bags.sizes[negative] == 1).all()


def test_background_chips_have_the_size_of_the_targets():
    made = make(
        box(7, 40, 30, 70, 50), frame(9, "complete"), recipe=BagRecipe(level="chip", background=5)
    )
    assert {(x1 - x0, y1 - y0) for x0, y0, x1, y1 in made.instances.box.tolist()} == {(30, 20)}


def test_background_keeps_off_the_surroundings_of_a_spot():
    made = make(spot(7, 40, 40), frame(9, "complete"), recipe=BagRecipe(background=100))
    assert intersection(made.instances.box[made.y < 0], made.instances.box[made.y > 0]).max() == 0


@pytest.mark.parametrize("level", ["chip", "instance"])
def test_background_of_the_same_place_lies_where_targets_are_on_other_frames(level):
    recipe = BagRecipe(level=level, patch=16, stride=8, background=2, background_rule="same-place")
    made = make(
        box(7, 10, 10, 34, 34),
        box(8, 80, 50, 104, 74, frame=1),
        frame(9, "complete"),
        recipe=recipe,
    )
    middle = centers(made.instances.box[made.y < 0])
    assert len(middle) == 2
    assert distance_to_boxes(middle, [80, 50, 104, 74]).max() <= 16


def test_background_near_lies_next_to_the_targets_of_the_frame():
    recipe = BagRecipe(patch=16, stride=8, background=2, background_rule="near")
    made = make(
        box(7, 10, 10, 34, 34),
        box(8, 80, 50, 104, 74, frame=1),
        frame(9, "complete"),
        recipe=recipe,
    )
    assert distance_to_boxes(centers(made.instances.box[made.y < 0]), [10, 10, 34, 34]).max() <= 16


def test_a_frame_without_free_background_says_so():
    made = make(
        box(7, 0, 0, 128, 96), frame(9, "complete"), recipe=BagRecipe(level="chip", background=5)
    )
    assert (made.bags.labels > 0).all()
    assert made.notes == ["Less free background than asked for: 1 label (9)."]


def test_no_background_is_drawn_while_a_target_of_the_frame_has_no_place():
    made = make(frame(6, "contains"), frame(9, "complete"), recipe=BagRecipe(background=5))
    assert (made.bags.labels > 0).all()
    assert made.notes == [
        "Complete, but a target on the frame has no place, so no background: 1 label (9)."
    ]
    assert (
        -1
        in make(
            frame(6, "contains"),
            spot(7, 9, 9),
            frame(9, "complete"),
            recipe=BagRecipe(background=5),
        ).y
    )


def test_the_background_depends_on_the_seed_and_on_nothing_else():
    def sampled(seed, *more):
        made = make(frame(9, "complete"), *more, recipe=BagRecipe(background=4, seed=seed))
        return set(made.instances.ids[(made.y < 0) & (made.instances.frame == 0)])

    assert sampled(1) == sampled(1, box(7, 0, 0, 60, 60, frame=3))
    assert sampled(1) != sampled(2)


# ---- fusion --------------------------------------------------------------------------------------


def test_a_spot_in_a_relaxed_box_becomes_one_smaller_bag():
    relaxed, dot = box(7, 10, 10, 100, 80, looseness=2), spot(8, 40, 40)
    made = make(relaxed, dot)
    apart = set(make(relaxed).instances.ids) & set(make(dot).instances.ids)
    assert made.bags.ids.tolist() == [bag_id(8)]
    assert set(made.instances.ids) == apart
    assert made.notes == ["Fused with a finer label on the same object: 1 label (7)."]


def test_labels_of_different_classes_are_not_fused():
    assert len(make(box(7, 10, 10, 100, 80, looseness=2), spot(8, 40, 40, class_id=3)).bags) == 2


def test_boxes_of_the_same_kind_are_not_fused():
    assert len(make(box(7, 10, 10, 100, 80), box(8, 10, 10, 90, 80)).bags) == 2


def test_a_spot_outside_the_box_is_another_object():
    assert len(make(box(7, 10, 10, 50, 50, looseness=2), spot(8, 90, 70)).bags) == 2


def test_two_spots_in_one_relaxed_box_are_two_objects_and_the_box_goes_with_the_nearer_one():
    made = make(box(7, 10, 10, 100, 80, looseness=2), spot(8, 50, 45), spot(9, 95, 78))
    assert made.bags.ids.tolist() == [bag_id(8), bag_id(9)]
    assert made.bags.sizes[1] == len(make(spot(9, 95, 78)).instances)


def test_labels_on_one_object_without_a_common_instance_both_stay_and_are_said():
    made = make(
        box(7, 41, 41, 47, 47, looseness=1), spot(8, 44, 44)
    )  # the small box has a patch off the grid
    assert len(made.bags) == 2
    assert made.notes == [
        "Shares no instance with a finer label on the same object, both bags stay: 1 label (7)."
    ]


def test_a_certain_scribble_in_a_box_stays_whole_and_the_box_goes():
    line = Scribble(id=8, source=1, frame=0, points=((30, 40), (60, 40)))
    made = make(box(7, 10, 10, 100, 80), line)
    assert made.bags.ids.tolist() == make(line).bags.ids.tolist()
    assert made.bags.sizes.max() == 1


def test_a_frame_that_contains_a_target_is_answered_by_any_label_of_it():
    assert make(frame(6, "contains"), box(7, 10, 10, 50, 50)).bags.ids.tolist() == [bag_id(7)]
    assert len(make(frame(6, "contains", class_id=3), box(7, 10, 10, 50, 50)).bags) == 2


def test_at_chip_level_the_common_part_of_both_boxes_is_the_chip():
    made = make(box(7, 10, 10, 60, 60, looseness=1), box(8, 40, 30, 70, 60), recipe=CHIP)
    assert supports(made) == [[40, 30, 60, 60]]
    assert made.bags.ids.tolist() == [bag_id(8)]


# ---- properties that hold for all labels ---------------------------------------------------------

FRAME = (96, 128)


@st.composite
def annotated_frames(draw):
    """Valid annotations of up to three frames, and the targets that are on them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    labels, targets, key = [], {}, iter(range(10, 10_000))
    for index in range(draw(st.integers(1, 3))):
        width, height = draw(st.integers(2, 24)), draw(st.integers(2, 20))
        x, y = draw(st.integers(0, FRAME[1] - width)), draw(st.integers(0, FRAME[0] - height))
        target = (float(x), float(y), float(x + width), float(y + height))
        where = {"source": 1, "frame": index}
        if draw(st.booleans()):
            targets[index] = target
            for _ in range(draw(st.integers(1, 3))):
                labels.append(draw_label(draw, rng, target, next(key), where))
            if draw(st.booleans()):
                labels.append(FrameLabel(id=next(key), **where, says="complete"))
            for corners in background_boxes(
                draw(st.integers(0, 2)), (20, 40), target, frame_shape=FRAME, rng=rng
            ):
                labels.append(box(next(key), *corners.tolist(), frame=index, class_id=BACKGROUND))
        else:
            labels.append(
                FrameLabel(id=next(key), **where, says=draw(st.sampled_from(["empty", "complete"])))
            )
    return labels, targets


def draw_label(draw, rng, target, key, where):
    x0, y0, x1, y1 = target

    def dot():
        return float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))

    kind = draw(st.sampled_from(["tight", "relaxed", "spot", "scribble", "contains"]))
    if kind == "tight":
        return Box(id=key, **where, x0=x0, y0=y0, x1=x1, y1=y1)
    if kind == "relaxed":
        u = draw(st.integers(1, 3))
        x0, y0, x1, y1 = relax(target, u, frame_shape=FRAME, rng=rng, base=(20, 24))
        return Box(id=key, **where, x0=x0, y0=y0, x1=x1, y1=y1, looseness=u, core=target)
    if kind == "spot":
        x, y = dot()
        return Spot(id=key, **where, x=x, y=y, rho=draw(st.sampled_from([0.0, 2.0, 5.0, 12.0])))
    if kind == "scribble":
        points = tuple(dot() for _ in range(draw(st.integers(1, 4))))
        return Scribble(
            id=key, **where, points=points, certain=draw(st.booleans()), rho=draw(st.floats(0.5, 9))
        )
    return FrameLabel(id=key, **where, says="contains")


recipes = st.builds(
    BagRecipe, level=st.sampled_from(["chip", "instance"]), patch=st.just(32),
    stride=st.sampled_from([8, 16]),
    background=st.integers(0, 4), guard=st.sampled_from([0.0, 2.5]), seed=st.integers(0, 3),
)  # fmt: skip


@given(annotated_frames(), recipes)
@example(  # the target goes on to the right of what the spot's patch covers
    (
        [
            Spot(id=10, source=1, frame=0, x=58.98, y=63.58, rho=0.0),
            FrameLabel(id=11, source=1, frame=0, says="complete"),
        ],
        {0: (58.0, 62.0, 76.0, 64.0)},
    ),
    BagRecipe(level="chip", patch=32, stride=8, background=2),
)
@settings(max_examples=150, deadline=None)
def test_every_positive_bag_shows_a_target_and_no_negative_bag_does(drawn, recipe):
    labels, targets = drawn
    made = make(*labels, recipe=recipe)
    for k, sign in enumerate(made.bags.labels):
        rows = made.bags.of(k)
        target = targets.get(int(made.instances.frame[rows[0]]))
        seen = 0.0 if target is None else intersection(made.instances.box[rows], target).max()
        assert (seen > 0) == (sign > 0)


@given(annotated_frames(), recipes)
@settings(max_examples=50, deadline=None)
def test_saving_and_loading_the_labels_keeps_every_bag_and_instance(drawn, recipe):
    labels, _ = drawn
    back = from_record(to_record(PutLabels(after=labels))).after
    one, two = make(*labels, recipe=recipe), make(*back, recipe=recipe)
    assert_same(one, two)


@given(annotated_frames(), recipes, st.data())
@settings(max_examples=50, deadline=None)
def test_undo_brings_back_the_same_bags(drawn, recipe, data):
    labels, _ = drawn
    project = Project()
    project.apply(PutLabels(after=labels))
    before = make_bags(project.labels, CLASSES, SIZES, recipe)
    gone = data.draw(st.lists(st.sampled_from(labels), unique=True))
    edit = PutLabels(before=gone, after=[spot(10_001, 9, 9)])
    project.apply(edit)
    project.revert(edit)
    assert_same(before, make_bags(project.labels, CLASSES, SIZES, recipe))


def assert_same(one, two):
    for name in ("ids", "source", "frame", "box"):
        np.testing.assert_array_equal(getattr(one.instances, name), getattr(two.instances, name))
    for name in ("indptr", "members", "labels", "ids", "classes"):
        np.testing.assert_array_equal(getattr(one.bags, name), getattr(two.bags, name))
    np.testing.assert_array_equal(one.y, two.y)


@given(annotated_frames(), recipes)
@settings(max_examples=50, deadline=None)
def test_instances_are_distinct_inside_the_frame_and_each_in_a_bag(drawn, recipe):
    made = make(*drawn[0], recipe=recipe)
    boxes = made.instances.box
    assert len(set(made.instances.ids)) == len(boxes)
    assert len(set(made.bags.ids)) == len(made.bags)
    assert set(made.bags.members) == set(range(len(boxes)))
    np.testing.assert_allclose(
        intersection(boxes, [0, 0, FRAME[1], FRAME[0]])[:, 0] if len(boxes) else [], area(boxes)
    )


def test_the_room_imports_no_numerical_heavyweight():
    code = (
        "import sys; from emberscope.bags import make, folds, reduce; from emberscope.labels "
        "import weaken, jsonl; "
    )
    code += "print([m for m in ('sklearn', 'numba', 'scipy', 'skimage') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "[]"
    )


def sides(made, k=0):
    """Sides of the patches in a bag and how many it has of each."""
    found = made.instances.box[made.bags.of(k)]
    return dict(
        zip(
            *(v.tolist() for v in np.unique(found[:, 2] - found[:, 0], return_counts=True)),
            strict=True,
        )
    )


TWO = BagRecipe(patch=16, stride=8, also=(32,))


def test_a_bag_has_the_patches_of_every_size_the_further_ones_in_steps_of_half_their_side():
    made = make(box(1, 16, 16, 64, 64), recipe=TWO)
    assert sides(made) == {16: 36, 32: 9}
    middle = centers(made.instances.box)
    assert ((middle >= 16) & (middle < 64)).all()


def test_patches_of_a_background_box_lie_wholly_inside_whatever_their_size():
    made = make(box(1, 16, 16, 64, 64, class_id=BACKGROUND), recipe=TWO)
    assert sides(made) == {16: 25, 32: 4}
    assert ((made.instances.box >= 16) & (made.instances.box <= 64)).all()


def test_a_background_box_that_no_size_fits_in_has_a_patch_of_each():
    assert sides(make(box(1, 17, 17, 30, 30, class_id=BACKGROUND), recipe=TWO)) == {16: 1, 32: 1}


def test_steps_wider_than_patches_leave_gaps_and_that_is_said():
    (note,) = make(box(1, 16, 16, 64, 64), recipe=BagRecipe(patch=16, stride=24)).notes
    assert note == (
        "Steps of 24 px leave gaps between patches of 16 px, where no patch shows a target: "
        "take steps of 16 px or less."
    )
    assert make(box(1, 16, 16, 64, 64), recipe=BagRecipe(patch=16, stride=16)).notes == []


def test_patches_larger_than_the_frames_are_cut_and_said():
    (note,) = make(box(1, 16, 16, 64, 64), recipe=BagRecipe(also=(100,))).notes
    assert note.startswith(
        "Patches of 100 px do not fit into frames of 128 x 96 px and are cut to 100 x 96 px"
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"background_rule": "x"}, "background_rule is 'x'. Give one of random, same-place, near"),
        ({"level": "pixel"}, "level is 'pixel'. Give one of chip, instance"),
        ({"also": (0,)}, "a side in also is 0. Give a whole number, 1 or more"),
        ({"patch": 0}, "patch is 0. Give a whole number, 1 or more"),
        ({"stride": 1.5}, "stride is 1.5. Give a whole number, 1 or more"),
        ({"guard": -1.0}, "guard is -1.0. Give 0 px or more"),
        ({"seed": -1}, "seed is -1. Give a whole number, 0 or more"),
        ({"patch": 10**30}, "patch is 1000000000000000000000000000000. Give 2147483647 or less"),
        ({"background": 10_001}, "background is 10001. Give 10000 or less"),
        ({"also": (8,) * 65}, "also has 65 sides. Give 64 or fewer"),
    ],
)
def test_a_recipe_from_python_is_checked_as_one_from_a_file(wrong, words):
    with pytest.raises(ParamError) as caught:
        BagRecipe(**wrong)
    assert words in str(caught.value)


def test_patches_of_any_size_under_a_certain_scribble_are_bags_of_their_own():
    line = Scribble(id=1, source=1, frame=0, points=((20.0, 20.0), (22.0, 20.0)))
    made = make(line, recipe=TWO)
    assert made.bags.sizes.tolist() == [1] * (2 * 2 + 2 * 2)
    assert len(np.unique(made.bags.ids)) == 8


def test_sampled_background_has_all_sizes_in_turn():
    recipe = BagRecipe(patch=16, stride=8, also=(32,), background=5)
    made = make(box(1, 0, 0, 16, 16), frame(2, "complete"), recipe=recipe)
    assert sorted(side for k in range(1, 6) for side in sides(made, k)) == [16, 16, 16, 32, 32]


def test_sizes_that_a_small_frame_cuts_to_the_same_patch_count_once():
    assert (
        len(
            make(
                frame(1, "contains"), recipe=BagRecipe(patch=200, stride=100, also=(300, 200))
            ).instances
        )
        == 1
    )


def test_chips_have_the_size_of_their_label_and_no_further_one():
    assert (
        len(make(box(1, 16, 16, 64, 64), recipe=BagRecipe(level="chip", also=(64,))).instances) == 1
    )
