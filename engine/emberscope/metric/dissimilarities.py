"""Dissimilarities of chips that forgive changes of a chip: by tangents,
by ways of reconstructions, by registration."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError, TooLarge
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.labels.side_info import Invariance
from emberscope.metric.transforms import (
    Change,
    changed,
    changes,
    check_fits,
    filter_widths,
    windows,
)

Kind = Literal["tangent-correction", "reconstruction", "registration"]
KINDS: tuple[Kind, ...] = ("tangent-correction", "reconstruction", "registration")
MOST = 5000  # chips: 100 MB, and half a minute of shortest ways
USUAL = (Invariance(id=0, family="translate", step=1.0, reach=2.0),)
_RIDGE = 1e-6
_FLAT = 1e-6  # of the size of a chip: a tangent below is none
# rows that ways lead over at a time, as they stay in the cache, and fewer of very many chips
_BETWEEN = 64
_STEPS = 1 << 29  # of ways at a time: 0.3 s
_WORK = 1 << 30  # multiplications at a time: 0.1 s
_TINY = 1e-30
_STEP = 0.15  # of the median E: the least that a step of a way costs


@dataclass(frozen=True, slots=True)
class Dissimilarity:
    """squared : (M, N) float32, squared dissimilarities. flat : (N,) True where no change alters
    the chip, so that it has no tangent and is 1 from all others; all False but for
    "tangent-correction"."""

    squared: NDArray[np.float32]
    flat: NDArray[np.bool_]


def chips_of(X: NDArray, columns: int | None = None) -> NDArray[np.float32]:
    """Rows of pixels (N, p) as chips (N, rows, columns), row-major;
    square ones where `columns` is None.

    Raises DataError where p pixels are no such chip.
    """
    p = X.shape[1]
    wide = round(p**0.5) if columns is None else columns
    if (wide * wide != p) if columns is None else (p % wide != 0):
        what = "a square chip" if columns is None else f"rows of {columns} pixels"
        raise DataError(f"n_features = {p} make not {what}",
                        hint="Take pixels as features, without principal components, or give the "
                             "width of a chip.")
    return np.asarray(X, np.float32).reshape(len(X), -1, wide)


def dissimilarity(
    chips: NDArray, kind: Kind, invariances: Sequence[Invariance] = USUAL, *,
    monitor: Monitor | None = None
) -> Dissimilarity:
    """How much chips differ beyond the changes that do not matter, squared, (N, N),
    symmetric with a diagonal of 0.

    Parameters
    ----------
    chips : (N, rows, columns), finite. invariances : the changes; several of them are alternatives,
        not one after the other.
    kind : "registration": E_ij = min over all changes T of |T x_i - x_j|, or of |T x_j - x_i| where
        that is less, T the identity among them. "reconstruction": the shortest way along such E
        over other chips. "tangent-correction": the same of `tangents_apart` in place
        of the squared difference.

    Notes
    -----
    Ghodsi 2005, sections 2.5 and 2.6; registration is E itself, for samples farther apart than a
    step. A step of a way costs at least 0.15 of the median E (ours): chips without noise that
    rebuild each other exactly would else lie on one point, whatever their order. A local filter T
    predicts x_j from the windows of x_i with one weight vector, least squares with ridge 1e-6 of
    the mean square; its tangent is that of the nearest other chip. Borders are repeated where the
    thesis wraps them around. Tangents tell of one small step: they are compared after every
    change, where the thesis has them of chips as they are. Blocks of matrix products in float32,
    |T x|² + |y|² - 2 T x·y about the mean: differences below a thousandth of the typical distance
    are rounding. O(F N² p) for F changes
    (w² for a filter of w x w), of q tangents O(F N² p q²); ways O(N³). 4 N² bytes, twice beside the
    work. Raises TooLarge above 5000 chips, DataError for changes larger than a chip.
    """
    watch = monitored(monitor)
    N = len(chips)
    if N > MOST:
        raise TooLarge(f"{N} chips are too many to compare each with each after every change",
                       hint=f"Take {MOST} instances at most, or Euclidean distances.")
    chips = np.asarray(chips, np.float32)
    if kind == "tangent-correction":
        found = corrected(chips, chips, invariances, among=chips, monitor=watch)
        flat = ~tangents(chips, chips, invariances).any(axis=(1, 2))
        found = np.minimum(found, found.T)
        np.fill_diagonal(found, 0.0)
        return Dissimilarity(found, np.asarray(flat))
    ways = kind == "reconstruction"
    done = 0.6 if ways else 1.0
    squared = directed(chips, chips, invariances, monitor=Portion(watch, 0.0, done))
    # each pass over all pairs of 5000 chips takes a tenth of a second or more
    watch.step(done, "Dissimilarities")
    squared = np.minimum(squared, squared.T)
    np.fill_diagonal(squared, 0.0)
    watch.step(done, "Dissimilarities")
    if ways:
        np.sqrt(squared, out=squared)
        if (apart := squared[squared > 0]).size:
            np.maximum(squared, _STEP * np.median(apart), out=squared)
            np.fill_diagonal(squared, 0.0)
        squared = np.square(_shortest_ways(squared, Portion(watch, 0.6, 1.0)))
    return Dissimilarity(squared, np.zeros(N, bool))


def dissimilarity_to(
    new: NDArray, chips: NDArray, kind: Kind, invariances: Sequence[Invariance] = USUAL
) -> NDArray[np.float32]:
    """Squared dissimilarities (M, N) of new chips (M, rows, columns) to chips (N, rows, columns).

    As `dissimilarity`; DataError for "reconstruction", whose ways lead over all chips.
    """
    if kind == "reconstruction":
        raise DataError("the ways of new chips are not known",
                        hint="Place them by their nearest chips.")
    new, chips = np.asarray(new, np.float32), np.asarray(chips, np.float32)
    if kind == "tangent-correction":
        there, back = (corrected(*pair, invariances, among=chips)
                       for pair in ((new, chips), (chips, new)))
        return np.minimum(there, back.T)
    there, back = directed(new, chips, invariances), directed(chips, new, invariances)
    return np.minimum(there, back.T)


def directed(
    A: NDArray, B: NDArray, invariances: Sequence[Invariance], *, monitor: Monitor | None = None
) -> NDArray[np.float32]:
    """min over all changes T, the identity among them, of |T a_i - b_j|², (M, N): one way only.

    A : (M, rows, columns). B : (N, rows, columns). O(F M N p).
    """
    shape = A.shape[1:]
    fixed = [change for invariance in invariances for change in changes(invariance, shape)]
    widths = filter_widths(invariances, shape)
    mean = B.mean(axis=0, dtype=np.float64).astype(np.float32)
    there = (B - mean).reshape(len(B), -1)
    lengths = np.einsum("ij,ij->i", there, there)
    out = np.empty((len(A), len(B)), np.float32)
    watch = monitored(monitor)
    rows = max(1, _WORK // max(there.size, 1))
    members = 1 + len(fixed) + len(widths)
    for part in slices(len(A), rows):
        for at, change in enumerate([None, *fixed]):
            watch.step((part.start + (part.stop - part.start) * at / members) / len(A),
                       "Dissimilarities")
            moved = A[part] if change is None else changed(A[part], change)
            found = _apart((moved - mean).reshape(len(moved), -1), there, lengths)
            out[part] = found if change is None else np.minimum(out[part], found)
        for width in widths:
            watch.step((part.start + (part.stop - part.start) * (members - 1) / members) / len(A),
                       "Local filters")
            np.minimum(out[part], _left_by_filters(A[part], B, width, watch, part.start / len(A)),
                       out=out[part])
    return np.maximum(out, 0.0, out=out)


def _apart(A: NDArray, B: NDArray, lengths: NDArray) -> NDArray[np.float32]:
    found = A @ B.T
    found *= -2
    found += lengths
    found += np.einsum("ij,ij->i", A, A)[:, None]
    return found


def _left_by_filters(
    A: NDArray, B: NDArray, width: int, watch: Monitor, done: float
) -> NDArray[np.float32]:
    """min over weights of |windows(a_i) w - b_j|², (M, N):
    b_j minus its part in a basis of the windows of a_i."""
    Y = B.reshape(len(B), -1)
    lengths = np.einsum("ij,ij->i", Y, Y)
    out = np.empty((len(A), len(B)), np.float32)
    for part in slices(len(A), max(1, _WORK // max(Y.size * width * width, 1))):
        watch.step(done, "Local filters")
        P = _filter_basis(windows(A[part], width))
        seen = Y @ P.transpose(1, 0, 2).reshape(Y.shape[1], -1)
        np.square(seen, out=seen)
        out[part] = (lengths[:, None] - seen.reshape(len(B), -1, width * width).sum(axis=2)).T
    return out


def _filter_basis(W: NDArray) -> NDArray[np.float32]:
    """P (n, p, w²) with |y - W w|² = |y|² - |P'y|² for the ridge solution w of W (n, p, w²)."""
    values, vectors, ridge = _gram(W)
    scale = np.sqrt(values + 2 * ridge) / (values + ridge)
    return np.matmul(W, (vectors * scale[:, None, :]).astype(np.float32))


def _gram(W: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Eigenvalues (n, w²) and vectors of W'W in double precision, and the ridge (n, 1)."""
    W = W.astype(np.float64)
    values, vectors = np.linalg.eigh(np.matmul(W.transpose(0, 2, 1), W))
    values = np.maximum(values, 0.0)
    return values, vectors, _RIDGE * values.mean(axis=1, keepdims=True) + _TINY


def corrected(
    A: NDArray, B: NDArray, invariances: Sequence[Invariance], *, among: NDArray,
    monitor: Monitor | None = None,
) -> NDArray[np.float32]:
    """min over all changes T, the identity among them, of `tangents_apart` of T a_i from b_j,
    (M, N): one way only.

    A : (M, rows, columns). B : (N, rows, columns). among : as of `tangents`. O(F M N p q²).
    """
    watch, there = monitored(monitor), tangents(B, among, invariances)
    fixed = [change for invariance in invariances for change in changes(invariance, A.shape[1:])]
    out = np.ones((len(A), len(B)), np.float32)
    for at, change in enumerate([None, *fixed]):
        part = Portion(watch, at / (1 + len(fixed)), (at + 1) / (1 + len(fixed)))
        part.step(0.0, "Tangents")
        moved = A if change is None else changed(A, change)
        here = there if moved is B else tangents(moved, among, invariances)
        np.minimum(out, tangents_apart(here, there, monitor=part), out=out)
    return out


def tangents_apart(
    here: NDArray, there: NDArray, *, monitor: Monitor | None = None
) -> NDArray[np.float32]:
    """1 - |B_i' B_j|² / sqrt(q_i q_j), (M, N), for bases (M, q, p) and (N, q, p) as of `tangents`,
    of q_i and q_j directions: the squared sine of their angle where there is one direction.

    Of several directions it is the mean over the principal angles: Ghodsi 2005 does not say.
    O(M N p q²).
    """
    N, q, p = there.shape
    rank = [np.maximum(np.square(T).sum(axis=(1, 2)), 1.0) for T in (here, there)]
    out = np.empty((len(here), N), np.float32)
    for part in slices(len(here), max(1, _WORK // max(N * p * q * q, 1)), monitor, "Tangents"):
        cosine = here[part].reshape(-1, p) @ there.reshape(-1, p).T
        np.square(cosine, out=cosine)
        shared = cosine.reshape(-1, q, N, q).sum(axis=(1, 3))
        out[part] = 1 - shared / np.sqrt(np.outer(rank[0][part], rank[1]))
    return np.clip(out, 0.0, 1.0, out=out)


def tangents(
    chips: NDArray, among: NDArray, invariances: Sequence[Invariance], *,
    monitor: Monitor | None = None
) -> NDArray[np.float32]:
    """Orthonormal directions (N, q, p) in which one step of each invariance alters chips
    (N, rows, columns).

    A direction that does not alter a chip, or is a sum of others, is left out: a row of zeros.
    `among` : (M, rows, columns), chips in which a local filter looks for the nearest other one.
    """
    chips = np.asarray(chips, np.float32)
    shape = chips.shape[1:]
    fixed = [change for invariance in invariances for change in _one_step(invariance, shape)]
    widths = filter_widths(invariances, shape)
    directions = np.zeros((len(chips), len(fixed) + len(widths), chips[0].size), np.float32)
    rows = max(1, _WORK // max(among.size, 1))
    for part in slices(len(chips), rows, monitor, "Tangents"):
        own = chips[part].reshape(-1, chips[0].size)
        for at, change in enumerate(fixed):
            directions[part, at] = changed(chips[part], change).reshape(own.shape) - own
        if widths:
            target = _nearest_other(own, among.reshape(len(among), -1))
        for at, width in enumerate(widths, len(fixed)):
            directions[part, at] = _filtered_to(windows(chips[part], width), target) - own
    size = np.linalg.norm(chips.reshape(len(chips), -1), axis=1)
    return _orthonormal(directions, size)


def _one_step(invariance: Invariance, shape: tuple[int, ...]) -> list[Change]:
    """One step the positive way: of a translation along both axes, one along each."""
    check_fits(invariance, (shape[0], shape[1]))
    step = msgspec.structs.replace(invariance, reach=invariance.step)
    found = [change for change in changes(step, (shape[0], shape[1])) if change.forward]
    return [change for change in found if len(found) == 1 or 0 in change.amount]


def _nearest_other(Q: NDArray, Y: NDArray) -> NDArray[np.float32]:
    """For each row of Q the nearest row of Y that is not the same one."""
    squared = _apart(Q, Y, np.einsum("ij,ij->i", Y, Y))
    squared[squared <= 1e-5 * np.einsum("ij,ij->i", Q, Q)[:, None]] = np.inf
    return Y[squared.argmin(axis=1)]


def _filtered_to(W: NDArray, target: NDArray) -> NDArray[np.float32]:
    """W w for the ridge solution w of W w = target; W (n, p, w²), target (n, p)."""
    values, vectors, ridge = _gram(W)
    right = np.einsum("npw,np->nw", W.astype(np.float64), target)
    weights = np.einsum("nwv,nv->nw", vectors,
                        np.einsum("nwv,nw->nv", vectors, right) / (values + ridge))
    return np.einsum("npw,nw->np", W, weights.astype(np.float32))


def _orthonormal(directions: NDArray, size: NDArray) -> NDArray[np.float32]:
    """Rows of (N, q, p) made orthonormal one after the other;
    what is left of one below 1e-6 of `size` (N,) is 0."""
    out = directions.astype(np.float64)
    for at in range(out.shape[1]):
        for _ in range(2):  # once more, against rounding
            for before in range(at):
                share = np.einsum("np,np->n", out[:, at], out[:, before])
                out[:, at] -= share[:, None] * out[:, before]
        length = np.linalg.norm(out[:, at], axis=1)
        there = length > _FLAT * size
        out[:, at] = np.divide(out[:, at], length[:, None], out=np.zeros_like(out[:, at]),
                               where=there[:, None])
    return out.astype(np.float32)


def _shortest_ways(D: NDArray[np.float32], watch: Monitor) -> NDArray[np.float32]:
    """Lengths of the shortest ways over all rows, (N, N), symmetric; overwrites D.
    0 is a length as any other.

    Floyd and Warshall, up to 64 rows in between at a time, which stay in the cache.
    """
    for part in slices(len(D), min(_BETWEEN, _STEPS // D.size), watch, "Shortest ways"):
        _over(D, part.start, part.stop)
    return np.minimum(D, D.T)  # sums in another order differ in the last digit


@njit(cache=True, nogil=True)
def _over(D: NDArray, first: int, last: int) -> None:
    """Ways over rows `first` to `last`: those rows themselves, then all others by way of them."""
    n = len(D)
    for k in range(first, last):
        for i in range(first, last):
            step = D[i, k]
            for j in range(n):
                D[i, j] = min(D[i, j], step + D[k, j])
    for i in range(n):
        if first <= i < last:
            continue
        for k in range(first, last):
            step = D[i, k]
            for j in range(n):
                D[i, j] = min(D[i, j], step + D[k, j])
