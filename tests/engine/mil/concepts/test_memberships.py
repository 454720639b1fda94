"""Memberships of bags: shares, limits, and weights of negative bags."""

import numpy as np
import pytest

from emberscope.mil.concepts.memberships import Rule, balanced_weight

ALL = np.ones(2, bool)


def rule(kind, m=1.0625, negative=1.0):
    return Rule(kind, m, negative)


def test_a_crisp_bag_belongs_to_the_concept_of_least_loss():
    u = rule("crisp").memberships(np.array([[3.0, 1.0], [2.0, 5.0]]), ALL)
    assert u.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_fuzzy_shares_add_up_to_one_from_losses_of_any_size():
    losses = 10.0 ** np.random.default_rng(0).uniform(-12, 6, (5, 40))
    np.testing.assert_allclose(
        rule("fuzzy").memberships(losses, np.ones(40, bool)).sum(axis=0), 1.0, atol=1e-12
    )


def test_fuzzy_shares_are_the_printed_powers():
    losses = np.array([[1.0, 4.0], [2.0, 1.0]])
    powers = losses ** (-1 / (1.5 - 1))
    np.testing.assert_allclose(
        rule("fuzzy", 1.5).memberships(losses, ALL), powers / powers.sum(axis=0)
    )


def test_a_possibilistic_membership_is_one_half_at_eta():
    eta = rule("possibilistic").eta
    assert rule("possibilistic").memberships(np.array([[eta, 0.0]]), ALL)[
        0
    ].tolist() == pytest.approx([0.5, 1.0])


def test_a_negative_bag_belongs_to_all_concepts_alike():
    losses, positive = np.array([[3.0, 1.0], [2.0, 5.0]]), np.array([True, False])
    assert rule("fuzzy").memberships(losses, positive)[:, 1].tolist() == [0.5, 0.5]
    assert rule("possibilistic").memberships(losses, positive)[:, 1].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("kind", ["crisp", "fuzzy", "possibilistic"])
def test_no_other_memberships_have_a_smaller_objective(kind):
    rng = np.random.default_rng(0)
    losses = rng.uniform(0.1, 3, (3, 20))
    positive = np.ones(20, bool)
    best = rule(kind, 1.5).memberships(losses, positive)
    least = rule(kind, 1.5).objective(losses, best, positive)
    for _ in range(50):
        other = rng.dirichlet(np.ones(3), 20).T
        assert rule(kind, 1.5).objective(losses, other, positive) >= least


def test_balanced_negative_bags_weigh_as_a_concepts_share_of_positive_ones():
    assert balanced_weight(np.array([True] * 6 + [False] * 3), 2) == 1.0
