"""SNE: neighborhoods with Gaussian tails, in the features and in the embedding."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.distance.stress import all_distances
from emberscope.embedding.layout.gaussian_divergence import Wanted, divergence, wanted
from emberscope.embedding.layout.layout import Layout, Previews
from emberscope.embedding.layout.perplexity import fitting
from emberscope.embedding.measured import Measured

LIMIT = 3000
_MEMORY = 20  # steps that the search remembers
_STILL = 1e-9  # of the loss: less is no step


class SNE(Measured, Layout):
    """Keep for every instance who its neighbors are, with the same Gaussian neighborhoods in the
    embedding.

    Far pairs have no room: in the plane they are squeezed together, which t-SNE was made against.

    Attributes
    ----------
    kl_divergence_ : float. The loss at the end. history_ : (steps + 1,), from the start on; it
        never rises.

    Notes
    -----
    Hinton and Roweis 2002: sum over instances of KL(P_i || Q_i), p_j|i a Gaussian whose width gives
    every instance the same perplexity, q_j|i one of width 1 / sqrt(2). `symmetric` takes one
    distribution over all pairs instead (Cook, Sutskever, Mnih and Hinton 2007). The start is PCA at
    unit spread; then L-BFGS, which needs no learning rate and never goes up, in place of steps with
    noise. Every pair counts: O(N²) a step, 12 N² bytes. Perplexity is lowered to (N - 1) / 3 where
    it is larger, and that is noted. New instances lie where the weights that rebuild them from
    their neighbors take them.
    """

    n_components: int = replace(N_COMPONENTS, high=100)
    perplexity: float = param(
        30.0, low=1, high=500, group="Graph",
        help="About how many neighbors each instance keeps near; 5 shows detail, 100 shows the "
        "large shape.",
    )
    symmetric: bool = param(
        False, group="Graph",
        help="Off: every instance has a distribution of its own over the others. On: there is one "
        "over all pairs, as in t-SNE.",
    )
    n_iter: int = param(
        300, low=10, high=10_000, title="Iterations", group="Computation",
        help="Steps at most; it stops earlier where the loss no longer falls.",
    )
    random_state: int = RANDOM_STATE
    state = (*Layout.state, "kl_divergence_", "history_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored. Raises TooLarge above 3000 instances."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        if len(U) > LIMIT:
            raise TooLarge(f"SNE of {len(U)} instances takes many minutes",
                           hint=f"Choose at most {LIMIT} instances, or t-SNE.")
        given = self._given_among(distinct)
        part = Portion(watch, 0.0, 0.05)
        D = all_distances(U, monitor=part) if given is None else given.block(slice(None))
        perplexity, lowered = fitting(self.perplexity, len(U))
        self.notes_ += lowered
        want = wanted(D, perplexity, joint=self.symmetric)
        start, pinned = self._warm_start(U, len(X), distinct)
        if start is None:
            start = self._pca_start(U, 1.0)
        show = Previews(Portion(watch, 0.1, 1.0), distinct.restore, X.dtype, total=self.n_iter)
        Z, history = descend(want, start, show, watch, n_iter=self.n_iter, pinned=pinned)
        self.history_, self.kl_divergence_ = history, float(history[-1])
        return self._finish(X, distinct, Z if pinned is not None else Z - Z.mean(axis=0))


def descend(
    want: Wanted, start: NDArray, show: Previews, watch: Monitor, *, n_iter: int,
    pinned: NDArray | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates (N, d) down the divergence from a start, and the loss after every step.

    pinned : (N,) bool, instances that stay.
    """
    shape, quiet = start.shape, monitored(None)
    held = np.zeros(len(start), bool) if pinned is None else pinned

    def loss(z: NDArray) -> tuple[float, NDArray]:
        value, slope = divergence(want, np.ascontiguousarray(z.reshape(shape)), quiet)
        slope[held] = 0.0
        return value, slope.ravel()

    history = [loss(start.ravel())[0]]

    def keep(intermediate_result: object) -> None:
        history.append(float(intermediate_result.fun))  # type: ignore[attr-defined]
        show.show(len(history) - 1, intermediate_result.x.reshape(shape))  # type: ignore[attr-defined]

    found = minimize(
        loss, start.ravel(), jac=True, method="L-BFGS-B", callback=keep,
        options={"maxiter": n_iter, "maxfun": 2 * n_iter, "maxcor": _MEMORY, "ftol": _STILL},
    )
    return np.asarray(found.x, np.float64).reshape(shape), np.array(history)
