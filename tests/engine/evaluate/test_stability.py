"""Where instances stand when a method is fitted again."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled, DataError
from emberscope.base.monitor import Watch
from emberscope.evaluate.stability import spread_of, stability, variations

Z = np.random.default_rng(0).normal(size=(300, 2))
TURN = np.array([[0.6, -0.8], [0.8, 0.6]])


class Moved:
    """A method whose embedding is the first two features, one instance elsewhere for every seed."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
        monitor.step(0.5)
        monitor.partial(X)
        self.embedding_ = X[:, :2] @ TURN * (self.seed + 1)
        self.embedding_[7] = np.random.default_rng(self.seed).normal(size=2) * 5 * (self.seed + 1)
        return self


def test_turned_mirrored_moved_and_scaled_pictures_are_the_same():
    found = spread_of([Z, 3 * Z @ TURN + 7, Z * [1, -1]])
    np.testing.assert_allclose(found.spread, 0, atol=1e-12)
    np.testing.assert_allclose(found.stability, 1, atol=1e-12)
    assert found.fits == 3


def test_independent_pictures_are_one_radius_apart(rng):
    found = spread_of([rng.normal(size=(2000, 2)) for _ in range(3)])
    assert found.overall == pytest.approx(1, abs=0.05)
    assert found.stability.min() == 0.0


def test_the_spread_is_the_deviation_that_was_put_in(rng):
    noisy = [Z + 0.05 * rng.normal(size=Z.shape) for _ in range(3)]
    radius = np.sqrt(np.square(Z).sum(axis=1).mean())
    assert spread_of(noisy).overall == pytest.approx(0.05 * np.sqrt(2) / radius, rel=0.1)


def test_the_instance_that_moves_is_the_least_stable(rng):
    found = stability(Moved, rng.normal(size=(100, 4)))
    assert found.stability.argmin() == 7
    assert np.median(found.stability) > 0.8  # of this draw; six others: 0.80 to 0.98


def test_a_picture_that_is_there_is_not_fitted_again(rng):
    seen = []
    X = rng.normal(size=(50, 2))
    stability(lambda number: (seen.append(number), Moved(number))[1], X, Z=X)
    assert seen == [1, 2]


def test_pictures_of_other_fits_are_not_shown_and_a_wish_to_stop_is_heard():
    shown = []
    stability(Moved, Z, monitor=Watch(on_partial=shown.append))
    assert shown == []
    with pytest.raises(Cancelled):
        stability(Moved, Z, monitor=Watch(stop=lambda: True))


@pytest.mark.parametrize("embeddings", [[Z], [Z, Z[:-1]], [Z, Z[:, :1]]])
def test_embeddings_must_correspond(embeddings):
    with pytest.raises(DataError):
        spread_of(embeddings)


def test_one_fit_cannot_be_compared():
    with pytest.raises(DataError, match="1 fits"):
        stability(Moved, Z, fits=1)


def test_seeds_are_varied_where_there_is_luck_else_the_neighbors():
    values = {"n_neighbors": 10, "random_state": 4}
    assert [
        fit["random_state"] for fit in variations(values, seed=4, reseeded=True, n_neighbors=10)
    ] == [4, 5, 6]
    assert [
        fit["n_neighbors"] for fit in variations(values, seed=4, reseeded=False, n_neighbors=10)
    ] == [10, 8, 12]
    assert variations(values, seed=4, reseeded=False, n_neighbors=None) == []
