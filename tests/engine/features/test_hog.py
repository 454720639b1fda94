"""The HOG kernel against scikit-image and against its definition."""

import numpy as np
import pytest
from skimage.feature import hog as skimage_hog

from emberscope.features.hog import SEED, SEED_SHAPE, hog


def twin(chips, orientations=9, cell=8, block=2):
    settings = {
        "pixels_per_cell": (cell, cell),
        "cells_per_block": (block, block),
        "block_norm": "L2-Hys",
    }
    return np.array([skimage_hog(chip.astype(float), orientations, **settings) for chip in chips])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_compact_preset_is_that_of_scikit_image(dtype):
    chips = np.random.default_rng(0).normal(size=(5, 32, 32)).astype(dtype)
    X = hog(chips)
    assert X.shape == (5, 324)
    assert X.dtype == np.float32
    np.testing.assert_allclose(X, twin(chips), atol=1e-5)


def test_the_seed_preset_has_11160_numbers_and_is_that_of_scikit_image():
    orientations, cell, block = SEED
    chips = np.random.default_rng(0).normal(size=(1, *SEED_SHAPE)).astype(np.float32)
    X = hog(chips, orientations=orientations, cell=cell, block=block)
    assert X.shape == (1, 11160)
    np.testing.assert_allclose(X, twin(chips, orientations, cell, block), atol=1e-5)


@pytest.mark.parametrize(
    ("orientations", "cell", "block"), [(8, 4, 1), (6, 5, 3), (12, 8, 2), (1, 3, 1)]
)
def test_other_settings_and_sides_that_do_not_divide(orientations, cell, block):
    chips = np.random.default_rng(1).normal(size=(3, 33, 29))
    settings = {"orientations": orientations, "cell": cell, "block": block}
    np.testing.assert_allclose(hog(chips, **settings), twin(chips, **settings), atol=1e-5)


@pytest.mark.parametrize("orientations", [8, 9])
def test_gradients_on_a_bin_edge_fall_as_in_scikit_image(orientations):
    chips = np.random.default_rng(2).integers(0, 3, (20, 16, 16)).astype(float)
    np.testing.assert_allclose(
        hog(chips, orientations=orientations), twin(chips, orientations), atol=1e-5
    )


def test_a_constant_chip_is_zero():
    assert not hog(np.full((2, 32, 32), 7300.0)).any()


def test_half_a_turn_leaves_the_sum_per_orientation():
    chip = np.random.default_rng(3).normal(size=(32, 32))
    X = hog(np.array([chip, chip[::-1, ::-1]]), cell=8, block=4).reshape(2, -1, 9).sum(axis=1)
    np.testing.assert_allclose(X[0], X[1], rtol=1e-5)


def test_gain_and_offset_do_not_matter():
    chips = np.random.default_rng(4).normal(size=(2, 32, 32))
    np.testing.assert_allclose(hog(chips), hog(500 + 40 * chips), atol=1e-5)


def test_a_chip_smaller_than_a_block_has_no_features():
    assert hog(np.zeros((3, 12, 12))).shape == (3, 0)


def test_no_chips_give_no_rows():
    assert hog(np.empty((0, 32, 32), np.float32)).shape == (0, 324)
