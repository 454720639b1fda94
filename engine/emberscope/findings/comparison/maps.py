"""Two maps laid over each other: how equal they are, which neighbors were lost, which instances
moved. Imports light: the window reads what was found."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.project.model.project import Run

K = 15  # neighbors that are compared
LEAST = 3  # instances in common that say how to turn a map
MOVERS = 200  # that are named at most
_SHARE_OF_MOVERS = 0.1  # of the instances in common
_STAYED = 1e-3  # radii; rounding moves by less
_ROUNDS = 3  # in which those that went far are left out of the fit


@dataclass(frozen=True, slots=True)
class MapComparison:
    """The second of two runs against the first, over the M instances that both have.

    first, second : ids of the runs. rows_first, rows_second : (M,) their rows, the same instance
    in both. laid : (N2, d) all of the second map, moved, turned or mirrored, and scaled onto the
    first. residual : 1 - r², r the sum of the singular values of both maps scaled to one: 0 where
    they are equal but for these, 1 where they have nothing in common. k : neighbors of each on the
    map, among the M. kept : (M,) share of them that stayed. by_chance : what of them would stay in
    two maps that know nothing of each other. moved : (M,) how far each went beside its neighbors,
    in radii (root mean square) of the first map; NaN for what has no place. movers : places among
    the M of those that went farthest, the farthest first.
    """

    first: int
    second: int
    rows_first: NDArray[np.int64]
    rows_second: NDArray[np.int64]
    laid: NDArray[np.float64]
    residual: float
    k: int
    kept: NDArray[np.float64]
    by_chance: float
    moved: NDArray[np.float64]
    movers: NDArray[np.int64]

    @property
    def overall(self) -> float:
        """Mean share of neighbors kept."""
        return float(np.nanmean(self.kept))


def shared_rows(ids: NDArray[np.int64], others: NDArray[np.int64]) -> tuple[NDArray, NDArray]:
    """Rows (M,) of the instances that both have, in both, ascending by id."""
    _, first, second = np.intersect1d(ids, others, return_indices=True)
    return first, second


def padded(Z: NDArray, d: int) -> NDArray[np.float64]:
    """(N, d): with axes of zeros where there are fewer."""
    out = np.zeros((len(Z), d))
    out[:, : Z.shape[1]] = Z
    return out


@dataclass(frozen=True, slots=True)
class Fit:
    """How points come onto others: less `middle` (d,), times `turn` (d, d), plus `onto` (d,)."""

    middle: NDArray[np.float64]
    turn: NDArray[np.float64]
    onto: NDArray[np.float64]
    residual: float

    def lay(self, Z: NDArray) -> NDArray[np.float64]:
        """Points (N, d) where they belong."""
        return (Z - self.middle) @ self.turn + self.onto


def procrustes(A: NDArray, B: NDArray) -> Fit:
    """How B (M, d) comes onto A (M, d): moved, turned or mirrored, and scaled to its radius.

    The scale is that of the radii, not the one of least squares: that shrinks a map that has
    little in common with the other to a point. A map that is one point stays one. Raises
    DataError for fewer than `LEAST` rows.
    """
    if len(A) < LEAST:
        raise DataError(f"{len(A)} points say not how to turn a map", hint=f"Give {LEAST} or more.")
    onto, middle = A.mean(axis=0), B.mean(axis=0)
    a, b = A - onto, B - middle
    wide, other = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if not wide or not other:
        same = wide == other
        return Fit(middle, np.eye(A.shape[1]), onto, 0.0 if same else 1.0)
    left, strength, right = np.linalg.svd((b / other).T @ (a / wide))
    residual = float(np.clip(1 - strength.sum() ** 2, 0.0, 1.0))
    return Fit(middle, wide / other * (left @ right), onto, residual)


def neighbors_kept(near: NDArray, others: NDArray) -> NDArray[np.float64]:
    """(M,) share of the k nearest (M, k) of each row that are among its others (M, k)."""
    m, k = near.shape
    row = np.repeat(np.arange(m, dtype=np.int64), k) * m
    both = np.isin(row + near.ravel(), row + others.ravel(), assume_unique=True)
    return both.reshape(m, k).mean(axis=1)


def moved_beside(A: NDArray, B: NDArray, near: NDArray) -> NDArray[np.float64]:
    """(M,) how far each point went from A (M, d) to B (M, d) beside its neighbors (M, k), in radii
    of A. A group that goes as one does not move: of the ways of the neighbors the median counts.
    """
    way = B - A
    beside = way - np.median(way[near], axis=1)
    radius = float(np.sqrt(np.square(A - A.mean(axis=0)).sum(axis=1).mean()))
    return np.linalg.norm(beside, axis=1) / (radius or 1.0)


def farthest(moved: NDArray) -> NDArray[np.int64]:
    """Places of those that went farthest, the farthest first: a tenth, `MOVERS` at most, none that
    stayed. moved : (M,)."""
    count = min(MOVERS, max(int(len(moved) * _SHARE_OF_MOVERS), 1))
    order = np.argsort(-np.nan_to_num(moved), kind="stable")[:count]
    return order[np.nan_to_num(moved[order]) > _STAYED]


@dataclass(frozen=True, slots=True)
class Laid:
    """A map laid over another. rows_first, rows_second : (M,) of the instances with a place in
    both. d : dimensions of the larger of the two. fit : how the second comes onto the first."""

    rows_first: NDArray[np.int64]
    rows_second: NDArray[np.int64]
    d: int
    fit: Fit

    def lay(self, run: Run) -> NDArray[np.float64]:
        """All of the second map (N2, d) over the first."""
        return self.fit.lay(padded(run.Z, self.d))


def lay_over(first: Run, second: Run) -> Laid:
    """Lay the map of a run over that of another by the instances that both have, in all of their
    dimensions; the map of fewer has zeros in the others.

    Instances without a place in either map take no part. Raises DataError where fewer than `LEAST`
    are left. O(N log N).
    """
    rows_first, rows_second = shared_rows(first.ids, second.ids)
    d = max(first.Z.shape[1], second.Z.shape[1])
    A, B = padded(first.Z[rows_first], d), padded(second.Z[rows_second], d)
    placed = np.isfinite(A).all(axis=1) & np.isfinite(B).all(axis=1)
    if placed.sum() < LEAST:
        what = f"runs {first.id} and {second.id} have {placed.sum()} instances in common"
        raise DataError(what, hint="Compare runs of the same labels and the same patches.")
    fit = _of_most(A[placed], B[placed])
    return Laid(rows_first[placed], rows_second[placed], d, fit)


def _of_most(A: NDArray, B: NDArray) -> Fit:
    """The fit of those that stay nearest: one that went far off would turn and shrink all others.
    Its residual is that of all."""
    fit = procrustes(A, B)
    found = fit
    for _ in range(_ROUNDS):
        far = np.linalg.norm(found.lay(B) - A, axis=1)
        near = far <= np.quantile(far, 1 - _SHARE_OF_MOVERS)
        if near.sum() < LEAST:
            break
        found = procrustes(A[near], B[near])
    return replace(found, residual=fit.residual)


def compare_maps(
    first: Run, second: Run, *, k: int = K, monitor: Monitor | None = None
) -> MapComparison:
    """Compare the maps of two runs, laid over each other as `lay_over` does, with its errors.

    O(M² d) for the neighbors of up to some ten thousand, less above.
    """
    watch = monitored(monitor)
    watch.step(0.0, "Laying maps over each other")
    found = lay_over(first, second)
    laid = found.lay(second)
    A, B = padded(first.Z[found.rows_first], found.d), laid[found.rows_second]
    k = min(k, len(A) - 1)
    near, others = _neighbors(A, B, k, watch)
    moved = moved_beside(A, B, near)
    return MapComparison(
        first.id, second.id, found.rows_first, found.rows_second, laid, found.fit.residual, k,
        neighbors_kept(near, others), k / (len(A) - 1), moved, farthest(moved),
    )  # fmt: skip


def _neighbors(A: NDArray, B: NDArray, k: int, watch: Monitor) -> tuple[NDArray, NDArray]:
    from emberscope.neighbors.graph import knn  # compiled code: the window has no need of it

    parts = (A, Portion(watch, 0.1, 0.5)), (B, Portion(watch, 0.5, 0.9))
    near, others = (
        knn(np.ascontiguousarray(Z, np.float32), k, monitor=part).idx.astype(np.int64)
        for Z, part in parts
    )
    return near, others


def comparison_words(found: MapComparison) -> list[str]:
    """What a person should read first, in sentences."""
    m = len(found.rows_first)
    same = "equal but for place, turn and scale" if found.residual < 1e-6 else ""
    alike = f"Procrustes residual {found.residual:.3f}, 0 is equal, 1 has nothing in common"
    kept = (
        f"{found.overall:.0%} of the {found.k} nearest neighbors are kept,"
        f" {found.by_chance:.0%} would be by chance"
    )
    return [
        f"Runs {found.first} and {found.second} have {m} instances in common.",
        f"Their maps are {same}." if same else f"{alike}.",
        f"{kept}.",
    ]
