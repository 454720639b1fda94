"""The area of what was chosen, on bags that did not choose it."""

import numpy as np
import pytest

from emberscope.evaluate.scores import auc, grouped_auc_interval
from emberscope.evaluate.selection import _areas, area_of_chosen
from emberscope.evaluate.within_clips import within_clips

LABELS = np.tile([1, -1], 40)
GROUPS = np.repeat(np.arange(10), 8)


def noise(seed, *, recipes=4, gap=0.0):
    return np.random.default_rng(seed).normal(size=(recipes, len(LABELS))) + gap * (LABELS > 0)


def best(areas):
    return int(np.argmax(areas))


@pytest.fixture(scope="module")
def of_noise():
    return np.array([area_of_chosen(noise(seed), LABELS, GROUPS, best) for seed in range(60)])


def test_the_best_of_four_recipes_of_noise_is_chance_on_average(of_noise):
    chosen = np.mean([max(auc(LABELS, row) for row in noise(seed)) for seed in range(60)])
    assert chosen > 0.55  # six other draws: 0.56 to 0.57
    assert of_noise[:, 0].mean() == pytest.approx(0.5, abs=4 * of_noise[:, 0].std() / 60**0.5)


def test_the_interval_of_the_best_of_noise_holds_one_half(of_noise):
    # Of this draw; six others: 0.92 to 0.98
    assert ((of_noise[:, 1] <= 0.5) & (of_noise[:, 2] >= 0.5)).mean() >= 0.93


def test_a_single_recipe_was_not_chosen_and_keeps_its_area():
    scores = noise(0, recipes=1, gap=1.0)
    expected = auc(LABELS, scores[0]), *grouped_auc_interval(LABELS, scores[0], GROUPS)
    assert area_of_chosen(scores, LABELS, GROUPS, best) == expected


def test_a_recipe_that_is_always_right_keeps_its_area():
    scores = np.vstack([LABELS, noise(0)])
    area, low, high = area_of_chosen(scores, LABELS, GROUPS, best)
    assert (area, high) == (1.0, 1.0)
    assert low == pytest.approx(grouped_auc_interval(LABELS, LABELS.astype(float), GROUPS)[0])


def test_a_bag_that_is_drawn_several_times_counts_as_often():
    labels, score = np.array([1, -1, 1, -1, -1]), np.array([2.0, 2.0, 1.0, 0.0, 3.0])
    times = np.array([[1, 1, 1, 1, 1], [0, 3, 2, 1, 0], [2, 0, 0, 1, 4], [1, 0, 1, 0, 0]])
    drawn = [auc(np.repeat(labels, t), np.repeat(score, t)) for t in times[:3]]
    np.testing.assert_array_equal(_areas(labels, score, times), [*drawn, np.nan])


@pytest.mark.parametrize("gap", [0.0, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_area_lies_inside_its_interval_and_at_no_end_but_zero_and_one(gap, seed):
    area, low, high = area_of_chosen(noise(seed, gap=gap), LABELS, GROUPS, best)
    assert low < area
    assert (high > area) == (area < 1)


def test_of_recipes_that_are_nearly_perfect_the_interval_still_leaves_room_above():
    nearly = np.vstack([LABELS.astype(float)] * 2)
    # Each is wrong about two bags
    nearly[0, :2], nearly[1, -2:] = nearly[0, :2][::-1], nearly[1, -2:][::-1]
    area, low, high = area_of_chosen(nearly, LABELS, GROUPS, best)
    assert 0.9 < area < 1
    assert high > area + 0.005
    assert low < area - 0.02


def test_a_larger_area_of_as_many_bags_has_larger_ends():
    found = within_clips(LABELS, noise(0, gap=1.0)[0], GROUPS, np.zeros(len(LABELS), np.int64))
    ends = np.array([found.at(area)[1:] for area in np.linspace(0.5, 1.0, 21)])
    assert (np.diff(ends, axis=0) >= 0).all()


def test_it_is_the_same_every_time():
    scores = noise(3, gap=0.5)
    assert area_of_chosen(scores, LABELS, GROUPS, best) == area_of_chosen(
        scores, LABELS, GROUPS, best
    )


def test_groups_of_one_kind_of_bag_that_leave_nothing_to_compare_keep_the_area_found():
    scores, labels, groups = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([-1, 1]), np.array([0, 1])
    assert area_of_chosen(scores, labels, groups, best)[0] == 1.0
