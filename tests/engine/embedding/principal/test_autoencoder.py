"""The autoencoder: gradients, the linear case, what is held back."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.embedding.linear.pca import PCA
from emberscope.embedding.principal.autoencoder import Autoencoder, held_back, isometry_gradient
from emberscope.metric.network import Network


def doubled(network):
    """The network in double precision, so that finite differences mean something."""
    network.restore([p.astype(np.float64) for p in network.parameters])
    return network


@pytest.mark.parametrize("linear", [False, True])
def test_gradients_are_those_of_finite_differences(linear, rng):
    network = doubled(Network((4, 5, 2, 5, 4), 1, linear=linear, seed=0))
    X = rng.normal(size=(6, 4))

    def loss():
        return np.square(network.forward(X)[0][-1] - X).sum() + np.square(network.encode(X)).sum()

    values, sums = network.forward(X)
    found = network.backward(values, sums, 2 * (values[-1] - X), 2 * values[network.code + 1])
    for p, g in zip(network.parameters, found):
        at = np.unravel_index(np.abs(g).argmax(), g.shape)
        step = 1e-6
        p[at] += step
        high = loss()
        p[at] -= 2 * step
        low = loss()
        p[at] += step
        assert g[at] == pytest.approx((high - low) / (2 * step), rel=1e-6)


def test_the_isometry_gradient_is_that_of_finite_differences(rng):
    Z, X = rng.normal(size=(8, 2)), rng.normal(size=(8, 5))

    def loss(Z):
        z = np.linalg.norm(Z[:4] - Z[4:], axis=1)
        return 0.3 * np.square(z - np.linalg.norm(X[:4] - X[4:], axis=1)).mean()

    found = isometry_gradient(Z, X, 0.3)
    for at in [(0, 0), (6, 1)]:
        step = np.zeros_like(Z)
        step[at] = 1e-6
        assert found[at] == pytest.approx((loss(Z + step) - loss(Z - step)) / 2e-6, rel=1e-6)


def test_a_linear_network_spans_the_principal_subspace(rng):
    X = rng.normal(size=(400, 5)) @ np.diag([5, 4, 0.5, 0.3, 0.2])
    est = Autoencoder(activation="linear", noise=0.0, n_epochs=300).fit(X)
    W = np.linalg.lstsq(
        X - X.mean(axis=0), est.embedding_ - est.embedding_.mean(axis=0), rcond=None
    )[0]
    cosine = np.linalg.svd(np.linalg.qr(W)[0].T @ PCA().fit(X).components_)[1].min()
    assert np.degrees(np.arccos(min(cosine, 1.0))) < 2


def test_it_bends_where_a_plane_cannot(rng):
    t = rng.uniform(-1, 1, 500)
    X = np.column_stack([t, t**2, t**3]) * 3
    est = Autoencoder(n_components=1, noise=0.02, learning_rate=3e-3).fit(X)
    line = PCA(n_components=1).fit(X)
    plain = np.linalg.norm(X - line.inverse_transform(line.embedding_), axis=1)
    assert np.square(est.distance_).sum() < 0.2 * np.square(plain).sum()


def test_the_decoder_leads_back_to_the_features(rng):
    X = rng.normal(size=(200, 4))
    est = Autoencoder(n_epochs=5).fit(X)
    back = est.inverse_transform(est.embedding_)
    np.testing.assert_allclose(np.linalg.norm(X - back, axis=1), est.distance_, rtol=1e-4)


def test_whole_bags_are_held_back():
    bags = Bags.from_column(np.repeat(np.arange(20), 5), np.ones(20, np.int8))
    held = held_back(100, bags)
    assert held.sum() == 10
    assert set(held.reshape(20, 5).sum(axis=1)) == {0, 5}


def test_a_handful_is_not_held_back():
    assert not held_back(12).any()
