"""Memberships and concepts in turn: when they rest."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.monitor import Silent
from emberscope.mil.concepts.alternation import alternate
from emberscope.mil.concepts.greedy_cover import concepts_at
from emberscope.mil.concepts.memberships import Rule
from emberscope.mil.concepts.model import StandardBags


def separable(*, copies=1):
    """12 positive bags of three instances of 40 features, the first one apart in five of them, and
    12 negative ones."""
    X = np.random.default_rng(0).normal(size=(72, 40))
    X[0:36:3, :5] += 1.5
    lists = [rows for rows in np.arange(72).reshape(24, 3) for _ in range(copies)]
    return StandardBags.of(
        X, Bags.from_lists(lists, np.repeat(np.array([1] * 12 + [-1] * 12, np.int8), copies))
    )


def moved(bags, rounds=60):
    start = concepts_at(bags.Z[:1], 3.0)
    return alternate(
        bags, start, Rule("fuzzy", 1.5, 1.0), rounds=rounds, nearest=False, monitor=Silent()
    )


def test_in_many_features_concepts_rest_though_weights_could_grow_for_ever():
    found = moved(separable())
    assert found.settled
    assert len(found.objectives) < 40


def test_bags_given_three_times_take_as_many_rounds():
    assert len(moved(separable(copies=3)).objectives) == pytest.approx(
        len(moved(separable()).objectives), abs=1
    )


def test_stopped_short_they_have_not_settled():
    assert not moved(separable(), rounds=2).settled
