"""Distances that pairs ask for: which directions they weigh, and how gently.
Imports nothing heavy: the window uses it."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import slices
from emberscope.metric.pairs import Pairs, moments

UNCHANGED = inf  # the softness at which distances stay as they are
_TYPICAL = 1000  # pairs of instances drawn where one kind is missing
_EQUAL = 1e-7  # of a mean, differences below which are rounding
_BLOCK = 1 << 18  # numbers looked at together


@dataclass(frozen=True, slots=True)
class Shape:
    """softness : how gently the pairs weigh directions, `UNCHANGED` for not at all.

    ridge : None where directions are compared in units of the features; else in units of how far
    alike pairs lie apart in them, and this share of their usual spread added in each.
    rank : so many directions are kept, which weigh alike, whatever the softness; None for all.
    alone : whether the directions are the features themselves, measured by how far alike pairs lie
    apart in each; else pairs say which, mixed of all.
    """

    softness: float = UNCHANGED
    ridge: float | None = None
    rank: int | None = None
    alone: bool = False

    @property
    def measured(self) -> tuple[float | None, bool]:
        """What of it says which directions there are, whatever the softness."""
        return self.ridge, self.alone

    @property
    def words(self) -> str:
        """"distances as they are", "softness 0.3", "the ratio at softness 0.3, ridge 0.1", "each
        feature weighed alone at softness 0.3, ridge 0.1"."""
        if self == Shape():
            return "distances as they are"
        how = f"softness {self.softness:g}" if self.rank is None else f"rank {self.rank}"
        if self.alone:
            return f"each feature weighed alone at {how}, ridge {self.ridge:g}"
        return how if self.ridge is None else f"the ratio at {how}, ridge {self.ridge:g}"


@dataclass(frozen=True, slots=True)
class Axes:
    """Directions V (r, s) that pairs weigh, and values (s,) by which, ascending: the lowest counts
    most."""

    values: NDArray[np.float64]
    V: NDArray[np.float64]

    def map(self, shape: Shape) -> NDArray[np.float64]:
        """W (r, s), columns by descending weight."""
        scale = self.scale(shape)
        return self.V[:, : len(scale)] * scale

    def scale(self, shape: Shape) -> NDArray[np.float64]:
        """(s,) by which the first s directions are stretched."""
        if shape.rank is not None:
            return np.ones(min(shape.rank, len(self.values)))
        return np.sqrt(soft_weights(self.values, shape.softness))


@dataclass(frozen=True, slots=True)
class Features:
    """Rows of X (N, D) in another order, (N,), of which none is copied before it is asked for.

    usual : (D,) mean squared difference of any two.
    """

    X: NDArray
    order: NDArray[np.int64]
    usual: NDArray[np.float64]

    @classmethod
    def of(cls, X: NDArray, order: NDArray[np.int64]) -> "Features":
        """O(N D)."""
        mean, square = X.mean(axis=0, dtype=np.float64), np.zeros(X.shape[1])
        for part in slices(len(X), max(1, _BLOCK // X.shape[1])):
            square += np.square(X[part] - mean).sum(axis=0)
        usual = 2 * square / len(X)
        # Rounding of the mean is no difference
        return cls(X, order, np.where(usual > np.square(_EQUAL * mean), usual, 0.0))

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, D)."""
        return self.X.shape

    def __getitem__(self, rows: NDArray[np.int64]) -> NDArray:
        return self.X[self.order[rows]]


def axes_of(T: NDArray, pairs: Pairs, *, push: float, ridge: float | None) -> Axes:
    """What pairs of scores T (N, r) say of directions. O(P r² + r³).

    Without a ridge: eigenvalues and eigenvectors of M_S - push M_O. With one: of M_O against
    M_S + ridge I, as -value, so that irrelevant features cost nothing however large they are;
    `push` changes nothing there. A kind of which there is no pair is stood in for by any pairs of
    instances. Columns of V keep the scatter of T.
    """
    from scipy.linalg import eigh  # here: who asks has the records of questions alone

    if ridge is None:
        return Axes(*eigh(pair_moment(T, pairs, push), check_finite=False))
    others = any_pairs(len(T), pairs)
    alike, apart = moments(T, pairs if others is None else pairs.joined(others))
    assert alike is not None  # each kind has pairs now
    assert apart is not None
    r = T.shape[1]
    # The median, since one large irrelevant feature makes the mean; copies alone have none
    spread, other = (float(np.median(np.diag(each))) for each in (alike, apart))
    added = ridge * max(spread, other * 1e-6)
    if added == 0:
        return Axes(np.zeros(r), np.eye(r))
    gain, V = eigh(apart, alike + added * np.eye(r), check_finite=False)
    V = V[:, ::-1]
    scatter = float(np.square(T).sum()), float(np.square(T @ V).sum())
    return Axes(-gain[::-1], V * np.sqrt(scatter[0] / max(scatter[1], np.finfo(float).tiny)))


def axes_alone(X: Features, pairs: Pairs, *, ridge: float, most: int) -> Axes:
    """What pairs say of each feature of X by itself: the `most` features that count most, by
    -M_O / (M_S + ridge usual), each in units of the root of what that is divided by.

    As in `axes_of` pairs of any instances stand in for a missing kind, and V (D, most) keeps the
    scatter. O(P D + D most).
    """
    usual = X.usual
    others = any_pairs(X.shape[0], pairs)
    both = pairs if others is None else pairs.joined(others)
    alike, apart = (_squares(X, both.take(both.same == kind)) for kind in (True, False))
    unit = alike + ridge * usual
    gain = np.divide(apart, unit, out=np.zeros_like(unit), where=usual > 0)
    kept = np.argsort(-gain, kind="stable")[:most]
    kept = kept[usual[kept] > 0]
    V = np.zeros((len(usual), len(kept)))
    V[kept, np.arange(len(kept))] = np.sqrt(
        usual.sum() / (usual[kept] / unit[kept]).sum() / unit[kept])
    return Axes(-gain[kept], V)


def _squares(X: Features, pairs: Pairs) -> NDArray[np.float64]:
    """(D,) weighted mean of the squared differences of the pairs."""
    out = np.zeros(X.shape[1])
    for part in slices(len(pairs), max(1, _BLOCK // X.shape[1])):
        i, j = pairs.rows[part].T
        out += pairs.weight[part] @ np.square(X[i].astype(np.float64) - X[j])
    return out / pairs.weight.sum()


def any_pairs(n: int, pairs: Pairs, seed: int = 0) -> Pairs | None:
    """Pairs of any of n instances, as the kind that is missing; None where both are there."""
    if pairs.same.any() and not pairs.same.all():
        return None
    rows = np.random.default_rng(seed).integers(0, n, (_TYPICAL, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    return Pairs(rows, np.full(len(rows), not pairs.same[0]), np.ones(len(rows)))


def pair_moment(T: NDArray, pairs: Pairs, push: float) -> NDArray:
    """M = M_S - push M_O (r, r) of scores T (N, r): where it is low,
    alike pairs are near and different ones far."""
    alike, apart = moments(T, pairs)
    M = np.zeros((T.shape[1], T.shape[1]))
    M += 0 if alike is None else alike
    M -= 0 if apart is None else push * apart
    return M


def soft_weights(values: NDArray, softness: float) -> NDArray[np.float64]:
    """Weights (r,) of mean 1 of the eigenvectors of M with eigenvalues (r,): exp(-value / tau).

    tau = softness times the largest magnitude. 1 where M is 0, or softness infinite.
    """
    largest = np.abs(values).max()
    weight = np.exp(-(values - values.min())
                    / (softness * largest)) if largest > 0 else np.ones(len(values))
    return len(values) * weight / weight.sum()


def soft_map(M: NDArray, softness: float) -> NDArray:
    """W (r, r), W W' = r exp(-M / tau) / tr exp(-M / tau), columns by descending weight;
    M (r, r) symmetric.

    tau = softness times the largest magnitude of an eigenvalue.
    I where M is 0 or softness infinite.
    """
    from scipy.linalg import eigh  # here: who asks has the records of questions alone

    values, V = eigh(M, check_finite=False)
    return V * np.sqrt(soft_weights(values, softness))
