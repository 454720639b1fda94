"""Mixtures of factor analyzers, fitted by EM: local linear models with one probability."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.embedding.latent.responsibilities import softmax

_CHUNK = 4096  # rows at a time
_FLOOR = 1e-6  # of the total variance per feature: no analyzer shrinks to a point (Heywood case)
_SHORT = 10  # rounds of each restart before the best one goes on
_CALM = 1e-6  # relative gain of the likelihood at which EM stops


@dataclass(frozen=True, slots=True)
class Mixture:
    """M local models x = mean_m + loadings_m z + noise, z ~ N(0, I), noise ~ N(0, diag(noise_m)).

    weights : (M,), sum 1. means : (M, D). loadings : (M, D, d). noise : (M, D), variances.
        All float64.
    """

    weights: NDArray
    means: NDArray
    loadings: NDArray
    noise: NDArray

    def log_joint(self, X: NDArray) -> NDArray:
        """(N, M) log of weight times density, Woodbury form; O(N M D d)."""
        out = np.empty((len(X), len(self.weights)))
        pieces = _Pieces(self)
        for part in slices(len(X), _CHUNK):
            out[part] = pieces.log_joint(X[part].astype(np.float64))[0]
        return out

    def axes(self) -> NDArray:
        """(M, D, d) orthonormal axes of each local plane."""
        return np.stack([np.linalg.qr(W)[0] for W in self.loadings])


class _Pieces:
    """What a pass over the rows needs of a mixture, computed once."""

    def __init__(self, mixture: Mixture) -> None:
        M, D, d = mixture.loadings.shape
        precision = 1 / mixture.noise
        self.d = d
        self.scaled = mixture.loadings * precision[:, :, None]
        inner = np.eye(d) + np.einsum("mDi,mDj->mij", mixture.loadings, self.scaled)
        self.posterior = np.linalg.inv(inner)
        self.offset = np.einsum("mD,mDi->mi", mixture.means, self.scaled)
        self.columns = self.scaled.transpose(1, 0, 2).reshape(D, M * d)
        self.isotropic = bool((np.ptp(mixture.noise, axis=1) == 0).all())
        self.precision, self.mean_precision = precision, mixture.means * precision
        self.mean_norm = (mixture.means**2 * precision).sum(axis=1)
        determinant = np.log(mixture.noise).sum(axis=1) + np.linalg.slogdet(inner)[1]
        self.constant = np.log(mixture.weights) - 0.5 * (D * np.log(2 * np.pi) + determinant)

    def log_joint(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """(B, M) log joint densities and (M, B, d) posterior means of z."""
        M = len(self.constant)
        p = (X @ self.columns).reshape(len(X), M, self.d).transpose(1, 0, 2) - self.offset[:, None]
        Ez = p @ self.posterior
        far = self._squares(X) - 2 * X @ self.mean_precision.T + self.mean_norm
        return self.constant - 0.5 * (far - (p * Ez).sum(axis=2).T), Ez

    def _squares(self, X: NDArray) -> NDArray:
        """(B, M) squared lengths weighted by the precisions;
        one length where the noise is isotropic."""
        if self.isotropic:
            return np.square(X).sum(axis=1)[:, None] * self.precision[:, 0]
        return np.square(X) @ self.precision.T


def fit_mixture(
    X: NDArray,
    n_models: int,
    d: int,
    *,
    shared_noise: bool = False,
    cells: NDArray | None = None,
    n_starts: int = 3,
    max_iter: int = 100,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> tuple[Mixture, list[float]]:
    """A mixture of M <= n_models factor analyzers of latent dimension d, and its mean
    log-likelihood per round.

    Parameters
    ----------
    X : (N, D), any float; work in float64, 4096 rows at a time.
    shared_noise : one diagonal noise for all models (Ghahramani and Hinton 1996); else each has its
        own isotropic noise (Tipping and Bishop 1999), which is safer with few instances per model
        and many features.
    cells : (N,) int, optional. Model of each instance at the start, 0 to M - 1;
        default k-means cells.
    n_starts : EM finds local optima; so many k-means++ starts run 10 rounds, the best goes on.
        Not used with `cells`.

    Notes
    -----
    Ghahramani and Hinton 1996. The likelihood rises in every round (but for the floor of the noise
    variances, 1e-6 of the mean variance of a feature). Models with a weight below (d + 2) / N are
    dropped. O(N M D d) per round.
    """
    watch = monitored(monitor)
    center = X.mean(axis=0, dtype=np.float64)
    floor = max(_FLOOR * float(X.var(axis=0, dtype=np.float64).mean()),
                np.finfo(np.float64).tiny ** 0.5)
    best: tuple[Mixture, list[float]] | None = None
    n_starts = 1 if cells is not None else n_starts
    for start in range(n_starts):
        part = Portion(watch, 0.5 * start / n_starts, 0.5 * (start + 1) / n_starts)
        part.step(0.0, "Mixture, start")
        rows, found_cells = (
            (np.arange(len(X)), cells) if cells is not None else _cells(X, n_models, seed + start)
        )
        first = _first(X[rows].astype(np.float64) - center, found_cells, d, floor, seed + start)
        rounds = min(_SHORT, max_iter)
        found = _em(X, center, first, rounds, shared_noise, floor, Portion(part, 0.3, 1.0))
        if best is None or found[1][-1] > best[1][-1]:
            best = found
    assert best is not None
    mixture, history = best
    if max_iter > _SHORT:
        mixture, more = _em(X, center, mixture, max_iter - _SHORT, shared_noise, floor,
                            Portion(watch, 0.5, 1.0))
        history = [*history, *more]
    return (
        Mixture(mixture.weights, mixture.means + center, mixture.loadings, mixture.noise), history
    )


def _cells(X: NDArray, n: int, seed: int) -> tuple[NDArray, NDArray]:
    """Rows of a sample and their k-means cells."""
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(seed)
    rows = np.sort(rng.choice(len(X), min(len(X), max(200 * n, 2000)), replace=False))
    n = min(n, len(np.unique(X[rows], axis=0)))
    sample = X[rows].astype(np.float64)
    return rows, KMeans(n, n_init=1, max_iter=20,
                        random_state=seed).fit_predict(sample - sample.mean(axis=0))


def _first(X: NDArray, cells: NDArray, d: int, floor: float, seed: int) -> Mixture:
    """Every cell with its mean, its principal axes, and what is left as noise."""
    rng = np.random.default_rng(seed)
    models = np.unique(cells)
    weights = np.array([(cells == m).mean() for m in models])
    means = np.stack([X[cells == m].mean(axis=0) for m in models])
    loadings = np.zeros((len(models), X.shape[1], d))
    noise = np.empty((len(models), X.shape[1]))
    for at, m in enumerate(models):
        own = X[cells == m] - means[at]
        _, s, axes = np.linalg.svd(own, full_matrices=False)
        kept = min(d, len(s))
        loadings[at, :, :kept] = axes[:kept].T * (s[:kept] / np.sqrt(len(own)))
        noise[at] = max((s[kept:] ** 2).sum() / len(own) / X.shape[1], floor)
        loadings[at] += 1e-3 * np.sqrt(noise[at, 0]) * rng.standard_normal(loadings[at].shape)
    return Mixture(weights, means, loadings, noise)


def _em(
    X: NDArray, center: NDArray, mixture: Mixture, rounds: int, shared: bool, floor: float,
    watch: Monitor
) -> tuple[Mixture, list[float]]:
    history: list[float] = []
    for step in range(rounds):
        watch.step(step / rounds, f"Mixture, round {step + 1}")
        mixture, likelihood = _round(X, center, mixture, shared, floor, watch, step / rounds)
        gain = likelihood - history[-1] if history else np.inf
        history.append(likelihood)
        if gain < _CALM * max(1.0, abs(likelihood)):
            break
    return mixture, history


def _round(
    X: NDArray, center: NDArray, mixture: Mixture, shared: bool, floor: float, watch: Monitor,
    done: float
) -> tuple[Mixture, float]:
    """One E and M step; returns the new mixture and the mean log-likelihood of the old one."""
    M, D, d = mixture.loadings.shape
    pieces = _Pieces(mixture)
    xz = np.zeros((D, M, d + 1))
    zz = np.zeros((M, d + 1, d + 1))
    # sum of r x²; its mean over the features in every column where the noise is isotropic
    xx = np.zeros((M, D))
    total = 0.0
    for part in slices(len(X), _CHUNK):
        watch.step(done, "Mixture")
        chunk = X[part].astype(np.float64) - center
        joint, Ez = pieces.log_joint(chunk)
        R, density = softmax(joint)
        total += float(density.sum())
        z = np.concatenate([Ez, np.ones((M, len(chunk), 1))], axis=2)
        rz = z * R.T[:, :, None]
        xz += (chunk.T @ rz.transpose(1, 0, 2).reshape(len(chunk), -1)).reshape(D, M, d + 1)
        zz += rz.transpose(0, 2, 1) @ z
        if pieces.isotropic and not shared:
            xx += (R.T @ np.square(chunk).sum(axis=1))[:, None] / D
        else:
            xx += R.T @ np.square(chunk)
    counts = zz[:, d, d].copy()
    zz[:, :d, :d] += counts[:, None, None] * pieces.posterior
    return _maximized(xz, zz, xx, counts, shared, floor), total / len(X)


def _maximized(
    xz: NDArray, zz: NDArray, xx: NDArray, counts: NDArray, shared: bool, floor: float
) -> Mixture:
    d, n = zz.shape[1] - 1, counts.sum()
    keep = counts > min((d + 2.0), 0.5 * counts.max())
    xz, zz, xx, counts = xz[:, keep], zz[keep], xx[keep], counts[keep]
    ridge = 1e-12 * np.trace(zz, axis1=1, axis2=2)[:, None, None] * np.eye(d + 1)
    new = np.linalg.solve(zz + ridge, xz.transpose(1, 2, 0)).transpose(0, 2, 1)
    rest = xx - np.einsum("mDi,Dmi->mD", new, xz)
    if shared:
        noise = np.broadcast_to(np.maximum(rest, 0.0).sum(axis=0) / n, rest.shape)
    else:
        noise = np.broadcast_to((rest.mean(axis=1) / counts)[:, None], rest.shape)
    return Mixture(counts / counts.sum(), new[:, :, d], new[:, :, :d], np.maximum(noise, floor))
