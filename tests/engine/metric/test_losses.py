"""Losses against finite differences, and which triplets are chosen."""

import numpy as np
import pytest

from emberscope.metric.losses import contrastive_loss, mined, triplet_loss
from emberscope.metric.network import Network


def numeric(f, Z, step=1e-6):
    """Central differences of f at Z (N, d)."""
    out = np.zeros_like(Z)
    for at in np.ndindex(Z.shape):
        up, down = Z.copy(), Z.copy()
        up[at] += step
        down[at] -= step
        out[at] = (f(up) - f(down)) / (2 * step)
    return out


@pytest.fixture
def Z():
    return np.random.default_rng(0).normal(size=(12, 3))


@pytest.mark.parametrize("power", [1, 2])
def test_the_gradient_of_the_contrastive_loss_is_that_of_finite_differences(Z, power):
    rows = np.random.default_rng(1).permutation(12).reshape(6, 2)
    same = np.arange(6) % 2 == 0

    def loss(Z):
        return contrastive_loss(Z, rows, same, margin=2.5, power=power)[0]

    np.testing.assert_allclose(
        contrastive_loss(Z, rows, same, margin=2.5, power=power)[1], numeric(loss, Z), atol=1e-8
    )


def test_the_gradient_of_the_triplet_loss_is_that_of_finite_differences(Z):
    triplets = np.random.default_rng(1).permuted(np.tile(np.arange(12), (8, 1)), axis=1)[:, :3]
    loss, gradient = triplet_loss(Z, triplets, margin=1.0)
    assert loss > 0
    np.testing.assert_allclose(
        gradient, numeric(lambda Z: triplet_loss(Z, triplets, margin=1.0)[0], Z), atol=1e-8
    )


@pytest.mark.parametrize("hidden", [(), (5,)])
def test_the_gradient_of_the_weights_is_that_of_finite_differences(Z, hidden):
    network = Network((3, *hidden, 2), len(hidden), linear=False, seed=0)
    network.restore([p.astype(float) for p in network.parameters])
    triplets = np.arange(12).reshape(4, 3)
    values, sums = network.forward(Z)
    gradients = network.backward(values, sums, triplet_loss(values[-1], triplets, margin=1.0)[1])

    def loss_with(W):
        kept, network.weights[0] = network.weights[0], W
        out = triplet_loss(network.forward(Z)[0][-1], triplets, margin=1.0)[0]
        network.weights[0] = kept
        return out

    np.testing.assert_allclose(gradients[0], numeric(loss_with, network.weights[0]), atol=1e-8)


def test_different_pairs_beyond_the_margin_cost_nothing():
    Z, pair, same = np.array([[0.0], [3.0]]), np.array([[0, 1]]), np.array([False])
    loss, gradient = contrastive_loss(Z, pair, same, margin=1, power=2)
    assert loss == 0
    assert not gradient.any()


def test_coordinates_that_coincide_have_a_finite_gradient():
    Z = np.zeros((3, 2), np.float32)
    assert np.isfinite(triplet_loss(Z, np.array([[0, 1, 2]]), margin=1)[1]).all()
    pairs, same = np.array([[0, 1], [1, 2]]), np.array([True, False])
    assert np.isfinite(contrastive_loss(Z, pairs, same, margin=1, power=1)[1]).all()


# An anchor at 0, its kind at 1 and 3; others at 0.5, 1.5 and 9.
LINE = np.array([[0.0], [1.0], [3.0], [0.5], [1.5], [9.0]])
KIND = np.array([1, 1, 1, 2, 2, 2])


def triplet_of_first(mining, **options):
    rng = np.random.default_rng(0)
    return mined(
        LINE, KIND, np.arange(6), margin=options.get("margin", 1.0), mining=mining, rng=rng
    )[0].tolist()


def test_hard_takes_the_farthest_positive_and_the_nearest_negative():
    assert triplet_of_first("hard") == [0, 2, 3]


def test_semi_hard_takes_the_nearest_negative_beyond_the_positive():
    anchor, positive, negative = triplet_of_first("semi-hard")
    assert (anchor, negative) == (0, {1: 4, 2: 5}[positive])


def test_easy_takes_any_positive_and_any_negative():
    rng = np.random.default_rng(0)
    found = np.concatenate(
        [mined(LINE, KIND, np.arange(6), margin=1.0, mining="easy", rng=rng) for _ in range(50)]
    )
    assert set(found[found[:, 0] == 0, 1]) == {1, 2}
    assert set(found[found[:, 0] == 0, 2]) == {3, 4, 5}


def test_an_instance_drawn_twice_is_not_its_own_positive():
    found = mined(
        LINE[[0, 0, 3]],
        np.array([1, 1, 2]),
        np.array([7, 7, 8]),
        margin=1.0,
        mining="hard",
        rng=np.random.default_rng(0),
    )
    assert found.shape == (0, 3)


def test_a_batch_of_one_kind_has_no_triplet():
    found = mined(
        LINE, np.ones(6, int), np.arange(6), margin=1.0, mining="easy", rng=np.random.default_rng(0)
    )
    assert found.shape == (0, 3)
