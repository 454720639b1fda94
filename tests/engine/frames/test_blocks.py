"""Frames reduced to means of blocks."""

import numpy as np
import pytest

from emberscope.frames.blocks import block_means


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_a_block_counts_by_its_mean(dtype):
    frame = np.array([[0, 2, 10, 10], [4, 6, 10, 14]], dtype)
    assert block_means(frame, 2).tolist() == [[3.0, 11.0]]


def test_rows_and_columns_that_fill_no_block_are_left_out():
    assert block_means(np.ones((7, 11)), 3).shape == (2, 3)


def test_blocks_of_one_pixel_are_the_frame():
    frame = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(block_means(frame, 1), frame)


def test_means_are_those_of_a_reshaped_frame():
    frame = np.random.default_rng(0).integers(0, 60000, (12, 20)).astype(np.uint16)
    expected = frame.reshape(3, 4, 5, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(block_means(frame, 4), expected, rtol=1e-6)
