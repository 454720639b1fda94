"""Boxes in few features: they find concepts among features that say nothing, and count them."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.monitor import Silent
from emberscope.mil.boxes import WIDTHS, evidence, firsts
from emberscope.mil.concepts.clustering import FCMI
from emberscope.mil.concepts.cover import Coverer
from emberscope.mil.concepts.model import StandardBags
from emberscope.mil.concepts.shared_cover import BestCoverer

CENTERS = np.array([[0.4, 0.5], [1.6, 1.5]])


def with_irrelevant(n_irrelevant, seed, n_bags=60):
    """Bags of 2 to 10 in a square, half of them with an instance near one of two centers in the
    first two features; the others are noise. Returns X and bags."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 11, n_bags)
    X = rng.uniform(0, 2, (sizes.sum(), 2 + n_irrelevant))
    first = np.cumsum(sizes) - sizes
    positive = np.arange(n_bags) % 2 == 0
    centers = CENTERS[np.arange(n_bags) // 2 % 2]
    X[first[positive], :2] = (centers + 0.1 * rng.normal(size=centers.shape))[positive]
    return X, Bags.from_column(np.repeat(np.arange(n_bags), sizes), np.where(positive, 1, -1))


def boxes_of(X, bags):
    standard = StandardBags.of(X, bags)
    return standard, Coverer(standard, WIDTHS, np.random.default_rng(0))


def cover_of(X, bags):
    standard = StandardBags.of(X, bags)
    return standard, BestCoverer(standard, None, np.random.default_rng(0)).cover(Silent())


@pytest.mark.parametrize(("n_irrelevant", "n_bags"), [(1, 120), (4, 120), (8, 200)])
def test_two_concepts_are_found_in_nine_draws_among_irrelevant_features(n_irrelevant, n_bags):
    found = 0
    for seed in range(10):
        X, bags = with_irrelevant(n_irrelevant, seed, n_bags=n_bags)
        standard, cover = cover_of(X, bags)
        at = np.array([box.center for box in cover.boxes]) * standard.scale + standard.mean
        missed = np.linalg.norm(at[:, None, :2] - CENTERS, axis=2).min(axis=0)
        found += cover.n == 2 and bool((missed < 0.15).all())
    assert found >= 9


def test_by_default_bags_not_seen_are_ranked_among_irrelevant_features():
    X, bags = with_irrelevant(4, 3, n_bags=120)
    other, held_out = with_irrelevant(4, 103, n_bags=120)
    score = FCMI().fit(X, bags=bags).score_bags(other, held_out)
    positive = held_out.labels > 0
    assert (score[positive][:, None] > score[~positive]).mean() > 0.85  # it was 0.5


def test_evidence_is_the_likelihood_ratio_of_two_rates():
    p, P, n, N = 6.0, 10.0, 2.0, 20.0
    rates = p * np.log(0.6) + 4 * np.log(0.4) + n * np.log(0.1) + 18 * np.log(0.9)
    one = 8 * np.log(8 / 30) + 22 * np.log(22 / 30)
    assert evidence(p, P, n, N) == pytest.approx(rates - one)
    assert evidence(1.0, 10.0, 10.0, 20.0) == 0.0


def test_the_sliding_window_counts_as_one_look_per_candidate_does():
    X, bags = with_irrelevant(1, 0, n_bags=20)
    _, coverer = boxes_of(X, bags)
    field, rows = coverer._field, coverer._rows
    place = np.full(field.Z.shape[1], -1)
    place[rows] = np.arange(len(rows))
    best, _ = firsts(field, coverer._order, place, len(rows))
    for j, row in enumerate(rows):
        own = field.bag[row]
        for f in range(3):
            naive = 0.0
            for h in field.widths:
                near = np.abs(field.Z[f] - field.Z[f, row]) <= h
                holds = np.isin(np.arange(20), field.bag[near]) & (np.arange(20) != own)
                p, n = (holds & field.positive).sum(), (holds & ~field.positive).sum()
                naive = max(naive, evidence(p, field.positive.sum() - 1, n, 10))
            assert best[f, j] == pytest.approx(naive)


def test_two_concepts_of_fifteen_bags_each_are_seldom_taken_for_one():
    found = []
    for seed in range(10):
        X, bags = with_irrelevant(4, seed, n_bags=60)
        found.append(cover_of(X, bags)[1].n)
    assert found.count(1) <= 3


def test_two_concepts_of_fifteen_bags_each_are_found_among_four_irrelevant_features():
    found = 0
    for seed in range(10):
        X, bags = with_irrelevant(4, seed, n_bags=60)
        standard, cover = cover_of(X, bags)
        at = np.array([box.center for box in cover.boxes]) * standard.scale + standard.mean
        missed = np.linalg.norm(at[:, None, :2] - CENTERS, axis=2).min(axis=0)
        found += bool((missed < 0.15).all())
    assert found >= 6  # boxes one after the other found them in three
