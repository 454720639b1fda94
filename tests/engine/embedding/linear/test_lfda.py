"""LFDA: its sums spelled out, LDA as a special case, classes in several clusters."""

import numpy as np
import pytest

from emberscope.base.errors import MissingLabels
from emberscope.embedding.linear import linear
from emberscope.embedding.linear.generalized import class_scatters
from emberscope.embedding.linear.lda import LDA
from emberscope.embedding.linear.lfda import LFDA, local_fisher, local_scatter

X = np.random.default_rng(0).normal(size=(60, 4)) * [1, 2, 1, 0.5]
Y = np.repeat([1, -1, 2], [25, 20, 15])


def naive(X, y, w, n_neighbors=None):
    """Between and within of Sugiyama 2007 as written, divided by N."""
    n, total = len(X), w.sum()
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    between, within = np.zeros((4, 4)), np.zeros((4, 4))
    for i in range(n):
        for j in range(n):
            scale = [np.sort(distance[m, y == y[m]])[7] for m in (i, j)]
            affinity = np.exp(-(distance[i, j] ** 2) / (scale[0] * scale[1]))
            pair = w[i] * w[j] * np.outer(X[i] - X[j], X[i] - X[j]) / 2
            if y[i] == y[j]:
                own = w[y == y[i]].sum()
                within += affinity / own * pair
                between += affinity * (1 / total - 1 / own) * pair
            else:
                between += pair / total
    return between / total, within / total


def scatters(X, y, w, n_neighbors=None):
    classes = class_scatters(X, y, w)
    return local_fisher(classes, [local_scatter(X, c, n_neighbors=n_neighbors) for c in classes])


def two_clusters(rng, n=200):
    """The first class lies on both sides of the second along feature 0."""
    y = np.repeat([1, -1], n)
    data = rng.normal(size=(2 * n, 3)) * [0.3, 1, 1]
    data[:n, 0] += np.where(np.arange(n) % 2, 3, -3)
    return data, y


def test_the_local_covariances_are_the_sums_over_pairs():
    rng = np.random.default_rng(1)
    w = rng.uniform(0.2, 1, 60)
    for ours, theirs in zip(scatters(X, Y, w), naive(X, Y, w)):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_all_neighbors_of_a_class_are_all_its_pairs():
    w = np.ones(60)
    for every, knn in zip(scatters(X, Y, w), scatters(X, Y, w, n_neighbors=59)):
        np.testing.assert_allclose(every, knn, atol=1e-12)


def test_blocks_of_rows_do_not_change_the_axes(monkeypatch):
    from emberscope.embedding.linear import lfda

    whole = LFDA().fit(X, Y).components_
    monkeypatch.setattr(lfda, "_PAIRS", 100)
    monkeypatch.setattr(linear, "BLOCK", 100)
    np.testing.assert_allclose(LFDA().fit(X, Y).components_, whole)


@pytest.mark.parametrize("shrinkage", [None, 0.2])
def test_with_equal_affinities_of_all_pairs_it_is_lda(shrinkage):
    local = LFDA(kernel="binary", neighborhood="all", shrinkage=shrinkage).fit(X, Y)
    plain = LDA(shrinkage=shrinkage).fit(X, Y)
    np.testing.assert_allclose(local.components_, plain.components_)
    np.testing.assert_allclose(local.eigenvalues_, plain.eigenvalues_)


def test_a_class_on_both_sides_of_the_other_is_separated_where_lda_sees_nothing():
    data, y = two_clusters(np.random.default_rng(1))
    axis = LFDA(n_components=1).fit(data, y).components_[:, 0]
    blind = LDA(n_components=1).fit(data, y).components_[:, 0]
    assert abs(axis[0]) / np.linalg.norm(axis) > 0.99
    assert abs(blind[0]) / np.linalg.norm(blind) < 0.9


def test_weight_two_equals_a_doubled_row():
    y = np.where(Y == 1, 1, -1)
    half = np.where(np.arange(60) < 10, 1.0, 0.5) * y
    rows = np.repeat(np.arange(60), np.where(np.arange(60) < 10, 2, 1))
    weighted, doubled = LFDA(shrinkage=0.1).fit(X, half), LFDA(shrinkage=0.1).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.components_, doubled.components_)


def test_there_may_be_more_axes_than_classes():
    est = LFDA(n_components=4).fit(X, Y)
    assert (est.eigenvalues_[:-1] >= est.eigenvalues_[1:]).all()
    assert np.linalg.matrix_rank(est.components_) == 4


def test_unknown_instances_are_mapped_but_do_not_turn_the_axes():
    more, y = np.vstack([X, [[100, -100, 100, -100]]]), np.append(Y, np.nan)
    np.testing.assert_allclose(LFDA().fit(more, y).components_, LFDA().fit(X, Y).components_)


def test_more_features_than_instances_still_separate_new_ones():
    rng = np.random.default_rng(2)
    y = np.repeat([1, -1], 30)
    data = rng.normal(size=(60, 200)) + 0.7 * y[:, None] * (np.arange(200) < 20)
    est = LFDA(n_components=1).fit(data[::2], y[::2])
    z = est.transform(data[1::2])[:, 0]
    # Six other draws: 0.97 to 1.0
    assert max(np.mean(np.sign(z) == y[1::2]), np.mean(np.sign(z) != y[1::2])) > 0.9


def test_soft_labels_without_a_second_class_are_refused():
    with pytest.raises(MissingLabels):
        LFDA().fit(X, np.full(60, 0.5))
