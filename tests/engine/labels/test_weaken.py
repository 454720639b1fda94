"""Truth as labels: tight, relaxed, spots, frame labels, background."""

from itertools import count

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.frames.registry import open_source
from emberscope.labels.class_places import own_place
from emberscope.labels.geometry import area, as_boxes, intersection
from emberscope.labels.model import (
    BACKGROUND,
    BETWEEN,
    DEFAULT_CLASSES,
    Box,
    FrameLabel,
    Ignore,
    Spot,
)
from emberscope.labels.relax import base_size
from emberscope.labels.truth import TruthBox, read_truth
from emberscope.labels.weaken import Place, Weakening, classes_for, sample_chips, weaken

CAR = TruthBox(0, 40, 50, 60, 62, "Car")
VAN = TruthBox(0, 100, 20, 130, 40, "Van")
LATER = TruthBox(50, 42, 50, 62, 62, "Car")
HAZE = TruthBox(0, 0, 0, 10, 10, "DontCare", ignore=True)
PLACE = TruthBox(7, 80, 90, 80, 90, "Car")


def place(frame_shape=(120, 160), classes=None):
    return Place(
        source=3, frame_shape=frame_shape, classes=classes or {"Car": 1, "Van": 12}, ids=count(20)
    )


def weakened(truth, *, on=None, notes=None, **how):
    return weaken(truth, Weakening(**how), on or place(), notes=notes)


def chips_of(truth, *, on=None, n_background=10, **how):
    return sample_chips(truth, Weakening(every=50, n_background=n_background, **how), on or place())


def corners(boxes):
    return as_boxes([(box.x0, box.y0, box.x1, box.y1) for box in boxes])


def test_tight_labels_are_the_truth_with_fresh_ids():
    first, second = weakened([CAR, VAN])
    assert first == Box(
        id=20, source=3, frame=0, class_id=1, origin="imported", x0=40, y0=50, x1=60, y1=62
    )
    assert (second.id, second.class_id) == (21, 12)


def test_how_many_relaxed_boxes_hold_their_whole_target_is_said():
    small = [TruthBox(frame, 40, 40, 46, 44, "Car") for frame in range(40)]
    notes = []
    labels = weakened([CAR, *small], kind="relaxed", u=1, notes=notes)
    whole = sum(
        float(intersection(as_boxes(box), box.core)[0, 0]) == area(box.core)[0] for box in labels
    )
    assert 0 < whole < 41
    assert notes == [
        f"u = 1: boxes of 20 x 12 px, as large as the largest of the truth; {whole} of 41 hold "
        "their whole target, the others at least half of it."
    ]


def test_a_relaxed_box_is_as_large_as_the_largest_of_its_own_class():
    person = TruthBox(0, 80, 60, 84, 70, "Person")
    notes = []
    labels = weakened(
        [CAR, person], on=place(classes={"Car": 1, "Person": 12}), kind="relaxed", u=1, notes=notes
    )
    assert [(box.x1 - box.x0, box.y1 - box.y0) for box in labels] == [(20, 12), (4, 10)]
    assert notes[0].startswith(
        "u = 1: boxes as large as the largest of their class (Car 20 x 12 px, Person 4 x 10 px)"
    )


@pytest.mark.parametrize(
    ("base", "all_clips", "words"),
    [((30, 50), True, "boxes of 50 x 30 px, as asked for;"),
     ({"car": (14, 24)}, True, "as large as the largest of the truth in all clips;"),
     ({"car": (14, 24)}, False, "as large as the largest of the truth;")],
)  # fmt: skip
def test_where_the_size_of_relaxed_boxes_is_from_is_said(base, all_clips, words):
    notes = []
    weakened([CAR], kind="relaxed", u=1, base=base, all_clips=all_clips, notes=notes)
    assert words in notes[0]


def test_background_at_the_place_of_a_target_is_as_large_as_a_loose_box_of_its_class():
    truth = [TruthBox(frame, 10 + 60 * frame, 50, 30 + 60 * frame, 62, "Car") for frame in (0, 1)]
    truth += [
        TruthBox(frame, 14 + 60 * frame, 90, 18 + 60 * frame, 100, "Person") for frame in (0, 1)
    ]
    on = place(classes={"Car": 1, "Person": 12})
    labels = weakened(truth, on=on, kind="relaxed", u=1, n_background=2, rule="same-place")
    sizes = {(box.x1 - box.x0, box.y1 - box.y0) for box in labels if box.class_id == BACKGROUND}
    assert sizes == {(20, 12), (4, 10)}


def test_objects_that_become_regions_to_ignore_are_counted():
    notes = []
    weakened([CAR, HAZE], notes=notes)
    assert notes == [
        "1 object that the truth marks as difficult, or by its name as to be left out, is to be "
        "ignored: no patch is taken there."
    ]


def test_relaxed_labels_hold_half_of_their_core_and_remember_u_and_seed():
    label = weakened([CAR], kind="relaxed", u=2, seed=5)[0]
    assert label.core == CAR.box
    assert (label.y1 - label.y0, label.x1 - label.x0) == (2 * 12, 2 * 20)
    assert intersection(as_boxes(label), label.core)[0, 0] >= 0.5 * area(label.core)[0]
    assert (label.looseness, label.origin) == (1.5, "imported, relaxed u=2 seed=5")


def test_relaxed_by_nothing_is_tight():
    assert weakened([CAR], kind="relaxed", u=0) == weakened([CAR])


@pytest.mark.parametrize("wrong", [{"every": 0}, {"every": -2}, {"n_background": -1}, {"seed": -1}])
def test_counts_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParamError, match=next(iter(wrong))):
        weakened([CAR], **wrong)


def test_a_spot_lies_on_the_middle_of_its_target():
    spots = [weakened([CAR], kind="spot", seed=seed)[0] for seed in range(20)]
    assert all(45 <= spot.x <= 55 and 53 <= spot.y <= 59 for spot in spots)
    assert len({spot.x for spot in spots}) == 20


def test_a_frame_is_said_to_contain_each_class_once():
    labels = weakened([CAR, CAR, VAN, LATER], kind="frame")
    assert [(type(label), label.frame, label.class_id) for label in labels] == [
        (FrameLabel, 0, 1), (FrameLabel, 0, 12), (FrameLabel, 50, 1),
    ]  # fmt: skip


def test_regions_to_ignore_become_ignore_whatever_the_kind():
    ignore, _ = weakened([HAZE, CAR], kind="frame")
    assert ignore == Ignore(
        id=20, source=3, frame=0, class_id=0, origin="imported", x0=0, y0=0, x1=10, y1=10
    )


@pytest.mark.parametrize("kind", ["tight", "relaxed", "spot"])
def test_a_place_without_extent_is_a_spot_and_never_a_box(kind):
    assert weakened([PLACE], kind=kind, u=2, rho=4) == [
        Spot(id=20, source=3, frame=7, class_id=1, origin="imported", x=80, y=90, rho=4)
    ]


def test_the_same_seed_gives_the_same_labels_and_another_seed_others():
    one, same, other = (
        weakened([CAR, VAN, LATER], kind="relaxed", seed=seed) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_leaving_a_frame_out_changes_no_other_frame():
    both = weakened([CAR, LATER], kind="relaxed", n_background=3, base=(12, 20))
    alone = weakened([LATER], kind="relaxed", n_background=3, base=(12, 20))
    assert [as_boxes(label).tolist() for label in both[4:]] == [
        as_boxes(label).tolist() for label in alone
    ]


def test_every_takes_each_nth_frame():
    assert {label.frame for label in weakened([CAR, PLACE, LATER], every=50)} == {0, 50}


def test_background_boxes_have_the_size_of_the_chips_and_touch_no_truth():
    labels = weakened([CAR, VAN, HAZE], kind="relaxed", u=1, n_background=40)
    sampled = [label for label in labels if label.origin == "sampled"]
    boxes = np.concatenate([as_boxes(label) for label in sampled])
    assert len(sampled) == 40
    assert {label.class_id for label in sampled} == {BACKGROUND}
    assert intersection(boxes, [CAR.box, VAN.box, HAZE.box]).max() == 0
    assert {(y1 - y0, x1 - x0) for x0, y0, x1, y1 in boxes} == {
        base_size(t.box) for t in (CAR, VAN)
    }


def test_background_boxes_are_larger_by_the_margin_on_every_side():
    labels = weakened([CAR, VAN], kind="relaxed", u=1, n_background=5, margin=8, base=(40, 50))
    boxes = np.concatenate([as_boxes(label) for label in labels if label.origin == "sampled"])
    assert {(y1 - y0, x1 - x0) for x0, y0, x1, y1 in boxes} == {(56, 66)}


def test_a_frame_without_room_for_background_is_said():
    notes = []
    labels = weakened([TruthBox(0, 0, 0, 160, 110, "Car")], n_background=5, notes=notes)
    assert len(labels) == 1
    assert notes == [
        "1 frame has room beside labels for less background than asked for, the first is frame 1."
    ]


def test_complete_frames_are_marked_once():
    labels = weakened([CAR, VAN], complete=True)
    assert [label.says for label in labels if isinstance(label, FrameLabel)] == ["complete"]


def test_a_target_half_outside_the_frame_is_what_is_visible():
    label = weakened([TruthBox(0, -10, 50, 10, 60, "Car")])[0]
    assert (label.x0, label.x1) == (0, 10)
    assert weakened([TruthBox(0, 160, 50, 170, 60, "Car")]) == []


@pytest.mark.parametrize("u", [1, 2, 3])
def test_the_preset_is_ten_and_ten_chips_of_every_fiftieth_frame(u):
    truth = [TruthBox(frame, 300 + frame, 200, 340 + frame, 220, "Car") for frame in range(120)]
    chips = chips_of(truth, u=u, base=(51, 121), on=place(frame_shape=(480, 640)))
    assert {chip.frame for chip in chips} == {0, 50, 100}
    for frame in (0, 50, 100):
        here = [chip for chip in chips if chip.frame == frame]
        assert [chip.origin for chip in here].count("sampled") == 10
        assert len(here) == 20
        boxes = np.concatenate([as_boxes(chip) for chip in here])
        assert ((boxes[:, 2:] - boxes[:, :2]) == [u * 121, u * 51]).all()
        inside = intersection(boxes, truth[frame].box)[:, 0] / area(truth[frame].box)
        assert (inside[:10] >= 0.5).all()
        assert (inside[10:] == 0).all()


def test_the_preset_at_u_0_has_each_target_once():
    chips = chips_of([CAR, VAN], u=0)
    assert sorted(chip.x0 for chip in chips if chip.origin == "imported") == [40, 100]
    assert len(chips) == 12


def test_several_targets_share_the_chips_of_their_frame():
    chips = chips_of([CAR, VAN], u=1, n_background=0)
    assert sorted(chip.class_id for chip in chips) == [1] * 5 + [12] * 5


def test_names_become_classes_with_the_slots_of_their_names():
    mapping, new = classes_for(
        [CAR, TruthBox(0, 0, 0, 1, 1, "target"), TruthBox(0, 0, 0, 1, 1, "false-positive"), HAZE],
        DEFAULT_CLASSES, ids=count(30),
    )  # fmt: skip
    assert mapping == {"Car": 30, "target": 1, "false-positive": BACKGROUND}
    assert [(made.name, made.role, made.slot) for made in new] == [("Car", 1, own_place("Car"))]


@pytest.mark.parametrize("u", [0, 1, 2, 3])
def test_hit_uav_cars_at_every_looseness(shared_data, u):
    folder = shared_data / "ir" / "hit_uav" / "night_130m_30deg_09949-09977"
    with open_source(folder / "frames") as source:
        truth = read_truth(folder / "boxes_xml", source)
        shape = source.shape
    labels = weakened(truth, kind="relaxed", u=u, n_background=8, on=place(shape, {"Car": 1}))
    cars = [label for label in labels if label.class_id == 1]
    background = [label for label in labels if label.class_id == BACKGROUND]
    assert len(cars) == 232
    assert len(background) == 232
    for box in background:
        targets = [car.core or as_boxes(car)[0] for car in cars if car.frame == box.frame]
        assert intersection(as_boxes(box), targets).max() == 0


@pytest.mark.parametrize("seed", range(5))
def test_background_touches_no_loose_box_where_there_is_room(seed):
    labels = weakened([CAR], kind="relaxed", u=2, seed=seed, n_background=4)
    loose, background = labels[0], [label for label in labels if label.class_id == BACKGROUND]
    assert len(background) == 4
    assert intersection(corners(background), corners([loose])).max() == 0


def test_where_loose_boxes_leave_little_room_background_boxes_are_smaller_and_that_is_said():
    target, notes = TruthBox(0, 10, 10, 90, 70, "Car"), []
    labels = weakened(
        [target], kind="relaxed", u=1, n_background=1, notes=notes, on=place(frame_shape=(110, 100))
    )
    (loose, background) = (label for label in labels if isinstance(label, Box))
    assert background.y1 - background.y0 < loose.y1 - loose.y0
    assert intersection(corners([background]), corners([loose])).max() == 0
    assert notes[-1] == "1 frame has room beside labels for smaller background boxes only."


def test_background_between_labels_is_made_of_patches_that_say_so():
    labels = weakened(
        [CAR, VAN], kind="relaxed", u=1, n_background=1, margin=8, rule="between", base=(20, 30)
    )
    patches = [label for label in labels if label.class_id == BACKGROUND]
    assert {label.origin for label in patches} == {BETWEEN}
    assert {(label.x1 - label.x0, label.y1 - label.y0) for label in patches} == {(16, 16)}
    assert len(patches) == 6  # as would fill a box of 20 x 30 px in steps of 10 px
    assert intersection(corners(patches), corners([CAR, VAN])).max() == 0


def test_where_loose_boxes_leave_no_room_there_is_no_background_and_a_note():
    crowd = [TruthBox(0, x, 20, x + 20, 30, "Car") for x in range(0, 160, 10)]
    alone = TruthBox(1, 10, 20, 30, 30, "Car")
    notes = []
    labels = weakened(
        [*crowd, alone], kind="relaxed", u=3, n_background=2, notes=notes, on=place((34, 160))
    )
    assert [label.frame for label in labels if label.class_id == BACKGROUND] == [1, 1]
    assert (
        notes[-1]
        == "1 frame has room beside labels for less background than asked for, the first is frame "
           "1."
    )


@pytest.mark.parametrize("u", [1, 2])
def test_hit_uav_background_touches_no_relaxed_box(shared_data, u):
    run = shared_data / "ir" / "hit_uav" / "night_130m_50deg_07191-07223"
    with open_source(run / "frames") as source:
        truth = read_truth(run / "boxes_xml", source)
        classes, _ = classes_for(truth, DEFAULT_CLASSES, ids=count(20))
        labels = weakened(truth, kind="relaxed", u=u, n_background=4, margin=16,
                        on=place(frame_shape=source.shape, classes=classes))  # fmt: skip
    for frame in {label.frame for label in labels}:
        here = [label for label in labels if label.frame == frame and isinstance(label, Box)]
        ground, loose = (
            [box for box in here if (box.class_id == BACKGROUND) == it] for it in (True, False)
        )
        assert intersection(corners(ground), corners(loose)).sum() == 0
