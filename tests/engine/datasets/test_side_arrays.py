"""Side information among the arrays of a point set."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.datasets.points import read_points
from emberscope.datasets.side_arrays import read_side


def read(n=9, **arrays):
    return read_side({name: np.array(values) for name, values in arrays.items()}, n, "points.npz")


def test_pairs_have_weight_one_unless_they_say_other():
    side = read(same=[[0, 1], [2, 3]], different=[[0, 4]], different_weight=[0.5])
    assert side.pairs.tolist() == [[0, 1], [2, 3], [0, 4]]
    assert side.same.tolist() == [True, True, False]
    assert side.pair_weight.tolist() == [1.0, 1.0, 0.5]


def test_pairs_may_be_of_several_attributes():
    side = read(same=[[0, 1], [2, 3]], same_attribute=["engine", "class"], different=[[0, 4]])
    assert [side.attributes[i] for i in side.pair_attribute] == ["engine", "class", ""]


def test_distances_come_with_their_numbers():
    side = read(distance_pairs=[[0, 1], [2, 3]], distance=[30, 60])
    assert (side.distances.tolist(), side.distance.tolist()) == ([[0, 1], [2, 3]], [30.0, 60.0])


def test_a_sequence_has_an_action_between_its_rows():
    side = read(sequence=[3, 4, 5], action=["pan", ""])
    assert side.sequences[0].rows.tolist() == [3, 4, 5]
    assert (side.actions, side.sequences[0].actions.tolist()) == (("pan",), [0, -1])


def test_several_sequences_are_told_apart_by_a_number():
    side = read(sequence=[3, 4, 7, 8], sequence_of=[0, 0, 1, 1], action=["pan", "", "zoom", ""])
    assert [track.rows.tolist() for track in side.sequences] == [[3, 4], [7, 8]]
    assert [side.actions[track.actions[0]] for track in side.sequences] == ["pan", "zoom"]


def test_a_point_set_without_any_of_it_has_none(tmp_path):
    np.savez(tmp_path / "p.npz", X=np.eye(4))
    assert read_points(tmp_path / "p.npz").side is None


def test_a_point_set_with_pairs_has_them(tmp_path):
    np.savez(tmp_path / "p.npz", X=np.eye(4), same=np.array([[0, 1]]))
    assert read_points(tmp_path / "p.npz").side.pairs.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("arrays", "what"),
    [
        ({"same": [[0, 9]]}, "same holds 0 to 9, X has rows 0 to 8"),
        ({"same": [[2, 2]]}, "same pairs row 2 with itself"),
        ({"same": [0, 1]}, r"same has shape \(2,\)"),
        ({"same": [[0.5, 1.0]]}, "dtype float64"),
        (
            {"same": [[0, 1]], "same_weight": [-1.0]},
            "same_weight is not one number of 0 or more for each of 1 pairs",
        ),
        (
            {"same": [[0, 1]], "same_attribute": ["a", "b"]},
            "same_attribute is not one word for each of 1",
        ),
        ({"distance_pairs": [[0, 1]]}, "distance is not one number"),
        ({"distance_pairs": [[0, 1]], "distance": [np.nan]}, "distance is not one number"),
        ({"sequence": [0, 9]}, "sequence is no list of row numbers"),
        ({"sequence": [0, 1, 2], "action": ["pan"]}, "action is not one word for each of 2"),
        ({"sequence": [0, 1, 2], "sequence_of": [0, 1]}, "sequence_of is not one whole number"),
    ],
)
def test_what_does_not_fit_is_named(arrays, what):
    with pytest.raises(DataError, match=what):
        read(**arrays)


def test_changes_that_do_not_matter_come_with_step_and_reach():
    (shift, turn) = read(
        invariance=["translate", "rotate"], invariance_step=[1.0, 5.0],
        invariance_reach=[3.0, 10.0], invariance_direction=[0.0, np.nan],
    ).invariances
    assert (shift.family, shift.step, shift.reach, shift.direction) == ("translate", 1.0, 3.0, 0.0)
    assert (turn.family, turn.direction) == ("rotate", None)


@pytest.mark.parametrize(("arrays", "what"), [
    ({"invariance": ["melt"]}, "no invariance 'melt'"),
    ({"invariance": [1]}, "invariance is no list of words"),
    ({"invariance": ["scale"], "invariance_step": [1.1]}, "invariance_reach is not one number"),
    ({"invariance": ["rotate"], "invariance_step": [9], "invariance_reach": [3]}, "step or reach"),
    ({"invariance": ["rotate"], "invariance_step": [3], "invariance_reach": [9],
      "invariance_direction": [0, 1]}, "invariance_direction is not one number for each of 1"),
])  # fmt: skip
def test_a_change_that_does_not_fit_is_named(arrays, what):
    with pytest.raises(DataError, match=what):
        read(**arrays)


def test_actions_between_new_rows_are_read_with_them(tmp_path):
    np.savez(tmp_path / "p.npz", X=np.eye(4), X_new=np.ones((3, 4)), action_new=["ahead", ""])
    assert read_points(tmp_path / "p.npz").new_actions == ("ahead", "")


@pytest.mark.parametrize(("arrays", "what"), [
    ({"action_new": ["ahead"]}, "action_new is there without X_new"),
    ({"X_new": np.ones((3, 4)), "action_new": ["ahead"]}, "one word for each of 2"),
])  # fmt: skip
def test_actions_that_do_not_lie_between_new_rows_are_refused(tmp_path, arrays, what):
    np.savez(tmp_path / "p.npz", X=np.eye(4), **arrays)
    with pytest.raises(DataError, match=what):
        read_points(tmp_path / "p.npz")
