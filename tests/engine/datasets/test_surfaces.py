"""The quadratic surfaces, apart and crossing."""

import numpy as np
import pytest

from emberscope.datasets.surfaces import quadratic_surfaces


@pytest.mark.parametrize(
    ("kind", "c", "w", "side"), [("separable", 10, 2, 4), ("crossing", -4, 5, 2)]
)
def test_points_lie_on_their_paraboloids(kind, c, w, side):
    X, y = quadratic_surfaces(300, kind=kind)
    squares = np.square(X[:, :2]).sum(axis=1)
    np.testing.assert_allclose(X[y > 0, 2], c + w * squares[y > 0])
    np.testing.assert_allclose(X[y < 0, 2], squares[y < 0])
    assert side * 0.9 < np.abs(X[y > 0, :2]).max() <= side
    assert 3.6 < np.abs(X[y < 0, :2]).max() <= 4


def test_noise_moves_points_a_little_and_the_seed_decides():
    clean, noisy = quadratic_surfaces(200)[0], quadratic_surfaces(200, noise=0.02)[0]
    assert 0.015 < (noisy - clean).std() < 0.025
    assert np.array_equal(noisy, quadratic_surfaces(200, noise=0.02)[0])
    assert not np.array_equal(clean, quadratic_surfaces(200, seed=1)[0])


def test_the_target_can_be_drawn_on_a_narrower_square():
    X, y = quadratic_surfaces(200, target_range=1.0)
    assert np.abs(X[y > 0, :2]).max() <= 1.0  # six other draws: 0.99 to 0.9992
