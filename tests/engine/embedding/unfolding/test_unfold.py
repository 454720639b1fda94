"""The solver of MVU: its energy, rings and chains, the optimum of a convex solver, certificates."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.embedding.unfolding import unfold as module
from emberscope.embedding.unfolding.unfold import Edges, Moves, certificate, squared_lengths, unfold
from emberscope.neighbors.graph import knn, neighborhood_graph


def edges_of(X, k):
    """Edges of the symmetric neighborhood graph."""
    i, j = np.nonzero(np.triu(neighborhood_graph(X, knn(X, k)).lengths.toarray()))
    return Edges(i, j, np.square(X[i] - X[j]).sum(axis=1))


def bent_strip(n):
    """A strip of 3 x 1 on a half cylinder, with noise in 5 more dimensions."""
    rng = np.random.default_rng(1)
    t, h = rng.uniform(0, 3, n), rng.uniform(0, 1, n)
    return np.column_stack([np.cos(t), np.sin(t), h, *0.1 * rng.normal(size=(5, n))])


STRIP = bent_strip(60)
EDGES = edges_of(STRIP, 4)
START = np.hstack(
    [STRIP - STRIP.mean(axis=0), 0.01 * np.random.default_rng(0).normal(size=(60, 2))]
)


# The strip's first rows move to its last ones, pair by pair.
MOVES = Moves(np.array([[0, 1], [1, 2], [0, 3]]), np.array([[50, 51], [51, 52], [50, 53]]))
WEIGHT = np.array([1.0, 0.5, 2.0])


def naive_energy(Y, edges, tension, stiffness, shrink):
    total = -np.square(Y).sum()
    for (a, b), (c, d), w, t in zip(MOVES.before, MOVES.after, WEIGHT, tension[len(edges.i) :]):
        g = w * (np.square(Y[c] - Y[d]).sum() - np.square(Y[a] - Y[b]).sum())
        total += t * g + stiffness * g * g / 2
    for i, j, d2, t in zip(edges.i, edges.j, edges.square, tension):
        g = np.square(Y[i] - Y[j]).sum() - d2
        if shrink and t + stiffness * g < 0:
            g = -t / stiffness
        total += t * g + stiffness * g * g / 2
    return total


def energy(Y, edges, tension, stiffness, shrink):
    gradient, misfit = np.empty(Y.shape), np.empty(len(tension))
    pairs = np.hstack([MOVES.before, MOVES.after])
    value = module._energy(
        Y,
        edges.i,
        edges.j,
        edges.square,
        pairs,
        WEIGHT,
        tension,
        stiffness,
        len(edges.i) * shrink,
        gradient,
        misfit,
    )
    return value, gradient, misfit


def ring(n):
    """Edges of length 1 between n points in a circle."""
    return Edges(np.arange(n), np.roll(np.arange(n), -1), np.ones(n))


@pytest.mark.parametrize("shrink", [False, True])
def test_the_energy_is_the_plain_sum_and_its_gradient_the_slope(shrink):
    rng = np.random.default_rng(1)
    tension, along = rng.uniform(0, 2, len(EDGES.i) + len(MOVES)), rng.normal(size=START.shape)
    value, gradient, misfit = energy(START, EDGES, tension, 3.0, shrink)
    assert value == pytest.approx(naive_energy(START, EDGES, tension, 3.0, shrink))
    np.testing.assert_allclose(
        misfit[: len(EDGES.i)], squared_lengths(START, EDGES) - EDGES.square, atol=1e-12
    )
    h = 1e-5
    up, down = (naive_energy(START + s * h * along, EDGES, tension, 3.0, shrink) for s in (1, -1))
    assert (gradient * along).sum() == pytest.approx((up - down) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("shrink", [False, True])
def test_the_step_length_is_the_lowest_point_of_the_line(shrink):
    rng = np.random.default_rng(1)
    tension = rng.uniform(0, 2, len(EDGES.i) + len(MOVES))
    _, gradient, misfit = energy(START, EDGES, tension, 3.0, shrink)
    P, first, second = -gradient, np.empty(len(misfit)), np.empty(len(misfit))
    pairs = np.hstack([MOVES.before, MOVES.after])
    yp, pp = module._along(START, P, EDGES.i, EDGES.j, pairs, WEIGHT, first, second)
    s = module._minimum(
        -2 * pp, -2 * yp, misfit, first, second, tension, 3.0, len(EDGES.i) * shrink
    )
    values = [
        naive_energy(START + t * P, EDGES, tension, 3.0, shrink) for t in (0, 0.98 * s, s, 1.02 * s)
    ]
    assert np.argmin(values) == 2


def test_a_chain_becomes_a_straight_line():
    rng = np.random.default_rng(1)
    n = 12
    chain = Edges(np.arange(n - 1), np.arange(1, n), np.ones(n - 1))
    found = unfold(rng.normal(size=(n, 4)), chain, tolerance=1e-6)
    values = np.linalg.eigvalsh(found.Y.T @ found.Y)[::-1]
    assert values[0] == pytest.approx(n * (n * n - 1) / 12, rel=1e-4)
    assert values[1] < 1e-4 * values[0]


def test_a_ring_of_equidistant_points_stays_a_ring_in_two_dimensions():
    rng = np.random.default_rng(1)
    n = 20
    found = unfold(rng.normal(size=(n, 5)), ring(n), tolerance=1e-6, max_iter=20_000)
    values = np.linalg.eigvalsh(found.Y.T @ found.Y)[::-1]
    radius2 = 1 / (4 * np.sin(np.pi / n) ** 2)
    np.testing.assert_allclose(values[:2], n * radius2 / 2, rtol=1e-3)
    assert values[2] < 1e-3 * values[0]
    assert certificate(found, ring(n)) > -1e-4


@pytest.mark.parametrize("shrink", [False, True])
def test_edges_keep_their_lengths(shrink):
    found = unfold(START, EDGES, shrink=shrink)
    misfit = (
        squared_lengths(found.Y, EDGES) / EDGES.square.mean() - EDGES.square / EDGES.square.mean()
    )
    wrong = np.maximum(misfit, 0) if shrink else misfit
    assert np.sqrt(np.square(wrong).mean()) < 1e-3
    assert found.violation < 1e-3


def test_where_edges_may_shrink_the_tensions_prove_the_optimum():
    found = unfold(START, EDGES, shrink=True, tolerance=1e-5, max_iter=10_000)
    assert certificate(found, EDGES) > -1e-4
    assert (found.tension >= 0).all()
    assert found.tension @ EDGES.square == pytest.approx(np.square(found.Y).sum(), rel=1e-3)


def test_it_reaches_the_optimum_of_a_convex_solver():
    cvxpy = pytest.importorskip("cvxpy")
    n = len(STRIP)
    K = cvxpy.Variable((n, n), PSD=True)
    between = (
        cvxpy.diag(K)[EDGES.i]
        + cvxpy.diag(K)[EDGES.j]
        - 2 * cvxpy.vec(K, order="C")[EDGES.i * n + EDGES.j]
    )
    problem = cvxpy.Problem(
        cvxpy.Maximize(cvxpy.trace(K)), [cvxpy.sum(K) == 0, between == EDGES.square]
    )
    problem.solve(solver="SCS", eps=1e-4)
    assert np.square(unfold(START, EDGES).Y).sum() == pytest.approx(problem.value, rel=5e-3)


def test_the_start_does_not_decide():
    rng = np.random.default_rng(1)
    near, far = (unfold(Y, EDGES, shrink=True) for Y in (START, rng.normal(size=START.shape)))
    assert np.square(near.Y).sum() == pytest.approx(np.square(far.Y).sum(), rel=1e-3)


def test_slack_lets_edges_give_way_in_proportion_to_their_tension():
    stiff, soft = (
        unfold(START, EDGES),
        unfold(START, EDGES, slack=0.1, tolerance=1e-5, max_iter=10_000),
    )
    assert np.square(soft.Y).sum() > np.square(stiff.Y).sum()
    ratio = soft.misfit / soft.tension
    np.testing.assert_allclose(ratio, np.median(ratio), rtol=0.05)


def test_units_do_not_matter():
    large = unfold(START * 1e20, Edges(EDGES.i, EDGES.j, EDGES.square * 1e40))
    np.testing.assert_allclose(
        cdist(large.Y, large.Y) / 1e20, cdist(*[unfold(START, EDGES).Y] * 2), atol=5e-3
    )


def test_every_step_is_told_and_the_last_is_the_result():
    shown = []
    found = unfold(START, EDGES, max_iter=50, show=lambda done, Y: shown.append((done, Y.copy())))
    assert [done for done, _ in shown] == sorted({done for done, _ in shown})
    assert shown[-1][0] == found.n_iter == 50


def test_pairs_that_move_alike_stay_as_far_apart_as_they_were():
    found = unfold(START, EDGES, moves=MOVES, shrink=True, tolerance=1e-6, max_iter=20_000)
    before, after = (np.linalg.norm(found.Y[rows[:, 0]] - found.Y[rows[:, 1]], axis=1)
                     for rows in (MOVES.before, MOVES.after))
    np.testing.assert_allclose(after, before, rtol=1e-3)
    # Six other draws: 0.65 to 2.18
    assert np.abs(found.Y - unfold(START, EDGES, shrink=True).Y).max() > 0.01


def test_moves_that_the_data_make_already_change_nothing():
    line = np.arange(12.0)[:, None] * [[1.0, 0.0, 0.0]]
    chain = Edges(np.arange(11), np.arange(1, 12), np.ones(11))
    steps = Moves(
        np.stack([np.arange(10), np.arange(1, 11)], 1),
        np.stack([np.arange(1, 11), np.arange(2, 12)], 1),
    )
    found = unfold(line, chain, moves=steps, shrink=True, tolerance=1e-7)
    assert np.square(found.Y).sum() == pytest.approx(12 * 143 / 12, rel=1e-5)


def test_tensions_and_moves_together_prove_the_optimum():
    short = Moves(MOVES.before[:1], MOVES.after[:1])
    found = unfold(START, EDGES, moves=short, shrink=True, tolerance=1e-7, max_iter=50_000)
    assert certificate(found, EDGES, short) > -1e-3


def test_what_is_not_the_optimum_is_not_proved():
    assert certificate(unfold(START, EDGES, shrink=True, max_iter=20), EDGES) < -0.1


def test_with_moves_it_reaches_the_optimum_of_a_convex_solver():
    cvxpy = pytest.importorskip("cvxpy")
    n = 24
    Y, edges = START[:n], edges_of(STRIP[:n], 4)
    moves = Moves(np.array([[0, 1], [1, 2], [0, 2]]), np.array([[10, 11], [11, 12], [10, 12]]))
    K = cvxpy.Variable((n, n), PSD=True)

    def apart(i, j):
        return cvxpy.diag(K)[i] + cvxpy.diag(K)[j] - 2 * cvxpy.vec(K, order="C")[i * n + j]

    held = [apart(edges.i, edges.j) <= edges.square,
            apart(*moves.before.T) == apart(*moves.after.T), cvxpy.sum(K) == 0]
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(K)), held)
    problem.solve(solver="CLARABEL")
    found = unfold(Y, edges, moves=moves, shrink=True, tolerance=1e-6, max_iter=20_000)
    assert np.square(found.Y).sum() == pytest.approx(problem.value, rel=2e-3)
