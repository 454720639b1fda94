"""Two confidences made one."""

import numpy as np
import pytest

from emberscope.base.errors import DataError, ParamError
from emberscope.mil.classifiers.confidences.fusion import fused


def test_the_geometric_mean_is_small_where_either_is():
    np.testing.assert_allclose(fused([0.9, 0.9], [0.9, 0.0]), [0.9, 0.0])


def test_the_weighted_sum_counts_the_second_half():
    np.testing.assert_allclose(fused([1.0, -1.0], [1.0, 4.0], rule="weighted"), [1.5, 1.0])


def test_confidences_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match=r"\(2,\) and \(1,\)"):
        fused([1.0, 1.0], [1.0])
    with pytest.raises(DataError, match="below 0"):
        fused([-0.1], [1.0])
    with pytest.raises(ParamError, match="geometric, weighted"):
        fused([1.0], [1.0], rule="sum")
