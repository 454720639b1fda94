"""Side information: records of instance ids become arrays of rows."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair, SideInfo, conflicts

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
    records = [
        Distance(id=1, a=90, b=50, distance=2, unit="m"),
        Distance(id=2, a=90, b=30, distance=2, unit="deg"),
    ]
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


def pairs(*said):
    """Records numbered from 0: (a, b, same)."""
    return [Pair(id=number, a=a, b=b, same=same) for number, (a, b, same) in enumerate(said)]


def test_two_that_are_the_same_and_differ_are_a_conflict():
    [found] = conflicts(pairs((1, 2, True), (2, 1, False)))
    assert found.ids == (1, 0)


def test_a_conflict_names_the_chain_that_makes_two_the_same():
    [found] = conflicts(
        pairs((1, 2, True), (3, 2, True), (3, 4, True), (8, 9, True), (4, 1, False))
    )
    assert (found.different.id, [pair.id for pair in found.chain]) == (4, [2, 1, 0])


def test_a_conflict_says_which_records_cannot_all_be_right():
    [found] = conflicts(pairs((1, 2, True), (3, 2, True), (3, 1, False)))
    assert (
        found.words()
        == "record 2 says that chips 000003 and 000001 differ, records 1 and 0 make them the same"
    )


def test_the_chain_of_a_conflict_is_a_shortest_one():
    [found] = conflicts(
        pairs((1, 2, True), (2, 3, True), (3, 4, True), (1, 4, True), (1, 4, False))
    )
    assert [pair.id for pair in found.chain] == [3]


def test_two_may_be_the_same_by_one_attribute_and_differ_by_another():
    records = [Pair(id=1, a=1, b=2, same=True, attribute="vehicle"),
               Pair(id=2, a=1, b=2, same=False, attribute="engine")]
    assert conflicts(records) == []


def test_what_differs_is_not_handed_on():
    assert conflicts(pairs((1, 2, False), (2, 3, False), (1, 3, True))) == []


@pytest.mark.parametrize("seed", range(5))
def test_conflicts_are_those_that_a_search_through_all_chains_finds(seed):
    draw = np.random.default_rng(seed)
    said = [
        (int(a), int(b), bool(same))
        for a, b, same in zip(*draw.integers(0, 12, (2, 25)), draw.random(25) < 0.4, strict=True)
        if a != b
    ]
    reach = np.eye(12, dtype=bool)
    for a, b, same in said:
        reach[a, b] |= same
        reach[b, a] |= same
    reach = np.linalg.matrix_power(reach.astype(float), 12) > 0
    expected = [number for number, (a, b, same) in enumerate(said) if not same and reach[a, b]]
    assert sorted(found.different.id for found in conflicts(pairs(*said))) == expected


def some_records():
    return [
        Pair(id=1, a=50, b=90, same=True, attribute="engine"),
        Pair(id=2, a=90, b=30, same=False),
        Distance(id=3, a=90, b=50, distance=2, unit="m"),
        Actions(id=4, instances=(90, 50), actions=("pan",)),
        Actions(id=5, instances=(90, 30), actions=("pan",)),
    ]


def some_side():
    return SideInfo.of(some_records(), IDS)


def test_of_some_instances_only_what_is_known_between_them_is_left():
    side = some_side().among(np.array([1, 0]), 3)
    assert side.pairs.tolist() == [[0, 1]]
    assert [side.attributes[i] for i in side.pair_attribute] == ["engine"]
    assert (side.distances.tolist(), side.unit) == ([[1, 0]], "m")
    assert [track.rows.tolist() for track in side.sequences] == [[1, 0]]


def test_a_pair_that_a_person_made_stands_over_the_same_pair_of_others():
    weak = SideInfo.of_pairs(same=[(0, 2), (2, 1)])
    side = SideInfo.of_pairs(different=[(2, 0)]).with_pairs_of(weak)
    assert side.pairs.tolist() == [[2, 0], [2, 1]]
    assert side.same.tolist() == [False, True]


def test_pairs_of_others_keep_to_their_attribute():
    side = SideInfo.of([Pair(id=1, a=50, b=90, same=True, attribute="engine")], IDS).with_pairs_of(
        SideInfo.of_pairs(same=[(0, 2)]))
    assert [side.attributes[i] for i in side.pair_attribute] == ["engine", ""]


def test_pairs_of_others_stand_alone_where_there_are_none():
    side = SideInfo().with_pairs_of(SideInfo.of_pairs(same=[(0, 2)]))
    assert (side.attributes, side.pair_attribute.tolist()) == (("",), [0])


def test_side_information_comes_back_from_its_state():
    side = SideInfo.of([*some_records(), Invariance(id=6, family="gain", step=1.1, reach=1.3)], IDS)
    back = SideInfo.from_state(side.to_state())
    assert (back.pairs.tolist(), back.same.tolist()) == (side.pairs.tolist(), [True, False])
    assert (back.attributes, back.unit, back.invariances) == (
        side.attributes,
        "m",
        side.invariances,
    )
    assert [track.rows.tolist() for track in back.sequences] == [[0, 1], [0, 2]]
