"""Kernels between bags: against sums over pairs, whatever the blocks."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.base.errors import Cancelled, TooLarge
from emberscope.base.monitor import Watch
from emberscope.mil import bag_kernels
from emberscope.mil.bag_kernels import (
    InstanceKernel,
    WeightedBags,
    own_kernel,
    row_kernel,
    set_kernel,
)

GAUSSIAN, POLYNOMIAL = InstanceKernel(0.3), InstanceKernel(0.0, 3)
# One row at a time, a few bags, all at once
BLOCKS = pytest.mark.parametrize("pairs", [1, 40, 1 << 20])
KERNELS = pytest.mark.parametrize("kernel", [GAUSSIAN, POLYNOMIAL])


def random_bags(seed, n_bags=7):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_bags)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return WeightedBags.of(rng.normal(size=(sizes.sum(), 3)), starts, rng.random(sizes.sum()))


def naive(kernel, X, Z):
    return (
        np.exp(-0.3 * cdist(X, Z, "sqeuclidean")) if kernel is GAUSSIAN else (1 + X @ Z.T / 3) ** 3
    )


def summed(kernel, a, b):
    weighted = a.weights[:, None] * naive(kernel, a.values, b.values) * b.weights
    return [
        [weighted[i:j, k:m].sum() for k, m in zip(b.starts, b.ends, strict=True)]
        for i, j in zip(a.starts, a.ends, strict=True)
    ]


@KERNELS
def test_the_kernel_of_instances_equals_its_definition(kernel):
    a, b = random_bags(0), random_bags(1)
    np.testing.assert_allclose(
        kernel(a.values, b.values, b.norms), naive(kernel, a.values, b.values), rtol=1e-12
    )
    np.testing.assert_allclose(
        kernel.of_itself(a.values), np.diag(naive(kernel, a.values, a.values))
    )


@KERNELS
@BLOCKS
def test_the_kernel_of_bags_is_the_weighted_sum_over_all_pairs(kernel, pairs, monkeypatch):
    monkeypatch.setattr(bag_kernels, "_PAIRS", pairs)
    a, b = random_bags(2), random_bags(3, 4)
    np.testing.assert_allclose(set_kernel(a, b, kernel), summed(kernel, a, b), rtol=1e-10)


@KERNELS
@BLOCKS
def test_the_kernel_of_members_and_bags_at_half_the_work_is_the_same(kernel, pairs, monkeypatch):
    monkeypatch.setattr(bag_kernels, "_PAIRS", pairs)
    a = random_bags(4)
    rows = row_kernel(a, kernel)
    np.testing.assert_allclose(
        np.add.reduceat(rows * a.weights[:, None], a.starts, axis=0),
        summed(kernel, a, a),
        rtol=1e-10,
    )
    alone = WeightedBags.of(a.values, np.arange(len(a.values)), np.ones(len(a.values)))
    np.testing.assert_allclose(rows, set_kernel(alone, a, kernel), rtol=1e-10)


@KERNELS
@BLOCKS
def test_the_kernel_of_a_bag_with_itself_is_the_diagonal(kernel, pairs, monkeypatch):
    monkeypatch.setattr(bag_kernels, "_PAIRS", pairs)
    a = random_bags(5)
    np.testing.assert_allclose(own_kernel(a, kernel), np.diag(set_kernel(a, a, kernel)), rtol=1e-10)


@KERNELS
def test_the_kernel_of_bags_has_no_negative_eigenvalue(kernel):
    a = random_bags(6, 12)
    values = np.linalg.eigvalsh(set_kernel(a, a, kernel))
    assert values[0] > -1e-10 * values[-1]


@pytest.mark.parametrize("compute", [set_kernel, row_kernel, own_kernel])
def test_kernels_can_be_stopped(compute):
    bags = [random_bags(7)] * (2 if compute is set_kernel else 1)
    with pytest.raises(Cancelled):
        compute(*bags, GAUSSIAN, monitor=Watch(stop=lambda: True))


def test_more_bags_than_memory_holds_are_refused_with_the_alternative():
    with pytest.raises(TooLarge, match="fewer, larger bags"):
        bag_kernels._check_memory(20_000, 100_000)
