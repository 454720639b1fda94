"""Log density of the background against plain sums."""

import numpy as np
import pytest
from scipy.special import logsumexp

from emberscope.mil.density import SIGMAS, negative_log_density, without_own


@pytest.mark.parametrize("far", [0.0, 100.0])
def test_background_without_its_own_kernel_is_the_sum_over_the_others(far):
    N = np.random.default_rng(0).normal(size=(9, 2)) + far * np.eye(9)[:, :2]
    distance2 = np.square(N[:, None] - N[None]).sum(axis=2)
    np.fill_diagonal(distance2, np.inf)
    plain = [logsumexp(-distance2 / (sigma * 2.0), axis=1) for sigma in SIGMAS]
    np.testing.assert_allclose(
        without_own(negative_log_density(N, N, 2.0), N, 2.0), plain, rtol=0.05, atol=1e-6
    )
