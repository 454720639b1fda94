"""Kernel equivalence metric: the equivalence metric of kernel principal components,
for bent structure."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import RANDOM_STATE, param
from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import agreement, metric_of
from emberscope.metric.choice import HeldOutPairs, chosen, in_order_of_values, shapes_of
from emberscope.metric.equivalence import COMPONENTS, PUSH, SOFTNESS
from emberscope.metric.learned import Learned, kept_scores, padded
from emberscope.metric.pairs import read_pairs
from emberscope.metric.scores import mapped, principal_scores
from emberscope.neighbors.spectral import fix_signs

_LANDMARKS = 1000
_ROWS = 2048
_SAMPLE = 1000  # instances whose distances set the width
# share of the largest eigenvalue of the kernel, below which there is no direction
_VANISHING = 1e-10
_MOST_INPUTS = 100


class KernelEquivalenceMetric(Learned):
    """Learn distances from pairs marked alike or different, in the directions of a Gaussian kernel.

    It reads pairs: how far apart the marked pairs lie in its embedding says nothing.
    Judge it by `pair_agreement_`.

    Attributes
    ----------
    gamma_ : float, the width used. landmarks_ : (L, p), instances the kernel is taken with,
        in principal components.
    map_ : (L, d), Z = k(x, landmarks) @ map_ - offset_.
        mean_ (D,), axes_ (D, p) : of the inputs. softness_, ridge_,
    conflicts_, soft_scores_, soft_values_ : as in the equivalence metric.

    Notes
    -----
    Ghodsi 2005, section 3.4. The metric of feature space is that of the kernel principal component
    scores, so these are computed and the linear learner does the rest; the rank condition of print
    cannot bind. At most `rank` scores and a quarter of the instances: with all of them any pairs
    can be satisfied. Above 1000 instances the kernel is taken with 1000 of them drawn by seed
    (Williams and Seeger 2001). k(x, x') = exp(-gamma |x - x'|²), gamma by itself 1 / median
    |x - x'|². O(N L p + L³).
    """

    n_components: int | None = COMPONENTS
    softness: float | None = replace(SOFTNESS, when=None)
    push: float = PUSH
    gamma: float | None = param(
        None, low=0, open_low=True, group="Kernel", unit="1 / squared feature distance",
        advanced=True,
        auto="1 over the median squared distance",
        help="Larger values see only near instances as alike.",
    )
    rank: int = param(
        50, low=1, high=500, group="Kernel", advanced=True,
        help="Kernel principal components that the metric is learned in, at most.",
    )
    random_state: int = RANDOM_STATE
    state = (*Learned.state, "gamma_", "mean_", "axes_", "landmarks_", "map_", "offset_",
             "conflicts_", "softness_", "ridge_", "soft_scores_", "soft_values_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Learn from the pairs of `side`; labels are ignored.
        Raises MissingLabels for fewer than two pairs."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        pairs, _ = read_pairs(side, len(X))
        inputs = principal_scores(X, _MOST_INPUTS, monitor=Portion(watch, 0.0, 0.2))
        rng = np.random.default_rng(self.random_state)
        taken = np.arange(len(X)) if len(X) <= _LANDMARKS else np.sort(
            rng.choice(len(X), _LANDMARKS, replace=False)
        )
        landmarks = inputs.T[taken]
        gamma = _gamma(inputs.T, rng) if self.gamma is None else float(self.gamma * inputs.unit**2)
        watch.step(0.2, "Kernel")
        most = max(min(self.rank, len(X) // 4), self.n_components or 1)
        B = _kernel_axes(gaussian(landmarks, landmarks, gamma), most)
        K = _applied(inputs.T, landmarks, gamma, B, Portion(watch, 0.2, 0.7))
        offset = K.mean(axis=0)
        T = K - offset
        watch.step(0.7, "Held-out pairs")
        shapes = shapes_of("mixed", self.softness)
        order, ordered = in_order_of_values(T, pairs)
        held = HeldOutPairs.of(T[order], ordered, push=self.push, shapes=shapes,
                               dimensions=self.n_components)
        choice = chosen(held, shapes)
        if len(shapes) > 1:
            self.notes_.append(choice.words())
        shape = choice.shape
        self.softness_, self.ridge_ = shape.softness, np.nan if shape.ridge is None else shape.ridge
        watch.step(0.8, "Metric")
        axes = held.axes[shape.measured]
        W = axes.map(shape)
        self.soft_scores_, self.soft_values_ = kept_scores(T, axes, self.n_components)
        turned = np.linalg.eigh(np.atleast_2d(np.cov((T @ W).T, bias=True)))[1][:, ::-1]
        A = fix_signs(B @ (W @ turned))
        self.map_ = padded(A, self.n_components, self.notes_)
        self.gamma_, self.landmarks_ = float(gamma / inputs.unit**2), landmarks
        self.mean_, self.axes_ = inputs.mean, inputs.axes
        self.offset_ = np.zeros(self.map_.shape[1])
        placed = self._place(X)
        self.offset_ = placed.mean(axis=0)
        self.embedding_ = (placed - self.offset_).astype(X.dtype)
        self._keep_agreement(held.agreement(shape),
                             agreement(pairs, len(X), metric_of(T, W)).share)
        self._note_marks(pairs, len(X))
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return self._place(X).astype(X.dtype)

    def _place(self, X: NDArray) -> NDArray[np.float64]:
        inputs = mapped(X, self.mean_, self.axes_)
        unit = float(1 / np.linalg.norm(self.axes_[:, 0]))
        return (
            _applied(inputs, self.landmarks_, self.gamma_ * unit**2, self.map_, None) - self.offset_
        )


def gaussian(A: NDArray, B: NDArray, gamma: float) -> NDArray:
    """exp(-gamma |a - b|²), (n, m), of rows of A (n, p) and B (m, p)."""
    square = np.einsum("np,np->n", A, A)[:, None] + np.einsum("mp,mp->m", B, B) - 2 * A @ B.T
    return np.exp(-gamma * np.maximum(square, 0))


def _applied(
    T: NDArray, landmarks: NDArray, gamma: float, W: NDArray, watch: Monitor | None
) -> NDArray[np.float64]:
    out = np.empty((len(T), W.shape[1]))
    for part in slices(len(T), _ROWS, watch, "Kernel"):
        out[part] = gaussian(T[part], landmarks, gamma) @ W
    return out


def _kernel_axes(K: NDArray, most: int) -> NDArray:
    """B (L, r), so that k(x, landmarks) @ B are the kernel principal component scores,
    but for their mean.

    Raises DataError where the kernel sees one point.
    """
    mean = K.mean(axis=0)
    centered = K - mean - mean[:, None] + mean.mean()
    count = min(most, len(K))
    values, V = eigh(centered, subset_by_index=(len(K) - count, len(K) - 1), check_finite=False)
    kept = values > _VANISHING * max(float(values[-1]), np.finfo(np.float64).tiny)
    if not kept.any() or values[-1] < _VANISHING:
        raise DataError("the kernel sees all instances as one", hint="Choose a larger gamma.")
    B = (V[:, kept] / np.sqrt(values[kept]))[:, ::-1]
    return B - B.mean(axis=0)


def _gamma(T: NDArray, rng: np.random.Generator) -> float:
    some = T if len(T) <= _SAMPLE else T[np.sort(rng.choice(len(T), _SAMPLE, replace=False))]
    square = np.einsum("np,np->n", some, some)
    apart = (square[:, None] + square - 2 * some @ some.T)[np.triu_indices(len(some), 1)]
    return float(1 / max(np.median(apart), 1e-12))
