"""The rule of clusters."""

import numpy as np

from emberscope.bags.model import Bags
from emberscope.mil.rules.clustering import clustering


def test_clustering_is_the_log_odds_of_the_cluster_with_one_added():
    X = np.repeat([[0.0], [9.0]], [3, 6], axis=0) + np.tile([0.0, 1e-12, 2e-12], 3)[:, None]
    bags = Bags.from_lists([[0, 1, 3], [2, 4, 5, 6, 7, 8]], [1, -1])
    score = clustering(X, bags)
    assert set(np.round(score[3:], 12)) <= set(
        np.round(np.log([2 / 6, 2 / 2, 1 / 2, 1 / 3, 2 / 3, 1 / 4, 2 / 4]), 12)
    )
    assert score[0] > score[3]
