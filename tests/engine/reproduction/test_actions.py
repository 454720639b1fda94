"""Measurements of action respecting embedding, on a walk short enough to be quick."""

import pytest

from emberscope.base.errors import ParamError
from emberscope.base.monitor import Silent
from emberscope.reproduction.actions import actions_answered


def share(**params):
    return actions_answered(seed=0, monitor=Silent(), points=None, **params)


def test_with_actions_a_line_is_answered_and_plain_unfolding_knows_less_than_half():
    assert share(path="line") >= 0.9
    assert share(path="line", method="mvu") < 0.4  # of this draw; six others: 0.15 to 0.77


def test_a_longer_step_back_is_answered_too():
    assert share(path="double") >= 0.9
    assert share(path="double", method="mvu") < 0.4  # of this draw; six others: 0.10 to 0.53


def test_an_affine_map_per_action_follows_a_circle():
    assert share(path="turn", method="mvu", rule="regression") == 1.0


def test_an_unknown_rule_names_the_known_ones():
    with pytest.raises(ParamError, match="distances or regression"):
        share(path="turn", rule="guess")
