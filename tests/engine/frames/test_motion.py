"""Whether a camera stands still, and how far it moved."""

import numpy as np
import pytest

from emberscope.frames.motion import movement, scenery, shifts, stands_still

GROUND = np.random.default_rng(0).normal(0, 30, (160, 260)).cumsum(1)


def frame(number, *, drift):
    noise = np.random.default_rng(number).normal(0, 20, (120, 160))
    return GROUND[10 : 130, 20 + drift * number : 180 + drift * number] + noise


def test_scenery_in_one_place_is_a_still_camera():
    assert stands_still(lambda number: frame(number, drift=0), range(8))


def test_scenery_that_drifts_is_a_moving_camera():
    assert not stands_still(lambda number: frame(number, drift=5), range(8))


def test_a_target_that_drives_through_does_not_make_the_camera_move():
    def read(number):
        out = frame(number, drift=0)
        out[50:60, 15 * number : 15 * number + 20] += 5000
        return out

    assert stands_still(read, range(8))


def test_frames_that_have_nothing_in_common_cannot_be_told_to_stand_still():
    assert not stands_still(
        lambda number: np.random.default_rng(number).normal(size=(120, 160)), range(8)
    )


def test_of_flat_frames_or_a_single_one_nothing_can_be_said():
    assert not stands_still(lambda number: np.zeros((120, 160), np.uint16), range(8))
    assert not stands_still(lambda number: frame(number, drift=0), [3])


@pytest.mark.parametrize(("down", "right"), [(0, 0), (3, -5), (-8, 20)])
def test_a_frame_that_was_moved_tells_by_how_much(down, right):
    rows, cols = 20, 40
    there = GROUND[rows : rows + 100, cols : cols + 160]
    here = GROUND[rows - down : rows - down + 100, cols - right : cols - right + 160]
    assert movement(scenery(there), scenery(here)).tolist() == [down, right]


def test_frames_of_two_sizes_or_without_detail_tell_nothing():
    plain, ground = scenery(np.zeros((100, 160))), scenery(GROUND[:100, :160])
    assert np.isnan(movement(plain, ground)).all()
    assert np.isnan(movement(ground, plain)).all()
    assert np.isnan(movement(ground, scenery(GROUND[:90, :160]))).all()


@pytest.mark.parametrize("shape", [(1, 640), (2, 1000), (640, 1)])
def test_a_frame_of_a_few_rows_or_columns_is_compared_too(shape):
    thin = scenery(np.random.default_rng(0).normal(size=shape))
    assert not np.nan_to_num(movement(thin, thin)).any()


def test_shifts_go_from_each_frame_to_the_next():
    found = shifts(lambda number: frame(number, drift=5), range(3))
    assert found.tolist() == [[0, -5], [0, -5]]


def test_a_camera_on_a_tripod_stands_and_one_on_a_drone_does_not(shared_data):
    from emberscope.frames.registry import open_source

    drone, tripod = "hit_uav/night_130m_30deg_09949-09977/frames", "lepton16/derived/v2_uint16.tif"
    for path, still in ((drone, False), (tripod, True)):
        with open_source(shared_data / "ir" / path) as source:
            assert stands_still(source.read, range(source.n_frames)) == still
