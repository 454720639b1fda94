"""Scores that randomized trees learn."""

import numpy as np

from emberscope.mil.rules.forest import learned_score


def test_scores_of_new_instances_follow_those_they_are_like():
    X = np.random.default_rng(0).normal(size=(200, 3))
    found = learned_score(X, (X[:, 0] > 0).astype(float), np.array([[2.0, 0, 0], [-2.0, 0, 0]]))
    assert found[0] > 0.6 > 0.4 > found[1]  # six other draws: 0.73 and more; 0.32 and less
