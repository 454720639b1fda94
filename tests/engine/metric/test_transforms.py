"""Changes of chips: which ones an invariance allows, what they do to a chip, and what a person is
shown of them."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.labels.side_info import Invariance
from emberscope.metric.transforms import Change, changed, changes, filter_widths, strip, windows


def invariance(family, step, reach, direction=None):
    return Invariance(id=1, family=family, step=step, reach=reach, direction=direction)


def amounts(found, shape=(9, 9)):
    return [change.amount for change in changes(found, shape)]


def dot(row, column, shape=(5, 7)):
    """A chip, dark but for one pixel."""
    chip = np.zeros(shape, np.float32)
    chip[row, column] = 1
    return chip


def one(chip, family, *amount):
    return changed(chip[None], Change(family, amount))[0]


def test_a_shift_in_one_direction_goes_both_ways():
    assert amounts(invariance("translate", 1, 2, 0)) == [(0, -2), (0, -1), (0, 1), (0, 2)]
    assert amounts(invariance("translate", 1, 1, 90)) == [(-1, 0), (1, 0)]


def test_a_shift_without_a_direction_goes_along_both_axes_at_once():
    found = amounts(invariance("translate", 1, 2))
    assert len(found) == 24
    assert (1, -2) in found
    assert (0, 0) not in found


def test_factors_multiply_and_divide():
    np.testing.assert_allclose(amounts(invariance("gain", 2, 4)), [[0.25], [0.5], [2], [4]])


def test_a_reach_between_two_steps_is_not_exceeded():
    np.testing.assert_allclose(amounts(invariance("rotate", 4, 10)), [[-8], [-4], [4], [8]])
    assert len(amounts(invariance("rotate", 0.1, 0.3))) == 6


def test_a_shift_moves_the_pixels_and_repeats_the_border():
    chip = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(one(chip, "translate", 0, 1), chip[:, [0, 0, 1, 2]])
    np.testing.assert_array_equal(one(chip, "translate", -1, 0), chip[[1, 2, 2]])


def test_what_leaves_on_one_side_does_not_come_in_on_the_other():
    assert one(dot(2, 5), "translate", 0, 1).sum() == 1
    assert not one(dot(2, 5), "translate", 0, 3).any()


def test_half_a_pixel_is_shared_by_two():
    moved = one(dot(2, 3), "translate", 0, 0.5)
    np.testing.assert_allclose(moved[2, 3:5], 0.5)
    assert moved.sum() == pytest.approx(1)


def test_a_quarter_turn_goes_counterclockwise_about_the_center():
    np.testing.assert_array_equal(one(dot(1, 2, (3, 3)), "rotate", 90), dot(0, 1, (3, 3)))


def test_a_larger_scale_spreads_from_the_center():
    chip = np.tile(np.arange(-4, 5, dtype=np.float32), (9, 1))
    np.testing.assert_allclose(one(chip, "scale", 2.0), chip / 2)


def test_gain_multiplies():
    np.testing.assert_array_equal(one(dot(0, 0), "gain", 1.5), 1.5 * dot(0, 0))


def test_a_constant_chip_stays_as_it_is_but_for_its_gain():
    flat = np.full((4, 6, 6), 3, np.float32)
    for family, amount in (("translate", (1, 2)), ("rotate", (30,)), ("scale", (1.3,))):
        np.testing.assert_allclose(changed(flat, Change(family, amount)), flat, rtol=1e-6)


def test_windows_hold_what_surrounds_each_pixel():
    chip = np.arange(12, dtype=np.float32).reshape(3, 4)
    found = windows(chip[None], 3)
    assert found.shape == (1, 12, 9)
    np.testing.assert_array_equal(found[0, 5], [0, 1, 2, 4, 5, 6, 8, 9, 10])
    np.testing.assert_array_equal(found[0, 0], [0, 0, 1, 0, 0, 1, 4, 4, 5])


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (invariance("translate", 1, 9), "a shift of 9 px is larger than chips of 9 x 12 px"),
        (invariance("translate", 1, 12, 0), "larger than chips"),
        (invariance("scale", 3, 9), "larger than chips"),
        (invariance("scale", 0.9, 1.1), "factor above 1"),
        (invariance("rotate", 5, 200), "180 degrees at most"),
        (invariance("translate", 0.1, 3), "3721 changes of every chip"),
        (invariance("gain", 1.0001, 9), "changes of every chip"),
        (invariance("local-filter", 4, 4), "odd width"),
        (invariance("local-filter", 11, 11), "does not fit chips of 9 x 12 px"),
    ],
)
def test_a_change_that_no_chip_allows_is_refused_in_words(found, words):
    with pytest.raises(DataError, match=words):
        changes(found, (9, 12))


def test_along_the_longer_side_a_shift_may_go_farther():
    assert len(amounts(invariance("translate", 1, 11, 0), (9, 12))) == 22


def test_a_local_filter_is_a_width_and_no_list_of_changes():
    five, three = invariance("local-filter", 5, 5), invariance("local-filter", 3, 3)
    assert changes(five, (9, 9)) == []
    assert filter_widths([five, three, five, invariance("gain", 2, 2)], (9, 9)) == [3, 5]


def test_the_strip_leads_from_one_end_over_the_chip_to_the_other():
    words, chips = strip(dot(2, 3), invariance("rotate", 5, 10))
    assert words == ["-10°", "-5°", "as it is", "+5°", "+10°"]
    np.testing.assert_array_equal(chips[2], dot(2, 3))
    np.testing.assert_array_equal(chips[4], one(dot(2, 3), "rotate", 10))


def test_the_strip_of_a_shift_along_both_axes_shows_one_after_the_other():
    words, chips = strip(dot(2, 3), invariance("translate", 1, 1))
    assert words == ["-1 px", "as it is", "+1 px", "-1 px down", "as it is", "+1 px down"]
    np.testing.assert_array_equal(chips[2], dot(2, 4))
    np.testing.assert_array_equal(chips[5], dot(3, 3))


def test_the_strip_of_a_local_filter_shows_samples_of_it():
    words, chips = strip(dot(2, 3), invariance("local-filter", 3, 3))
    assert words == ["as it is", "-1 px", "+1 px", "-1 px down", "+1 px down", "mean"]
    assert chips[-1].max() == pytest.approx(1 / 9)


@pytest.mark.parametrize("chip", [np.zeros(4), np.zeros((2, 3, 3)), np.zeros((0, 3))])
def test_a_strip_is_made_of_one_chip(chip):
    with pytest.raises(DataError, match="rows and columns"):
        strip(chip, invariance("gain", 2, 2))
