"""Clip and MAD normalization."""

import numpy as np
import pytest

from emberscope.frames.normalize import normalize


def by_the_book(frame, low=0.5, high=98.0, mad_factor=1.0):
    x = np.clip(frame.astype(float), np.percentile(frame, low), np.percentile(frame, high))
    mad = np.median(np.abs(x - np.median(x)))
    return (x - np.median(x)) / (mad * mad_factor if mad else 1)


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int8, np.uint16, np.int16, np.int32, np.float32, np.float64]
)
def test_every_sample_type_gives_the_textbook_numbers(dtype):
    rng = np.random.default_rng(0)
    frame = rng.normal(60, 15, (31, 47)).astype(dtype)
    out = normalize(frame)
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, by_the_book(frame), rtol=1e-6, atol=1e-6)


def test_negative_counts_are_counts():
    frame = np.array([[-300, -200, -100, 0, 100]], np.int16)
    np.testing.assert_allclose(normalize(frame, low=0, high=100), [[-2, -1, 0, 1, 2]])


def test_outliers_end_at_the_clip_percentiles():
    frame = np.arange(1000, dtype=np.uint16).reshape(20, 50)
    frame[0, 0] = 60000
    assert normalize(frame).max() < 2.0


def test_a_constant_frame_is_zero():
    assert not normalize(np.full((4, 4), 7301, np.uint16)).any()
    assert not normalize(np.full((4, 4), 20.5)).any()


def test_mad_zero_counts_as_one():
    frame = np.zeros((10, 10), np.uint16)
    frame[0] = 5
    assert normalize(frame, low=0, high=100).max() == 5.0


def test_the_mad_factor_divides():
    frame = np.random.default_rng(1).integers(0, 4000, (20, 20)).astype(np.uint16)
    np.testing.assert_allclose(
        normalize(frame) / 1.4826, normalize(frame, mad_factor=1.4826), rtol=1e-5
    )


def test_pixels_that_are_not_finite_become_zero_and_do_not_count():
    frame = np.arange(100, dtype=np.float32).reshape(10, 10)
    spoiled = frame.copy()
    spoiled[0, :3] = np.nan, np.inf, -np.inf
    out = normalize(spoiled)
    assert not out[0, :3].any()
    np.testing.assert_allclose(
        out.ravel()[3:], by_the_book(frame.ravel()[3:]), rtol=1e-5, atol=1e-6
    )


def test_nothing_but_nan_gives_zeros():
    assert not normalize(np.full((3, 3), np.nan)).any()


@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
def test_masked_pixels_become_zero_and_do_not_count(dtype):
    frame = np.arange(100).reshape(10, 10).astype(dtype)
    mask = np.ones((10, 10), bool)
    mask[0] = False
    out = normalize(frame, mask=mask)
    assert not out[0].any()
    np.testing.assert_allclose(out[1:], by_the_book(frame[1:]), rtol=1e-5, atol=1e-6)


def test_the_frame_is_not_changed():
    frame = np.arange(12.0).reshape(3, 4)
    frame.flags.writeable = False
    normalize(frame)
