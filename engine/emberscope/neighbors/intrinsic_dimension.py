"""Local intrinsic dimension of the data: from ratios of neighbor distances and from local
spectra."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.neighbors.graph import Neighbors
from emberscope.neighbors.search import neighbors_within

_DISTANCES = 20_000  # rows whose neighbor distances are read
_SAMPLE = 4000  # rows of the first thinned sample; every further one has a quarter
_FEWEST = 120
_NEAR = (1, 2, 4, 8, 16)
_K = 32
_SPECTRA = 400
_CLEAR_GAP = 4.0
_AGREE = (0.4, 1.5)
# scale, dimension by ratios, by MLE, relative standard error
_Point = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The intrinsic dimension of a data set.

    value : float, the best estimate. low, high : the range in which estimators and scales near it
    agree.
    by_method : {"TwoNN": nearest two neighbors, "ratios": distances to neighbors n and 2 n at the
        steadiest scale, "MLE": all distances at that scale, "local PCA": only where the spectra
        have a gap} -> dimension.
    scale : neighbors that lie within the steadiest scale, in the whole data.
    curve : (S, 2) scale and dimension by ratios; falling = noise at small scales.
    spectrum : (m,) mean share of local variance per axis at the scale of the gap, descending.
    """

    value: float
    low: float
    high: float
    by_method: dict[str, float]
    scale: float
    curve: NDArray = field(repr=False)
    spectrum: NDArray = field(repr=False)

    @property
    def advice(self) -> str:
        """One sentence for a person."""
        low, high, best = (max(1, round(self.low)), max(1, round(self.high)),
                           max(1, round(self.value)))
        span = (f"about {best} dimension{'s' if best > 1 else ''}"
                + (f" ({low} to {high})" if low < high else ""))
        if self.value > 3.5:
            return (
                f"Locally the data have {span}: an embedding in 2 or 3 must fold or tear some of "
                "them."
            )
        steep = self.curve[0, 1] > 1.5 * self.value
        return (
            f"Locally the data have {span}{', beside noise at small distances' if steep else ''}."
        )


def intrinsic_dimension(
    X: NDArray, neighbors: Neighbors, *, seed: int = 0, monitor: Monitor | None = None
) -> Estimate:
    """Estimate how many coordinates the data have locally.

    Parameters
    ----------
    X : (N, D), distinct rows. neighbors : their kNN lists; k of 32 or more gives the most, 2 the
        least that works.

    Notes
    -----
    TwoNN (Facco et al. 2017) reads the ratio of the two nearest distances, where noise fills all
    dimensions. So the ratio of neighbors n and 2 n is read as well (Gride, Denti et al. 2022,
    maximum likelihood), from n = 1 up, then in thinned samples of 4000, 1000, ... rows, up to an
    eighth of the data; the estimate is taken where it changes least from one scale to the next.
    There also the estimator of Levina and Bickel 2004, averaged as MacKay and Ghahramani 2005, over
    neighbors n to 4 n only. Local principal components count where their mean spectrum drops by 4
    or more: the finest such scale then is the one, and the drop is the value if the ratios there do
    not contradict (0.4 to 1.5 times): ratios are biased low by the edges of the data (15 % at d =
    10), and high by noise. O(N k) and 4000² D for the samples: 0.3 s of processor time at 10 000 x
    324. Raises DataError for too few or too equal instances.
    """
    if len(X) < 4 or neighbors.k < 2:
        raise DataError(f"{len(X)} instances with {neighbors.k} neighbors say nothing about "
                        "dimensions",
                        hint="Give at least 4 instances and 2 neighbors.")
    watch = monitored(monitor)
    rng = np.random.default_rng(seed)
    lists = list(_scales(X, neighbors, rng, watch))
    points = [_point(dist, len(X) / m, n) for m, _, _, dist in lists for n in _NEAR
              if _usable(dist, n)]
    points = sorted((p for p in points if np.isfinite(p[1])), key=lambda p: p[0])
    if not points:
        raise DataError("the neighbors of every instance lie at one distance",
                        hint="Choose other features.")
    gap, axes, gap_scale, spectrum = _first_gap(lists, rng, Portion(watch, 0.7, 1.0))
    at, steadiness = _steadiest(points)
    if gap >= _CLEAR_GAP:
        near = min(points, key=lambda point: abs(np.log(point[0] / gap_scale)))
        if _AGREE[0] <= axes / near[1] <= _AGREE[1]:
            at, steadiness = near, 0.0
        else:
            axes = 0
    scale, ratios, mle, error = at
    by_method = {"TwoNN": _two_nearest(lists[0][3]), "ratios": ratios, "MLE": mle}
    value, around = float(np.mean([ratios, mle])), [ratios, mle]
    if gap >= _CLEAR_GAP and axes:
        by_method["local PCA"] = value = float(axes)
        around.append(value)
    spread = 2 * error + steadiness
    return Estimate(
        value, min(around) * (1 - spread), max(around) * (1 + spread), by_method, scale,
        np.array([point[:2] for point in points]), spectrum,
    )


def _scales(X: NDArray, neighbors: Neighbors, rng: np.random.Generator, watch: Monitor):  # type: ignore[no-untyped-def]
    """(rows, X of them, lists, distances) of the whole data and of ever thinner samples."""
    few = rng.choice(len(X), min(len(X), _DISTANCES), replace=False)
    yield len(X), X, neighbors, _positive(neighbors.dist[few, :_K])
    size, share = min(len(X) // 4, _SAMPLE), 0.1
    while size >= _FEWEST:
        part = Portion(watch, share, share + 0.3)
        rows = np.sort(rng.choice(len(X), size, replace=False))
        sample = np.ascontiguousarray(X[rows])
        found = neighbors_within(sample, min(_K, size - 1), monitor=part)
        yield size, sample, found, _positive(found.dist)
        size, share = size // 4, min(share + 0.3, 0.4)


def _positive(dist: NDArray) -> NDArray[np.float64]:
    """Distances of rows whose nearest neighbor is no copy."""
    dist = dist.astype(np.float64)
    return dist[dist[:, 0] > 0]


def _usable(dist: NDArray, n: int) -> bool:
    return len(dist) > 0 and 2 * n <= dist.shape[1]


def _point(dist: NDArray, thinned: float, n: int) -> _Point:
    return n * thinned, _by_ratio(dist, n), _by_likelihood(dist, n), 1 / np.sqrt(len(dist))


def _two_nearest(dist: NDArray) -> float:
    """TwoNN as Facco et al. fit it: a line through the lower 90 % of the distribution of r2 /
    r1."""
    log = np.sort(np.log(dist[:, 1] / dist[:, 0])) if len(dist) else np.empty(0)
    kept = log[: int(0.9 * len(log))]
    height = -np.log1p(-np.arange(1, len(kept) + 1) / len(log)) if len(kept) else kept
    total = float((kept**2).sum())
    return float(kept @ height) / total if total > 0 else float("nan")


def _by_ratio(dist: NDArray, n: int) -> float:
    """Maximum likelihood: mu = r_2n / r_n has density d (mu^d - 1)^(n - 1) / (B(n, n) mu^((2n - 1)
    d + 1))."""
    from scipy.optimize import brentq

    log = np.log(dist[:, 2 * n - 1] / dist[:, n - 1])
    log = log[log > 0]
    if not len(log):
        return float("nan")

    def slope(d: float) -> float:
        grown = (n - 1) * (log / -np.expm1(-d * log)).sum() if n > 1 else 0.0
        return len(log) / d + grown - (2 * n - 1) * log.sum()

    low, high = 1e-3, 1.0
    while slope(high) > 0 and high < 1e6:
        low, high = high, 2 * high
    return float(brentq(slope, low, high)) if slope(high) < 0 < slope(low) else float("nan")


def _by_likelihood(dist: NDArray, n: int) -> float:
    """1 / mean of ln(r_k / r_j) over j = n .. k - 1, k = max(4 n, 10) or all, in units of its mean
    for d = 1."""
    k = min(max(4 * n, 10), dist.shape[1])
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, k))])  # H_0 .. H_(k-1)
    expected = harmonic[k - 1] - harmonic[n - 1 : k - 1]
    found = np.log(dist[:, k - 1 : k] / dist[:, n - 1 : k - 1]).mean(axis=0).sum()
    return float(expected.sum() / found) if found > 0 else float("nan")


def _steadiest(points: list[_Point]) -> tuple[_Point, float]:
    """The mean of the two neighboring scales between which the estimate changes least, and that
    change per octave."""
    if len(points) == 1:
        return points[0], 0.0
    found: list[tuple[float, float, _Point]] = []
    for a, b in pairwise(points):
        steep = abs(np.log(b[1] / a[1])) / max(np.log2(b[0] / a[0]), 0.5)
        mean = (a[0], (a[1] + b[1]) / 2, float(np.nanmean([a[2], b[2]])), min(a[3], b[3]))
        found.append((steep + a[3] + b[3], float(steep), mean))
    _, steep, mean = min(found, key=lambda candidate: candidate[0])
    return mean, steep


def _first_gap(
    lists: list, rng: np.random.Generator, watch: Monitor
) -> tuple[float, int, float, NDArray]:
    """The gap of consecutive mean local variances at the finest scale where it is clear, else the
    widest one.

    Ratio, axes before it, neighbors that its scale holds in the whole data, spectrum.
    """
    best: tuple[float, int, float, NDArray] = (0.0, 0, 1.0, np.empty(0))
    for step, (m, X, found, _) in enumerate(lists):
        watch.step(step / len(lists), "Local spectra")
        k = min(found.k, _K)
        rows = rng.choice(m, min(m, _SPECTRA), replace=False)
        members = X[np.column_stack([rows, found.idx[rows, :k]])].astype(np.float64)
        members -= members.mean(axis=1, keepdims=True)
        values = np.linalg.eigvalsh(np.einsum("nkd,nld->nkl", members, members))[:, ::-1]
        total = values.sum(axis=1, keepdims=True)
        share = np.divide(values, total, out=np.zeros_like(values), where=total > 0).mean(axis=0)
        share = np.maximum(share[: min(X.shape[1], k // 2)], 1e-12)
        if len(share) > 1 and (ratio := share[:-1] / share[1:]).max() > best[0]:
            best = float(ratio.max()), int(ratio.argmax()) + 1, k / 2 * lists[0][0] / m, share
        if best[0] >= _CLEAR_GAP:
            break
    return best
