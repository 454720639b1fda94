"""Selectors: every rule ranks planted targets above background, on one contract."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.special import logsumexp

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, MissingLabels, ParamError
from emberscope.base.monitor import Watch
from emberscope.datasets.bags_of_points import random_bags
from emberscope.datasets.planted import planted_bags
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.evaluate.scores import auc
from emberscope.mil.density import SIGMAS, negative_log_density, without_own
from emberscope.mil.imputation import selectors
from emberscope.mil.imputation.selectors import (
    ABOUT_GROUND,
    ENSEMBLE,
    SCORERS,
    SELECTORS,
    agreement,
    border,
    class_shares,
    clustering,
    connected_fold,
    doubts,
    ensemble_scores,
    initial_labels,
    learned_score,
    on_common_scale,
    select,
    some_bags,
    weights_of,
)


@pytest.fixture(scope="module")
def clouds():
    """40 bags of 8 in 2-D, one target 5 away in each positive one."""
    rng = np.random.default_rng(0)
    y = np.full(320, -1)
    y[np.arange(20) * 8 + rng.integers(8, size=20)] = 1
    X = rng.normal(size=(320, 2))
    X[:, 0] += 5 * (y > 0)
    return X, Bags.from_column(np.repeat(np.arange(40), 8), np.where(np.arange(40) < 20, 1, -1)), y


@pytest.fixture(scope="module")
def scored(clouds):
    """Scores of `clouds` by rule, each made once and only read."""
    X, bags, _ = clouds
    return cache(lambda name: select(name, X, bags))


@pytest.mark.parametrize("name", SELECTORS)
def test_a_score_per_instance(name, scored):
    score = scored(name)
    assert score.shape == (320,)
    assert np.isfinite(score).all()


@pytest.mark.parametrize("name", [name for name in SELECTORS if name != "bag-label"])
def test_the_best_instance_of_most_positive_bags_is_the_target(name, clouds, scored):
    _, bags, y = clouds
    score = scored(name)
    best = [bags.of(k)[score[bags.of(k)].argmax()] for k in range(20)]
    assert (y[best] > 0).mean() >= 0.8  # six other draws: 0.8 to 1.0


@pytest.mark.parametrize("name", SELECTORS)
def test_labels_to_start_from_fit_the_bags(name, clouds):
    X, bags, _ = clouds
    labels, *_ = initial_labels(name, X, bags)
    assert (labels[160:] == -1).all()
    assert (labels[:160].reshape(20, 8) > 0).any(axis=1).all()


def test_density_finds_most_planted_targets_among_30_dimensions_of_noise():
    X, bags, truth = planted_bags(40)
    score = select("density", X, bags)
    best = [bags.of(k)[score[bags.of(k)].argmax()] for k in range(20)]
    assert truth[best].mean() >= 0.6  # six other draws: 0.85 to 1.0


def test_the_kernel_finds_rare_targets_on_a_surface_that_crosses_the_background():
    X, y = quadratic_surfaces(400, kind="crossing", seed=0)
    rows = np.concatenate([np.flatnonzero(y > 0)[:50], np.flatnonzero(y < 0)])
    bags = random_bags(y[rows], witness_rate=1 / 8, seed=0)
    inside = bags.instance_labels(len(rows)) > 0
    area = {name: auc(y[rows][inside], select(name, X[rows], bags)[inside]) for name in ("kernel", "trees")}
    assert area["kernel"] > max(0.8, area["trees"])


@pytest.mark.parametrize("name", ["density", "mil-boost"])
def test_the_start_tells_rare_targets_from_background(name, clouds):
    X, bags, y = clouds
    labels, *_ = initial_labels(name, X, bags)
    here = bags.instance_labels(320) > 0
    assert (labels[here & (y > 0)] > 0).mean() >= 0.8  # six other draws: 1.0
    assert (labels[here & (y < 0)] < 0).mean() >= 0.85  # six other draws: 0.90 to 1.0


@pytest.mark.parametrize("far", [0.0, 100.0])
def test_background_without_its_own_kernel_is_the_sum_over_the_others(far):
    N = np.random.default_rng(0).normal(size=(9, 2)) + far * np.eye(9)[:, :2]
    distance2 = np.square(N[:, None] - N[None]).sum(axis=2)
    np.fill_diagonal(distance2, np.inf)
    plain = [logsumexp(-distance2 / (sigma * 2.0), axis=1) for sigma in SIGMAS]
    np.testing.assert_allclose(without_own(negative_log_density(N, N, 2.0), N, 2.0), plain, rtol=0.05, atol=1e-6)


def test_clustering_is_the_log_odds_of_the_cluster_with_one_added():
    X = np.repeat([[0.0], [9.0]], [3, 6], axis=0) + np.tile([0.0, 1e-12, 2e-12], 3)[:, None]
    bags = Bags.from_lists([[0, 1, 3], [2, 4, 5, 6, 7, 8]], [1, -1])
    score = clustering(X, bags)
    assert set(np.round(score[3:], 12)) <= set(np.round(np.log([2 / 6, 2 / 2, 1 / 2, 1 / 3, 2 / 3, 1 / 4, 2 / 4]), 12))
    assert score[0] > score[3]


def test_density_without_negative_bags_asks_for_them(clouds):
    X, _, _ = clouds
    with pytest.raises(MissingLabels, match="positive and negative"):
        select("density", X, Bags.from_lists([[0, 1]], [1]))


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
def test_a_known_instance_scores_as_a_new_one_where_the_rule_does_not_count_it_for_itself(name, clouds, scored):
    X, bags, _ = clouds
    np.testing.assert_allclose(select(name, X, bags, X[:20]), scored(name)[:20])


def test_labels_of_bags_score_no_new_instances(clouds):
    X, bags, _ = clouds
    with pytest.raises(ParamError, match="no new instances"):
        select("bag-label", X, bags, X[:3])


def test_one_half_on_the_common_scale_is_what_exceeds_95_percent_of_the_background():
    scale = on_common_scale(np.array([49.5, 94.05, 1000.0]), np.arange(100.0))
    np.testing.assert_allclose(scale, [1 / (1 + np.e**3), 0.5, 1.0], atol=1e-3)


def test_scores_above_all_background_keep_their_order_on_the_common_scale():
    assert (np.diff(on_common_scale(np.array([101.0, 150.0, 1000.0]), np.arange(100.0))) > 0).all()


def test_rules_that_agree_weigh_more_than_one_that_contradicts_them():
    truth = np.arange(20.0)
    other = np.tile([3.0, 1, 4, 1, 5], 4)
    weight = agreement(np.stack([truth, truth**3, truth + other, -other]))
    assert weight[0] == weight[1] > weight[2] > weight[3] == 0


def test_rules_without_anything_in_common_weigh_the_same():
    assert agreement(np.stack([np.arange(4.0), -np.arange(4.0)])).tolist() == [0.5, 0.5]


@pytest.fixture(scope="module")
def crowded():
    """Scores of four rules that raise positive bags as a whole, of one that raises their targets, and the bags."""
    rng = np.random.default_rng(0)
    bags = Bags.from_column(np.repeat(np.arange(40), 9), np.where(np.arange(40) < 20, 1, -1))
    inside = bags.instance_labels(360) > 0
    place = inside * np.repeat(3 + rng.normal(size=40), 9)  # ground of a positive bag, alike all over the bag
    target = 6.0 * (inside & (np.arange(360) % 9 == 0))
    return np.stack([*(place + 0.3 * rng.normal(size=(4, 360))), target + rng.normal(size=360)]), bags


def test_rules_that_agree_about_ground_do_not_outvote_the_one_that_knows_targets(crowded):
    scores, bags = crowded
    weight, sure = weights_of(scores, bags)
    assert not sure
    assert weight.argmax() == 4
    assert agreement(scores[:, :180])[4] < 0.1  # six other draws: 0 to 0.03


def test_rules_that_agree_about_targets_weigh_as_they_agree(crowded):
    scores, bags = crowded
    alike = scores[4] + 0.3 * np.random.default_rng(1).normal(size=(4, 360))
    weight, sure = weights_of(alike, bags)
    assert sure
    assert np.array_equal(weight, agreement(alike[:, :180]))


def test_bags_without_instances_do_not_count_for_weights(crowded):
    scores, bags = crowded
    more = Bags.from_lists([*(bags.of(k) for k in range(40)), [], []], np.append(bags.labels, [1, -1]))
    assert np.array_equal(weights_of(scores, more)[0], weights_of(scores, bags)[0])


def test_agreement_about_ground_is_said(crowded):
    assert doubts(*crowded) == [ABOUT_GROUND]


def test_rules_that_agree_little_are_said_to_and_others_are_not(crowded):
    scores, bags = crowded
    noise = np.random.default_rng(1).normal(size=(4, 360))
    assert "agree little" in doubts(scores[4] + 5 * noise, bags)[0]
    assert doubts(scores[4] + 0.3 * noise, bags) == []


def drawn(background, *mixed):
    """Scores and bag labels: background around 0, positive bags of parts (share, center), all with spread 1."""
    rng = np.random.default_rng(0)
    parts = [rng.normal(center, 1, round(1000 * share)) for share, center in mixed]
    return np.concatenate([rng.normal(0, 1, background), *parts]), np.repeat([-1, 1], [background, 1000])


def test_the_border_lies_where_targets_and_ground_are_equally_frequent():
    found, alike = border(*drawn(1000, (0.5, 0.0), (0.5, 4.0)))
    assert found == pytest.approx(2.0, abs=0.4)
    assert alike


def test_ground_of_another_kind_is_noticed_and_does_not_count_as_targets():
    found, alike = border(*drawn(1000, (0.6, 2.2), (0.4, 8.0)))
    assert 4 < found < 6  # six other draws: 4.9 to 5.3
    assert not alike


def test_bags_of_nothing_but_targets_are_no_other_ground():
    found, alike = border(*drawn(1000, (1.0, 4.0)))
    assert found < 2.5  # six other draws: 2.0 to 2.1
    assert alike


def test_the_border_is_never_within_what_is_common_in_the_background():
    score, label = np.concatenate([np.linspace(0, 1, 50), np.linspace(2, 9, 50)]), np.repeat([1, -1], 50)
    assert border(score, label)[0] >= 2


def test_the_ensemble_scores_bags_it_has_not_learned_from():
    """Labels drawn at random: whoever had seen them would rank instances of positive bags above the others."""
    rng = np.random.default_rng(0)
    X, bags = rng.normal(size=(400, 5)), Bags.from_column(np.repeat(np.arange(80), 5), rng.choice([-1, 1], 80))
    assert abs(auc(bags.instance_labels(400), select("ensemble", X, bags)) - 0.5) < 0.1  # six others: 0.01 to 0.08


def test_bags_of_one_group_are_held_back_together():
    bags = replace(Bags.of_one(np.arange(12), np.tile([1, -1], 6)), groups=np.repeat(np.arange(3), 4))
    fold = connected_fold(bags, 12)
    assert all(len(set(fold[4 * g : 4 * g + 4])) == 1 for g in range(3))


def test_scores_of_new_instances_follow_those_they_are_like():
    X = np.random.default_rng(0).normal(size=(200, 3))
    found = learned_score(X, (X[:, 0] > 0).astype(float), np.array([[2.0, 0, 0], [-2.0, 0, 0]]))
    assert found[0] > 0.6 > 0.4 > found[1]  # six other draws: 0.73 and more; 0.32 and less


def test_the_common_scale_keeps_the_order_whatever_the_units():
    score = np.random.default_rng(0).normal(size=50)
    other = 1e6 * score - 7
    np.testing.assert_allclose(on_common_scale(other, other[:30]), on_common_scale(score, score[:30]))


def test_without_background_everything_may_be_a_target():
    assert on_common_scale(np.array([1.0, 2.0]), np.empty(0)).tolist() == [1.0, 1.0]


def test_scores_of_a_start_are_above_one_half_where_its_labels_are_targets(clouds):
    X, bags, _ = clouds
    labels, score, _ = initial_labels("density", X, bags)
    free = bags.instance_labels(320) > 0
    assert (labels[free & (score > 0.5)] == 1).all()


def test_labels_of_bags_have_no_scores_to_remember(clouds):
    X, bags, _ = clouds
    assert initial_labels("bag-label", X, bags)[1] is None


@pytest.mark.parametrize("name", ENSEMBLE)
def test_every_rule_ends_at_the_step_after_it_is_canceled(name):
    X = np.random.default_rng(0).normal(size=(1000, 20))  # more than is done in one step
    bags = Bags.from_column(np.repeat(np.arange(125), 8), np.where(np.arange(125) % 2, 1, -1))
    asked = []

    def stop():
        asked.append(name)
        return len(asked) == 2

    with pytest.raises(Cancelled):
        SELECTORS[name](X, bags, X[:800], monitor=Watch(stop=stop))
    assert len(asked) == 2


def test_classes_are_learned_across_blocks_where_a_group_of_clips_shows_one():
    X = np.random.default_rng(0).normal(size=(120, 4))
    labels, clip = np.tile([1, -1], 20), np.repeat(np.arange(4), 10)
    X[:, 0] += 6 * np.repeat(clip % 2, 3)
    classes = np.where(labels > 0, 1 + clip % 2, 9)
    plain = Bags.from_column(np.repeat(np.arange(40), 3), labels)
    bags = replace(plain, classes=classes, groups=clip % 2, blocks=np.arange(40))
    shares = class_shares(X, bags, np.ones(120))[1]
    own = shares[np.arange(120), np.repeat(clip % 2, 3)]
    assert own[bags.instance_labels(120) > 0].mean() > 0.8  # six other draws: 0.84 to 0.89


def test_shares_of_classes_can_be_canceled():
    X, labels = np.random.default_rng(0).normal(size=(120, 4)), np.tile([1, -1], 20)
    kinds = np.where(labels > 0, np.arange(40) % 4, 9)
    bags = replace(Bags.from_column(np.repeat(np.arange(40), 3), labels), classes=kinds)
    with pytest.raises(Cancelled):
        class_shares(X, bags, np.ones(120), Watch(stop=lambda: True))


def test_a_start_that_is_doubtful_says_so(few_trees, monkeypatch):
    X, bags, _ = planted_bags(20)
    monkeypatch.setattr(selectors, "doubts", lambda scores, bags: ["The rules agree little."])
    assert initial_labels("ensemble", X, bags)[2] == ["The rules agree little."]
    assert initial_labels("trees", X, bags)[2] == []


# --- several classes of targets


def rare_class():
    """50 bags of 5 with targets of one kind, 10 with another kind, 60 of background; features of the rare bags' rows
    250 to 299, whether a row is a target."""
    rng, target = np.random.default_rng(0), np.arange(600) % 5 == 0
    target[300:] = False
    X = rng.normal(size=(600, 12))
    X[:250, 0] += 5 * target[:250]
    X[250:300, 1] += 4 * target[250:300]
    labels = np.repeat([1, 1, -1], [50, 10, 60])
    return X, Bags.from_column(np.repeat(np.arange(120), 5), labels), target


def test_targets_of_a_rare_class_are_found_better_by_rules_that_learn_it_alone(few_trees):
    X, bags, target = rare_class()  # on draws 0 to 5: .93 on average without classes, .97 with them, never less
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


# --- some of the bags


def test_some_bags_keep_the_shares_of_both_labels():
    bags = Bags.from_lists(list(np.arange(300).reshape(60, 5)), np.array([1] * 20 + [-1] * 40, np.int8))
    some = some_bags(bags, 90)
    assert [int((some.labels == side).sum()) for side in (1, -1)] == [6, 12]
    assert some_bags(bags, 90).members.tolist() == some.members.tolist()


def test_of_either_label_there_is_a_bag_at_least():
    bags = Bags.from_lists([np.arange(50), np.arange(50, 100), [100]], np.array([1, -1, -1], np.int8))
    assert set(some_bags(bags, 1).labels.tolist()) == {1, -1}


def test_rules_that_learn_from_few_bags_still_score_all_instances_and_find_targets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    X[0:200:5] += 4.0
    bags = Bags.from_lists(list(np.arange(400).reshape(80, 5)), np.array([1] * 40 + [-1] * 40, np.int8))
    target = np.where(np.arange(200) % 5 == 0, 1, -1)
    assert auc(target, ensemble_scores(X, bags, most=100).score[:200]) > 0.95  # six other draws: 0.9997 and more
