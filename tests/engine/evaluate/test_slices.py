"""Slices: their areas, and which of them are weaker than the rest."""

import numpy as np

from emberscope.evaluate.scores import auc
from emberscope.evaluate.slices import Sliced

CLIPS, PER, ROWS, COLUMNS = 22, 120, 5, 6  # targets by range and aspect
WEAK = (2, 3)


def scene(seed, *, weak):
    """Targets in a grid of slices, ground without any; in one slice targets look like ground."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(CLIPS), PER)
    target = rng.random(len(group)) < 0.5
    row, column = rng.integers(ROWS, size=len(group)), rng.integers(COLUMNS, size=len(group))
    gap = np.where(weak & (row == WEAK[0]) & (column == WEAK[1]), 0.4, 1.6)
    score = rng.normal(size=len(group)) + 0.2 * rng.normal(size=CLIPS)[group] + gap * target
    return target, score, group, np.where(target, row * COLUMNS + column, -1)


def weak_slices(seed, *, weak):
    target, score, group, cell = scene(seed, weak=weak)
    cells = ROWS * COLUMNS
    return np.flatnonzero(Sliced(target, score, group).areas(cell, cells, looked=cells).weak)


def test_a_planted_weak_slice_is_found():
    found = [WEAK[0] * COLUMNS + WEAK[1] in weak_slices(seed, weak=True) for seed in range(20)]
    assert np.mean(found) >= 0.9


def test_where_none_is_weak_hardly_any_is_called_so():
    assert np.mean([len(weak_slices(seed, weak=False)) > 0 for seed in range(100, 120)]) <= 0.05


def test_ground_without_a_slice_is_compared_with_targets_of_each():
    target = np.array([True, True, False, False])
    score = np.array([3.0, 1.0, 2.0, 0.0])
    found = Sliced(target, score, np.arange(4)).areas(np.array([0, 1, -1, -1]), 2)
    assert found.area.tolist() == [1.0, 0.5]
    assert found.ground.tolist() == [2, 2]


def test_ground_of_a_slice_is_compared_with_its_own_targets_only():
    rng = np.random.default_rng(0)
    target, score, cell = (
        rng.random(200) < 0.5,
        rng.normal(size=200).round(1),
        rng.integers(3, size=200),
    )
    found = Sliced(target, score, np.arange(200)).areas(cell, 3)
    own = [auc(np.where(target[cell == k], 1, -1), score[cell == k]) for k in range(3)]
    assert np.allclose(found.area, own)


def test_a_slice_of_few_targets_says_nothing():
    target = np.array([True] * 5 + [False] * 50)
    found = Sliced(target, np.arange(55.0), np.arange(55)).areas(np.zeros(55, np.int64), 1)
    assert not found.known.any()


def test_groups_are_those_of_the_side_that_has_fewer():
    target = np.array([True, True, True, False, False, False])
    group, cell = np.array([1, 2, 2, 1, 1, 3]), np.array([0, 0, 1, 0, 0, 1])
    assert Sliced(target, np.arange(6.0), group).areas(cell, 2).groups.tolist() == [1, 1]


def test_ground_without_a_slice_lends_its_groups_to_each():
    target = np.array([True, True, False, False])
    found = Sliced(target, np.arange(4.0), np.array([1, 2, 1, 3])).areas(np.array([0, 0, 0, -1]), 1)
    assert found.groups.tolist() == [2]  # of targets 1 and 2, of ground 1 and 3


def test_intervals_for_many_slices_are_wider():
    target, score, group, cell = scene(0, weak=False)
    one, many = (Sliced(target, score, group).areas(cell, 30, looked=n) for n in (1, 100))
    assert (many.low < one.low).all()
    assert (many.high >= one.high).all()


def test_a_slice_without_targets_has_no_area():
    found = Sliced(np.array([True, False]), np.arange(2.0), np.arange(2)).areas(
        np.array([0, -1]), 2
    )
    assert np.isnan(found.area[1])
    assert (found.low[1], found.high[1]) == (0.0, 1.0)
