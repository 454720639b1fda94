"""How distances to neighbors are stretched."""

import numpy as np
import pytest

from emberscope.evaluate.distortion import distortion

# A line of five, each with its neighbors at distance 1 and 2 or so.
X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
IDX = np.array([[1, 2], [0, 2], [1, 3], [2, 4], [3, 2]], np.int32)
DIST = np.abs(X[IDX][:, :, 0] - X)


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_a_scaled_picture_is_stretched_nowhere(scale):
    found = distortion(scale * X, IDX, DIST)
    np.testing.assert_allclose(found.stretch, 0, atol=1e-12)
    np.testing.assert_allclose(found.anisotropy, 0, atol=1e-12)
    assert found.scale == scale


def test_an_instance_twice_as_far_from_its_neighbors_is_stretched_by_log_two():
    away = X.copy()
    away[0] = -1.0  # 2 from its first neighbor instead of 1, 3 from the second instead of 2
    found = distortion(away, IDX, DIST)
    assert found.stretch[0] == pytest.approx((np.log(2) + np.log(1.5)) / 2)
    assert found.anisotropy[0] == pytest.approx((np.log(2) - np.log(1.5)) / 2)
    assert found.stretch[3] == 0


def test_neighbors_that_fall_together_count_as_very_near():
    together = X.copy()
    together[1] = together[0]
    found = distortion(together, IDX, DIST)
    assert np.isfinite(found.stretch).all()
    assert found.stretch[0] < -5


def test_a_collapsed_picture_has_no_stretch():
    assert np.isnan(distortion(0 * X, IDX, DIST).stretch).all()
