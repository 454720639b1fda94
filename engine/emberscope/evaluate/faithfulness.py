"""Faithfulness of an embedding, per instance and overall."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.embedding.rectify import local_metrics
from emberscope.evaluate.coranking import Curves, Tally
from emberscope.evaluate.distortion import distortion
from emberscope.evaluate.ranks import (
    Given,
    Space,
    blocks,
    counted_penalties,
    counted_ranks,
    estimated_penalties,
)
from emberscope.evaluate.shepard import Shepard, neighbor_pairs, random_pairs, shepard
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct, distinct_rows
from emberscope.neighbors.graph import Neighbors, knn
from emberscope.neighbors.search import neighbors_by
from emberscope.neighbors.threads import thread_count, thread_pool

EXACT_LIMIT = 3000
_DRAWN = 3  # dimensions up to which an embedding has ellipses
PRESERVED = 15  # neighbors whose share is `preservation`, Q_NX, LCMC and B_NX
_SEEN = 32  # neighbors whose ranks are known exactly in the sampled estimate


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How well neighborhoods and distances survived.

    Per instance, (N,); copies in X carry the value of their original:

    trust : 1 = all neighbors in the embedding are neighbors in X; low = false neighbors.
    continuity : 1 = all neighbors in X are neighbors in the embedding; low = torn apart.
    preservation : share of the 15 nearest in X that are among the 15 nearest in the embedding.
    stretch, anisotropy : mean and spread of the logarithmic stretch of distances to neighbors; 0 =
    as everywhere.
    trust_error, continuity_error : standard error of the estimate; 0 where ranks were counted.
    ellipses : (N, d, d) float32 metric of X pulled back to the embedding
        (`embedding.rectify.local_metrics`): a small ball of radius r around an instance became the
        ellipse dz' S dz = r². (N, 0, 0) above 3 dimensions.

    Overall, over distinct instances:

    trustworthiness, overall_continuity : means. k : neighbors compared. exact : ranks were counted
    (True) or estimated from a reference sample. curves, shepard : see there. numbers : these and
    all others by name: trustworthiness, continuity, r_nx_auc, q_nx, lcmc, b_nx (at 15), stress,
    stress_local, spearman_local, spearman_global, pearson_local, pearson_global (local: pairs of
    neighbors; global: random pairs), anisotropy; and where ranks were estimated
    trustworthiness_error, continuity_error, r_nx_auc_error (standard errors).
    """

    trust: NDArray
    continuity: NDArray
    preservation: NDArray
    stretch: NDArray
    anisotropy: NDArray
    trust_error: NDArray
    continuity_error: NDArray
    ellipses: NDArray
    trustworthiness: float
    overall_continuity: float
    k: int
    exact: bool
    curves: Curves
    shepard: Shepard
    numbers: dict[str, float]

    def points(self) -> dict[str, NDArray]:
        """The scores per instance that a person looks at, by name."""
        return {
            "trustworthiness": self.trust, "continuity": self.continuity,
            "preservation": self.preservation, "stretch": self.stretch,
            "anisotropy": self.anisotropy,
        }

    def arrays(self) -> dict[str, NDArray]:
        """Curves, diagram and ellipses: curve_k, q_nx, r_nx, lcmc, b_nx (M,); shepard_edges_x,
        shepard_edges_z (B + 1,), shepard_local, shepard_global (B, B); ellipses (N, d, d), up to 3
        dimensions."""
        curves = {"curve_k": self.curves.k} | {
            name: getattr(self.curves, name).astype(np.float32)
            for name in ("q_nx", "r_nx", "lcmc", "b_nx")
        }
        found = self.shepard
        return curves | {
            "shepard_edges_x": found.edges_X, "shepard_edges_z": found.edges_Z,
            "shepard_local": found.local, "shepard_global": found.spread,
        } | ({"ellipses": self.ellipses} if self.ellipses.size else {})


def faithfulness(
    X: NDArray,
    Z: NDArray,
    *,
    k: int = 10,
    exact_limit: int = EXACT_LIMIT,
    n_reference: int = 1000,
    n_queries: int = 500,
    seed: int = 0,
    distances: Distances | None = None,
    monitor: Monitor | None = None,
) -> Faithfulness:
    """Compare neighborhoods and distances of X (N, D) and of its embedding Z (N, d).

    Parameters
    ----------
    k : int. Neighbors of trustworthiness, continuity, stretch and local pairs. Lowered to (U - 1)
        // 2 for U distinct rows; the k used is in the result.
    exact_limit : up to this many distinct rows all ranks are counted, O(N² (D + log N)).
    n_reference : above, a rank beyond the 32 stored neighbors is estimated from this many random
        rows, O(N n_reference (D + k)); unbiased, standard errors are in the result.
    n_queries : above, all ranks of this many random rows are counted, O(N n_queries (D + log N)):
        the curves beyond K = 32 are theirs, and they take out the error that the estimates of all
        rows share.
    seed : of both samples and of the random pairs.
    distances : between the instances, in place of those between rows of X, of which only copies are
        read then. All ranks are counted, whatever the limit.

    Notes
    -----
    Venna and Kaski 2001. T_i = 1 - 2 / (k (2N - 3k - 1)) sum over false neighbors of (rank - k);
    continuity swaps X and Z. Ranks by (distance, index). Exact copies in X count as one instance.
    100 000 rows of 324 features whose neighbors are known (`neighbors.knn`): seconds.
    Raises DataError with fewer than 4 distinct rows, and for coordinates that are not finite.
    """
    if len(X) != len(Z):
        raise DataError(f"X has {len(X)} rows and the embedding {len(Z)}")
    watch = monitored(monitor)
    X, Z = _floats(X), _floats(Z)
    distinct = distinct_rows(X)
    if len(distinct) < len(X):
        X, Z = distinct.select(X), distinct.select(Z)
    _check(Z)
    given = None if distances is None else distances.take(distinct.rows)
    exact = len(X) <= exact_limit or given is not None
    k = min(k, (len(X) - 1) // 2)
    drawn = _Drawn(exact, n_reference, n_queries, seed)
    compared = _compare(X, given, Z, k, drawn, watch)
    return _result(compared, distinct, exact, seed)


class _Side:
    """One space, its neighbors, and how far down in it the neighbors of the other space rank."""

    def __init__(self, X: NDArray, known: Neighbors, k: int, *, exact: bool) -> None:
        self.idx, self._k = known.idx, k
        near = float(np.median(known.dist[:, -1].astype(np.float64))) ** 2
        given = known.distances
        self.space = Space(X, exact=exact, near=near) if given is None else Given(given)
        self.penalty, self.error = np.zeros(len(X)), np.zeros(len(X))  # sums of rank - k
        self.mean_error = 0.0

    def count(self, ranks: NDArray, rows: NDArray, other: "_Side") -> None:
        self.penalty[rows] = counted_penalties(ranks, other.idx[rows, : self._k], self._k)

    def estimate(
        self, other: "_Side", reference: NDArray, counted: NDArray, pool: ThreadPoolExecutor,
        watch: Monitor
    ) -> None:
        """All rows but those counted. A common factor makes the estimate right, on average, for the
        counted ones."""
        n = len(self.penalty)
        listed = other.idx[:, : self._k]
        assert isinstance(self.space, Space)  # ranks by given distances are counted
        known, unknown, groups = estimated_penalties(self.space, self.idx, listed, reference, pool,
                                                     watch)
        true = self.penalty[counted]
        guess = unknown[counted]
        factor = float((true - known[counted]).sum() / guess.sum()) if guess.any() else 1.0
        rest = true - known[counted] - factor * guess
        self.mean_error = float(rest.std(ddof=1) * np.sqrt((1 - len(counted) / n) / len(counted)))
        self.penalty = known + factor * unknown
        self.error = groups.std(axis=1,
                                ddof=1) * np.sqrt((1 - len(reference) / n) / groups.shape[1])
        self.penalty[counted], self.error[counted] = true, 0.0


@dataclass(frozen=True, slots=True)
class _Compared:
    """Both spaces and what has been counted of their ranks."""

    X: NDArray
    Z: NDArray
    in_X: Neighbors
    k: int
    preserved: int
    tally: Tally
    false: _Side
    missing: _Side


class _Drawn(NamedTuple):
    """Whether all ranks are counted; else how many rows estimate ranks, and are asked for
    theirs."""

    exact: bool
    reference: int
    queries: int
    seed: int


def _compare(
    X: NDArray, given: Distances | None, Z: NDArray, k: int, drawn: _Drawn, watch: Monitor
) -> _Compared:
    n, exact = len(X), drawn.exact
    seen, searching = min(max(k, _SEEN), n - 1), Portion(watch, 0.0, 0.2)
    in_X = (knn(X, seen, monitor=searching) if given is None
            else neighbors_by(given, seen, monitor=searching))
    in_Z = knn(Z, seen, monitor=Portion(watch, 0.2, 0.3))
    preserved = min(PRESERVED, seen, n - 2)
    tally = Tally(in_X.idx, in_Z.idx, preserved)
    in_data, in_embedding = _Side(X, in_X, k, exact=exact), _Side(Z, in_Z, k, exact=exact)
    rng = np.random.default_rng(drawn.seed)
    rows = np.arange(n) if exact else np.sort(rng.choice(n, min(drawn.queries, n), replace=False))
    with thread_pool() as pool:
        for part in _together(len(rows), n):
            watch.step(0.3 + 0.3 * part[0].start / len(rows), "Faithfulness")
            jobs = [pool.submit(_both, in_data.space, in_embedding.space, rows[own], exact)
                    for own in part]
            for own, job in zip(part, jobs, strict=True):
                ranks_X, ranks_Z = job.result()
                tally.add(ranks_X, ranks_Z)
                in_data.count(ranks_X, rows[own], in_embedding)
                in_embedding.count(ranks_Z, rows[own], in_data)
        if not exact:
            reference = rng.choice(n, min(drawn.reference, n), replace=False)
            in_data.estimate(in_embedding, reference, rows, pool, Portion(watch, 0.6, 0.8))
            in_embedding.estimate(in_data, reference, rows, pool, Portion(watch, 0.8, 1.0))
    return _Compared(X, Z, in_X, k, preserved, tally, in_data, in_embedding)


def _together(count: int, n: int) -> list[list[slice]]:
    """Blocks of rows that are worked on at the same time."""
    parts = blocks(count, n)
    step = thread_count()
    return [parts[start : start + step] for start in range(0, len(parts), step)]


def _both(
    one: Space | Given, other: Space | Given, rows: NDArray, settle: bool
) -> tuple[NDArray, NDArray]:
    return counted_ranks(one, rows, settle=settle), counted_ranks(other, rows, settle=settle)


def _result(c: _Compared, distinct: Distinct, exact: bool, seed: int) -> Faithfulness:
    n, k, spread_out = len(c.X), c.k, distinct.restore
    norm = 2 / (k * (2 * n - 3 * k - 1))
    trust, continuity = 1 - norm * c.false.penalty, 1 - norm * c.missing.penalty
    shape = distortion(c.Z, c.in_X.idx[:, :k], c.in_X.dist[:, :k])
    local = neighbor_pairs(c.Z, c.in_X.idx[:, :k], c.in_X.dist[:, :k], seed=seed)
    spread = random_pairs(c.X, c.Z, seed=seed, given=c.in_X.distances)
    curves = c.tally.curves()
    at = curves.at(c.preserved)
    numbers = {
        "trustworthiness": float(trust.mean()), "continuity": float(continuity.mean()),
        "r_nx_auc": curves.auc, "q_nx": float(curves.q_nx[at]), "lcmc": float(curves.lcmc[at]),
        "b_nx": float(curves.b_nx[at]), "stress": spread.stress, "stress_local": local.stress,
        "spearman_local": local.spearman, "spearman_global": spread.spearman,
        "pearson_local": local.pearson, "pearson_global": spread.pearson,
        "anisotropy": float(shape.anisotropy.mean()),
    }  # fmt: skip
    if not exact:
        numbers |= {
            "trustworthiness_error": norm * c.false.mean_error,
            "continuity_error": norm * c.missing.mean_error, "r_nx_auc_error": curves.auc_error,
        }
    return Faithfulness(
        trust=spread_out(trust), continuity=spread_out(continuity),
        preservation=spread_out(c.tally.preserved / c.preserved),
        stretch=spread_out(shape.stretch), anisotropy=spread_out(shape.anisotropy),
        trust_error=spread_out(norm * c.false.error),
        continuity_error=spread_out(norm * c.missing.error),
        trustworthiness=numbers["trustworthiness"], overall_continuity=numbers["continuity"], k=k,
        exact=exact, ellipses=spread_out(_ellipses(c)), curves=curves,
        shepard=shepard(local, spread), numbers=numbers,
    )  # fmt: skip


def _ellipses(c: _Compared) -> NDArray:
    if c.Z.shape[1] > _DRAWN:
        return np.empty((len(c.Z), 0, 0), np.float32)
    return local_metrics(c.X, c.Z, c.in_X.first(c.k))


def _floats(X: NDArray) -> NDArray:
    X = np.asarray(X)
    return np.ascontiguousarray(X, X.dtype if X.dtype in (np.float32, np.float64) else np.float64)


def _check(Z: NDArray) -> None:
    if len(Z) < 4:
        raise DataError(f"{len(Z)} different instances", hint="Faithfulness needs at least 4.")
    finite = np.isfinite(Z).all(axis=1)
    if not finite.all():
        raise DataError(f"the embedding has no finite place for {int((~finite).sum())} instances")
