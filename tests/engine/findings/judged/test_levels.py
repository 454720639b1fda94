"""Counts at a threshold."""

import msgspec
import numpy as np
import pytest

from emberscope.findings.judged.levels import (
    GROUND,
    SliceAxis,
    Tally,
    WhyNot,
    balanced_threshold,
    crossed,
    found_in_cells,
    without,
)

CAR, PERSON = 1, 4


def a_level(score, truth, said=None, *, name="instance", frames=0):
    score, truth = np.array(score, float), np.array(truth)
    said = np.where(truth > 0, truth, CAR) if said is None else np.array(said)
    return msgspec.structs.replace(
        without(name, WhyNot("", "")), ids=np.arange(len(score)), score=score, truth=truth,
        said=said, group=np.arange(len(score)), frames=frames)


def test_rows_of_a_confusion_are_truth_and_its_columns_what_is_said():
    tally = Tally(a_level([0.9, 0.8, 0.7, 0.1], [CAR, PERSON, GROUND, CAR],
                          [CAR, CAR, PERSON, CAR]))
    assert tally.kinds == [CAR, PERSON]
    assert tally.confusion(0.5).tolist() == [[1, 0, 1], [1, 0, 0], [0, 1, 0]]


def test_the_rows_of_a_cell_are_as_many_as_it_says():
    rng = np.random.default_rng(0)
    tally = Tally(a_level(rng.random(50), rng.choice([GROUND, CAR, PERSON], 50),
                          rng.choice([CAR, PERSON], 50)))
    kinds = [*tally.kinds, GROUND]
    counted = [[len(tally.rows(truth, said, 0.4)) for said in kinds] for truth in kinds]
    assert counted == tally.confusion(0.4).tolist()


def test_a_score_at_the_threshold_is_above_it():
    assert Tally(a_level([0.5, 0.5], [CAR, GROUND])).at(0.5)[1:3][0].value == 1.0


def test_ground_is_counted_per_frame_for_detections():
    level = a_level([0.9, 0.8, 0.7], [CAR, GROUND, GROUND], name="detection", frames=4)
    assert Tally(level).at(0.0).false == 0.5


@pytest.mark.parametrize("allowed", [0.0, 0.25, 0.5, 1.0])
def test_the_threshold_of_a_share_of_ground_takes_no_more(allowed):
    tally = Tally(a_level([0.9, 0.8, 0.6, 0.4, 0.2], [CAR, GROUND, GROUND, GROUND, GROUND]))
    assert tally.at(tally.threshold_at(allowed)).false <= allowed


def test_the_threshold_of_a_share_of_ground_is_the_lowest():
    tally = Tally(a_level([0.9, 0.8, 0.6, 0.4], [GROUND, CAR, GROUND, CAR]))
    assert tally.threshold_at(0.5) == 0.8


def test_where_ground_scores_highest_nothing_is_found_without_a_mistake():
    tally = Tally(a_level([0.9, 0.5], [GROUND, CAR]))
    assert tally.at(tally.threshold_at(0.0)).found.value == 0.0


def test_the_balanced_threshold_tells_targets_from_ground():
    assert (
        balanced_threshold(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, True, False, False]))
        == 0.8
    )


def test_what_is_found_in_a_slice_without_targets_is_unknown():
    level = a_level([0.9, 0.1, 0.5], [CAR, CAR, GROUND])
    share, targets = found_in_cells(level, np.array([0, 0, 1]), 2, 0.5)
    assert share[0] == 0.5
    assert np.isnan(share[1])
    assert targets.tolist() == [2, 0]


def test_slices_of_two_axes_are_numbered_row_by_row():
    first = SliceAxis("a", "A", ["x", "y"], np.array([0, 1, -1, 1]))
    second = SliceAxis("b", "B", ["u", "v", "w"], np.array([2, 0, 1, -1]))
    assert crossed(first, second).tolist() == [2, 3, -1, -1]
