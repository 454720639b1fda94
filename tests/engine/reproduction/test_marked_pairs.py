"""Marked pairs part what they tell of, and nothing else."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.base.monitor import Silent
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.tables import Line, fill_in, read_table

TWENTY = {"alike": 20, "different": 20, "softness": 0.3}


def share(seen, marked=""):
    """Mean of five draws."""
    given = {
        "monitor": Silent(),
        "points": None,
        "seen": seen,
        "marked": marked,
        **(TWENTY if marked else {}),
    }
    return np.mean([MEASURES["attribute-share"](seed=seed, **given) for seed in range(5)])


@pytest.mark.parametrize(("told", "other"), [("A", "B"), ("B", "A")])
def test_twenty_pairs_of_each_kind_part_their_attribute_half_as_far_again_and_not_the_other(
    told, other
):
    assert share(told, told) >= 1.5 * share(told)  # single draws: 1.46 to 3.1 (A), 1.5 to 1.7 (B)
    assert share(other, told) < share(other)  # single draws: .03 to .46 below (A), .15 to .19 (B)


@pytest.mark.parametrize("name", ["MDS", "Isomap", "LEM", "LLE", "SDE"])
def test_twenty_pairs_of_each_kind_inform_every_kind_of_map(name):
    table = read_table("informed-maps")
    rows = [f"{name}, attribute A, {pairs}" for pairs in ("no pair", "20 alike and 20 different")]
    plain, informed = (next(iter(fill_in(table, MEASURES, only=row))).ours for row in rows)
    assert informed > 1.3 * plain


def test_an_unknown_attribute_is_refused():
    with pytest.raises(DataError, match="there is no attribute 'C'"):
        share("C")


def test_the_rows_of_the_table_agree_with_their_reference():
    lines = list(fill_in(read_table("marked-pairs"), MEASURES, only="attribute A"))
    assert all(isinstance(line, Line) and line.agrees for line in lines)
