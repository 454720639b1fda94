"""Density contours: plain numbers, no window."""

import numpy as np
import pytest

from emberscope_app.latent_view.layers.contours import contour, density


def test_the_contour_of_a_cone_is_a_circle_all_the_way_round():
    y, x = np.mgrid[:61, :61]
    pieces = contour(-np.hypot(x - 30, y - 30), -20.0)
    ends = pieces.reshape(-1, 2)
    assert np.allclose(np.hypot(*(ends - 30).T), 20, atol=0.02)
    assert np.hypot(*(pieces[:, 1] - pieces[:, 0]).T).sum() == pytest.approx(
        2 * np.pi * 20, rel=0.01
    )


@pytest.mark.parametrize("high", [0.4, 0.9])
def test_a_saddle_is_cut_by_its_mean(high):
    grid = np.array([[1.0, 0.0], [0.0, high]])
    pieces = contour(grid, 0.45)
    assert len(pieces) == (1 if high < 0.45 else 2)


def test_a_flat_field_has_no_contour():
    assert contour(np.ones((5, 5)), 0.5).shape == (0, 2, 2)


def test_the_pieces_lie_where_the_values_between_four_neighbors_reach_the_level():
    grid = np.array([[0, 1, 0, 0], [1, 4, 1, 3], [0, 1, 0, 2]])
    around = [(1, 1 / 6), (11 / 6, 1), (1, 11 / 6), (1 / 6, 1)]  # the summit, on all sides
    wanted = [*zip(around, around[1:] + around[:1]), ((3, 0.5), (2.25, 1)), ((2.25, 1), (2.75, 2))]
    found = sorted(sorted(map(tuple, piece)) for piece in contour(grid, 1.5).tolist())
    np.testing.assert_allclose(found, sorted(map(sorted, wanted)))


def test_lines_that_do_not_meet_are_not_joined():
    grid = np.array([[0, 0, 0, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 0, 0]])
    pieces = contour(grid, 0.5)
    assert len(pieces) == 8
    assert np.isfinite(pieces).all()
    assert np.hypot(*(pieces[:, 1] - pieces[:, 0]).T) == pytest.approx(np.hypot(0.5, 0.5))


def test_the_density_of_one_point_is_a_bell_around_its_cell_cut_at_the_edge():
    low, high = np.zeros(2), np.full(2, 96.0)
    grid = density(np.array([40.0]), np.array([1.0]), low=low, high=high, width=0.025)
    row, column = np.mgrid[:96, :96]
    reach, sigma = 8, 2.4  # cells: three sigma and one more
    whole = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2).sum() ** 2
    near = (abs(row - 1) <= reach) & (abs(column - 40) <= reach)
    bell = np.exp(-0.5 * ((row - 1) ** 2 + (column - 40) ** 2) / sigma**2) * near
    assert np.allclose(grid, bell / whole)
