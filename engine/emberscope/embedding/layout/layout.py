"""Base of all layouts: start, warm start, pinned instances, intermediate embeddings."""

import time
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from emberscope.base.errors import DataError
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor
from emberscope.embedding.linear.linear import project
from emberscope.embedding.linear.pca import principal_axes
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import nearest

_PREVIEW_EVERY = 0.1  # s
_PCA_ROWS = 8192


class Layout(Nonlinear):
    """Base of methods that let neighbors attract and the others repel, step by step,
    from a start."""

    n_components: int
    random_state: int
    _first: NDArray | None = not_a_param(None)  # of `start_from`
    _pinned: NDArray | None = not_a_param(None)

    def start_from(self, Z: NDArray, *, pinned: NDArray | None = None) -> Self:
        """Let the next fit begin at Z, (N, d), NaN for instances that are new:
        these join their nearest neighbors.

        pinned : (N,) bool, optional. Instances that stay where Z has them.
        """
        self._first = np.asarray(Z, np.float64)
        self._pinned = None if pinned is None else np.asarray(pinned, bool)
        return self

    def _warm_start(
        self, U: NDArray, n: int, distinct: Distinct
    ) -> tuple[NDArray | None, NDArray | None]:
        """Coordinates and pins given to `start_from`, of the different instances; used once.
        None: start afresh."""
        first, self._first = self._first, None
        pinned, self._pinned = self._pinned, None
        if first is None:
            return None, None
        if first.shape != (n, self.n_components):
            what = f"the start has shape {first.shape}"
            raise DataError(what, hint=f"Give a start of shape {(n, self.n_components)}.")
        if pinned is not None and pinned.shape != (n,):
            raise DataError(f"the pins have shape {pinned.shape}",
                            hint=f"Give one per instance, {(n,)}.")
        Z = first[distinct.rows]
        new = ~np.isfinite(Z).all(axis=1)
        if new.all():
            return None, None
        if new.any():
            Z[new] = Z[~new][nearest(U[~new], U[new], 1).idx[:, 0]]
        noise = 1e-3 * Z.std() * np.random.default_rng(self.random_state).standard_normal(Z.shape)
        return Z + np.where(new[:, None], noise,
                            0.0), None if pinned is None else pinned[distinct.rows] & ~new

    def _pca_start(self, U: NDArray, scale: float) -> NDArray:
        """PCA coordinates with standard deviation `scale`,
        and a little noise where X has fewer axes.

        The axes are those of at most `_PCA_ROWS` instances: a start need not be exact.
        """
        mean = U.mean(axis=0, dtype=np.float64)
        m = min(self.n_components, *U.shape)
        Z = np.zeros((len(U), self.n_components))
        some = U[:: -(-len(U) // _PCA_ROWS)]
        Z[:, :m] = project(U, mean, principal_axes(some, mean, m)[1])
        spread = Z[:, 0].std()
        Z *= scale / spread if spread > 0 else 1.0
        return Z + 0.01 * scale * np.random.default_rng(self.random_state).standard_normal(Z.shape)


class Previews:
    """Progress, cancelling and intermediate embeddings (copies restored) of an iterative method,
    at most 10 times a second.
    """

    def __init__(
        self, monitor: Monitor, restore: Callable[[NDArray], NDArray], dtype: DTypeLike, *,
        total: int = 1
    ) -> None:
        self._monitor = monitor
        self._restore = restore
        self._dtype = dtype
        self._shown = time.monotonic()
        self.total = total
        self.before = 0

    def of(self, member: NDArray) -> "Previews":
        """The same bar for a stage whose rows stand for groups;
        `member` (N,) is the row of each."""
        stage = Previews(self._monitor, lambda Z: self._restore(Z[member]), self._dtype,
                         total=self.total)
        stage.before = self.before
        return stage

    def show(self, done: int, Z: NDArray) -> None:
        """Step `done` of `total` is made and gave Z (U, d); raises Cancelled."""
        done += self.before
        self._monitor.step(done / self.total, f"Step {done} of {self.total}")
        if time.monotonic() - self._shown > _PREVIEW_EVERY:
            self._monitor.partial(self._restore(np.array(Z, self._dtype)))
            self._shown = time.monotonic()
