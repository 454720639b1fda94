"""How much rules weigh and how far they are to be trusted."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.mil.rules.agreement import ABOUT_GROUND, agreement, doubts, weights_of


def test_rules_that_agree_weigh_more_than_one_that_contradicts_them():
    truth = np.arange(20.0)
    other = np.tile([3.0, 1, 4, 1, 5], 4)
    weight = agreement(np.stack([truth, truth**3, truth + other, -other]))
    assert weight[0] == weight[1] > weight[2] > weight[3] == 0


def test_rules_without_anything_in_common_weigh_the_same():
    assert agreement(np.stack([np.arange(4.0), -np.arange(4.0)])).tolist() == [0.5, 0.5]


@pytest.fixture(scope="module")
def crowded():
    """Scores of four rules that raise positive bags as a whole, of one that raises their targets,
    and the bags."""
    rng = np.random.default_rng(0)
    bags = Bags.from_column(np.repeat(np.arange(40), 9), np.where(np.arange(40) < 20, 1, -1))
    inside = bags.instance_labels(360) > 0
    # Ground of a positive bag, alike all over the bag
    place = inside * np.repeat(3 + rng.normal(size=40), 9)
    target = 6.0 * (inside & (np.arange(360) % 9 == 0))
    return np.stack(
        [*(place + 0.3 * rng.normal(size=(4, 360))), target + rng.normal(size=360)]
    ), bags


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


def in_turn(positive, negative):
    """Scores of one rule in four bags of each label in turn."""
    return np.concatenate([np.concatenate([p, n]) for p, n in zip(positive, negative, strict=True)])


OF_FOUR = Bags.from_column(np.repeat(np.arange(8), 4), np.tile([1, -1], 4))


def test_a_target_stands_out_by_how_far_it_exceeds_the_median_of_its_bag():
    stands_out = in_turn([[0, 5, 0, 0]] * 4, [[3, 0, 3.2, 5.5]] * 4)  # by 5 and by 2.4
    spreads_ground = in_turn([[0, 0, 0, 0]] * 4, [[9, 0, 9, 0]] * 4)
    weight, sure = weights_of(np.stack([stands_out, spreads_ground]), OF_FOUR)
    assert (weight.tolist(), sure) == ([1, 0], False)


def test_a_rule_weighs_as_its_targets_stand_out_more_often_than_chance():
    always = in_turn([[0, 50, 0, 0]] * 4, [[3, 0, 3.2, 5.5]] * 4)
    never = in_turn([[0, 0, 0, 0]] * 4, [[90, 0, 90, 0]] * 4)
    # In 3 of 4 pairs: half as far from 1/2
    mostly = in_turn([*[[0, 0, 4, 0]] * 3, [0, 0, 0, 0]], [[0, 0, 0, 1]] * 4)
    weight, sure = weights_of(np.stack([always, never, mostly]), OF_FOUR)
    assert not sure
    assert weight == pytest.approx([2 / 3, 0, 1 / 3])


def test_bags_without_instances_do_not_count_for_weights(crowded):
    scores, bags = crowded
    more = Bags.from_lists(
        [*(bags.of(k) for k in range(40)), [], []], np.append(bags.labels, [1, -1])
    )
    assert np.array_equal(weights_of(scores, more)[0], weights_of(scores, bags)[0])


def test_agreement_about_ground_is_said(crowded):
    assert doubts(*crowded) == [ABOUT_GROUND]


def test_rules_that_agree_little_are_said_to_and_others_are_not(crowded):
    scores, bags = crowded
    noise = np.random.default_rng(1).normal(size=(4, 360))
    assert "agree little" in doubts(scores[4] + 5 * noise, bags)[0]
    assert doubts(scores[4] + 0.3 * noise, bags) == []
