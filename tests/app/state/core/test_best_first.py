"""Rows by their scores are those of a lexical sort."""

import numpy as np
import pytest

from emberscope_app.state.core.best_first import best_first, best_first_among

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


@pytest.mark.parametrize("share", [1.0, 0.3, 0.0])
def test_rows_of_a_run_come_in_the_order_that_they_have_alone(share):
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(0, 1, 500), 1).astype(np.float32)
    values[::50] = np.nan
    rows = np.flatnonzero(rng.uniform(size=500) < share)
    group = rng.integers(0, 3, len(rows))
    assert (
        best_first_among(values, rows, group).tolist() == best_first(values[rows], group).tolist()
    )


def test_the_order_of_other_values_is_another_one():
    rows, group = np.arange(3), np.zeros(3, np.int64)
    assert best_first_among(np.array([1.0, 2.0, 3.0]), rows, group).tolist() == [2, 1, 0]
    assert best_first_among(np.array([3.0, 2.0, 1.0]), rows, group).tolist() == [0, 1, 2]
