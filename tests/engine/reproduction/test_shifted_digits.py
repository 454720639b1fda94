"""What forgives a shift separates digits; with more strength it keeps the order of the shifts,
too."""

import pytest

from emberscope.base.errors import DataError
from emberscope.base.monitor import Silent
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.tables import Line, fill_in, read_table

SEED = {"seed": 0, "monitor": Silent(), "points": None}


def scores(distances, **params):
    """Share of equal digits among the 3 nearest, of digits separated by lines, of the shift
    explained, in 2-D."""
    return tuple(
        MEASURES["shifted-digit-score"](**SEED, distances=distances, score=score, **params)
        for score in ("purity", "separated", "shift")
    )


def test_a_step_apart_reconstruction_separates_digits_and_keeps_their_order():
    assert scores("reconstruction", strength=0.8) == pytest.approx((0.99, 1.0, 0.97), abs=0.05)


def test_three_steps_apart_registration_separates_digits_and_keeps_their_order():
    assert scores("registration", strength=0.9, step=3, reach=24) == pytest.approx(
        (0.96, 1.0, 0.97), abs=0.05
    )


def test_registration_with_little_strength_shows_digits_and_no_shift():
    purity, separated, shift = scores("registration", strength=0.1, step=3, reach=24)
    assert (purity, separated) == (1, 1)
    assert shift < 0.05


def test_euclidean_distances_three_steps_apart_show_the_shift_and_no_digits():
    purity, _, shift = scores("euclidean", strength=0.9, step=3)
    assert purity < 0.3  # six other draws: 0.05 to 0.07
    assert shift > 0.9  # six other draws: 0.91 to 0.94


def test_tangents_of_one_digit_are_hardly_nearer_than_those_of_several():
    within, between = (
        MEASURES["tangent-dissimilarity"](**SEED, within=same) for same in (True, False)
    )
    assert (within, between) == pytest.approx((0.67, 0.83), abs=0.03)


def test_an_unknown_score_is_refused():
    with pytest.raises(DataError, match="there is no score 'rank'"):
        MEASURES["shifted-digit-score"](**SEED, distances="euclidean", strength=0.5, score="rank")


def test_a_row_of_the_table_agrees():
    table = read_table("forgiven-shifts")
    lines = list(fill_in(table, MEASURES, only="registration, a = 0.9: digits separated"))
    assert all(isinstance(line, Line) and line.agrees for line in lines)
