"""Rows by their scores are those of a lexical sort."""

import numpy as np
import pytest

from emberscope_app.state.best_first import best_first

VALUES = [0.5, np.nan, -1.0, np.inf, 0.5, -0.0, 0.0, -np.inf, 3e-40, np.nan, -2.5, 7.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_highest_come_first_numbers_that_are_none_last_and_ties_in_order(dtype):
    values = np.array(VALUES, dtype)
    assert best_first(values).tolist() == [3, 11, 0, 4, 8, 5, 6, 2, 10, 1, 7, 9]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("groups", [3, 100_000])
def test_groups_are_sorted_each_by_itself(dtype, groups):
    rng = np.random.default_rng(0)
    values, group = rng.integers(-5, 5, 2000).astype(dtype), rng.integers(0, groups, 2000)
    assert best_first(values, group).tolist() == np.lexsort((-values, group)).tolist()


def test_of_nothing_nothing_is_first():
    assert best_first(np.empty(0, np.float32), np.empty(0, np.int64)).tolist() == []
