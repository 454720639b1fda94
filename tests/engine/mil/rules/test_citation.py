"""Counts of references and citers against a naive twin."""

import numpy as np

from emberscope.bags.model import Bags
from emberscope.datasets.bags_of_points import random_bags
from emberscope.mil.rules.citation import citation, citation_counts, new_citation_counts


def blobs(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) + np.repeat([[3.0, 0.0], [0.0, 0.0]], 30, axis=0)
    return X, random_bags(np.repeat([1, -1], 30), max_size=6, seed=seed)


def test_counts_are_those_of_references_and_citers_one_by_one():
    X, bags = blobs()
    label = bags.instance_labels(60)
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1)
    minus, plus = citation_counts(X, bags, n_references=3, n_citers=5)
    for n in range(60):
        voters = [*near[n, :3], *(m for m in range(60) if n in near[m, :5])]
        assert minus[n] == sum(label[v] < 0 for v in voters)
        assert plus[n] == sum(label[v] > 0 for v in voters)


def test_a_new_instance_is_cited_by_those_that_have_it_among_their_nearest():
    X, bags = blobs()
    label = bags.instance_labels(60)
    Q = X[:3] + 0.3
    among = np.linalg.norm(X[:, None] - X[None], axis=2)
    to_new = np.linalg.norm(X[:, None] - Q[None], axis=2)
    minus, plus = new_citation_counts(X, bags, Q, n_references=3, n_citers=5)
    for m in range(3):
        # Place 0 is n itself
        cites = [n for n in range(60) if to_new[n, m] <= np.sort(among[n])[5]]
        voters = [*np.argsort(to_new[:, m])[:3], *cites]
        assert minus[m] == sum(label[v] < 0 for v in voters)
        assert plus[m] == sum(label[v] > 0 for v in voters)


def test_the_score_is_the_share_of_voters_from_positive_bags_and_0_without_any():
    X, bags = (
        np.array([[0.0], [0.1], [9.0], [9.1]]),
        Bags.from_lists([[0, 1], [2], [3]], [1, -1, 0]),
    )
    assert citation(X, bags, np.array([[100.0]])).tolist() == [2 / 3]
    nobody = Bags.from_lists([[0, 1], [2, 3]], [0, 0])
    assert citation(X, nobody).tolist() == [0.0] * 4
