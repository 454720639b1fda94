import numpy as np

from emberscope.frames.thumbnails import thumbnail

SIZE = (65, 52)


def test_a_640_by_512_frame_fills_the_size():
    image = thumbnail(np.zeros((512, 640), np.uint16), size=SIZE)
    assert (image.shape, image.dtype) == ((52, 65), np.uint8)


def test_the_aspect_ratio_is_kept():
    assert thumbnail(np.zeros((100, 400), np.uint16), size=(40, 40)).shape == (10, 40)


def test_small_frames_are_not_enlarged():
    assert thumbnail(np.zeros((5, 7), np.uint16), size=SIZE).shape == (5, 7)


def test_areas_are_averaged_and_stretched():
    frame = np.kron(np.array([[1000, 2000], [3000, 5000]]), np.ones((8, 8))).astype(np.uint16)
    frame[0, 0] += 32  # a hot pixel is averaged away
    image = thumbnail(frame, size=(2, 2))
    np.testing.assert_allclose(image, [[0, 64], [128, 255]], atol=3)


def test_a_flat_frame_is_middle_gray():
    assert (thumbnail(np.full((8, 8), 900, np.uint16), size=SIZE) == 128).all()


def test_values_that_are_not_finite_are_left_out():
    frame = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)
    frame[0, 0], frame[7] = np.inf, np.nan
    image = thumbnail(frame, size=SIZE)
    assert (image[6, 7], image[7, 0]) == (255, 0)
    assert (thumbnail(np.full((8, 8), np.nan), size=SIZE) == 0).all()
