"""One concept moved: gradient against differences, and never uphill."""

import numpy as np
import pytest

from emberscope.datasets.planted_concepts import disk_concepts
from emberscope.mil.concepts.descent import descend, weighted_loss
from emberscope.mil.concepts.model import StandardBags


@pytest.fixture(scope="module")
def bags():
    found = disk_concepts(seed=1)
    return StandardBags.of(found.X, found.bags)


def value_and_slope(bags, c, theta, weight):
    slope = np.empty(2 * len(c))
    return weighted_loss(bags.Z, bags.indptr, bags.positive, weight, c, theta, False, slope), slope


@pytest.mark.parametrize("scale", [1.0, 30.0, 3000.0])
def test_the_gradient_is_that_of_central_differences(bags, scale):
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(bags.positive))
    at = np.append(bags.Z[0] + 0.05, np.log([scale, 2 * scale]))
    slope = value_and_slope(bags, at[:2], at[2:], weight)[1]
    for j in range(4):
        step = np.zeros(4)
        step[j] = 1e-6
        high, low = (value_and_slope(bags, x[:2], x[2:], weight)[0] for x in (at + step, at - step))
        assert slope[j] == pytest.approx(
            (high - low) / 2e-6, rel=1e-5, abs=1e-6 * np.abs(slope).max()
        )


def test_a_concept_on_an_instance_has_a_finite_gradient(bags):
    value, slope = value_and_slope(
        bags, bags.Z[-1].copy(), np.log([1.0, 1.0]), np.ones(len(bags.positive))
    )
    assert np.isfinite(value)
    assert np.isfinite(slope).all()


def test_every_step_goes_downhill(bags):
    weight, c, theta, step = np.ones(len(bags.positive)), bags.Z[3].copy(), np.log([2.0, 2.0]), 1e-3
    values = [value_and_slope(bags, c, theta, weight)[0]]
    for _ in range(20):
        c, theta, step = descend(
            bags.Z, bags.indptr, bags.positive, weight, c, theta, step, 1, False
        )
        values.append(value_and_slope(bags, c, theta, weight)[0])
    assert (np.diff(values) <= 0).all()
    assert values[-1] < values[0]
