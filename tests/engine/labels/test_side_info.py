"""Side information: records of instance ids become arrays of rows."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair, SideInfo

IDS = np.array([90, 50, 30])  # of rows 0, 1, 2


def test_a_pair_of_ids_becomes_a_pair_of_rows():
    side = SideInfo.of([Pair(id=1, a=50, b=90, same=True)], IDS)
    assert side.pairs.tolist() == [[1, 0]]
    assert side.same.tolist() == [True]


def test_a_pair_with_an_instance_that_is_no_row_is_left_out_and_counted():
    side = SideInfo.of([Pair(id=1, a=50, b=77, same=True)], IDS)
    assert (len(side.pairs), side.left_out) == (0, 1)


def test_a_pair_knows_its_attribute():
    side = SideInfo.of([Pair(id=1, a=50, b=90, same=True, attribute="engine"),
                        Pair(id=2, a=50, b=30, same=False, attribute="class")], IDS)
    assert [side.attributes[i] for i in side.pair_attribute] == ["engine", "class"]


def test_a_track_becomes_rows_and_numbers_of_actions():
    side = SideInfo.of([Actions(id=1, instances=(90, 50, 30), actions=("pan", ""))], IDS)
    assert side.sequences[0].rows.tolist() == [0, 1, 2]
    assert side.sequences[0].actions.tolist() == [0, -1]  # -1: unknown
    assert side.actions == ("pan",)


def test_distances_of_two_units_are_refused():
    records = [Distance(id=1, a=90, b=50, distance=2, unit="m"), Distance(id=2, a=90, b=30, distance=2, unit="deg")]
    with pytest.raises(DataError, match="several units: deg, m"):
        SideInfo.of(records, IDS)


def test_a_chip_is_not_paired_with_itself():
    with pytest.raises(DataError, match="with itself"):
        Pair(id=1, a=50, b=50, same=True)


@pytest.mark.parametrize("distance", [-1.0, float("nan"), float("inf")])
def test_a_distance_is_finite_and_not_negative(distance):
    with pytest.raises(DataError, match="negative or not finite"):
        Distance(id=1, a=50, b=90, distance=distance)


def test_an_invariance_reaches_at_least_one_step():
    with pytest.raises(DataError, match="step or reach"):
        Invariance(id=1, family="translate", step=2, reach=1)


def test_a_track_has_one_action_less_than_instances():
    with pytest.raises(DataError, match="2 instances and 2 actions"):
        Actions(id=1, instances=(50, 90), actions=("pan", "pan"))


def test_rows_beyond_the_instances_are_refused():
    with pytest.raises(DataError, match="row 5, but there are 3"):
        SideInfo.of_pairs([(0, 5)]).checked(3)
