"""Dissimilarities of chips: what they forgive, their naive twins, and what they say of input that
they cannot use."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from emberscope.base.errors import Cancelled, DataError, TooLarge
from emberscope.base.monitor import Watch
from emberscope.datasets.shifted_digits import digits_off_center
from emberscope.labels.side_info import Invariance
from emberscope.metric import dissimilarities
from emberscope.metric.dissimilarities import (
    KINDS,
    chips_of,
    directed,
    dissimilarity,
    dissimilarity_to,
    tangents,
    tangents_apart,
)
from emberscope.metric.transforms import changed, changes, windows


def invariance(family, step, reach, direction=None):
    return Invariance(id=1, family=family, step=step, reach=reach, direction=direction)


SIDEWAYS = (invariance("translate", 1, 1, 0),)
ALL = (invariance("translate", 1, 1), invariance("rotate", 10, 10), invariance("scale", 1.2, 1.2),
       invariance("gain", 1.1, 1.1), invariance("local-filter", 3, 3))


def some(n=12, shape=(6, 7), seed=0):
    return np.random.default_rng(seed).normal(size=(n, *shape)).astype(np.float32)


def dots(columns):
    """Chips of 5 x 9 px, dark but for one pixel in the middle row."""
    chips = np.zeros((len(columns), 5, 9), np.float32)
    chips[np.arange(len(columns)), 2, columns] = 1
    return chips


def naive(a, b, invariances):
    """min over all changes of |T a - b|², one chip with another, in double precision."""
    found = [np.square(a - b).sum()]
    for one in invariances:
        if one.family == "local-filter":
            W = windows(a[None], int(one.reach))[0].astype(float)
            ridge = 1e-6 * np.trace(W.T @ W) / W.shape[1]
            w = np.linalg.solve(W.T @ W + ridge * np.eye(W.shape[1]), W.T @ b.ravel())
            found.append(np.square(W @ w - b.ravel()).sum())
        found += [
            np.square(changed(a[None], change)[0] - b).sum() for change in changes(one, a.shape)
        ]
    return min(found)


def test_registration_is_the_least_difference_after_any_change_of_either_chip():
    chips = some()
    there = np.array([[naive(a, b, ALL) for b in chips] for a in chips])
    wanted = np.minimum(there, there.T) * (1 - np.eye(len(chips)))
    np.testing.assert_allclose(
        dissimilarity(chips, "registration", ALL).squared, wanted, rtol=1e-4, atol=1e-3
    )


def test_chips_in_blocks_are_compared_as_in_one_go(monkeypatch):
    chips = some(20)
    whole = [dissimilarity(chips, kind, ALL).squared for kind in KINDS]
    monkeypatch.setattr(dissimilarities, "_WORK", 5000)
    for kind, found in zip(KINDS, whole):
        np.testing.assert_allclose(
            dissimilarity(chips, kind, ALL).squared, found, rtol=1e-4, atol=1e-4
        )


def test_a_shift_within_reach_costs_nothing_and_one_beyond_does():
    found = dissimilarity(dots([2, 3, 6]), "registration", SIDEWAYS).squared
    assert found[0, 1] < 1e-6
    assert found[0, 2] == pytest.approx(2)


def test_no_change_at_all_leaves_squared_euclidean_distances():
    chips = some()
    rows = chips.reshape(12, -1)
    wanted = np.square(rows[:, None] - rows[None]).sum(axis=2)
    np.testing.assert_allclose(
        dissimilarity(chips, "registration", ()).squared, wanted, rtol=1e-4, atol=1e-4
    )


def test_a_change_that_one_chip_cannot_make_the_other_may():
    """A dot that left the chip cannot come back; the other one can leave."""
    chips = np.concatenate([dots([8]), np.zeros((1, 5, 9), np.float32)])
    there = directed(chips, chips, SIDEWAYS)
    assert there[1, 0] == pytest.approx(1)
    assert (
        dissimilarity(chips, "registration", (invariance("translate", 4, 8, 0),)).squared[0, 1]
        < 1e-6
    )


def test_a_way_over_other_chips_is_shorter_than_a_leap():
    """Dots one step apart rebuild each other; the first and the last do not."""
    line = dots([1, 2, 3, 4, 5, 6])
    ways = np.sqrt(dissimilarity(line, "reconstruction", SIDEWAYS).squared)
    assert np.sqrt(dissimilarity(line, "registration", SIDEWAYS).squared)[0, 5] == pytest.approx(
        2**0.5
    )
    step = 0.15 * 2**0.5
    np.testing.assert_allclose(ways[0], step * np.arange(6), rtol=1e-5)


@pytest.mark.parametrize("between", [1, 7, 64])
def test_ways_are_the_shortest_paths_of_the_complete_graph(between, monkeypatch):
    monkeypatch.setattr(dissimilarities, "_BETWEEN", between)
    chips = some(30)
    edges = np.sqrt(dissimilarity(chips, "registration", SIDEWAYS).squared)
    floor = 0.15 * np.median(edges[edges > 0])
    wanted = shortest_path(np.where(np.eye(30), 0, np.maximum(edges, floor)))
    np.testing.assert_allclose(
        np.sqrt(dissimilarity(chips, "reconstruction", SIDEWAYS).squared), wanted, rtol=1e-5
    )


def test_an_edge_of_length_zero_is_an_edge():
    D = np.array([[0, 0, 9], [0, 0, 2], [9, 2, 0]], np.float32)
    found = dissimilarities._shortest_ways(D, Watch())
    np.testing.assert_array_equal(found, [[0, 0, 2], [0, 0, 2], [2, 2, 0]])


def test_of_one_direction_it_is_the_squared_sine_of_the_angle_between_tangents():
    chips = some()
    T = (changed(chips, changes(SIDEWAYS[0], (6, 7))[1]) - chips).reshape(12, -1)
    T /= np.linalg.norm(T, axis=1, keepdims=True)
    found = tangents_apart(*[tangents(chips, chips, SIDEWAYS)] * 2)
    np.testing.assert_allclose(found, 1 - np.square(T @ T.T), atol=1e-5)


def test_tangents_are_compared_after_the_change_that_makes_them_most_alike():
    chips, sideways = some(), (invariance("translate", 1, 2, 0),)
    own = tangents(chips, chips, sideways).astype(float)
    there = np.ones((12, 12))
    for change in (None, *changes(sideways[0], (6, 7))):
        moved = chips if change is None else changed(chips, change)
        cosine = tangents(moved, chips, sideways)[:, 0].astype(float) @ own[:, 0].T
        there = np.minimum(there, 1 - np.square(cosine))
    wanted = np.minimum(there, there.T) * (1 - np.eye(12))
    found = dissimilarity(chips, "tangent-correction", sideways)
    np.testing.assert_allclose(found.squared, wanted, atol=1e-5)
    assert not found.flat.any()


def test_tangents_know_a_kind_again_three_pixels_aside():
    digits, kind = digits_off_center(120, reach=3, seed=0)
    found = dissimilarity(digits, "tangent-correction", (invariance("translate", 1, 3),)).squared
    near = np.argsort(found + np.diag(np.full(120, np.inf)), axis=1)[:, :3]
    assert (kind[near] == kind[:, None]).mean() > 0.7  # of chips as they are 0.2


@pytest.mark.parametrize("kind", ["tangent-correction", "registration"])
def test_how_far_a_new_chip_is_does_not_depend_on_its_company(kind):
    known, new = some(20), some(6, seed=1)
    alone = np.vstack([dissimilarity_to(new[i : i + 1], known, kind, ALL) for i in range(6)])
    crowd = np.concatenate([new + 0.1, new, 3 * new])
    for found in (dissimilarity_to(new, known, kind, ALL),
                  dissimilarity_to(crowd, known, kind, ALL)[6:12]):
        np.testing.assert_allclose(found, alone, rtol=1e-4, atol=1e-4)


def test_of_several_directions_it_is_the_mean_over_the_principal_angles():
    chips = some()
    B = tangents(chips, chips, ALL).astype(float)
    assert B.shape == (12, 6, 42)
    np.testing.assert_allclose(B @ B.transpose(0, 2, 1), np.tile(np.eye(6), (12, 1, 1)), atol=1e-5)
    cosines = np.linalg.svd(B[3] @ B[8].T, compute_uv=False)
    assert tangents_apart(B, B)[3, 8] == pytest.approx(1 - np.square(cosines).mean(), abs=1e-5)


def test_size_and_sign_of_a_tangent_do_not_matter():
    chips = some(2)
    found = dissimilarity(
        np.concatenate([chips, -3 * chips[:1]]), "tangent-correction", SIDEWAYS
    ).squared
    assert found[0, 2] < 1e-5
    assert found[0, 1] == pytest.approx(found[2, 1], abs=1e-5)


def test_a_flat_chip_has_no_tangent_and_is_one_from_all_others():
    chips = np.concatenate([some(3), np.full((2, 6, 7), 4, np.float32)])
    found = dissimilarity(
        chips, "tangent-correction", (invariance("translate", 1, 1), invariance("rotate", 5, 5))
    )
    assert found.flat.tolist() == [False, False, False, True, True]
    np.testing.assert_array_equal(found.squared[3], [1, 1, 1, 0, 1])


def test_a_direction_that_is_a_sum_of_others_counts_once():
    twice = tangents(some(3), some(3), SIDEWAYS * 2)
    assert np.square(twice).sum(axis=(1, 2)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("one", ALL, ids=lambda one: one.family)
def test_every_family_gives_a_symmetric_matrix_with_zeros_on_its_diagonal(one, kind):
    found = dissimilarity(some(), kind, (one,)).squared
    assert found.dtype == np.float32
    assert (found == found.T).all()
    assert not np.diagonal(found).any()
    assert (found >= 0).all()
    assert found.max() > 0.01  # six other draws: 0.99 and more


@pytest.mark.parametrize("kind", ["tangent-correction", "registration"])
def test_new_chips_are_as_far_as_they_would_be_among_the_others(kind):
    chips = some(20)
    whole = dissimilarity(chips, kind, ALL[:4]).squared
    np.testing.assert_allclose(
        dissimilarity_to(chips[:5], chips, kind, ALL[:4])[:, 5:], whole[:5, 5:], atol=1e-3
    )


def test_ways_to_new_chips_are_not_known():
    with pytest.raises(DataError, match="nearest chips"):
        dissimilarity_to(some(1), some(), "reconstruction")


@pytest.mark.parametrize("kind", KINDS)
def test_constant_chips_and_a_single_one_are_no_trouble(kind):
    assert not dissimilarity(np.zeros((3, 4, 4), np.float32), "registration", ALL).squared.any()
    assert np.isfinite(dissimilarity(np.zeros((3, 4, 4), np.float32), kind, ALL).squared).all()
    np.testing.assert_array_equal(dissimilarity(some(1), kind, ALL).squared, [[0]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_larger_than_the_chip_is_refused(kind):
    with pytest.raises(DataError, match="larger than chips of 6 x 7 px"):
        dissimilarity(some(), kind, (invariance("translate", 1, 6),))


def test_more_chips_than_are_affordable_are_refused_in_words():
    with pytest.raises(TooLarge, match="5000 instances at most"):
        dissimilarity(np.zeros((5001, 1, 1), np.float32), "registration", ())


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_stopped(kind):
    with pytest.raises(Cancelled):
        dissimilarity(some(), kind, ALL, monitor=Watch(stop=lambda: True))


def test_rows_of_pixels_are_square_chips_or_have_a_width():
    assert chips_of(np.zeros((2, 36))).shape == (2, 6, 6)
    assert chips_of(np.zeros((2, 42)), 7).shape == (2, 6, 7)


@pytest.mark.parametrize(("p", "columns"), [(42, None), (42, 5), (4, 7)])
def test_rows_that_are_no_chips_are_refused_in_words(p, columns):
    with pytest.raises(DataError, match=f"n_features = {p} make not .* Take pixels as features"):
        chips_of(np.zeros((2, p)), columns)
