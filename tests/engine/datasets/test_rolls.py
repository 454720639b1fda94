"""The rolled-up rectangle whose flat coordinates are known."""

import numpy as np
from scipy.spatial import cKDTree

from emberscope.datasets.rolls import flat_roll


def test_short_distances_on_the_roll_are_those_of_the_rectangle():
    X, U = flat_roll(4000)
    i, j = cKDTree(U).query_pairs(0.5, output_type="ndarray").T
    flat = np.linalg.norm(U[i] - U[j], axis=1)
    np.testing.assert_allclose(np.linalg.norm(X[i] - X[j], axis=1), flat, rtol=1e-3)


def test_points_are_uniform_along_the_arc():
    _, U = flat_roll(20_000)
    counts = np.histogram(U[:, 0], bins=10)[0]
    assert abs(counts / 2000 - 1).max() < 0.1  # six other draws: 0.02 to 0.08


def test_the_hole_is_the_empty_middle_ninth():
    X, U = flat_roll(900, hole=True)
    whole = flat_roll(2000)[1]
    low, high = whole.min(axis=0), whole.max(axis=0)
    inside = (np.abs((U - low) / (high - low) - 0.5) < 0.16).all(axis=1)
    assert X.shape == (900, 3)
    assert not inside.any()


def test_noise_leaves_the_flat_coordinates_alone():
    X, U = flat_roll(500, noise=0.1)
    X_clean, U_clean = flat_roll(500)
    assert np.array_equal(U, U_clean)
    assert abs((X - X_clean).std() - 0.1) < 0.01  # six other draws: 3.2e-4 to 2.5e-3
