"""The noisy-or over a bag: against its definition, far from and on a concept."""

import numpy as np
import pytest

from emberscope.mil.noisy_or import bag_loss, nearest_loss


def plain_loss(a, positive):
    """The definition, in long doubles."""
    missed = np.prod(-np.expm1(-np.asarray(a, np.longdouble)))
    return float(-np.log1p(-missed) if positive else -np.log(missed))


def loss(a, positive):
    return bag_loss(np.array(a, np.float64), positive, np.empty(len(a)))


def pull(a, positive):
    out = np.empty(len(a))
    bag_loss(np.array(a, np.float64), positive, out)
    return out


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize(
    "a", [[0.01, 3.0], [1.0, 2.0, 5.0], [11.9, 30.0], [12.1, 13.0, 30.0], [18.0] * 40]
)
def test_it_is_the_definition(a, positive):
    assert loss(a, positive) == pytest.approx(plain_loss(a, positive), rel=1e-9)


def test_many_instances_on_the_concept_do_not_underflow():
    assert loss([1e-3] * 500, positive=False) == pytest.approx(
        -500 * np.log(-np.expm1(-1e-3)), rel=1e-12
    )


def test_a_far_positive_bag_costs_its_smallest_distance():
    assert loss([900.0, 2000.0], positive=True) == pytest.approx(900.0)


def test_a_far_negative_bag_costs_nothing():
    assert loss([900.0, 2000.0], positive=False) == 0.0


def test_an_instance_of_a_negative_bag_on_the_concept_is_a_high_wall_not_an_endless_one():
    assert loss([0.0], positive=False) == pytest.approx(20.7, abs=0.1)
    assert pull([0.0], positive=False)[0] == -1e6


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0, 11.0, 13.0, 30.0])
def test_the_gradient_is_that_of_central_differences(scale, positive):
    a = scale * np.array([1.0, 1.3, 2.0, 4.0])
    step = 1e-5 * scale
    slopes = []
    for i in range(len(a)):
        there, back = a.copy(), a.copy()
        there[i] += step
        back[i] -= step
        slopes.append((loss(there, positive) - loss(back, positive)) / (2 * step))
    # Rounding of the probability that no instance is of the concept
    one = len(a) * np.finfo(np.float64).eps
    # Of a difference of two losses
    rounding = one * (np.exp(loss(a, True)) if positive else 1.0) / step
    np.testing.assert_allclose(pull(a, positive), slopes, rtol=1e-4, atol=rounding)


@pytest.mark.parametrize("a", [[900.0, 900.1], [5000.0], [0.0, 1e5]])
def test_the_gradient_is_finite_at_both_ends(a):
    assert np.isfinite(pull(a, positive=True)).all()
    assert np.isfinite(pull(a, positive=False)).all()


def test_the_most_likely_cause_alone_stands_for_its_bag():
    out = np.empty(3)
    assert nearest_loss(np.array([5.0, 2.0, 9.0]), True, out) == 2.0
    assert out.tolist() == [0.0, 1.0, 0.0]
