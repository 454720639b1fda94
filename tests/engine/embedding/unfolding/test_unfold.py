"""The solver of MVU: its energy, rings and chains, the optimum of a convex solver, certificates."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.embedding.unfolding import unfold as module
from emberscope.embedding.unfolding.unfold import Edges, squared_lengths, unfold
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
START = np.hstack([STRIP - STRIP.mean(axis=0), 0.01 * np.random.default_rng(0).normal(size=(60, 2))])


def naive_energy(Y, edges, tension, stiffness, shrink):
    total = -np.square(Y).sum()
    for i, j, d2, t in zip(edges.i, edges.j, edges.square, tension):
        g = np.square(Y[i] - Y[j]).sum() - d2
        if shrink and t + stiffness * g < 0:
            g = -t / stiffness
        total += t * g + stiffness * g * g / 2
    return total


def energy(Y, edges, tension, stiffness, shrink):
    gradient, misfit = np.empty(Y.shape), np.empty(len(edges.i))
    value = module._energy(Y, edges.i, edges.j, edges.square, tension, stiffness, shrink, gradient, misfit)
    return value, gradient, misfit


def certificate(found, edges):
    """The least eigenvalue of sum tension A - H; not negative where no other Y, of any rank, is better."""
    n = len(found.Y)
    L = np.zeros((n, n))
    np.add.at(L, (edges.i, edges.j), -found.tension)
    np.add.at(L, (edges.j, edges.i), -found.tension)
    L -= np.diag(L.sum(axis=1))
    return np.linalg.eigvalsh(L - np.eye(n) + 1 / n)[0]


def ring(n):
    """Edges of length 1 between n points in a circle."""
    return Edges(np.arange(n), np.roll(np.arange(n), -1), np.ones(n))


@pytest.mark.parametrize("shrink", [False, True])
def test_the_energy_is_the_plain_sum_and_its_gradient_the_slope(shrink):
    rng = np.random.default_rng(1)
    tension, along = rng.uniform(0, 2, len(EDGES.i)), rng.normal(size=START.shape)
    value, gradient, misfit = energy(START, EDGES, tension, 3.0, shrink)
    assert value == pytest.approx(naive_energy(START, EDGES, tension, 3.0, shrink))
    np.testing.assert_allclose(misfit, squared_lengths(START, EDGES) - EDGES.square, atol=1e-12)
    h = 1e-5
    up, down = (naive_energy(START + s * h * along, EDGES, tension, 3.0, shrink) for s in (1, -1))
    assert (gradient * along).sum() == pytest.approx((up - down) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("shrink", [False, True])
def test_the_step_length_is_the_lowest_point_of_the_line(shrink):
    rng = np.random.default_rng(1)
    tension = rng.uniform(0, 2, len(EDGES.i))
    _, gradient, misfit = energy(START, EDGES, tension, 3.0, shrink)
    P, first, second = -gradient, np.empty(len(misfit)), np.empty(len(misfit))
    yp, pp = module._along(START, P, EDGES.i, EDGES.j, first, second)
    s = module._minimum(-2 * pp, -2 * yp, misfit, first, second, tension, 3.0, shrink)
    values = [naive_energy(START + t * P, EDGES, tension, 3.0, shrink) for t in (0, 0.98 * s, s, 1.02 * s)]
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
    misfit = squared_lengths(found.Y, EDGES) / EDGES.square.mean() - EDGES.square / EDGES.square.mean()
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
    between = cvxpy.diag(K)[EDGES.i] + cvxpy.diag(K)[EDGES.j] - 2 * cvxpy.vec(K, order="C")[EDGES.i * n + EDGES.j]
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(K)), [cvxpy.sum(K) == 0, between == EDGES.square])
    problem.solve(solver="SCS", eps=1e-4)
    assert np.square(unfold(START, EDGES).Y).sum() == pytest.approx(problem.value, rel=5e-3)


def test_the_start_does_not_decide():
    rng = np.random.default_rng(1)
    near, far = (unfold(Y, EDGES, shrink=True) for Y in (START, rng.normal(size=START.shape)))
    assert np.square(near.Y).sum() == pytest.approx(np.square(far.Y).sum(), rel=1e-3)


def test_slack_lets_edges_give_way_in_proportion_to_their_tension():
    stiff, soft = unfold(START, EDGES), unfold(START, EDGES, slack=0.1, tolerance=1e-5, max_iter=10_000)
    assert np.square(soft.Y).sum() > np.square(stiff.Y).sum()
    ratio = soft.misfit / soft.tension
    np.testing.assert_allclose(ratio, np.median(ratio), rtol=0.05)


def test_units_do_not_matter():
    large = unfold(START * 1e20, Edges(EDGES.i, EDGES.j, EDGES.square * 1e40))
    np.testing.assert_allclose(cdist(large.Y, large.Y) / 1e20, cdist(*[unfold(START, EDGES).Y] * 2), atol=5e-3)


def test_every_step_is_told_and_the_last_is_the_result():
    shown = []
    found = unfold(START, EDGES, max_iter=50, show=lambda done, Y: shown.append((done, Y.copy())))
    assert [done for done, _ in shown] == sorted({done for done, _ in shown})
    assert shown[-1][0] == found.n_iter == 50
