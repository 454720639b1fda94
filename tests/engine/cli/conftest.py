"""A point set for the commands that take one."""


import numpy as np
import pytest


@pytest.fixture
def point_file(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([1, -1], 20)
    X = rng.normal(size=(40, 4)) + 3 * y[:, None]
    np.savez(tmp_path / "in.npz", X=X, y=y, bag=np.arange(40) // 4, bag_y=[1] * 5 + [-1] * 5)
    return tmp_path / "in.npz"
