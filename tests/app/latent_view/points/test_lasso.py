"""The bitmap lasso against the winding number, point by point."""

import math

import numpy as np
import pytest

from emberscope_app.latent_view.points.lasso import along, inside, winding


def naive_winding(px, py, outline):
    """Sum of the angles under which a point sees the edges, in turns."""
    total = 0.0
    for (x0, y0), (x1, y1) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        a, b = math.atan2(y0 - py, x0 - px), math.atan2(y1 - py, x1 - px)
        total += (b - a + math.pi) % (2 * math.pi) - math.pi
    return round(total / (2 * math.pi))


def star(corners, *, seed):
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    radius = rng.uniform(30, 200, corners)
    return np.column_stack([250 + radius * np.cos(angle), 240 + radius * np.sin(angle)])


@pytest.mark.parametrize("corners", [3, 7, 40])
def test_the_exact_test_counts_turns_as_angles_do(corners):
    outline = star(corners, seed=corners)
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 500, 200), rng.uniform(0, 500, 200)
    turns = winding(x, y, outline)
    assert turns.tolist() == [naive_winding(a, b, outline) for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("corners", [3, 4, 25, 300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bitmap_says_what_the_exact_test_says(corners, dtype):
    outline = star(corners, seed=corners)
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0, 500, 20_000).astype(dtype), rng.uniform(0, 500, 20_000).astype(dtype)
    expected = winding(x.astype(float), y.astype(float), outline) != 0
    assert expected.any()
    assert np.array_equal(inside(x, y, outline), expected)


def test_points_next_to_an_edge_are_told_apart():
    outline = np.array([(10.0, 10.0), (400.0, 37.0), (220.0, 390.0)])
    t = np.linspace(0.01, 0.99, 500)
    edge = outline[0] + t[:, None] * (outline[1] - outline[0])
    normal = np.array([-(37.0 - 10.0), 400.0 - 10.0]) / np.hypot(27.0, 390.0)
    within, without = edge + 1e-6 * normal, edge - 1e-6 * normal
    assert inside(*within.T, outline).all()
    assert not inside(*without.T, outline).any()


def test_an_outline_crossing_itself_keeps_what_it_goes_round_twice():
    twice = np.concatenate([star(30, seed=4), star(30, seed=4)])
    assert inside(np.array([250.0]), np.array([240.0]), twice).all()


def test_a_sliver_thinner_than_a_cell_holds_its_points():
    outline = np.array([(0.0, 0.0), (1000.0, 500.0), (1000.0, 500.01)])
    assert inside(np.array([999.0]), np.array([499.505]), outline).all()
    assert not inside(np.array([999.0]), np.array([499.6]), outline).any()


def test_a_line_holds_nothing():
    assert not inside(np.array([1.0]), np.array([1.0]), np.array([(0.0, 0.0), (2.0, 2.0)])).any()


def test_points_that_are_nowhere_are_outside():
    outline = np.array([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)])
    assert inside(np.array([np.nan, 1.0]), np.array([1.0, 1.0]), outline).tolist() == [False, True]


def test_no_points_give_no_answers():
    assert len(inside(np.empty(0), np.empty(0), star(5, seed=0))) == 0


def test_the_brush_covers_a_capsule():
    x, y = np.array([0.0, 5.0, 12.0, 5.0, -2.1]), np.array([1.9, -2.0, 0.0, 2.1, 0.0])
    assert along(x, y, (0.0, 0.0), (10.0, 0.0), 2.0).tolist() == [True, True, True, False, False]


def test_a_brush_that_stands_still_covers_a_disc():
    assert along(
        np.array([1.0, 3.1]), np.array([0.0, 0.0]), (0.0, 0.0), (0.0, 0.0), 3.0
    ).tolist() == [True, False]
