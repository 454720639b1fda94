"""Informed methods: a linear metric before any method, as a pipeline of scikit-learn; new instances
go the same way."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline

from emberscope.catalogue import load
from emberscope.evaluate.knn import knn_classify

IDS = ["mds", "isomap", "laplacian-eigenmaps", "lle", "mvu"]


class Metric(TransformerMixin, BaseEstimator):
    """A metric as a learner leaves it: the map W (D, D) of A = W W', here known instead of
    learned."""

    def fit(self, X, y=None):
        self.W_ = np.diag([1.0, 1.0, 0.05, 0.05])
        return self

    def transform(self, X):
        return X @ self.W_


def two_kinds(n=120, seed=0):
    """Two kinds in the first two features, a nuisance four times as wide in the other two: X (n,
    4), kind (n,)."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    X = rng.normal(size=(n, 4)) * [0.5, 0.5, 4, 4]
    X[:, 0] += 3 * kind
    return X, kind


def agreement(Z, kind):
    """Share of instances of whose 3 nearest others most are of their kind, one half held out."""
    half = len(Z) // 2
    found, _ = knn_classify(Z[:half], kind[:half], Z[half:], k=3)
    return (found == kind[half:]).mean()


@pytest.mark.parametrize("id", IDS)
def test_a_metric_before_the_method_shows_what_the_method_alone_does_not(id):
    X, kind = two_kinds()
    alone = load(id)().fit_transform(X)
    informed = make_pipeline(Metric(), load(id)()).fit_transform(X)
    assert agreement(informed, kind) > 0.9 > agreement(alone, kind) + 0.05


@pytest.mark.parametrize("id", IDS)
def test_it_is_the_method_on_mapped_features(id):
    X, _ = two_kinds()
    informed = make_pipeline(Metric(), load(id)()).fit_transform(X)
    np.testing.assert_array_equal(informed, load(id)().fit(Metric().fit_transform(X)).embedding_)


@pytest.mark.parametrize("id", IDS)
def test_new_instances_go_through_the_metric_to_their_kind(id):
    X, kind = two_kinds()
    new, their = two_kinds(seed=1)
    informed = make_pipeline(Metric(), load(id)()).fit(X)
    found, _ = knn_classify(informed.transform(X), kind, informed.transform(new), k=3)
    assert (found == their).mean() > 0.9  # six other draws: 0.99 to 1.0
