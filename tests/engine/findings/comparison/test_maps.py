"""Two maps laid over each other."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.findings.comparison.maps import (
    compare_maps,
    comparison_words,
    farthest,
    moved_beside,
    neighbors_kept,
    procrustes,
)

from ...project.builders import a_run

PLANE, OTHER = np.random.default_rng(0).normal(size=(2, 60, 2))
TURN = np.array([[0.0, 1.0], [1.0, 0.0]])  # and mirrored


def make(run_id, ids, Z):
    """A run of instances with these ids, at these places."""
    return a_run(run_id, len(ids), ids=np.asarray(ids, np.int64), Z=Z)


def test_a_map_turned_mirrored_and_scaled_comes_back_onto_itself():
    fit = procrustes(PLANE, 7 * PLANE @ TURN + 3)
    np.testing.assert_allclose(fit.lay(7 * PLANE @ TURN + 3), PLANE, atol=1e-9)
    assert fit.residual == pytest.approx(0.0, abs=1e-9)


def test_maps_that_know_nothing_of_each_other_have_a_residual_near_one():
    assert procrustes(PLANE, OTHER).residual > 0.8


def test_a_map_that_has_little_in_common_keeps_its_radius():
    laid = procrustes(PLANE, OTHER).lay(OTHER)
    assert np.linalg.norm(laid - laid.mean(axis=0)) == pytest.approx(
        np.linalg.norm(PLANE - PLANE.mean(axis=0)))


def test_a_map_that_is_one_point_has_nothing_in_common_with_a_wide_one():
    assert procrustes(PLANE, np.zeros((60, 2))).residual == 1.0


def test_two_points_cannot_say_how_to_turn_a_map():
    with pytest.raises(DataError, match="2 points say not how"):
        procrustes(PLANE[:2], PLANE[:2])


def test_the_share_of_neighbors_kept_counts_whichever_order_they_have():
    near = np.array([[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]])
    others = np.array([[2, 1], [2, 3], [3, 4], [0, 1], [0, 1]])
    np.testing.assert_array_equal(neighbors_kept(near, others), [1.0, 0.5, 0.0, 1.0, 1.0])


def test_a_group_that_goes_as_one_does_not_move_beside_its_neighbors():
    line = np.arange(6.0)[:, None]
    moved = np.where(line < 3, line, line + 10)
    near = np.array([[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]])
    np.testing.assert_array_equal(moved_beside(line, moved, near), np.zeros(6))


def test_one_that_leaves_its_neighbors_moved_farthest():
    moved = np.zeros(30)
    moved[7], moved[3] = 2.0, 1.0
    assert farthest(moved).tolist() == [7, 3]


def test_where_nothing_moved_there_are_no_movers():
    assert not len(farthest(np.full(30, 1e-6)))  # by rounding alone


def test_runs_are_matched_by_instance_whatever_their_order():
    order = np.random.default_rng(1).permutation(60)
    found = compare_maps(make(1, np.arange(60), PLANE), make(2, order, PLANE[order] @ TURN))
    assert found.residual == pytest.approx(0.0, abs=1e-9)
    assert found.overall == 1.0
    np.testing.assert_array_equal(order[found.rows_second], found.rows_first)


def test_one_that_went_far_off_leaves_all_others_in_place():
    away = 3 * PLANE @ TURN
    away[0] += 200
    found = compare_maps(make(1, np.arange(60), PLANE), make(2, np.arange(60), away))
    np.testing.assert_allclose(found.laid[1:], PLANE[1:], atol=1e-6)
    assert found.residual > 0.1


def test_instances_of_one_run_alone_are_laid_over_the_other_map_too():
    first, second = make(1, np.arange(60), PLANE), make(2, np.arange(30, 60), PLANE[30:] * 2)
    found = compare_maps(second, first)
    assert len(found.rows_first) == 30
    np.testing.assert_allclose(found.laid, 2 * PLANE, atol=1e-6)


def test_a_map_of_more_dimensions_is_compared_in_all_of_them():
    deep = np.column_stack([PLANE, OTHER[:, 0]])
    found = compare_maps(make(1, np.arange(60), PLANE), make(2, np.arange(60), deep))
    assert found.laid.shape == (60, 3)
    assert 0.0 < found.residual < 0.8


def test_instances_without_a_place_take_no_part():
    lost = PLANE.copy()
    lost[5] = np.nan
    found = compare_maps(make(1, np.arange(60), PLANE), make(2, np.arange(60), lost))
    assert len(found.rows_first) == 59
    assert found.residual == pytest.approx(0.0, abs=1e-9)


def test_runs_without_instances_in_common_are_refused():
    with pytest.raises(DataError, match="runs 1 and 2 have 0 instances in common"):
        compare_maps(make(1, np.arange(60), PLANE), make(2, np.arange(60) + 100, PLANE))


def test_what_is_said_first_names_what_chance_would_keep():
    found = compare_maps(make(1, np.arange(60), PLANE), make(2, np.arange(60), PLANE[::-1]))
    assert "by chance" in comparison_words(found)[-1]
