import numpy as np
import pytest

from emberscope.frames import open_source
from emberscope.frames.thumbnails import thumbnail


@pytest.fixture
def source(tmp_path):
    def source(frame):
        np.save(tmp_path / "a.npy", frame)
        return open_source(tmp_path / "a.npy")

    return source


def test_a_640_by_512_frame_fills_the_default_size(source):
    picture = thumbnail(source(np.zeros((512, 640), np.uint16)), 0)
    assert (picture.shape, picture.dtype) == ((52, 65), np.uint8)


def test_the_aspect_ratio_is_kept(source):
    assert thumbnail(source(np.zeros((100, 400), np.uint16)), 0, size=(40, 40)).shape == (10, 40)


def test_small_frames_are_not_enlarged(source):
    assert thumbnail(source(np.zeros((5, 7), np.uint16)), 0).shape == (5, 7)


def test_areas_are_averaged_and_stretched(source):
    frame = np.kron(np.array([[1000, 2000], [3000, 5000]]), np.ones((8, 8))).astype(np.uint16)
    frame[0, 0] += 32  # a hot pixel is averaged away
    picture = thumbnail(source(frame), 0, size=(2, 2))
    np.testing.assert_allclose(picture, [[0, 64], [128, 255]], atol=3)


def test_a_flat_frame_is_middle_gray(source):
    assert (thumbnail(source(np.full((8, 8), 900, np.uint16)), 0) == 128).all()


def test_values_that_are_not_finite_are_left_out(source):
    frame = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)
    frame[0, 0], frame[7] = np.inf, np.nan
    picture = thumbnail(source(frame), 0)
    assert (picture[6, 7], picture[7, 0]) == (255, 0)
    assert (thumbnail(source(np.full((8, 8), np.nan)), 0) == 0).all()
