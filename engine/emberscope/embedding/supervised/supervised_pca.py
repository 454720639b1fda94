"""Supervised PCA (Bayesian factor regression):
a few causes behind both the features and the label."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.layout.layout import Previews
from emberscope.embedding.linear.lda import residual_axes
from emberscope.embedding.linear.linear import Linear, blocks, project
from emberscope.embedding.linear.ppca import closed_form
from emberscope.neighbors.spectral import fix_signs

_LEAST_NOISE = 1e-10
_PRIOR = 0.1  # precision of label weights, per unit of label weight
_LOG_2PI = float(np.log(2 * np.pi))


class SupervisedPCA(Linear):
    """z ~ N(0, I), x = W z + mean + noise, P(label | z) = sigm(v' z + b);
    Z is the mean of z given x alone.

    The labels shape the axes only: a training instance lies where a new one with the same features
    would. The first axis is the one along which the evidence for the class rises.

    Attributes
    ----------
    components_ : (D, d) float64 = W M^-1, M = W'W + s² I. mean_ : (D,). loadings_ : (D, d) = W.
    noise_variance_ : float, s². classes_ : (C,) as given, ascending. evidence_ : (N, C),
    probability of every class given x alone.
    label_weights_ : (d, K), intercepts_ : (K,), of the logistic regression that gives it: K = 1 for
    two classes, then of the higher one; else one for each class against the rest.
    history_ : (iterations,), the bound per instance.

    Notes
    -----
    McCurley 2020, eq 2-89 .. 2-91; Murphy 2012, section 12.5.2. Variational EM with Jaakkola and
    Jordan's bound on the logistic function; the label term counts `weight` times, which makes the
    model discriminative, and an instance with a weak label by its fraction of that. Unlabeled
    instances take part through x. Ours: the intercept b; a prior N(0, 10 / sum of label weights) on
    v, without which v grows without end while z learns the labels by heart; and `evidence_`, for
    which v and b are fitted once more on the coordinates given x alone. O(N D d + N d²) per step,
    one pass over X by blocks.
    """

    reads_labels = True
    takes_classes = True
    n_components: int = N_COMPONENTS
    weight: float | None = param(
        None, low=0, high=1e6, title="Label weight", group="Supervision",
        auto="ten times the number of features",
        help="How many features a label is worth; 0 is probabilistic PCA, more bends the axes to "
        "the classes.",
    )
    n_iter: int = param(
        200, low=1, high=10_000, title="Iterations", group="Computation", advanced=True,
        help="At most this many steps.",
    )
    tol: float = param(
        1e-6, low=0, high=1, title="Tolerance", group="Computation", advanced=True,
        help="Stops where the bound per instance rises by less than this share.",
    )
    state = (
        *Linear.state, "loadings_", "noise_variance_", "classes_", "label_weights_", "intercepts_",
        "evidence_", "history_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes. Raises MissingLabels without two classes."""
        watch = monitored(monitor)
        X, labels, weights = self._validate_labeled(X, y, bags)
        self._check_rank(X.shape)
        watch.step(0.0, "Principal axes")
        known = (labels != 0) & (weights > 0)
        classes = np.unique(labels[known])
        self.classes_ = classes if self._class_names is None else self._class_names
        weight = float(10 * X.shape[1] if self.weight is None else self.weight)
        targets = signed_targets(labels, classes)
        strength = weight * np.where(known, weights, 0.0)
        model = start(X, np.where(known, weights, 0.0), targets, self.n_components,
                      Portion(watch, 0.0, 0.1))
        model = self._maximized(X, targets, strength, model, Portion(watch, 0.1, 0.9))
        self._keep(model.canonical())
        Z = project(X, self.mean_, self.components_, dtype=np.float64)
        self.label_weights_, self.intercepts_ = logistic(Z[known], targets[known], weights[known])
        self.embedding_ = project(X, self.mean_, self.components_,
                                  monitor=Portion(watch, 0.9, 0.95))
        self.evidence_ = self._evidence(X)
        return self

    def evidence(self, X: ArrayLike) -> NDArray:
        """Probability (M, C) of every class given the features of new instances."""
        return self._evidence(self._validate_new(X))

    def _maximized(
        self, X: NDArray, targets: NDArray, strength: NDArray, model: "Model", watch: Monitor
    ) -> "Model":
        previews = Previews(watch, lambda Z: Z, X.dtype, total=self.n_iter)
        reach, history = np.ones(targets.shape), []
        for turn in range(self.n_iter):
            model, reach, bound, Z = em_step(X, targets, strength, model, reach, watch=watch,
                                             done=turn / self.n_iter)
            history.append(bound)
            previews.show(turn + 1, Z)
            if turn > 1 and history[-1] - history[-2] <= self.tol * (1 + abs(history[-1])):
                break
        else:
            self.notes_.append(f"The bound had not come to rest after {self.n_iter} steps.")
        self.history_ = np.array(history)
        return model

    def _keep(self, model: "Model") -> None:
        self.mean_, self.loadings_, self.noise_variance_ = model.mean, model.W, model.noise
        self.components_ = (
            model.W @ np.linalg.inv(model.W.T @ model.W + model.noise * np.eye(model.W.shape[1]))
        )

    def _evidence(self, X: NDArray) -> NDArray:
        Z = project(X, self.mean_, self.components_, dtype=np.float64)
        rise = expit(Z @ self.label_weights_ + self.intercepts_)
        if rise.shape[1] == 1:
            return np.hstack([1 - rise, rise])
        return rise / rise.sum(axis=1, keepdims=True)


@dataclass(frozen=True, slots=True)
class Model:
    """mean : (D,). W : (D, d). noise : float, variance.
    V : (d, K) and b : (K,), the label weights."""

    mean: NDArray
    W: NDArray
    noise: float
    V: NDArray
    b: NDArray

    def canonical(self) -> "Model":
        """The same model with z turned: first axes along the label weights,
        then by size of loadings."""
        left, size, _ = np.linalg.svd(self.V)
        k = int((size > 1e-9 * max(size[0], 1e-9)).sum())
        led, free = left[:, :k], left[:, k:]
        if free.shape[1]:
            free = free @ np.linalg.svd(self.W @ free, full_matrices=False)[2].T
        turn = np.hstack([led, free])
        W = self.W @ turn
        signs = np.where(np.einsum("dk,dk->k", fix_signs(W), W) < 0, -1.0, 1.0)
        return Model(self.mean, W * signs, self.noise, (turn.T @ self.V) * signs[:, None], self.b)


def signed_targets(labels: NDArray, classes: NDArray) -> NDArray:
    """(N, K) of +1 and -1: the higher of two classes, or every class against the rest."""
    chosen = classes[1:] if len(classes) == 2 else classes
    return np.where(labels[:, None] == chosen, 1.0, -1.0)


def start(X: NDArray, weights: NDArray, targets: NDArray, d: int, watch: Monitor) -> Model:
    """Axes along the differences of class means, then principal ones of the rest,
    scaled as in probabilistic PCA.

    `weights` : (N,). `targets` : (N, c).
    """
    mean = X.mean(axis=0, dtype=np.float64)
    _, noise = closed_form(X, mean, d, monitor=watch)
    between = np.zeros((X.shape[1], targets.shape[1]))
    inside, outside = (weights[:, None] * (targets * sign > 0) for sign in (1, -1))
    share = inside / inside.sum(axis=0) - outside / outside.sum(axis=0)
    for part, block in blocks(X, mean):
        between += block.T @ share[part]
    left, size, _ = np.linalg.svd(between, full_matrices=False)
    led = left[:, size > 1e-9 * max(float(size[0]), np.finfo(np.float64).tiny)][:, :d]
    axes = np.hstack([led, residual_axes(X, led, d - led.shape[1], monitor=None)])
    variance = np.square(project(X, mean, axes, dtype=np.float64)).mean(axis=0)
    W = axes * np.sqrt(np.maximum(variance - noise, 0.1 * variance + np.finfo(np.float64).tiny))
    return Model(mean, W, noise, np.zeros((d, targets.shape[1])), np.zeros(targets.shape[1]))


def em_step(
    X: NDArray,
    targets: NDArray,
    strength: NDArray,
    model: Model,
    reach: NDArray,
    *,
    watch: Monitor,
    done: float = 0.0,
) -> tuple[Model, NDArray, float, NDArray]:
    """One step of variational EM.

    Parameters
    ----------
    targets : (N, K) of +1, -1. strength : (N,) >= 0, weight of the label term of each instance.
    reach : (N, K), where the bound on the logistic function touches it; positive.

    Returns
    -------
    The new model and reach, the bound per instance that the old model had with its best z,
    and the mean of z (N, d).
    """
    dim, d = model.W.shape
    n, k = targets.shape
    cross, second = np.zeros((dim, d + 1)), np.zeros((d + 1, d + 1))
    curvature, pull = np.zeros((k, d + 1, d + 1)), np.zeros((k, d + 1))
    square, weight, new_reach, Z = (
        0.0, float(strength.sum()), np.empty_like(reach), np.empty((n, d))
    )
    bound = -0.5 * _PRIOR * weight * float(np.square(model.V).sum())
    for part, block in blocks(X, model.mean):
        watch.step(done, "Classes and features")
        squares = np.einsum("nd,nd->n", block, block)
        post = Posterior(block @ model.W, squares, targets[part], strength[part], reach[part],
                         model, dim)
        wide = np.hstack([post.mean, np.ones((len(block), 1))])
        cross += block.T @ wide
        second += wide.T @ wide
        second[:d, :d] += post.summed_covariance(np.ones((len(block), 1)))[0]
        for c in range(k):
            curvature[c] += (wide * post.curvature[:, c : c + 1]).T @ wide
        curvature[:, :d, :d] += post.summed_covariance(post.curvature)
        pull += (strength[part, None] * targets[part] / 2).T @ wide
        square += squares.sum()
        bound += post.bound
        new_reach[part], Z[part] = post.reach, post.mean
    moments = _Moments(cross, second, curvature, pull, square)
    return _regressed(model, moments, n, weight), new_reach, bound / n, Z


class _Moments(NamedTuple):
    """Sums over the instances: cross (D, d + 1) and second (d + 1, d + 1) of X and z with a 1,
    curvature (K, d + 1, d + 1) and pull (K, d + 1) of the labels, square of X."""

    cross: NDArray
    second: NDArray
    curvature: NDArray
    pull: NDArray
    square: float


def _regressed(old: Model, moments: _Moments, n: int, weight: float) -> Model:
    """The best loadings, noise and label weights for the moments of z, and z moved back to mean 0.

    The bound keeps its value when z is moved and the mean and the intercepts with it (parameter
    expansion).
    """
    dim, d = old.W.shape
    cross, second, curvature, pull, square = moments
    solved = np.linalg.solve(second, cross.T).T
    noise = max(float(square - np.vdot(solved, cross)) / (n * dim),
                _LEAST_NOISE * square / (n * dim))
    W, V, b = solved[:, :d], old.V, old.b
    if weight > 0:
        # The intercept has no prior; its tiny share only keeps the system solvable.
        prior = np.append(np.full(d, _PRIOR * weight), 1e-9 * weight)
        weights = np.linalg.solve(curvature + np.diag(prior), pull[:, :, None])[:, :, 0]
        V, b = weights[:, :d].T, weights[:, d]
    center = second[:d, d] / n
    return Model(old.mean + solved[:, d] + W @ center, W, noise, V, b + center @ V)


def logistic(Z: NDArray, targets: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """Weights (d, K) and intercepts (K,) of weighted logistic regressions of +1 / -1 targets (n, K)
    on Z, ridge 1."""
    wide = np.hstack([Z, np.ones((len(Z), 1))])
    ridge = np.diag([1.0] * Z.shape[1] + [1e-6])
    out = np.zeros((wide.shape[1], targets.shape[1]))
    for c in range(targets.shape[1]):
        for _ in range(50):
            p = expit(wide @ out[:, c])
            slope = wide.T @ (weights * ((targets[:, c] > 0) - p)) - ridge @ out[:, c]
            # A floor under the curvature keeps Newton's steps short where the classes separate.
            step = np.linalg.solve(
                (wide * (weights * np.maximum(p * (1 - p), 1e-3))[:, None]).T @ wide + ridge, slope
            )
            out[:, c] += step
            if np.abs(step).max() < 1e-10:
                break
    return out[:-1], out[-1]


class Posterior:
    """q(z) of some instances: mean (n, d), curvature and new reach (n, K), and the bound they add.

    The precision is I + W'W / s² + V diag(c) V' with c (n, K), the curvature: only K directions
    differ between instances, so that one K by K system each is enough.
    """

    def __init__(self, along: NDArray, squares: NDArray, targets: NDArray, strength: NDArray,
                 reach: NDArray, model: Model, dim: int) -> None:
        d = along.shape[1]
        slope = np.tanh(reach / 2) / (4 * reach)
        self.curvature = 2 * strength[:, None] * slope
        gram = model.W.T @ model.W
        self._common = C = np.linalg.inv(np.eye(d) + gram / model.noise)
        self._led = CV = C @ model.V
        A = model.V.T @ CV
        k = len(A)
        system = np.eye(k) + self.curvature[:, :, None] * A
        self._inner = inner = np.linalg.solve(system, self.curvature[:, :, None] * np.eye(k))
        right = along / model.noise + (strength[:, None] * targets / 2 - self.curvature
                                       * model.b) @ model.V.T
        self.mean = right @ C - np.einsum("nk,nkl->nl", right @ CV, inner) @ CV.T
        score = self.mean @ model.V + model.b
        expected = score**2 + np.maximum(
            A.diagonal() - np.einsum("nkl,kc,lc->nc", inner, A, A, optimize=True), 0.0
        )
        self.reach = np.sqrt(np.maximum(expected, 1e-12))
        fit = squares - 2 * np.einsum("nd,nd->n", self.mean, along)
        fit += self._trace(gram) + np.einsum("nd,nd->n", self.mean @ gram, self.mean)
        features = -0.5 * (dim * (_LOG_2PI + np.log(model.noise)) + fit / model.noise)
        volume = np.linalg.slogdet(C)[1] - np.linalg.slogdet(system)[1]
        size = self._trace(np.eye(d)) + np.einsum("nd,nd->n", self.mean, self.mean)
        label = (
            -np.logaddexp(0, -reach) + (targets * score - reach) / 2 - slope * (expected - reach**2)
        )
        self.bound = float(
            (features - 0.5 * (size - d - volume) + strength * label.sum(axis=1)).sum()
        )

    def summed_covariance(self, weights: NDArray) -> NDArray:
        """Sums (m, d, d) of the covariances with weights (n, m)."""
        inner = np.einsum("nm,nkl->mkl", weights, self._inner)
        return weights.sum(axis=0)[:, None, None] * self._common - self._led @ inner @ self._led.T

    def _trace(self, M: NDArray) -> NDArray:
        """tr(covariance M) of every instance, (n,)."""
        return np.trace(self._common @ M) - np.einsum("nkl,kl->n", self._inner,
                                                      self._led.T @ M @ self._led)
