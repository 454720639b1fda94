"""Where background boxes are drawn."""

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.labels.background import RULES, Background
from emberscope.labels.geometry import centers, distance_to_boxes, intersection

SHAPE = (200, 300)
DRIVE = {frame: [(20.0 + 25 * frame, 90.0, 40.0 + 25 * frame, 105.0)] for frame in range(8)}


PAIRS = {frame: [box, (200.0, 20.0, 220.0, 35.0)] for frame, (box,) in DRIVE.items()}


def tight(target, rng):
    return target


def rule(name, targets=DRIVE, *, read=None, **settings):
    return Background(name, targets=targets, loosen=tight, frame_shape=SHAPE, read=read, **settings)


def drawn(background, frame, count=1, targets=DRIVE, seed=0):
    here = targets[frame]
    return background.draw(
        frame,
        count,
        sizes=[(15, 20)] * len(here),
        near=here,
        avoid=here,
        rng=np.random.default_rng([seed, frame]),
    )


def still(frame):
    """Ground that stays, rough in the upper half of the frame and smooth in the lower."""
    ground = np.random.default_rng(0).normal(1000, 30, SHAPE).cumsum(1)
    ground[100:] = 1000 + np.arange(SHAPE[1])
    return ground + np.random.default_rng(frame + 1).normal(0, 1, SHAPE)


def moving(frame):
    return np.roll(still(frame), 17 * frame, axis=1)


def test_same_place_takes_places_that_targets_have_on_other_frames():
    background = rule("same-place")
    boxes = np.concatenate([drawn(background, frame) for frame in DRIVE])
    places = {targets[0] for targets in DRIVE.values()}
    assert {tuple(box) for box in boxes.tolist()} == places


def test_same_place_leaves_alone_where_a_target_is_now():
    parked = {frame: [(100.0, 90.0, 120.0, 105.0)] for frame in range(8)}
    background = rule("same-place", parked)
    box = drawn(background, 3, targets=parked)
    assert len(box) == 1
    assert intersection(box, parked[3]).max() == 0
    assert background.note() == (
        "Background: 1 box at random places (1 frame); as asked, but too few targets leave a place "
        "free."
    )


def test_margin_makes_the_box_larger_and_keeps_it_in_the_frame():
    corner = {0: [(0.0, 0.0, 20.0, 15.0)], 1: [(250.0, 150.0, 270.0, 165.0)]}
    box = drawn(rule("same-place", corner, margin=8), 1, targets=corner)
    np.testing.assert_array_equal(box, [[0, 0, 36, 31]])


def test_between_takes_as_many_single_patches_as_would_fill_a_box_beside_the_targets():
    boxes = drawn(rule("between", PAIRS, patch=12), 3, 1, PAIRS)  # two rows of three, 8 px apart
    assert boxes.shape == (6, 4)
    assert (boxes[:, 2:] - boxes[:, :2] == 12).all()
    assert intersection(boxes, PAIRS[3]).max() == 0
    assert distance_to_boxes(centers(boxes), PAIRS[3]).min(axis=1).max() <= 12


def test_between_finds_room_where_a_whole_box_finds_none():
    walls = {0: [(0.0, 0.0, 140.0, 200.0), (156.0, 0.0, 300.0, 200.0)]}  # 16 px free between them
    boxes = drawn(rule("between", walls, patch=10), 0, 1, walls)
    assert len(boxes) == 12  # three by four in steps of 6 px
    assert (boxes[:, 0] >= 140).all()
    assert (boxes[:, 2] <= 156).all()


def test_near_is_next_to_a_target_and_does_not_touch_it():
    box = drawn(rule("near", guard=3), 4)[0]
    x0, y0, x1, y1 = DRIVE[4][0]
    gap = max(box[0] - x1, x0 - box[2], box[1] - y1, y0 - box[3])
    assert 3 <= gap <= 3 + 0.25 * 20


def test_matched_is_on_ground_like_that_around_the_target():
    upper = {frame: [(100.0, 40.0, 120.0, 55.0)] for frame in range(8)}
    lower = {frame: [(100.0, 140.0, 120.0, 155.0)] for frame in range(8)}
    for targets, rough in ((upper, True), (lower, False)):
        boxes = drawn(rule("matched", targets, read=still), 0, 4, targets)
        assert ((boxes[:, 3] <= 100) == rough).all()


def test_auto_goes_by_the_camera():
    standing, flying = rule("auto", read=still), rule("auto", read=moving)
    drawn(standing, 4)
    drawn(flying, 4)
    assert standing.note() == (
        "Background: 1 box at places of targets on other frames (1 frame); the camera stands still."
    )
    assert flying.note() == (
        "Background: 1 box on ground like that around targets (1 frame); the camera does not seem "
        "to stand still."
    )


def test_one_frame_does_not_tell_whether_the_camera_moves():
    alone = rule("auto", {4: DRIVE[4]}, read=still)
    drawn(alone, 4, targets={4: DRIVE[4]})
    assert alone.note().endswith("(1 frame); one frame tells nothing of the camera.")


def test_auto_draws_between_several_targets_where_the_camera_moves_and_the_patch_is_known():
    notes = []
    for targets, patch in ((PAIRS, 12), (PAIRS, 0), (DRIVE, 12)):
        background = rule("auto", targets, read=moving, patch=patch)
        drawn(background, 4, targets=targets)
        notes.append(background.note())
    assert notes[0] == (
        "Background: 6 boxes of one patch beside and between labels (1 frame); the camera does not "
        "seem to stand still, and frames hold several targets."
    )
    assert all("1 box on ground like that around targets" in note for note in notes[1:])


def test_a_frame_with_too_few_places_is_filled_up_and_that_is_said():
    two = {0: DRIVE[0], 5: DRIVE[5]}
    background = rule("auto", two, read=still)
    assert len(drawn(background, 0, 3, two)) == 3
    assert background.note() == (
        "Background: 1 box at places of targets on other frames (1 frame), 2 boxes on ground like "
        "that around targets (1 frame); the camera stands still, but too few targets leave a place "
        "free."
    )


def test_without_frames_auto_is_random_and_says_so():
    background = rule("auto")
    drawn(background, 0)
    assert (
        background.note()
        == "Background: 1 box at random places (1 frame); the frames were not looked at."
    )


def test_of_random_places_by_wish_nothing_is_said():
    background = rule("random")
    drawn(background, 0)
    assert background.note() == ""


@pytest.mark.parametrize("name", RULES)
def test_the_same_seed_draws_the_same_boxes(name):
    def boxes():
        return np.concatenate(
            [drawn(rule(name, read=still, patch=12), frame, 2) for frame in DRIVE]
        )

    one, two = boxes(), boxes()
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", RULES)
def test_no_rule_touches_a_target_or_a_place_without_extent(name):
    avoid = [(100.0, 90.0, 120.0, 105.0), (200.0, 100.0, 200.0, 100.0)]
    boxes = rule(name, read=still, patch=12).draw(
        3, 30, sizes=[(15, 20)], near=avoid[:1], avoid=avoid, rng=np.random.default_rng(0)
    )
    assert intersection(boxes, avoid[0]).max() == 0
    assert not (
        (boxes[:, 0] < 200) & (boxes[:, 2] > 200) & (boxes[:, 1] < 100) & (boxes[:, 3] > 100)
    ).any()


def test_a_rule_nobody_knows_and_one_without_its_frames_are_refused():
    with pytest.raises(ParamError, match="background rule 'nearby'"):
        rule("nearby")
    with pytest.raises(ParamError, match="needs the frames"):
        rule("matched")
    with pytest.raises(ParamError, match="needs the side of a patch"):
        rule("between")
