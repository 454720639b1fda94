"""Eigenvectors (modes) of an affinity graph: computed, chosen, and extended to new instances."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, eye_array

from emberscope.base.monitor import Monitor
from emberscope.neighbors.spectral import bottom_eigenpairs, normalized

REPEATS = 0.3  # a mode of which others explain all but this share of its size is no axis of its own
_SAMPLE = 1000
# of the median distance: widths of the kernel of the local regressions
_BANDWIDTHS = (1 / 3, 1 / 8, 1 / 24)
MOST_REGRESSORS = 8  # more would fit anything with 1000 instances
_LEAST_EIGENVALUE = 0.1


@dataclass(frozen=True, slots=True)
class Modes:
    """values (m,) of L v = l D v, ascending, the constant left out. vectors (n, m), v' D v = tr(D).
    Of L v = l v and v' v = n where degrees do not count.

    converged : whether the eigensolver reached its tolerance.
    """

    values: NDArray
    vectors: NDArray
    converged: bool

    def first(self, chosen: NDArray) -> "Modes":
        """Some of the modes."""
        return Modes(self.values[chosen], self.vectors[:, chosen], self.converged)


def laplacian_modes(
    W: csr_array, m: int, *, normalize: bool = True, monitor: Monitor | None = None
) -> Modes:
    """The m smallest nonzero eigenvalues of L v = l D v with L = D - W, and their vectors; of
    L v = l v where not `normalize`.

    W : csr_array, (N, N), symmetric, every row sum positive, connected. Solved as the bottom of
    I - D^-1/2 W D^-1/2 with sqrt(D) deflated. 1 - l is the eigenvalue of the random walk D^-1 W, v
    its right eigenvector.
    """
    if not normalize:
        n = W.shape[0]
        plain = csr_array(diags_array(np.asarray(W.sum(axis=1)).ravel()) - W)
        found = bottom_eigenpairs(plain, m, deflate=np.full((n, 1), n**-0.5), monitor=monitor)
        return Modes(found.values, found.vectors * np.sqrt(n), found.converged)
    S, root = normalized(W)
    constant = (root / np.linalg.norm(root))[:, None]
    L = csr_array(eye_array(len(root), format="csr") - S)
    found = bottom_eigenpairs(L, m, deflate=constant, monitor=monitor)
    return Modes(found.values, found.vectors / root[:, None] * np.linalg.norm(root),
                 found.converged)


def repetition(V: NDArray) -> NDArray:
    """How much of every mode is new: (m,) in [0, 1], 1 for the first.

    Share of mode j (root of the squared residual over the squared size) that a local linear
    regression on modes 0 .. j-1 leaves, each instance predicted without itself. Near 0 for a
    harmonic of an earlier mode, such as the parabola that a long sheet makes of its second one. The
    best of three kernel widths counts: one is too wide for high harmonics, another too narrow for
    several known modes. Dsilva, Talmon, Coifman and Kevrekidis 2018, with a sample of 1000
    instances.
    """
    sample = V if len(V) <= _SAMPLE else V[
        np.random.default_rng(0).choice(len(V), _SAMPLE, replace=False)
    ]
    return np.array([1.0] + [_residual(sample[:, :j], sample[:, j]) for j in range(1, V.shape[1])])


def independent(V: NDArray, m: int) -> tuple[NDArray[np.int64], NDArray]:
    """Columns of V to use as axes: m of them, ascending,
    and how much of each is new beside those before it, (m,).

    The next axis is the first mode of which those chosen leave more than 0.3, and at least half as
    much as of any other candidate: a mode between a high harmonic and a new direction waits for a
    purer one. Where all are left with less, it is the least explained one. Only the first 8 axes
    are chosen, further ones are the slowest modes left.
    """
    sample = V if len(V) <= _SAMPLE else V[
        np.random.default_rng(0).choice(len(V), _SAMPLE, replace=False)
    ]
    chosen, fresh = [0], [1.0]
    while len(chosen) < min(m, MOST_REGRESSORS):
        rest = np.setdiff1d(np.arange(V.shape[1]), chosen)
        left = np.array([_residual(sample[:, chosen], sample[:, j]) for j in rest])
        good = np.flatnonzero(left > max(REPEATS, 0.5 * left.max()))
        best = int(good[0]) if len(good) else int(left.argmax())
        chosen.append(int(rest[best]))
        fresh.append(float(left[best]))
    others = np.setdiff1d(np.arange(V.shape[1]), chosen)[: m - len(chosen)]
    chosen, fresh = [*chosen, *others.tolist()], [*fresh, *[1.0] * len(others)]
    order = np.argsort(chosen)
    return np.array(chosen, np.int64)[order], np.array(fresh)[order]


def _residual(known: NDArray, mode: NDArray) -> float:
    known = known[:, :MOST_REGRESSORS]
    n = len(known)
    squared = np.square(known[:, None] - known[None]).sum(axis=2)
    apart = squared[np.triu_indices(n, 1)]
    typical = float(np.sqrt(np.median(apart))) if len(apart) else 0.0
    if typical == 0:
        return 1.0
    A = np.column_stack([np.ones(n), known])
    size = float(np.linalg.norm(mode))
    return min(
        1.0, *(_misfit(A, mode, np.exp(-squared / (b * typical) ** 2)) / size for b in _BANDWIDTHS)
    )


def _misfit(A: NDArray, mode: NDArray, weights: NDArray) -> float:
    """Norm of what local linear regressions leave, each of its own row left out."""
    np.fill_diagonal(weights, 0)
    normal = np.einsum("ij,ja,jb->iab", weights, A, A, optimize=True)
    normal += (1e-9 * np.einsum("iaa->i", normal)[:, None, None] + 1e-300) * np.eye(A.shape[1])
    right = weights @ (A * mode[:, None])
    fitted = np.einsum("ia,ia->i", A, np.linalg.solve(normal, right[:, :, None])[:, :, 0])
    return float(np.linalg.norm(mode - fitted))


def nystroem(affinity: NDArray, idx: NDArray, Z: NDArray, eigenvalues: NDArray) -> NDArray:
    """Modes at new instances: the mean of the neighbors' values,
    weighted with affinities (M, k), divided by 1 - l.

    eigenvalues : l, (d,), or (M, d) of each new instance.

    Modes with 1 - l below 0.1 are divided by 0.1: they change from one instance to the next,
    nothing can continue them.
    """
    total = affinity.sum(axis=1, keepdims=True)
    share = np.where(total > 0, affinity / np.maximum(total, 1e-300), 0.0)
    share[(total <= 0).ravel(), 0] = 1.0  # out of reach of the kernel: the nearest instance counts
    return np.einsum("mk,mkd->md", share, Z[idx]) / np.maximum(1 - eigenvalues, _LEAST_EIGENVALUE)
