"""relax(u) and background boxes keep their promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emberscope.base.errors import DataError
from emberscope.labels.geometry import area, intersection
from emberscope.labels.relax import (
    BASE,
    background_boxes,
    base_size,
    chip_size,
    free_places,
    looseness_of,
    relax,
)

FRAME = (480, 640)


def canonical(rng):
    """A target of 20 - 51 rows and 30 - 121 cols somewhere in the frame."""
    height, width = rng.integers(20, 52), rng.integers(30, 122)
    x, y = rng.integers(0, FRAME[1] - width + 1), rng.integers(0, FRAME[0] - height + 1)
    return np.array([x, y, x + width, y + height], float)


def test_ten_thousand_draws_keep_half_of_the_target_stay_in_the_frame_and_thin_out_with_u():
    rng = np.random.default_rng(0)
    boxes = np.array([canonical(rng) for _ in range(2500)])
    fractions = []
    for u in range(4):
        chips = np.array([relax(box, u, frame_shape=FRAME, rng=rng) for box in boxes])
        overlap = np.array(
            [intersection(chip, box)[0, 0] for chip, box in zip(chips, boxes, strict=True)]
        )
        assert (overlap >= 0.5 * area(boxes)).all()
        assert (chips[:, :2] >= 0).all()
        assert (chips[:, 2:] <= [FRAME[1], FRAME[0]]).all()
        fractions.append((overlap / area(chips)).mean())
    assert fractions[0] == 1
    assert np.all(np.diff(fractions) < 0)


def test_ten_thousand_background_boxes_touch_no_target_and_stay_in_the_frame():
    rng = np.random.default_rng(1)
    for _ in range(100):
        targets = np.array([canonical(rng) for _ in range(2)])
        boxes = background_boxes(100, BASE, targets, frame_shape=FRAME, rng=rng)
        assert len(boxes) == 100
        assert intersection(boxes, targets).max() == 0
        assert boxes.min() >= 0
        assert (boxes[:, 2:] <= [FRAME[1], FRAME[0]]).all()


def test_u_0_is_the_canonical_box_itself():
    assert relax([3.5, 4, 20, 30], 0, frame_shape=FRAME, rng=np.random.default_rng(0)) == (
        3.5,
        4,
        20,
        30,
    )


def test_the_sides_grow_with_u():
    x0, y0, x1, y1 = relax([300, 200, 340, 220], 2, frame_shape=FRAME, rng=np.random.default_rng(0))
    assert (y1 - y0, x1 - x0) == (102, 242)


def test_shifts_reach_half_of_the_target_on_either_side():
    rng = np.random.default_rng(0)
    left = np.array(
        [relax([300, 200, 340, 220], 1, frame_shape=FRAME, rng=rng)[0] for _ in range(3000)]
    )
    assert left.min() <= 300 - 121 + 22  # the chip may end 20 px into the target ...
    assert left.max() >= 318             # ... or begin 20 px into it


def test_a_chip_larger_than_the_frame_is_cut_to_it():
    assert relax([10, 10, 40, 30], 3, frame_shape=(100, 160), rng=np.random.default_rng(0)) == (
        0,
        0,
        160,
        100,
    )


def test_the_same_seed_gives_the_same_chip():
    one, two = (
        relax([300, 200, 340, 220], 1, frame_shape=FRAME, rng=np.random.default_rng(7))
        for _ in range(2)
    )
    assert one == two


@given(
    st.floats(0, 98),
    st.floats(0, 98),
    st.floats(0.5, 60),
    st.floats(0.5, 60),
    st.integers(1, 3),
    st.integers(0, 9),
)
@settings(max_examples=300)
def test_half_of_any_visible_target_is_inside_when_the_base_is_the_largest_box(
    x, y, width, height, u, seed
):
    box = (x, y, min(x + width, 100), min(y + height, 100))
    chip = relax(
        box, u, frame_shape=(100, 100), rng=np.random.default_rng(seed), base=base_size(box)
    )
    assert intersection(chip, box)[0, 0] >= 0.5 * area(box)[0] * (1 - 1e-9)
    assert min(chip) >= 0
    assert max(chip) <= 100


def test_a_target_outside_the_frame_is_refused():
    with pytest.raises(DataError, match="outside the frame of 480 x 640 px"):
        relax([700, 10, 720, 30], 1, frame_shape=FRAME, rng=np.random.default_rng(0))


def test_a_base_too_small_for_half_of_the_target_is_refused():
    with pytest.raises(DataError, match=r"a chip of 51 x 121 px cannot hold half"):
        relax([100, 100, 400, 300], 1, frame_shape=FRAME, rng=np.random.default_rng(0))


def test_a_negative_u_is_refused():
    with pytest.raises(DataError, match="u is -1"):
        relax([1, 1, 9, 9], -1, frame_shape=FRAME, rng=np.random.default_rng(0))


def test_the_base_of_a_set_is_its_largest_rows_and_cols():
    assert base_size([[0, 0, 30.2, 10], [0, 0, 5, 20]]) == (20, 31)
    with pytest.raises(DataError, match="no boxes"):
        base_size([])


def test_the_background_of_canonical_boxes_has_their_own_size():
    assert chip_size([0, 0, 30.2, 10], 0) == (10, 31)
    assert chip_size([0, 0, 30.2, 10], 2) == (102, 242)


def test_free_places_are_exactly_those_without_overlap():
    target = [4.5, 3, 8, 6.2]
    free = free_places((3, 2), target, frame_shape=(12, 14), guard=0.5)
    y, x = np.mgrid[:10, :13]
    chips = np.stack([x, y, x + 2, y + 3], axis=-1).reshape(-1, 4)
    grown = np.array(target) + np.array([-0.5, -0.5, 0.5, 0.5])
    assert (free.ravel() == (intersection(chips, grown)[:, 0] == 0)).all()


def test_a_guard_keeps_background_away_from_the_target():
    boxes = background_boxes(
        500, (5, 5), [20, 20, 30, 30], frame_shape=(60, 60), rng=np.random.default_rng(0), guard=7
    )
    assert intersection(boxes, [13, 13, 37, 37]).max() == 0


def test_a_full_frame_gives_no_background_instead_of_a_loop():
    rng = np.random.default_rng(0)
    assert background_boxes(10, (5, 5), [0, 0, 60, 60], frame_shape=(60, 60), rng=rng).shape == (
        0,
        4,
    )
    assert background_boxes(10, (70, 5), [], frame_shape=(60, 60), rng=rng).shape == (0, 4)


def test_fewer_places_than_asked_give_each_place_once():
    boxes = background_boxes(
        10, (5, 5), [0, 5, 6, 6], frame_shape=(6, 6), rng=np.random.default_rng(0)
    )
    assert sorted(map(tuple, boxes)) == [(0, 0, 5, 5), (1, 0, 6, 5)]


@pytest.mark.parametrize(("box", "r"),
                         [((0, 0, 20, 10), 1.5), ((0, 0, 30, 15), 3.0), ((0, 0, 99, 99), 3.0),
                                        ((5, 0, 15, 5), 0.05)])  # fmt: skip
def test_looseness_is_about_the_target_of_the_box(box, r):
    assert looseness_of(box, (0, 0, 10, 5)) == r
