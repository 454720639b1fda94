"""Rows of numbers that are there already."""

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.course.of_points import fitted, plan_of_points
from emberscope.embedding.linear.lda import LDA


def test_a_method_is_fitted_to_rows_as_it_is_by_itself():
    y = np.repeat([-1, 1], 10)
    X = np.random.default_rng(0).normal(size=(20, 3)) + y[:, None]
    found = fitted(plan_of_points("lda", {"n_components": "1"}), X, y=y)
    np.testing.assert_array_equal(found.embedding_, LDA(n_components=1).fit(X, y).embedding_)


def test_settings_of_a_metric_need_one():
    with pytest.raises(ParamError, match="nothing is no metric"):
        plan_of_points("pca", {"metric.n_neighbors": "3"})
