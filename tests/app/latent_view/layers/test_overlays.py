"""Contours, hulls, the strip of one dimension, chips without overlap: plain numpy, no window."""

import numpy as np
import pytest

from emberscope_app.latent_view.layers.chips_on_map import places_without_overlap
from emberscope_app.latent_view.layers.overlays import contour, convex_hull, density, strip_places


def test_the_contour_of_a_cone_is_a_circle_all_the_way_round():
    y, x = np.mgrid[:61, :61]
    pieces = contour(-np.hypot(x - 30, y - 30), -20.0)
    ends = pieces.reshape(-1, 2)
    assert np.allclose(np.hypot(*(ends - 30).T), 20, atol=0.02)
    assert np.hypot(*(pieces[:, 1] - pieces[:, 0]).T).sum() == pytest.approx(2 * np.pi * 20, rel=0.01)


@pytest.mark.parametrize("high", [0.4, 0.9])
def test_a_saddle_is_cut_by_its_mean(high):
    grid = np.array([[1.0, 0.0], [0.0, high]])
    pieces = contour(grid, 0.45)
    assert len(pieces) == (1 if high < 0.45 else 2)


def test_a_flat_field_has_no_contour():
    assert contour(np.ones((5, 5)), 0.5).shape == (0, 2, 2)


def test_the_density_of_one_point_is_a_bell_around_its_cell_cut_at_the_edge():
    low, high = np.zeros(2), np.full(2, 96.0)
    grid = density(np.array([40.0]), np.array([1.0]), low=low, high=high, width=0.025)
    row, column = np.mgrid[:96, :96]
    reach, sigma = 8, 2.4  # cells: three sigma and one more
    whole = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2).sum() ** 2
    near = (abs(row - 1) <= reach) & (abs(column - 40) <= reach)
    bell = np.exp(-0.5 * ((row - 1) ** 2 + (column - 40) ** 2) / sigma**2) * near
    assert np.allclose(grid, bell / whole)


def naive_hull(points):
    """Points that some straight line through them leaves alone on one side."""
    out = []
    for i, p in enumerate(points):
        angles = np.sort([np.arctan2(*(q - p)) for j, q in enumerate(points) if j != i])
        gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
        if gaps.max() > np.pi:
            out.append(tuple(p))
    return set(out)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_hull_is_that_of_the_naive_twin(seed):
    points = np.random.default_rng(seed).normal(size=(40, 2))
    assert set(map(tuple, convex_hull(points))) == naive_hull(points)


def test_the_hull_of_two_places_is_these_two():
    assert convex_hull(np.array([(1.0, 2.0), (0.0, 0.0), (1.0, 2.0)])).tolist() == [[0, 0], [1, 2]]


def test_a_point_of_a_strip_keeps_its_height_when_others_come():
    ids = np.array([17, 23, 99])
    places, group = np.zeros((3, 3), np.float32), np.array([1, 1, 2])
    fewer = strip_places(places[[0, 2]], group[[0, 2]], ids[[0, 2]])
    assert strip_places(places, group, ids)[0, 1] == fewer[0, 1]


def test_chips_never_overlap_and_the_best_is_always_there():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 400, 300), rng.uniform(0, 300, 300)
    order = rng.permutation(300)
    rows = places_without_overlap(x, y, order, 40, 400, 300)
    far = np.maximum(np.abs(x[rows, None] - x[rows]), np.abs(y[rows, None] - y[rows]))
    np.fill_diagonal(far, np.inf)
    assert rows[0] == order[0]
    assert far.min() >= 40


def test_chips_stand_side_by_side_where_they_just_fit():
    x, y = np.array([39.0, 80.0, 121.0]), np.zeros(3)
    assert places_without_overlap(x, y, np.arange(3), 40, 400, 300) == [0, 1, 2]
