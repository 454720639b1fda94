"""Starts of concepts are judged by halves of the bags, which keep together what looks alike."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.datasets.planted_concepts import ONE, disk_concepts
from emberscope.mil.concepts.clustering import FCMI
from emberscope.mil.concepts.model import StandardBags
from emberscope.mil.halves import area, halves


def bags_of_one(n, *, groups=None):
    X = np.random.default_rng(0).normal(size=(n, 2))
    bags = Bags.of_one(np.arange(n), np.where(np.arange(n) % 2, 1, -1))
    return X, replace(bags, groups=groups)


def halved(X, bags, seed):
    standard = StandardBags.of(X, bags)
    return halves(standard.group, standard.positive, seed)


@pytest.mark.parametrize("seed", range(5))
def test_a_block_of_frames_is_never_parted_between_the_halves(seed):
    block = np.arange(80) // 4
    X, bags = bags_of_one(80, groups=block)
    half = halved(X, bags, seed)
    assert [len(np.unique(half[block == b])) for b in range(20)] == [1] * 20


def test_bags_that_share_an_instance_are_never_parted_between_the_halves():
    X, bags = bags_of_one(80)
    members = [[k, k + 1] if k % 2 == 0 else [k] for k in range(80)]
    bags = Bags.from_lists(members, bags.labels)
    half = halved(X, bags, 0)
    assert np.array_equal(half[0::2], half[1::2])


def test_there_are_no_halves_where_all_positive_bags_are_of_one_block():
    X, bags = bags_of_one(80, groups=np.where(np.arange(80) % 2, 0, np.arange(80)))
    assert halved(X, bags, 0) is None


def test_the_area_counts_equal_scores_half():
    assert area(np.array([2.0, 1.0, 1.0]), np.array([True, True, False])) == 0.75


@pytest.mark.parametrize(
    ("settings", "kept"),
    [({}, 2), ({"least_coverage": 0.9}, 1), ({"least_contrast": 1000.0}, 1),
     ({"merged_below": 1.0}, 1)],
)
def test_limits_decide_which_of_two_concepts_stay(settings, kept):
    planted = disk_concepts(seed=0)
    est = FCMI(n_concepts=2, **settings).fit(planted.X, bags=planted.bags)
    assert len(est.centers_) == kept


def test_a_limit_of_zero_keeps_what_two_starts_at_one_place_found():
    planted = disk_concepts(ONE, seed=0)
    settings = {"merged_below": 0.0, "least_coverage": 0.0, "least_contrast": 0.0}
    est = FCMI(n_concepts=3, **settings).fit(planted.X, bags=planted.bags)
    assert len(est.centers_) == 3
