import numpy as np

from emberscope.base.proportion import wilson_interval


def test_wilson_interval_of_8_in_10():
    np.testing.assert_allclose(wilson_interval(8, 10), (0.4902, 0.9433), atol=1e-4)


def test_wilson_interval_stays_inside_0_and_1():
    assert wilson_interval(0, 5)[0] == 0.0
    assert wilson_interval(5, 5)[1] == 1.0
    assert wilson_interval(0, 0) == (0.0, 1.0)
