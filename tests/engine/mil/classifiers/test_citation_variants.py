"""Bayesian and fuzzy citation-kNN."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.citation_knn import CitationKNN
from emberscope.mil.classifiers.citation_variants import BayesianCitationKNN, FuzzyCitationKNN
from emberscope.mil.distances import bag_distances

BOTH = pytest.mark.parametrize("cls", [BayesianCitationKNN, FuzzyCitationKNN])


def planted(seed, *, n_bags=60, size=4, wrong=0):
    """Two of four instances of a positive bag lie 4 further along two features; 6 say nothing. The
    labels of `wrong` bags are turned. X, bags, and the true labels."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_bags) % 2, -1, 1)
    X = rng.normal(size=(n_bags, size, 8))
    X[labels > 0, :2, :2] += 4
    given = labels.copy()
    given[rng.permutation(n_bags)[:wrong]] *= -1
    return X.reshape(-1, 8), Bags.from_column(np.repeat(np.arange(n_bags), size), given), labels


@BOTH
@pytest.mark.parametrize("seed", range(3))
def test_bags_are_told_apart_among_irrelevant_features(cls, seed):
    X, bags, _ = planted(seed)
    new, of, labels = planted(seed + 100)
    assert auc(labels, cls().fit(X, bags=bags).score_bags(new, of)) > 0.97


def alone(values, labels):
    """A bag of one instance of one feature for every value."""
    X = np.array(values, float)[:, None]
    return X, Bags.of_one(np.arange(len(X)), np.array(labels))


def test_votes_of_a_fuzzy_neighbor_count_by_membership_and_distance():
    X, bags = alone([0.0, 1.0, 2.0, 9.0], [1, 1, 1, -1])
    est = FuzzyCitationKNN(n_references=2, n_citers=1, n_neighbors=1, standardize=False)
    est.fit(X, bags=bags)
    # of the negative bag at 9 the nearest is positive; all others have a positive one beside them
    order = np.argsort(est.X_[:, 0])
    np.testing.assert_allclose(est.memberships_[order], [1.0, 1.0, 1.0, 0.49])
    # references of 8 are 9 and 2, and 9, whose nearest is 7 away, cites it: weights 2 and 1/36
    score = est.score_bags(np.array([[8.0]]), Bags.of_one([0], [0]))
    assert score == pytest.approx((2 * 0.49 + 1 / 36) / (2 + 1 / 36) - 0.5)


def test_training_bags_among_bags_of_the_other_label_say_less():
    found = []
    for seed in range(6):
        X, bags, _ = planted(seed, wrong=12)
        new, of, labels = planted(seed + 100)
        found.append([auc(labels, cls().fit(X, bags=bags).score_bags(new, of))
                      for cls in (FuzzyCitationKNN, CitationKNN)])
    fuzzy, plain = np.mean(found, axis=0)
    assert fuzzy > plain


def test_one_positive_neighbor_speaks_for_a_positive_bag_where_training_bags_say_so():
    # Pairs of a positive and a negative bag, and negative bags far from all: whoever has a
    # positive bag among its nearest two is as often positive as not, who has none never is.
    places = [value for at in range(0, 200, 20) for value in (at, at + 1)]
    crowd = [1000.0 + step for step in range(20)]
    X, bags = alone(places + crowd, [1, -1] * 10 + [-1] * 20)
    est = BayesianCitationKNN(n_references=2, n_citers=2).fit(X, bags=bags)
    assert est.reference_odds_[1] > est.reference_odds_[0]
    near, far = est.score_bags(np.array([[40.5], [1005.5]]), Bags.of_one([0, 1], [0, 0]))
    assert near > far


def test_odds_are_the_counts_of_the_training_bags():
    X, bags, _ = planted(0, n_bags=20)
    est = BayesianCitationKNN(n_references=2).fit(X, bags=bags)
    A = (X - est.mean_) / est.scale_
    distance = bag_distances(A, bags, A, bags, kind="average")
    np.fill_diagonal(distance, np.inf)
    nearest = np.argsort(distance, axis=1)[:, :2]
    r = (bags.labels[nearest] > 0).sum(axis=1)
    count = np.array([np.bincount(r[bags.labels == label], minlength=3) for label in (-1, 1)])
    share = np.log((1 + count) / (1 + count).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(est.reference_odds_, share[1] - share[0])
