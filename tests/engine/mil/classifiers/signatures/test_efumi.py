"""Targets learned from mixtures with ground."""

import numpy as np
import pytest

from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.signatures.efumi import EFUMI
from emberscope.mil.classifiers.signatures.mi_ace import MIACE

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_planted_target_is_found_from_mixtures_among_irrelevant_features(seed, mixtures):
    X, bags, truth, planted = mixtures(seed)
    est = EFUMI().fit(X, bags=bags)
    assert est.signature_ @ planted > 0.9  # twelve other draws: 0.98 to 1.0
    assert auc(np.where(truth, 1, -1), est.score_) > 0.98


def test_unmixing_finds_the_target_nearer_than_a_mean_of_mixtures(mixtures):
    found = []
    for seed in SEEDS:
        X, bags, _, planted = mixtures(seed)
        found.append([cls().fit(X, bags=bags).signature_ @ planted for cls in (EFUMI, MIACE)])
    ours, mi_ace = np.mean(found, axis=0)
    assert ours > mi_ace


def test_instances_with_target_are_told_from_those_beside_them(mixtures):
    X, bags, truth, _ = mixtures(0)
    z = EFUMI().fit(X, bags=bags).probability_
    assert z[truth].mean() > 0.9
    assert z[~truth].mean() < 0.1
    assert (z[bags.members[bags.labels[bags.bag_of_member] < 0]] == 0).all()


def test_every_positive_bag_holds_a_target(mixtures):
    X, bags, _, _ = mixtures(1, noise=0.3)
    z = EFUMI().fit(X, bags=bags).probability_
    assert all(z[bags.of(k)].max() == 1 for k in range(0, len(bags), 2))


def test_more_pull_brings_endmembers_nearer_to_the_mean(mixtures):
    X, bags, _, _ = mixtures(2)
    spread = [np.ptp(EFUMI(volume=u).fit(X, bags=bags).endmembers_, axis=0).mean()
              for u in (0.05, 0.9)]
    assert spread[1] < spread[0]


def test_fewer_negative_instances_than_grounds_are_their_own_grounds():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 9.0]])
    est = EFUMI(n_background=5).fit(X, [-1, -1, 1])
    assert len(est.endmembers_) == 3
    assert est.score_[2] > est.score_[:2].max()
