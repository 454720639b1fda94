"""Repulsion through a grid equals the sum over all pairs."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emberscope.embedding.layout.interpolation import Field


def pair_by_pair(Z):
    Z = Z.astype(np.float64)
    apart = Z[:, None] - Z
    q = 1 / (1 + (apart**2).sum(axis=2))
    return (apart * (q**2)[:, :, None]).sum(axis=1), q.sum() - len(Z)


def layout(n, d, extent):
    """A few clumps and a scatter."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(-1, 1, (8, d))[rng.integers(0, 8, n)]
    Z = centers + rng.normal(size=(n, d)) * rng.choice([0.03, 0.3], (n, 1))
    return (Z * extent / np.ptp(Z)).astype(np.float32)


def by_grid(Z, field):
    force = np.empty_like(Z)
    return force, field.repel(Z, Z.min(axis=0), Z.max(axis=0), force)


@pytest.mark.parametrize("extent", [1e-4, 0.1, 0.99, 1.01, 5, 30, 150])
@pytest.mark.parametrize("d", [1, 2])
def test_the_force_is_within_a_thousandth_of_all_pairs(d, extent):
    Z = layout(1500, d, extent)
    force, total = by_grid(Z, Field())
    exact, sum_q = pair_by_pair(Z)
    assert np.linalg.norm(force - exact) < 1e-3 * np.linalg.norm(exact)
    assert total == pytest.approx(sum_q, rel=1e-4)


def test_a_long_narrow_layout_gets_a_long_narrow_grid():
    Z = layout(800, 2, 100) * np.float32([1, 0.01])
    field = Field()
    force, _ = by_grid(Z, field)
    exact, _ = pair_by_pair(Z)
    assert np.linalg.norm(force - exact) < 1e-3 * np.linalg.norm(exact)
    assert field._spectrum.shape[1] < 0.2 * field._spectrum.shape[0]


def test_a_finer_grid_is_more_exact():
    Z = layout(800, 2, 60)
    exact, _ = pair_by_pair(Z)
    coarse, fine = (np.linalg.norm(by_grid(Z, Field(spacing=h))[0] - exact) for h in (0.5, 0.25))
    assert fine < 0.1 * coarse


def test_a_far_outlier_does_not_make_the_grid_endless():
    Z = layout(200, 2, 10)
    Z[0] = 1e5
    force, total = by_grid(Z, Field())
    assert np.isfinite(force).all()
    assert np.isfinite(total)


def test_instances_on_one_point_do_not_push():
    force, total = by_grid(np.ones((50, 2), np.float32), Field())
    np.testing.assert_allclose(force, 0, atol=1e-4)
    assert total == pytest.approx(50 * 49, rel=1e-5)


def test_threads_change_nothing():
    Z = layout(5000, 2, 40)
    alone, total = by_grid(Z, Field())
    with ThreadPoolExecutor(3) as pool:
        together, same = by_grid(Z, Field(pool, 3))
    assert np.array_equal(alone, together)
    assert total == same


def test_what_is_not_a_number_stays_inside_the_memory_of_the_grid():
    Z = layout(100, 2, 10)
    low, high = Z.min(axis=0), Z.max(axis=0)
    Z[3] = np.nan
    force = np.empty_like(Z)
    Field().repel(Z, low, high, force)
    assert np.isnan(force[3]).all()
