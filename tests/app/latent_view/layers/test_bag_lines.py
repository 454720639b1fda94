"""Hulls about bags."""

import numpy as np
import pytest

from emberscope_app.latent_view.layers.bag_lines import convex_hull


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
