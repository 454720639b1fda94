"""Which places of a grid are scored."""

import numpy as np

from emberscope.scoring.places import around_high, coarse, filled

NONE = np.nan


def test_at_first_every_other_place_and_the_last_ones():
    assert coarse((4, 5)).astype(int).tolist() == [
        [1, 0, 1, 0, 1], [0, 0, 0, 0, 0], [1, 0, 1, 0, 1], [1, 0, 1, 0, 1]]  # fmt: skip


def test_then_those_around_a_high_one():
    score = np.full((1, 5, 5), NONE, np.float32)
    score[0, ::2, ::2] = 0.01
    score[0, 2, 4] = 0.9
    wanted = around_high(score)[0]
    assert np.argwhere(wanted).tolist() == [[1, 3], [1, 4], [2, 3], [3, 3], [3, 4]]


def test_a_high_score_has_its_neighbors_scored_however_many_there_are():
    score = np.full((1, 5, 5), NONE, np.float32)
    score[0, ::2, ::2] = 0.4
    assert around_high(score).sum() == 25 - 9


def test_in_between_stands_the_mean_of_those_beside_it():
    score = np.array([[[0.0, NONE, 0.4], [NONE, NONE, NONE], [0.0, NONE, 0.4]]], np.float32)
    np.testing.assert_allclose(filled(score)[0], [[0, 0.2, 0.4]] * 3)


def test_every_place_has_a_score_or_one_beside_it():
    for rows in range(1, 9):
        for cols in range(1, 9):
            score = np.where(coarse((rows, cols)), 1.0, NONE).astype(np.float32)[None]
            assert (filled(score) == 1).all()
