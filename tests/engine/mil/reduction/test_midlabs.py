"""MidLABS: its closed form against the sums of the paper, and what it becomes for bags of one."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, MissingLabels, TooLarge
from emberscope.base.monitor import Silent
from emberscope.datasets.planted import planted_bags
from emberscope.embedding.linear.lda import discriminants
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.mil.classifiers.citation_knn import CitationKNN
from emberscope.mil.reduction import midlabs
from emberscope.mil.reduction.midlabs import (
    MidLABS,
    bag_moments,
    between_scatter,
    median_distance,
    within_scatter,
)


def random_bags(seed=0, n_bags=9, largest=6):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest, n_bags)
    X = rng.normal(size=(sizes.sum(), 3)) + np.repeat(rng.normal(size=(n_bags, 3)), sizes, axis=0)
    return X, Bags.from_column(
        np.repeat(np.arange(n_bags), sizes), np.where(np.arange(n_bags) % 2, -1, 1)
    )


def naive_scatters(X, bags, eps, C, own_pairs):
    """Means of K_ij over ordered pairs of bags, halved: different label, equal label. All four sums
    as written."""
    sums, pairs = np.zeros((2, 3, 3)), np.zeros(2)
    for i in range(len(bags)):
        for j in range(len(bags)):
            if i == j and not own_pairs:
                continue
            equal = int(bags.labels[i] == bags.labels[j])
            sums[equal] += pair_scatter(X[bags.of(i)], X[bags.of(j)], eps, C)
            pairs[equal] += 1
    return sums[0] / pairs[0] / 2, sums[1] / pairs[1] / 2


def pair_scatter(A, B, eps, C):
    K = np.zeros((3, 3))
    for a in A:
        for b in B:
            K += np.outer(a - b, a - b) / (len(A) * len(B))
    for e in edges(A, eps):
        for f in edges(B, eps):
            K += C * np.outer(e - f, e - f) / (len(A) * len(B)) ** 2
    return K


def edges(A, eps):
    # Eps is the length of one pair, the median: that one is no edge, whatever the rounding
    shorter = eps * (1 - 1e-9)
    return [
        a - b
        for i, a in enumerate(A)
        for j, b in enumerate(A)
        if i != j and np.linalg.norm(a - b) < shorter
    ]


def scatters(X, bags, eps, C, own_pairs):
    both = [
        bag_moments(X, bags, np.flatnonzero(bags.labels == s), eps, watch=Silent()) for s in (1, -1)
    ]
    return between_scatter(*both, C), within_scatter(both, C, own_pairs=own_pairs)


@pytest.mark.parametrize("own_pairs", [False, True])
@pytest.mark.parametrize("C", [0.0, 1.0, 50.0])
def test_the_closed_form_equals_all_pairs_of_instances_and_edges(C, own_pairs):
    for seed in range(3):
        X, bags = random_bags(seed)
        eps = median_distance(X, bags, Silent())
        np.testing.assert_allclose(
            scatters(X, bags, eps, C, own_pairs),
            naive_scatters(X, bags, eps, C, own_pairs),
            atol=1e-12,
        )


def test_the_closed_form_does_not_depend_on_how_it_is_cut(monkeypatch):
    X, bags = random_bags(3, n_bags=20)
    whole = scatters(X, bags, 1.5, 1.0, False)
    monkeypatch.setattr(midlabs, "_BLOCK", 8)
    np.testing.assert_allclose(scatters(X, bags, 1.5, 1.0, False), whole, atol=1e-13)


def test_edges_are_shorter_than_the_median_distance_within_bags():
    X, bags = random_bags(1)
    pairs = [
        np.linalg.norm(X[a] - X[b])
        for k in range(9)
        for a in bags.of(k)
        for b in bags.of(k)
        if a < b
    ]
    assert MidLABS(standardize=False).fit(X, bags=bags).eps_ == pytest.approx(np.median(pairs))


def test_the_axes_make_the_ratio_of_the_scatters_stationary():
    X, bags = random_bags(2)
    est = MidLABS(n_components=3, standardize=False, ridge=0.0).fit(X, bags=bags)
    between, within = naive_scatters(X, bags, est.eps_, 1.0, False)
    W = est.components_
    np.testing.assert_allclose(W.T @ within @ W, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(W.T @ between @ W, np.diag(est.eigenvalues_), atol=1e-10)


@pytest.mark.parametrize("C", [0.0, 1.0])
def test_bags_of_one_with_balanced_labels_give_the_direction_of_fisher(C):
    rng = np.random.default_rng(0)
    y = np.tile([1, -1], 30)
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) + y[:, None] * [0.5, 0.0, 0.2, 0.0]
    w = (
        MidLABS(n_components=1, edge_weight=C, ridge=1e-12, standardize=False)
        .fit(X, y)
        .components_[:, 0]
    )
    fisher = discriminants(X, y)[1][:, 0]
    assert abs(w @ fisher) / np.linalg.norm(w) / np.linalg.norm(fisher) >= 1 - 1e-9


def test_swapping_the_labels_changes_the_sign_of_the_score_and_no_axis():
    X, bags = random_bags(4)
    swapped = Bags(bags.indptr, bags.members, -bags.labels, bags.ids, bags.classes)
    one, other = MidLABS().fit(X, bags=bags), MidLABS().fit(X, bags=swapped)
    np.testing.assert_allclose(other.embedding_, one.embedding_)
    np.testing.assert_allclose(other.score_, -one.score_)


def test_bags_in_another_order_give_the_same_picture():
    X, bags = random_bags(5)
    order = np.random.default_rng(0).permutation(9)
    moved = Bags.from_lists([bags.of(k)[::-1] for k in order], bags.labels[order])
    np.testing.assert_allclose(
        MidLABS().fit(X, bags=moved).embedding_, MidLABS().fit(X, bags=bags).embedding_
    )


def test_one_bag_per_label_is_compared_with_itself_and_noted():
    X, _ = random_bags(6, n_bags=4)
    bags = Bags.from_lists([range(3), range(3, len(X))], [1, -1])
    est = MidLABS().fit(X, bags=bags)
    assert "Each label has one bag" in est.notes_[0]
    np.testing.assert_allclose(est.embedding_, MidLABS(own_pairs=True).fit(X, bags=bags).embedding_)


def test_large_bags_show_their_edges_by_some_instances_in_whatever_order(monkeypatch):
    X, bags = random_bags(7, largest=60)
    monkeypatch.setattr(midlabs, "_WIDEST", 20)
    est = MidLABS().fit(X, bags=bags)
    assert est.notes_ == ["Edges of bags with more than 20 instances are those among 20 of them."]
    order = np.random.default_rng(0).permutation(len(X))
    moved = Bags(bags.indptr, np.argsort(order)[bags.members], bags.labels, bags.ids, bags.classes)
    np.testing.assert_allclose(
        MidLABS().fit(X[order], bags=moved).embedding_, est.embedding_[order], atol=1e-9
    )


def test_edges_of_some_instances_are_nearly_those_of_all(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3)) + np.repeat([[1.0, 0, 0], [0, 0, 0]], 400, axis=0)
    bags = Bags.from_column(np.repeat(np.arange(4), 200), np.array([1, 1, -1, -1]))
    whole = scatters(X, bags, 1.0, 1.0, False)
    monkeypatch.setattr(midlabs, "_WIDEST", 150)
    np.testing.assert_allclose(
        scatters(X, bags, 1.0, 1.0, False), whole, atol=0.02 * np.abs(whole).max()
    )


def test_an_instance_marked_background_takes_no_part():
    X, bags = random_bags(8)
    k = next(k for k in np.flatnonzero(bags.labels > 0) if len(bags.of(k)) > 1)
    y = bags.instance_labels(len(X)).astype(int)
    y[bags.of(k)[0]] = -1
    without = Bags.from_lists(
        [bags.of(i)[1:] if i == k else bags.of(i) for i in range(9)], bags.labels
    )
    np.testing.assert_allclose(
        MidLABS().fit(X, y, bags=bags).components_, MidLABS().fit(X, bags=without).components_
    )


def test_constant_features_change_nothing():
    X, bags = random_bags(3)
    wide = np.hstack([X, np.full((len(X), 1), 0.1)])
    np.testing.assert_allclose(
        MidLABS(ridge=0.0).fit(wide, bags=bags).embedding_,
        MidLABS(ridge=0.0).fit(X, bags=bags).embedding_,
        atol=1e-9,
    )


def test_bags_of_one_class_are_refused():
    X, bags = random_bags(0)
    with pytest.raises(MissingLabels):
        MidLABS().fit(
            X, bags=Bags(bags.indptr, bags.members, np.abs(bags.labels), bags.ids, bags.classes)
        )


def test_more_dimensions_than_features_are_refused():
    X, bags = random_bags(0)
    with pytest.raises(DataError, match="at most 3"):
        MidLABS(n_components=4).fit(X, bags=bags)


def test_too_many_features_are_refused_with_the_way_out(monkeypatch):
    X, bags = random_bags(0)
    monkeypatch.setattr(midlabs, "LARGEST_SPAN", 2)
    with pytest.raises(TooLarge, match="PCA"):
        MidLABS().fit(X, bags=bags)


def accuracy(grid, X, bags):
    reduction = {
        "reduction": MidLABS,
        "reduction_params": {"n_components": 2},
        "reduction_grid": grid,
    }
    score = validate_bags(Model(CitationKNN, {}, {}, **reduction), X, bags, folds=5).bag_score
    return ((score > 0) == (bags.labels > 0)).mean()


def test_a_ridge_chosen_inside_tells_more_bags_right_among_features_that_say_nothing():
    X, bags, _ = planted_bags(seed=1)  # 2 of 32 features tell
    values = next(param.grid for param in MidLABS.params if param.name == "ridge")
    assert accuracy({"ridge": values}, X, bags) > accuracy({"ridge": (1e-3,)}, X, bags) + 0.1


def test_the_ridge_of_itself_tells_as_many_bags_right_as_one_chosen_inside():
    X, bags, _ = planted_bags(seed=1)
    values = next(param.grid for param in MidLABS.params if param.name == "ridge")
    assert accuracy({}, X, bags) >= accuracy({"ridge": values}, X, bags)
