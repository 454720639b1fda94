"""Citation-kNN: who votes, what a tie does, and the bags of Musk1."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.mil.classifiers.citation_knn import CitationKNN
from emberscope.mil.distances import KINDS, bag_distances


def random_bags(seed, n_bags=14):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n_bags)
    labels = np.where(np.arange(n_bags) % 2, 1, -1)
    X = rng.normal(size=(sizes.sum(), 3)) + np.repeat(labels > 0, sizes)[:, None]
    return X, Bags.from_column(np.repeat(np.arange(n_bags), sizes), labels)


def line(positions, labels):
    """One instance per bag, on a line."""
    return np.array(positions, float)[:, None], Bags.from_lists(
        [[i] for i in range(len(labels))], labels
    )


def score(est, *positions):
    X, bags = line(positions, [0] * len(positions))
    return est.score_bags(X, bags)


def naive_margin(D, between, labels, R, C):
    """Positive less negative votes for one query, from its distances D to the training bags."""
    references = [k for k in range(len(D)) if D[k] <= sorted(D)[R - 1]]
    citers = []
    for k in range(len(D)):
        nearer = sum(between[k, j] < D[k] for j in range(len(D)) if j != k)
        if nearer < C:
            citers.append(k)
    return sum(labels[k] for k in references) + sum(labels[k] for k in citers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("R", "C"), [(1, 1), (2, 4), (20, 20)])
def test_the_decision_equals_that_of_counted_votes(kind, R, C):
    (X, bags), (Q, new) = random_bags(0), random_bags(1, 9)
    est = CitationKNN(distance=kind, n_references=R, n_citers=C, standardize=False).fit(
        X, bags=bags
    )
    between, D = (bag_distances(A, b, X, bags, kind=kind) for A, b in ((X, bags), (Q, new)))
    margin = [naive_margin(row, between, bags.labels, min(R, 14), C) for row in D]
    np.testing.assert_array_equal(est.predict(Q, new), np.where(np.array(margin) > 0, 1, -1))


def test_a_tie_of_votes_is_negative_however_near_the_positive_bag_is():
    X, bags = line([0, 10], [1, -1])
    est = CitationKNN(n_references=2, n_citers=1, standardize=False).fit(X, bags=bags)
    assert score(est, 0.0)[0] < 0


def test_bags_with_the_same_votes_are_ordered_by_how_near_the_positive_bag_is():
    X, bags = line([0, 10], [1, -1])
    est = CitationKNN(n_references=2, n_citers=4, standardize=False).fit(X, bags=bags)
    assert (np.diff(score(est, 1.0, 4.0, 6.0, 9.0)) < 0).all()


def test_citers_are_the_bags_that_count_the_new_one_among_their_nearest():
    X, bags = line([0, 1, 5, 5.1, 5.2], [-1, -1, 1, 1, 1])
    est = CitationKNN(n_references=1, n_citers=1, standardize=False).fit(X, bags=bags)
    np.testing.assert_allclose(est.radius_, [1, 1, 0.1, 0.1, 0.1])
    assert score(est, 4.0)[0] > 0  # its reference is positive and nobody cites it
    assert score(est, 1.8)[0] < 0


def test_bags_tied_at_the_last_place_all_vote():
    X, bags = line([-1, 1, 1, 9, 9], [1, -1, -1, 1, 1])
    est = CitationKNN(n_references=1, n_citers=1, standardize=False).fit(X, bags=bags)
    reverse = line(X, bags.labels[::-1])[1]
    flipped = CitationKNN(n_references=1, n_citers=1, standardize=False).fit(X[::-1], bags=reverse)
    assert score(est, 0.0) == score(flipped, 0.0)
    assert score(est, 0.0)[0] < 0


def test_with_bags_of_one_every_distance_is_the_same_classifier():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 3)), np.where(np.arange(20) % 2, 1, -1)
    scores = [CitationKNN(distance=kind).fit(X, y).score_ for kind in KINDS]
    np.testing.assert_allclose(scores, np.tile(scores[0], (len(KINDS), 1)), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_score_of_an_instance_seen_again_is_its_training_score(kind):
    X, bags = random_bags(3)
    est = CitationKNN(distance=kind).fit(X, bags=bags)
    np.testing.assert_allclose(est.score_instances(X), est.score_, atol=1e-12)


def test_instances_in_no_labeled_bag_are_scored_too():
    X, bags = random_bags(4)
    Y = np.vstack([X, X[:3]])
    est = CitationKNN().fit(Y, bags=bags)
    np.testing.assert_allclose(est.score_[-3:], est.score_[:3], atol=1e-12)


def test_an_instance_tells_by_its_nearest_neighbors_in_bags_that_are_mostly_background():
    rng = np.random.default_rng(5)
    labels = np.where(np.arange(40) % 2, 1, -1)
    X, truth = rng.normal(size=(400, 4)), np.zeros(400, bool)
    truth[[10 * k + k % 10 for k in range(1, 40, 2)]] = True
    X[truth] += 4
    est = CitationKNN().fit(X, bags=Bags.from_column(np.repeat(np.arange(40), 10), labels))
    assert (est.score_[truth] > 0).mean() > 0.9  # six other draws: 0.95 to 1.0
    assert (est.score_[~truth] < 0).mean() > 0.7  # six other draws: 0.85 to 0.88


def test_the_bag_an_instance_lies_in_has_no_vote_on_it():
    X, bags = line([0, 1, 1.1, 9], [1, -1, -1, 1])
    est = CitationKNN(n_references=1, n_citers=1, standardize=False).fit(X, bags=bags)
    assert est.score_[0] < 0
    assert score(est, 0.0)[0] > 0  # as a bag it finds itself


def test_a_negative_bag_votes_on_the_instances_it_holds():
    X, bags = line([0, 1, 9, 0.1], [-1, 1, 1, 1])
    est = CitationKNN(n_references=1, n_citers=1, standardize=False).fit(X, bags=bags)
    assert est.score_[0] < 0


def test_the_minimal_distance_is_blind_where_all_bags_hold_background_and_the_maximal_is_not():
    right = {}
    for kind in ("min", "max"):
        hits = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            labels = np.where(np.arange(40) % 2, 1, -1)
            X = rng.normal([4, -4], np.sqrt(2), size=(320, 2))
            X[[8 * k + rng.integers(8) for k in range(1, 40, 2)]] -= [8, -8]
            bags = Bags.from_column(np.repeat(np.arange(40), 8), labels)
            found = validate_bags(Model(CitationKNN, {"distance": kind}, {}), X, bags, folds=5)
            hits.append(((found.bag_score > 0) == (labels > 0)).mean())
        right[kind] = np.mean(hits)
    assert right["min"] < 0.7  # six other draws: 0.39 to 0.60
    assert right["max"] > 0.95  # six other draws: 1.0


def test_most_bags_of_musk1_are_told_right(musk):
    X, bags = musk
    right = [
        (
            (validate_bags(Model(CitationKNN, {}, {}), X, bags, folds=10, seed=seed).bag_score > 0)
            == (bags.labels > 0)
        )
        for seed in range(2)
    ]
    assert np.mean(right) >= 0.86  # six other draws: 0.89 to 0.93
