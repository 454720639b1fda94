import numpy as np
import pytest

from emberscope.base.monitor import Watch
from emberscope.frames import open_source
from emberscope.frames.quality import assess, count_not_finite

NOISE = np.random.default_rng(0).integers(1000, 4000, (4, 32, 40)).astype(np.uint16)


@pytest.fixture
def source(tmp_path):
    def source(frames):
        np.save(tmp_path / "a.npy", frames)
        return open_source(tmp_path / "a.npy")

    return source


def codes(source):
    return [(flag.frame, flag.code) for flag in assess(source).flags]


def test_good_frames_have_no_flag(source):
    found = assess(source(NOISE))
    assert (found.flags, found.bit_depth, found.frames) == ((), 12, (0, 1, 2, 3))


@pytest.mark.parametrize(("top", "bits"), [(0, 1), (1, 1), (255, 8), (256, 9), (16383, 14), (65535, 16)])
def test_the_bit_depth_follows_the_largest_count(source, top, bits):
    assert assess(source(np.full((1, 4, 4), top, np.uint16))).bit_depth == bits


def test_float_frames_have_no_bit_depth(source):
    assert assess(source(NOISE.astype(np.float32))).bit_depth is None


def test_a_constant_frame_is_flagged(source):
    frames = NOISE.copy()
    frames[2] = 7
    assert codes(source(frames)) == [(2, "constant")]


def test_a_repeated_frame_is_flagged(source):
    assert codes(source(NOISE[[0, 1, 1, 2]])) == [(2, "repeated")]


def test_a_saturated_frame_is_flagged(source):
    frames = NOISE.copy()
    frames[1, :4] = 4095
    assert (1, "saturated") in codes(source(frames))


@pytest.mark.parametrize("row", [0, -1])
def test_embedded_data_in_an_edge_row_is_flagged(source, row):
    frames = NOISE // 100 + np.uint16(2000)
    frames[3, row] = 9000
    assert codes(source(frames)) == [(3, "edge-line")]


def test_frames_that_are_not_finite_are_flagged(source):
    frames = NOISE.astype(np.float32)
    frames[1, 2, 3] = np.nan
    assert codes(source(frames)) == [(1, "not-finite")]


def test_only_so_many_frames_are_looked_at(source):
    assert len(assess(source(np.repeat(NOISE, 20, axis=0)), n_samples=5).frames) == 5


def test_progress_is_reported(source):
    steps = []
    assess(source(NOISE), monitor=Watch(lambda fraction, message: steps.append(fraction)))
    assert steps == [0, 0.25, 0.5, 0.75]


def test_pixels_that_are_no_numbers_are_counted():
    assert count_not_finite(np.array([[1.0, np.nan], [np.inf, 2.0]])) == 2
