"""ICA: known sources unmixed, and its relation to whitened PCA."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.embedding.linear.ica import ICA, negentropy
from emberscope.embedding.linear.pca import PCA


def sources(n=2000):
    """A square wave and a saw tooth, which never repeat together."""
    t = np.linspace(0, 40, n)
    return np.column_stack([np.sign(np.sin(3 * t)), np.mod(t * 0.7, 1.0) - 0.5])


S = sources()
MIX = np.array([[1.0, 0.5], [0.6, 1.2], [-0.8, 0.3]])
X = S @ MIX.T + 5


def test_two_mixed_sources_are_unmixed():
    Z = ICA().fit(X).embedding_
    match = np.abs(np.corrcoef(Z.T, S.T)[:2, 2:])
    assert (match.max(axis=1) > 0.99).all()
    assert set(match.argmax(axis=1)) == {0, 1}


def test_it_is_whitened_pca_turned():
    est, white = ICA().fit(X), PCA(whiten=True).fit(X).embedding_
    turn = np.linalg.lstsq(white, est.embedding_, rcond=None)[0]
    np.testing.assert_allclose(white @ turn, est.embedding_, atol=1e-10)
    np.testing.assert_allclose(turn.T @ turn, np.eye(2) * 2000 / 1999, atol=1e-10)


def test_coordinates_are_uncorrelated_with_unit_variance():
    np.testing.assert_allclose(np.cov(ICA().fit(X).embedding_.T, bias=True), np.eye(2), atol=1e-10)


def test_sources_add_up_to_the_instances():
    est = ICA().fit(X)
    np.testing.assert_allclose(est.inverse_transform(est.embedding_), X, atol=1e-9)
    np.testing.assert_allclose(est.components_.T @ est.mixing_, np.eye(2), atol=1e-10)


def test_a_quiet_source_is_found_among_more_principal_components():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(2000, 3)) * [9, 8, 7]
    data = np.hstack([noise, S[:, :1]])
    z = ICA(n_components=1, n_whitened=4).fit(data).embedding_[:, 0]
    assert abs(np.corrcoef(z, S[:, 0])[0, 1]) > 0.99  # six other draws: 0.9998 to 1.0


def test_axes_come_from_the_least_gaussian_on():
    est = ICA().fit(X)
    assert est.negentropy_[0] > est.negentropy_[1]
    np.testing.assert_allclose(est.negentropy_, negentropy(est.embedding_))


def test_negentropy_of_a_gaussian_is_nearly_zero():
    normal = np.random.default_rng(1).normal(size=(200_000, 1))
    assert negentropy(normal)[0] < 1e-5


def test_gaussian_data_is_noted_where_no_direction_stands_out(monkeypatch):
    monkeypatch.setattr("emberscope.embedding.linear.ica._N_ITER", 2)
    est = ICA(n_components=3).fit(np.random.default_rng(2).normal(size=(50, 3)))
    assert "may be Gaussian" in est.notes_[0]


def test_unmixing_can_be_stopped():
    seen = []

    def stop():
        return any(message.startswith("Step") for message in seen)

    with pytest.raises(Cancelled):
        ICA().fit(X, monitor=Watch(lambda fraction, message: seen.append(message), stop=stop))


def test_flat_data_has_fewer_sources():
    est = ICA(n_components=3).fit(np.hstack([X[:, :2], X[:, :1]]))
    assert (est.embedding_[:, 2] == 0).all()
    assert "2 directions only" in est.notes_[0]
