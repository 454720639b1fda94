"""Linear projections that keep neighbors near by the p-th power of their distance, p in (0, 2]."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.embedding.linear.generalized import laplacian_form
from emberscope.embedding.linear.linear import project, weighted_mean
from emberscope.neighbors.spectral import fix_signs
from emberscope.neighbors.threads import thread_pool

# smoothing, as shares of the mean squared distance over an edge at the start
STAGES = (1e-2, 1e-4, 1e-6)
_VANISHING = 1e-5  # spread of a direction, as a share of the largest one, below which there is none
_ROWS = 2048
_FLOOR = 1e-16


@dataclass(frozen=True, slots=True)
class Projection:
    """The map z = (x - mean) W, and how it was found.

    W : (D, r). mean : (D,), weighted by degree.
    values : (r,) ascending, eigenvalues of the last reweighted Laplacian.
    history : (T,) the smoothed objective, `stage` : (T,) int64 the smoothing stage each belongs to;
    it never rises within a stage. rank : directions in which the instances vary.
    n_iter : eigenproblems solved after the start.
    converged : whether the last stage ended by its tolerance.
    """

    W: NDArray[np.float64]
    mean: NDArray[np.float64]
    values: NDArray[np.float64]
    history: NDArray[np.float64]
    stage: NDArray[np.int64]
    rank: int
    n_iter: int
    converged: bool


@dataclass(frozen=True, slots=True)
class _Descent:
    """How the axes are looked for, as in `power_axes`."""

    p: float
    ridge: float
    n_restarts: int
    tol: float
    max_iter: int


@dataclass(frozen=True, slots=True)
class _Problem:
    """Y : (n, k) whitened instances. S : affinities of sum 1.
    rows, cols : ends of each entry. penalty : (k,)."""

    Y: NDArray
    S: csr_array
    rows: NDArray
    cols: NDArray
    penalty: NDArray
    r: int


@dataclass(frozen=True, slots=True)
class _Found:
    V: NDArray
    values: NDArray
    history: list[float]
    stage: list[int]
    converged: bool


def power_axes(
    A: NDArray,
    S: csr_array,
    r: int,
    *,
    p: float = 1.0,
    ridge: float = 0.0,
    n_restarts: int = 0,
    tol: float = 1e-6,
    max_iter: int = 200,
    monitor: Monitor | None = None,
) -> Projection:
    """W (D, r) of least sum_ij s_ij |W'(a_i - a_j)|^p with W' A'DA W = I,
    D the degrees of S scaled to sum 1.

    Parameters
    ----------
    A : (n, D). S : (n, n) symmetric, affinities >= 0, zero diagonal;
        rows without edges take no part.
    r : axes wanted; fewer come where the instances vary in fewer directions.
    ridge : rho >= 0. Singular values s of D^1/2 A become sqrt(s² + rho² s_1²), and the share that
        this adds to the constraint is added to the objective as well: else directions without
        spread would be the best ones.
    n_restarts : further, random starts; the least objective wins.

    Notes
    -----
    Elbeleidy 2018, algorithm 1, with the inverse replaced: degree-weighted centering takes the
    constant out, a thin SVD gives the range, p = 2 (LPP) is the start, then weights (p/2) s_ij
    (d_ij + eps)^((p-2)/2) and an eigenproblem in turn, d the squared distance in the projection.
    eps falls in three stages. The tangent of (t + eps)^(p/2) majorizes it, so that the smoothed
    objective never rises within a stage. Once O(n D min(n, D)), then O(|S| k + n k² + k³) per step,
    k the rank.
    """
    with thread_pool():  # small eigenproblems are slower on several threads
        how = _Descent(p, ridge, n_restarts, tol, max_iter)
        return _power_axes(A, S, r, how, monitored(monitor))


def _power_axes(A: NDArray, S: csr_array, r: int, how: _Descent, watch: Monitor) -> Projection:
    degree = np.asarray(S.sum(axis=1)).ravel()
    total = degree.sum()
    mean = weighted_mean(A, degree)
    B, penalty = _whitening(A, mean, degree / total, how.ridge, Portion(watch, 0.0, 0.1))
    r = min(r, B.shape[1])
    if r == 0:
        none = np.empty(0)
        return Projection(np.empty((A.shape[1], 0)), mean, none, none, np.empty(0, np.int64), 0, 0,
                          True)
    scaled = csr_array((S.data / total, S.indices, S.indptr), S.shape)
    rows = np.repeat(np.arange(len(A)), np.diff(S.indptr))
    Y = project(A, mean, B, monitor=Portion(watch, 0.1, 0.15))
    problem = _Problem(Y, scaled, rows, S.indices, penalty, r)
    start = _bottom(problem, scaled.data, 1.0, Portion(watch, 0.15, 0.2))
    if how.p == 2 or r == B.shape[1]:  # all directions: nothing is left to choose
        history = [_objective(problem, start[1], _squared(problem, start[1]), how.p, 0.0, 1.0)]
        best = _Found(start[1], start[0], history, [0], True)
    else:
        best = _best_descent(problem, start[1], how, Portion(watch, 0.2, 1.0))
    n_iter = len(best.history) - 1 - (max(best.stage) if best.stage else 0)
    return Projection(
        fix_signs(B @ best.V), mean, best.values, np.array(best.history),
        np.array(best.stage, np.int64), B.shape[1], n_iter, best.converged,
    )


def _whitening(
    A: NDArray, mean: NDArray, weights: NDArray, ridge: float, watch: Monitor
) -> tuple[NDArray, NDArray]:
    """B (D, k) with B' (sum of w (a - mean)(a - mean)' + ridge) B = I on the range,
    and the ridge's share (k,)."""
    R = np.empty((0, A.shape[1]))
    root, height = np.sqrt(weights)[:, None], max(_ROWS, 2 * A.shape[1])
    for part in slices(len(A), height, watch, "Range"):
        R = qr(np.vstack([R, (A[part] - mean) * root[part]]), mode="r",
               check_finite=False)[0][: A.shape[1]]
    _, s, right = np.linalg.svd(R, full_matrices=False)
    kept = s > _VANISHING * max(s[0], np.finfo(np.float64).tiny)
    s, added = s[kept], (ridge * s[0]) ** 2
    return right[kept].T / np.sqrt(s**2 + added), added / (s**2 + added)


def _best_descent(problem: _Problem, start: NDArray, how: _Descent, watch: Monitor) -> _Found:
    """From the LPP start and from random ones; the same smoothing in all, so that their objectives
    compare."""
    rng = np.random.default_rng(0)
    starts = [start]
    starts += [np.linalg.qr(rng.standard_normal(start.shape))[0] for _ in range(how.n_restarts)]
    unit = max(float(_squared(problem, start).mean()), _FLOOR)
    best: _Found | None = None
    for done, V in enumerate(starts):
        part = Portion(watch, done / len(starts), (done + 1) / len(starts))
        found = _descend(problem, V, unit, how, part)
        if best is None or found.history[-1] < best.history[-1]:
            best = found
    assert best is not None  # there is one start at least
    return best


def _descend(problem: _Problem, V: NDArray, unit: float, how: _Descent, watch: Monitor) -> _Found:
    p = how.p
    history: list[float] = []
    stages: list[int] = []
    values, converged = np.zeros(problem.r), False
    delta = _squared(problem, V)
    strength = unit ** (p / 2 - 1) * p / 2
    for stage, share in enumerate(STAGES):
        eps, converged = share * unit, False
        now = _objective(problem, V, delta, p, eps, strength)
        history.append(now)
        stages.append(stage)
        for step in range(how.max_iter):
            fraction = (stage + 1 - 0.9**step) / len(STAGES)
            watch.step(fraction, f"Reweighting, stage {stage + 1}")
            weights = p / 2 * problem.S.data * (delta + eps) ** (p / 2 - 1)
            values, V = _bottom(problem, weights, strength, Portion(watch, fraction, fraction))
            delta = _squared(problem, V)
            before, now = now, _objective(problem, V, delta, p, eps, strength)
            history.append(now)
            stages.append(stage)
            if before - now < how.tol * abs(before):
                converged = True
                break
    return _Found(V, values, history, stages, converged)


def _bottom(
    problem: _Problem, weights: NDArray, strength: float, watch: Monitor
) -> tuple[NDArray, NDArray]:
    """The r smallest eigenpairs of Y' L Y for the Laplacian of these weights,
    and of the penalty."""
    W = csr_array((weights, problem.S.indices, problem.S.indptr), problem.S.shape)
    M = laplacian_form(problem.Y, np.zeros(problem.Y.shape[1]), W, monitor=watch)
    M[np.diag_indices_from(M)] += strength * problem.penalty
    return eigh(M, subset_by_index=(0, problem.r - 1), check_finite=False)


def _squared(problem: _Problem, V: NDArray) -> NDArray:
    """Squared distance in the projection over every entry of S."""
    out = np.zeros(len(problem.rows))
    for z in (problem.Y @ V).T:
        z = np.ascontiguousarray(z)
        step = z[problem.rows]
        step -= z[problem.cols]
        out += np.square(step, out=step)
    return out


def _objective(
    problem: _Problem, V: NDArray, delta: NDArray, p: float, eps: float, strength: float
) -> float:
    """The smoothed sum over ordered pairs, and the penalty of the ridge."""
    penalty = 2 * strength * float(problem.penalty @ np.square(V).sum(axis=1))
    return float(problem.S.data @ (delta + eps) ** (p / 2)) + penalty
