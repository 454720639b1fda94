"""Bags that the tests of rules and of imputation share."""

import numpy as np
import pytest

from emberscope.bags.model import Bags


@pytest.fixture(scope="module")
def clouds():
    """40 bags of 8 in 2-D, one target 5 away in each positive one."""
    rng = np.random.default_rng(0)
    y = np.full(320, -1)
    y[np.arange(20) * 8 + rng.integers(8, size=20)] = 1
    X = rng.normal(size=(320, 2))
    X[:, 0] += 5 * (y > 0)
    return X, Bags.from_column(np.repeat(np.arange(40), 8), np.where(np.arange(40) < 20, 1, -1)), y
