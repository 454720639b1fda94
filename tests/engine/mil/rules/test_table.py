"""Every rule ranks planted targets above background, on one contract."""

from functools import cache

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, ParamError
from emberscope.base.monitor import Watch
from emberscope.mil.rules.ensemble import ENSEMBLE
from emberscope.mil.rules.table import RULES, SCORERS, select


@pytest.fixture(scope="module")
def scored(clouds):
    """Scores of `clouds` by rule, each made once and only read."""
    X, bags, _ = clouds
    return cache(lambda name: select(name, X, bags))


@pytest.mark.parametrize("name", RULES)
def test_a_score_per_instance(name, scored):
    score = scored(name)
    assert score.shape == (320,)
    assert np.isfinite(score).all()


@pytest.mark.parametrize("name", SCORERS)
def test_the_best_instance_of_most_positive_bags_is_the_target(name, clouds, scored):
    _, bags, y = clouds
    score = scored(name)
    best = [bags.of(k)[score[bags.of(k)].argmax()] for k in range(20)]
    assert (y[best] > 0).mean() >= 0.8  # six other draws: 0.8 to 1.0


def test_an_unknown_selector_names_the_known_ones(clouds):
    X, bags, _ = clouds
    with pytest.raises(ParamError, match="citation"):
        select("guess", X, bags)


@pytest.mark.parametrize("name", SCORERS)
def test_new_instances_are_ranked_by_what_was_learned_from_others(name, clouds):
    X, bags, _ = clouds
    score = select(name, X, bags, np.array([[0.0, 0.0], [0.5, -0.5], [5.0, 0.0], [5.2, 0.3]]))
    assert score.shape == (4,)
    assert score[2:].min() > score[:2].max()


@pytest.mark.parametrize("name", ["clustering", "mil-boost"])
def test_a_known_instance_scores_as_a_new_one_where_the_rule_does_not_count_it_for_itself(
    name, clouds, scored
):
    X, bags, _ = clouds
    np.testing.assert_allclose(select(name, X, bags, X[:20]), scored(name)[:20])


@pytest.mark.parametrize("name", ENSEMBLE)
def test_every_rule_ends_at_the_step_after_it_is_canceled(name):
    X = np.random.default_rng(0).normal(size=(1000, 20))  # more than is done in one step
    bags = Bags.from_column(np.repeat(np.arange(125), 8), np.where(np.arange(125) % 2, 1, -1))
    asked = []

    def stop():
        asked.append(name)
        return len(asked) == 2

    with pytest.raises(Cancelled):
        RULES[name](X, bags, X[:800], monitor=Watch(stop=stop))
    assert len(asked) == 2
