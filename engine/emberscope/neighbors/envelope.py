"""Cholesky factorization of sparse symmetric matrices within their envelope, in panels, so that it
can be stopped.

After reverse Cuthill-McKee reordering all fill-in lies between the first nonzero of a row and the
diagonal. The cost is known beforehand: for the graph of a surface about n**2, for one of many
dimensions that of a dense matrix.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from emberscope.base.monitor import Monitor
from emberscope.neighbors.threads import each, thread_pool

# Why not scipy.sparse.linalg.splu: it cannot be stopped, nor foresee its cost. Seconds to factorize
# on two cores, LLE with 12 neighbors, here | splu (symmetric mode, minimum degree): surface, n = 16
# 000: 0.26 | 0.19; 10 dimensions, n = 2000: 0.12 | 0.28, n = 4000: 0.48 | 1.97; 324 dimensions, n =
# 2000: 0.12 | 0.27. Residuals are the same, 1e-8.
_PANEL = 256


class Envelope:
    """Panels of columns of a symmetric sparse matrix, and then of its Cholesky factor.

    Attributes
    ----------
    order : (n,) row of the matrix at each place. starts, ends : (P,) of every panel: its first
        column, and one past the last row in which it has entries. flops, bytes : what `factor`
        costs.
    """

    def __init__(self, A: csr_array) -> None:
        self.n = A.shape[0]
        self.order = reverse_cuthill_mckee(A, symmetric_mode=True).astype(np.int64)
        self._A = A
        place = np.empty(self.n, np.int64)
        place[self.order] = np.arange(self.n)
        self._rows = place[np.repeat(np.arange(self.n), np.diff(A.indptr))]
        self._columns = place[A.indices]
        reach = np.arange(self.n)
        np.maximum.at(reach, self._columns, self._rows)
        reach = np.maximum.accumulate(reach) + 1
        self.starts = np.arange(0, self.n, _PANEL)
        self.stops = np.minimum(self.starts + _PANEL, self.n)
        self.ends = reach[self.stops - 1]
        heights = (self.ends - self.starts).astype(np.float64)
        self.flops = float((heights**2).sum() * _PANEL)
        self.bytes = float(8 * heights.sum() * _PANEL)
        self._panels: list[NDArray] = []

    def factor(self, shift: float, watch: Monitor) -> bool:
        """Factorize A + shift I; whether it was positive definite. The monitor is asked after every
        block.

        Panels to the right of one are updated side by side, each by one thread: with the threads of
        BLAS, which wait for each other, it took 20 times as long on two busy cores.
        """
        watch.step(0.0, "Factorizing")
        lower = self._rows >= self._columns
        self._panels = [np.zeros((e - s, t - s))
                        for s, t, e in zip(self.starts, self.stops, self.ends)]
        order = np.argsort(self._columns[lower] // _PANEL, kind="stable")
        rows, columns, data = (v[lower][order] for v in (self._rows, self._columns, self._A.data))
        edges = np.searchsorted(columns // _PANEL, np.arange(len(self.starts) + 1))
        watch.step(0.0, "Factorizing")
        for p, panel in enumerate(self._panels):
            part = slice(edges[p], edges[p + 1])
            panel[rows[part] - self.starts[p], columns[part] - self.starts[p]] = data[part]
            panel[np.arange(panel.shape[1]), np.arange(panel.shape[1])] += shift
        total, done = self.flops, 0.0
        with thread_pool() as pool:
            for p in range(len(self._panels)):
                try:
                    self._eliminate(p, pool, partial(watch.step, done / total, "Factorizing"))
                except LinAlgError:
                    return False
                done += float(self.ends[p] - self.starts[p]) ** 2 * _PANEL
        return True

    def _eliminate(self, p: int, pool: ThreadPoolExecutor, check: Callable[[], None]) -> None:
        panel, width = self._panels[p], self._panels[p].shape[1]
        head = panel[:width] = cholesky(panel[:width], lower=True, check_finite=False)

        def divide(first: int) -> None:
            rows = panel[first : first + _PANEL]
            rows[:] = solve_triangular(head, rows.T, lower=True, check_finite=False).T

        def update(q: int) -> None:
            below = panel[self.starts[q] - self.starts[p] :]
            block = below[: self._panels[q].shape[1]]
            self._panels[q][: len(below), : len(block)] -= below @ block.T

        check()
        each(pool, divide, [(first,) for first in range(width, len(panel), _PANEL)], check)
        each(pool, update,
             [(q,) for q in range(p + 1, int(np.searchsorted(self.starts, self.ends[p])))], check)

    def solve(self, B: NDArray, watch: Monitor) -> NDArray:
        """(A + shift I)^-1 B for a block of vectors (n, b)."""
        X = B[self.order]
        for panel, s, t, e in zip(self._panels, self.starts, self.stops, self.ends):
            X[s:t] = solve_triangular(panel[: t - s], X[s:t], lower=True, check_finite=False)
            X[t:e] -= panel[t - s :] @ X[s:t]
        watch.step(0.0, "Eigenvectors")
        for panel, s, t, e in zip(self._panels[::-1], self.starts[::-1], self.stops[::-1],
                                  self.ends[::-1]):
            right = X[s:t] - panel[t - s :].T @ X[t:e]
            X[s:t] = solve_triangular(panel[: t - s], right, lower=True, trans="T",
                                      check_finite=False)
        out = np.empty_like(X)
        out[self.order] = X
        return out
