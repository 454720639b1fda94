"""The grid of patches and what each kind of label reaches on it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberscope.bags.grid import Grid, center_inside
from emberscope.base.errors import DataError
from emberscope.labels.geometry import area, centers, intersection, points_in_box

GRID = Grid.of(100, 160, patch=32, stride=16)


def test_the_grid_starts_at_the_origin_and_reaches_the_far_edges():
    assert GRID.x.tolist() == [0, 16, 32, 48, 64, 80, 96, 112, 128]
    assert GRID.y.tolist() == [0, 16, 32, 48, 64, 68]


def test_a_frame_smaller_than_a_patch_is_one_patch():
    assert Grid.of(20, 30, patch=32, stride=16).everywhere().tolist() == [[0, 0, 30, 20]]


def test_a_patch_of_nothing_is_refused():
    with pytest.raises(DataError, match="patch 0 px and stride 16 px"):
        Grid.of(100, 100, patch=0, stride=16)


def test_a_box_takes_the_patches_with_their_center_inside():
    box = (30, 30, 70, 60)
    everywhere = GRID.everywhere()
    expected = everywhere[points_in_box(centers(everywhere), box)]
    assert GRID.in_box(box).tolist() == expected.tolist()
    assert len(expected) == 6


def test_a_box_smaller_than_the_grid_takes_the_patch_about_its_center():
    assert GRID.in_box((50, 50, 58, 60)).tolist() == [[38, 39, 70, 71]]


def test_a_thin_box_takes_a_row_of_patches():
    assert GRID.in_box((20, 50, 120, 60))[:, [1, 3]].tolist() == [[39, 71]] * 6


corner = st.floats(0, 98)
boxes = st.tuples(corner, corner, st.floats(0.5, 60), st.floats(0.5, 60)).map(
    lambda b: (b[0], b[1], min(b[0] + b[2], 160.0), min(b[1] + b[3], 100.0))
)


@given(boxes, st.integers(4, 40))
def test_the_patches_of_a_box_cover_it_where_the_stride_is_half_a_patch(box, patch):
    grid = Grid.of(100, 160, patch=patch, stride=max(patch // 2, 1))
    covered = np.zeros((100, 160), bool)
    for x0, y0, x1, y1 in grid.in_box(box).astype(int):
        covered[y0:y1, x0:x1] = True
    x0, y0, x1, y1 = (int(v) for v in (*np.ceil(box[:2]), *np.floor(box[2:])))
    assert covered[y0:y1, x0:x1].all()


@given(boxes.filter(lambda box: min(box[2] - box[0], box[3] - box[1]) >= 32))
def test_patches_within_a_box_of_at_least_a_patch_show_nothing_outside(box):
    patches = GRID.within_box(box)
    np.testing.assert_allclose(intersection(patches, box)[:, 0], area(patches))


def test_a_spot_takes_the_patches_its_disc_meets():
    spot = GRID.around_spot(40, 40, 5)
    assert sorted({x for x, *_ in spot.tolist()}) == [16, 32]
    # The disc reaches past column 32, so three columns of patches
    assert len(GRID.around_spot(36, 40, 5)) == 6


def test_a_spot_without_uncertainty_takes_the_one_nearest_patch():
    assert GRID.around_spot(40, 40, 0).tolist() == [[16, 16, 48, 48]]


def test_a_line_touches_every_patch_it_runs_through():
    assert GRID.on_line([(1, 1), (60, 1)])[:, 0].tolist() == [0, 16, 32, 48]


def test_a_wide_line_takes_the_patches_near_it():
    assert GRID.near_line([(1, 1), (60, 1)], 6)[:, :2].tolist() == [
        [0, 0],
        [16, 0],
        [32, 0],
        [48, 0],
        [64, 0],
    ]


def test_patches_along_a_line_are_those_it_runs_through_the_middle_of():
    assert GRID.along_line([(16, 16), (64, 16)])[:, 0].tolist() == [0, 16, 32, 48]


def test_a_patch_about_a_point_stays_in_the_frame():
    assert GRID.centered(159, 1).tolist() == [[128, 0, 160, 32]]


def test_a_center_on_the_far_edge_of_a_region_is_outside():
    assert center_inside(np.array([[0.0, 0, 10, 10]]), (0, 0, 5, 9)).tolist() == [False]
    assert center_inside(np.array([[0.0, 0, 10, 10]]), (5, 5, 9, 9)).tolist() == [True]


def test_a_box_between_the_steps_of_the_grid_holds_one_patch_in_its_middle():
    grid = Grid.of(100, 100, patch=20, stride=16)
    assert grid.within_box((1, 1, 30, 31)).tolist() == [[5, 6, 25, 26]]


def test_a_box_smaller_than_a_patch_gets_a_whole_patch_about_it_as_one_of_a_target_does():
    assert (
        GRID.within_box((50, 50, 58, 60)).tolist()
        == GRID.in_box((50, 50, 58, 60)).tolist()
        == [[38, 39, 70, 71]]
    )


def test_a_small_box_in_a_corner_gets_a_whole_patch_inside_the_frame():
    assert GRID.within_box((150, 0, 160, 6)).tolist() == [[128, 0, 160, 32]]


def test_a_flat_box_gets_the_patches_along_it():
    assert GRID.within_box((20, 50, 120, 60))[:, :2].tolist() == [
        [32, 39],
        [48, 39],
        [64, 39],
        [80, 39],
    ]
