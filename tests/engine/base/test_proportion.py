import numpy as np
import pytest
from scipy import stats

from emberscope.base.proportion import student_quantile, wilson_interval


def test_wilson_interval_of_8_in_10():
    np.testing.assert_allclose(wilson_interval(8, 10), (0.4902, 0.9433), atol=1e-4)


def test_wilson_interval_stays_inside_0_and_1():
    assert wilson_interval(0, 5)[0] == 0.0
    assert wilson_interval(5, 5)[1] == 1.0
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7.5, 30])
@pytest.mark.parametrize("level", [0.975, 0.9995])
def test_a_quantile_of_student_is_exact_at_few_degrees_and_far_out(freedom, level):
    assert student_quantile(freedom, level) == pytest.approx(stats.t.ppf(level, freedom))
