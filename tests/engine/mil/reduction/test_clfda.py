"""CLFDA: LFDA of refined labels, and the refinement on the quadratic surfaces as in the spec's
table."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.datasets.bags_of_points import cubic_bags, random_bags
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.embedding.linear.lfda import LFDA
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.mil.classifiers.citation_knn import CitationKNN
from emberscope.mil.imputation.citation_refinement import citation_refinement
from emberscope.mil.reduction.clfda import CLFDA, with_known

# Share of right labels (measured once): rows R = C = 3, 5, 10, 100; columns tau = 0.1, 1, 10, 100.
GRID = {
    ("separable", "random"): [
        (0.980, 0.918, 0.812, 0.812), (0.991, 0.924, 0.784, 0.782), (0.998, 0.930, 0.777, 0.777),
        (0.797, 0.866, 0.777, 0.777),
    ],
    ("separable", "cubic"): [
        (0.895, 0.882, 0.876, 0.876), (0.900, 0.884, 0.874, 0.874), (0.906, 0.888, 0.874, 0.873),
        (0.713, 0.896, 0.872, 0.872),
    ],
    ("crossing", "random"): [
        (0.940, 0.904, 0.808, 0.808), (0.936, 0.908, 0.784, 0.782), (0.912, 0.906, 0.777, 0.777),
        (0.560, 0.777, 0.777, 0.777),
    ],
    ("crossing", "cubic"): [
        (0.896, 0.886, 0.882, 0.882), (0.902, 0.886, 0.882, 0.882), (0.890, 0.888, 0.882, 0.882),
        (0.570, 0.882, 0.880, 0.880),
    ],
}


def blobs(seed=0):
    """60 points, bags of up to 6 in which targets are mixed with background."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, -1], 30)
    X = rng.normal(size=(60, 4)) + np.where(y[:, None] > 0, [3.0, 0.0, 0.0, 0.0], 0.0)
    return X, random_bags(y, max_size=6, seed=seed), y


@pytest.mark.parametrize(("kind", "made"), GRID)
def test_refinement_on_the_surfaces_is_as_measured(kind, made):
    X, y = quadratic_surfaces(1000, kind=kind)
    bags = cubic_bags(X, y) if made == "cubic" else random_bags(y, witness_rate=0.69)
    table = np.zeros((4, 4))
    # 100 first: one search of the graph serves all
    for i, R in reversed(list(enumerate((3, 5, 10, 100)))):
        for j, tau in enumerate((0.1, 1, 10, 100)):
            table[i, j] = (
                citation_refinement(X, bags, n_references=R, n_citers=R, tau=tau)[0] == y
            ).mean()
    np.testing.assert_allclose(table, GRID[kind, made], atol=0.025)


def test_it_equals_lfda_of_the_refined_labels():
    X, bags, _ = blobs()
    est = CLFDA(tau=0.5, standardize=False).fit(X, bags=bags)
    labels, _ = citation_refinement(X, bags, tau=0.5)
    assert (labels != bags.instance_labels(60)).sum() > 0
    assert np.array_equal(est.labels_, labels)
    assert np.array_equal(est.embedding_, LFDA().fit(X, labels).embedding_)


def test_on_one_scale_it_equals_lfda_of_standardized_features():
    X, bags, _ = blobs()
    est = CLFDA(n_components=3).fit(X * [1, 10, 100, 1000], bags=bags)
    A = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(est.embedding_, LFDA(n_components=3).fit(A, est.labels_).embedding_)


def test_a_large_threshold_keeps_the_labels_of_bags():
    X, bags, _ = blobs()
    est = CLFDA(tau=1e6).fit(X, bags=bags)
    lonely = np.isinf(est.ratio_)
    assert np.array_equal(est.labels_[~lonely], bags.instance_labels(60)[~lonely])


def test_labels_alone_make_it_lfda():
    X, _, y = blobs()
    assert np.array_equal(
        CLFDA(standardize=False).fit(X, y).embedding_, LFDA().fit(X, y).embedding_
    )


def test_bags_of_one_make_it_lfda():
    X, _, y = blobs()
    bags = Bags.from_lists([[i] for i in range(60)], y)
    assert np.array_equal(
        CLFDA(standardize=False).fit(X, bags=bags).embedding_, LFDA().fit(X, y).embedding_
    )


def test_refined_labels_are_nearer_to_the_truth_than_those_of_bags():
    X, bags, y = blobs()
    assert (CLFDA(tau=1.0).fit(X, bags=bags).labels_ == y).mean() > (
        bags.instance_labels(60) == y
    ).mean()


def test_the_score_is_the_share_of_positive_votes():
    X, bags, _ = blobs()
    est = CLFDA().fit(X, bags=bags)
    assert np.array_equal(
        np.argsort(est.score_, kind="stable"), np.argsort(-est.ratio_, kind="stable")
    )
    assert est.score_.min() >= 0
    assert est.score_.max() <= 1


def test_every_positive_bag_keeps_a_positive_and_no_negative_bag_has_one():
    X, bags, _ = blobs()
    labels = CLFDA(tau=1e-6).fit(X, bags=bags).labels_
    for k in range(len(bags)):
        assert (labels[bags.of(k)] > 0).any() == (bags.labels[k] > 0)


def test_an_instance_marked_background_is_negative():
    X, bags, _ = blobs()
    est = CLFDA(tau=1.0).fit(X, bags=bags)
    y = bags.instance_labels(60).astype(int)
    k = next(k for k in np.flatnonzero(bags.labels > 0) if (est.labels_[bags.of(k)] > 0).sum() > 1)
    row = bags.of(k)[est.labels_[bags.of(k)] > 0][0]
    y[row] = -1
    assert CLFDA(tau=1.0).fit(X, y, bags=bags).labels_[row] == -1


def test_an_instance_marked_background_votes_as_one_of_a_negative_bag():
    bags = Bags.from_lists([[0, 1], [2]], [1, -1])
    found = with_known(Bags.from_lists([[0], [2]], [1, -1]), np.array([0, -1, -1]))
    assert found.instance_labels(3).tolist() == [1, -1, -1]
    assert with_known(bags, np.array([0, 0, -1])) is bags


def test_the_order_of_instances_does_not_matter():
    X, bags, _ = blobs()
    order = np.random.default_rng(1).permutation(60)
    moved = Bags(bags.indptr, np.argsort(order)[bags.members], bags.labels, bags.ids, bags.classes)
    Z = CLFDA().fit(X, bags=bags).embedding_
    np.testing.assert_allclose(CLFDA().fit(X[order], bags=moved).embedding_, Z[order], atol=1e-9)


def test_constant_features_change_nothing():
    X, bags, _ = blobs()
    wide = np.hstack([X, np.full((60, 1), 0.1)])
    one, other = CLFDA(shrinkage=0.0).fit(X, bags=bags), CLFDA(shrinkage=0.0).fit(wide, bags=bags)
    np.testing.assert_allclose(other.embedding_, one.embedding_, atol=1e-8)
    assert np.isfinite(other.mean_).all()


def test_bags_of_one_class_are_refused():
    X, bags, _ = blobs()
    with pytest.raises(MissingLabels):
        CLFDA().fit(
            X, bags=Bags(bags.indptr, bags.members, np.abs(bags.labels), bags.ids, bags.classes)
        )


def test_a_shrinkage_chosen_inside_tells_more_bags_right_where_bags_are_few_for_the_features():
    rng = np.random.default_rng(0)
    sizes, labels = rng.integers(2, 6, 40), np.where(np.arange(40) % 2, 1, -1)
    owner = np.repeat(np.arange(40), sizes)
    axes = np.linalg.qr(rng.normal(size=(100, 100)))[0] * np.geomspace(10, 0.1, 100)
    X = (
        rng.normal(size=(40, 100))[owner] @ axes.T
        + 0.2 * rng.normal(size=(len(owner), 100)) @ axes.T
    )
    X += 4 * (labels[owner] > 0)[:, None] * axes[:, 0]
    bags = Bags.from_column(owner, labels)
    values = next(param.grid for param in CLFDA.params if param.name == "shrinkage")
    assert accuracy({"shrinkage": values}, X, bags) > accuracy({}, X, bags) + 0.05


def accuracy(grid, X, bags):
    reduction = {
        "reduction": CLFDA,
        "reduction_params": {"n_components": 5},
        "reduction_grid": grid,
    }
    score = validate_bags(Model(CitationKNN, {}, {}, **reduction), X, bags, folds=5).bag_score
    return ((score > 0) == (bags.labels > 0)).mean()
