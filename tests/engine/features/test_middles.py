"""Medians of rows."""

import numpy as np
import pytest

from emberscope.features.middles import (
    LANES,
    medians,
    medians_and_mads,
    sizes,
    spans,
    squares_around,
    taking_turns,
)


@pytest.mark.parametrize("width", [1, 2, 7, 64])
def test_they_are_those_of_numpy_to_the_bit(width):
    values = np.random.default_rng(width).normal(0, 3, (20, width)).astype(np.float32)
    np.testing.assert_array_equal(medians(values), np.median(values, axis=1))


@pytest.mark.parametrize("width", [1, 7, 64])
def test_mads_are_medians_of_distances_and_leave_the_values_as_they_are(width):
    values = np.random.default_rng(width).normal(0, 3, (20, width)).astype(np.float32)
    before, middle = values.copy(), np.median(values, axis=1)
    median, mad = medians_and_mads(values, np.empty_like(values))
    np.testing.assert_array_equal(median, middle)
    np.testing.assert_array_equal(mad, np.median(np.abs(values - middle[:, None]), axis=1))
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("count", [1, 31, 100])
def test_sums_in_lanes_are_those_of_numpy(count):
    values, lanes = np.random.default_rng(count).normal(0, 3, count), np.empty((3, LANES))
    assert spans(values, lanes) == pytest.approx((values.sum(), values.max(), values.min()))
    assert sizes(values, lanes) == pytest.approx(np.abs(values).sum())
    assert squares_around(values, 1.0, lanes) == pytest.approx(((values - 1) ** 2).sum())


def test_neighbors_take_turns_between_cells():
    order = taking_turns(10, 4)
    assert sorted(order.tolist()) == list(range(10))
    cells = order * 4 // 10
    assert (cells[1:] != cells[:-1]).all()
