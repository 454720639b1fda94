"""Several rules as one."""

from dataclasses import replace

import numpy as np

from emberscope.bags.model import Bags
from emberscope.evaluate.scores import auc
from emberscope.mil.rules.ensemble import ensemble_scores
from emberscope.mil.rules.table import select


def test_the_ensemble_scores_bags_it_has_not_learned_from():
    """Labels drawn at random: whoever had seen them would rank instances of positive bags above the
    others."""
    rng = np.random.default_rng(0)
    X, bags = (
        rng.normal(size=(400, 5)),
        Bags.from_column(np.repeat(np.arange(80), 5), rng.choice([-1, 1], 80)),
    )
    # Six others: 0.01 to 0.08
    assert abs(auc(bags.instance_labels(400), select("ensemble", X, bags)) - 0.5) < 0.1


def rare_class():
    """50 bags of 5 with targets of one kind, 10 with another kind, 60 of background; features of
    the rare bags' rows 250 to 299, whether a row is a target."""
    rng, target = np.random.default_rng(0), np.arange(600) % 5 == 0
    target[300:] = False
    X = rng.normal(size=(600, 12))
    X[:250, 0] += 5 * target[:250]
    X[250:300, 1] += 4 * target[250:300]
    labels = np.repeat([1, 1, -1], [50, 10, 60])
    return X, Bags.from_column(np.repeat(np.arange(120), 5), labels), target


def test_targets_of_a_rare_class_are_found_better_by_rules_that_learn_it_alone(few_trees):
    # On draws 0 to 5: .93 on average without classes, .97 with them, never less
    X, bags, target = rare_class()
    rare, truth = slice(250, 300), np.where(target, 1, -1)
    several = replace(bags, classes=np.repeat([1, 2, 0], [50, 10, 60]))
    plain, classes = (ensemble_scores(X, own).score for own in (bags, several))
    assert auc(truth[rare], classes[rare]) > auc(truth[rare], plain[rare])
    new = np.zeros((2, 12))
    new[0, 1] = 4.0
    target_like, ground = select("ensemble", X, several, new)
    assert target_like > 1 > ground


def test_a_class_that_one_fold_holds_whole_is_not_learned_by_itself(few_trees):
    X, bags, _ = rare_class()
    groups = np.concatenate([np.arange(50), np.full(10, 50), np.arange(51, 111)])
    several = replace(bags, classes=np.repeat([1, 2, 0], [50, 10, 60]), groups=groups)
    found = ensemble_scores(X, several)
    assert [len(own) for own in found.kinds] == [120, 110, 120]
    assert np.isfinite(found.score).all()


def test_rules_that_learn_from_few_bags_still_score_all_instances_and_find_targets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    X[0:200:5] += 4.0
    bags = Bags.from_lists(
        list(np.arange(400).reshape(80, 5)), np.array([1] * 40 + [-1] * 40, np.int8)
    )
    target = np.where(np.arange(200) % 5 == 0, 1, -1)
    # Six other draws: 0.9997 and more
    assert auc(target, ensemble_scores(X, bags, most=100).score[:200]) > 0.95
