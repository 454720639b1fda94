"""Digits shifted step by step."""

import numpy as np

from emberscope.datasets.shifted_digits import shifted_digits


def test_each_digit_is_drawn_once_and_shifted_whole():
    chips, digit, shift = shifted_digits((5, 8), step=3)
    assert chips.shape == (18, 28, 52)
    assert digit.tolist() == [5] * 9 + [8] * 9
    assert shift[:9].tolist() == [-12, -9, -6, -3, 0, 3, 6, 9, 12]
    np.testing.assert_array_equal(np.roll(chips[0], 24, axis=1), chips[8])
    np.testing.assert_allclose(chips.sum(axis=(1, 2))[:9], chips[4].sum(), rtol=1e-5)


def test_the_seed_chooses_the_hand():
    first, again, other = (shifted_digits((5,), n_shifts=1, seed=seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.1  # six other draws: 0.48 to 0.89
