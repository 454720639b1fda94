"""Pixels as features."""

import numpy as np

from emberscope.features.pixels import pixels


def test_pixels_are_the_chip_row_by_row():
    chips = np.arange(12).reshape(2, 2, 3)
    X = pixels(chips)
    assert X.tolist() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert X.dtype == np.float32


def test_no_chips_give_no_rows():
    assert pixels(np.empty((0, 4, 5))).shape == (0, 20)
