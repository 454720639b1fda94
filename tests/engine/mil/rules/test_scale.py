"""Scores in units of the background, and as shares of votes."""

import numpy as np

from emberscope.mil.rules.scale import on_common_scale


def test_one_half_on_the_common_scale_is_what_exceeds_95_percent_of_the_background():
    scale = on_common_scale(np.array([49.5, 94.05, 1000.0]), np.arange(100.0))
    np.testing.assert_allclose(scale, [1 / (1 + np.e**3), 0.5, 1.0], atol=1e-3)


def test_scores_above_all_background_keep_their_order_on_the_common_scale():
    assert (np.diff(on_common_scale(np.array([101.0, 150.0, 1000.0]), np.arange(100.0))) > 0).all()


def test_the_common_scale_keeps_the_order_whatever_the_units():
    score = np.random.default_rng(0).normal(size=50)
    other = 1e6 * score - 7
    np.testing.assert_allclose(
        on_common_scale(other, other[:30]), on_common_scale(score, score[:30])
    )


def test_without_background_everything_may_be_a_target():
    assert on_common_scale(np.array([1.0, 2.0]), np.empty(0)).tolist() == [1.0, 1.0]
