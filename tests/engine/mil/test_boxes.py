"""Boxes in few features that hold instances of many positive bags and of few negative ones."""

import numpy as np
import pytest

from emberscope.mil.boxes import WIDTHS, Field, evidence, firsts

N_BAGS = 20


@pytest.fixture
def field():
    """Twenty bags of one to eight instances with three features; those of positive bags crowd
    around 0 in the first."""
    rng = np.random.default_rng(0)
    bag = np.repeat(np.arange(N_BAGS), rng.integers(1, 9, N_BAGS))
    positive = np.arange(N_BAGS) % 2 == 0
    Z = rng.normal(size=(3, len(bag)))
    Z[0, positive[bag]] *= 0.2
    return Field(Z, bag, positive, np.array(WIDTHS), 0.0)


def test_evidence_is_the_likelihood_ratio_of_two_rates():
    p, P, n, N = 6.0, 10.0, 2.0, 20.0
    rates = p * np.log(0.6) + 4 * np.log(0.4) + n * np.log(0.1) + 18 * np.log(0.9)
    one = 8 * np.log(8 / 30) + 22 * np.log(22 / 30)
    assert evidence(p, P, n, N) == pytest.approx(rates - one)


def test_what_negative_bags_hold_as_often_is_no_evidence():
    assert evidence(1.0, 10.0, 10.0, 20.0) == 0.0


def test_the_sliding_window_counts_as_one_look_per_candidate_does(field):
    Z, bag, positive = field.Z, field.bag, field.positive
    rows = np.flatnonzero(positive[bag])
    place = np.full(Z.shape[1], -1)
    place[rows] = np.arange(len(rows))
    best, _ = firsts(field, np.argsort(Z, axis=1, kind="stable"), place, len(rows))
    for j, row in enumerate(rows):
        for f in range(len(Z)):
            naive = 0.0
            for h in field.widths:
                near = np.abs(Z[f] - Z[f, row]) <= h
                holds = np.isin(np.arange(N_BAGS), bag[near]) & (np.arange(N_BAGS) != bag[row])
                p, n = (holds & positive).sum(), (holds & ~positive).sum()
                naive = max(naive, evidence(p, positive.sum() - 1, n, (~positive).sum()))
            assert best[f, j] == pytest.approx(naive)
