"""Trees, laid out to be gone down together."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from emberscope.mil.rules.grown import Grown


@pytest.mark.parametrize("scores", [1, 3])
@pytest.mark.parametrize("rows", [0, 1, 700])
def test_they_say_what_those_of_scikit_learn_say_to_the_bit(scores, rows):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 6)).astype(np.float32), rng.random((300, scores))
    forest = ExtraTreesRegressor(20, random_state=0).fit(X, y[:, 0] if scores == 1 else y)
    Q = np.concatenate([X, rng.normal(size=(400, 6)).astype(np.float32)])[:rows]
    expected = forest.predict(Q) if rows else np.empty((0, scores) if scores > 1 else 0)
    np.testing.assert_array_equal(Grown(forest)(Q), expected)
