"""Medians of rows."""

import numpy as np
import pytest

from emberscope.features.middles import medians


@pytest.mark.parametrize("width", [1, 2, 7, 64])
def test_they_are_those_of_numpy_to_the_bit(width):
    values = np.random.default_rng(width).normal(0, 3, (20, width)).astype(np.float32)
    np.testing.assert_array_equal(medians(values), np.median(values, axis=1))
