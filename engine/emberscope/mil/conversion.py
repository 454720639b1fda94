"""Multi- to single-instance conversion: every bag becomes one short vector,
for any ordinary classifier."""

from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean
from emberscope.base.errors import DataError, ParamError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import check_params
from emberscope.embedding.linear.pca import PCA
from emberscope.mil.classifier import check_members
from emberscope.mil.concepts.bag_features import KINDS, bag_features
from emberscope.mil.concepts.clustering import FCMI
from emberscope.mil.reduction.pole import POLE, bag_affinity
from emberscope.mil.reduction.reweighted import power_axes
from emberscope.mil.scaling import centered
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.spectral import fix_signs
from emberscope.neighbors.threads import thread_pool

Variant = Literal["global", "mixed", "per-bag", "aligned"]
Kind = Literal["pca", "lpp", "pole"]
OWN_MAPS = (
    "Every bag has its own projection: coordinates of different bags are not comparable. "
    "Prefer global."
)
ALIGNED = (
    "Projections of bags are turned towards each other; in tests that made their coordinates no "
    "more comparable."
)
SEEN = (
    "Concepts were found by the labels of these bags: a classifier tested on the same bags has "
    "seen their answers. Judge by classify --method efcmi-svm, which finds them anew in every fold."
)
_ROUNDS = 50
_SETTLED = 1e-9


@dataclass(frozen=True, slots=True)
class Converted:
    """vectors : (K, r) float64; NaN for an empty bag. short : (K,) bool, bags of too few different
    instances for r axes, whose further coordinates are 0. notes : what a person should know, one
    sentence each.
    """

    vectors: NDArray[np.float64]
    short: NDArray[np.bool_]
    notes: list[str]


class Conversion:
    """A projection that turns bags into single vectors: y_a = W' x_a,
    x_a the holistic vector of bag a.

    Parameters
    ----------
    n_components : r, coordinates of a bag.
    variant : "global": one W learned from all instances, y_a = W'(x_a - mean). "mixed": one W from
        a graph of which the share `same_bag` lies within bags. "per-bag": W_a learned from bag a
        alone, y_a = W_a' x_a, as in the source. "aligned": W_a turned by Procrustes towards a
        consensus of the bags that `fit` saw.
    projection : "pca", "lpp" (pOLE with p = 2) or "pole". p : power of pOLE.
    standardize : features in units of their standard deviation over the training instances.
    ridge : see `power_axes`.

    Attributes
    ----------
    scale_ : (D,). map_ : PCA or POLE, of X / scale_ ("global", "mixed").
        consensus_ : (D, r) ("aligned").
    notes_ : list of str.

    Notes
    -----
    Elbeleidy 2018 (eq 4.12). Nothing reads a label. "per-bag" needs no fit to other bags: a new bag
    learns its own map. Its holistic vector is not centered: that of the mean of its bag would be
    nearly 0. Coordinates of different bags mean different things there, and classification is near
    chance (tests of `datasets.topics`).
    """

    def __init__(
        self,
        *,
        n_components: int = 10,
        variant: Variant = "global",
        projection: Kind = "pole",
        p: float = 1.0,
        same_bag: float = 0.5,
        n_neighbors: int = 10,
        standardize: bool = True,
        ridge: float = 0.0,
    ) -> None:
        if variant not in get_args(Variant) or projection not in get_args(Kind):
            what = f"variant is {variant!r} and projection {projection!r}"
            raise ParamError(what,
                             hint=f"Choose among {', '.join(get_args(Variant) + get_args(Kind))}.")
        if projection == "pca" and variant == "mixed":
            raise ParamError("PCA has no graph to mix",
                             hint="Choose lpp or pole, or the variant global.")
        check_params(POLE.params, {
            "n_components": n_components, "p": p, "same_bag": same_bag, "n_neighbors": n_neighbors,
            "standardize": standardize, "ridge": ridge,
        })
        self.n_components = n_components
        self.variant = variant
        self.projection = projection
        self.p = p
        self.same_bag = same_bag
        self.n_neighbors = n_neighbors
        self.standardize = standardize
        self.ridge = ridge

    def fit(self, X: ArrayLike, bags: Bags, *, monitor: Monitor | None = None) -> Self:
        """Learn what is common to all bags, from instances (N, D). Raises ParamError, DataError."""
        watch = monitored(monitor)
        X = _table(X)
        check_members(bags, len(X))
        self.notes_: list[str] = []
        self.scale_ = centered(X, standardize=self.standardize)[1]
        if self.variant in ("global", "mixed"):
            self.map_ = self._one_map().fit(X / self.scale_, bags=bags, monitor=watch)
            self.notes_ += self.map_.notes_
            return self
        if self.n_components > X.shape[1]:
            what = f"n_components is {self.n_components} with n_features = {X.shape[1]}"
            raise DataError(what, hint=f"Choose at most {X.shape[1]} dimensions.")
        self.consensus_ = np.empty((X.shape[1], 0))
        self.notes_.append(OWN_MAPS if self.variant == "per-bag" else ALIGNED)
        if self.variant == "aligned":
            maps = [self._own_map(X, bags.of(k), watch, k / len(bags)) for k in range(len(bags))]
            with thread_pool():  # small decompositions are slower on several threads
                self.consensus_ = consensus([W for W in maps if W.any()])
        return self

    def transform(
        self, X: ArrayLike, bags: Bags, *, holistic: ArrayLike | None = None,
        monitor: Monitor | None = None
    ) -> Converted:
        """Vectors of K bags of rows of X. holistic : (K, D), the vector of each bag; None:
        the mean of its instances.

        Raises DataError.
        """
        watch = monitored(monitor)
        X = _table(X)
        check_members(bags, len(X))
        whole = bag_mean(X, bags) if holistic is None else _table(holistic)
        if whole.shape != (len(bags), X.shape[1]):
            raise DataError(f"holistic has shape {whole.shape} for {len(bags)} bags of "
                            f"{X.shape[1]} features")
        out = np.full((len(bags), self.n_components), np.nan)
        full = np.flatnonzero(bags.sizes > 0)
        short = np.zeros(len(bags), bool)
        if self.variant in ("global", "mixed"):
            out[full] = self.map_.transform(whole[full] / self.scale_) if len(full) else out[full]
        else:
            for done, k in enumerate(full.tolist()):
                W = self._own_map(X, bags.of(k), watch, done / len(full))
                short[k] = not W[:, -1].any()
                out[k] = whole[k] / self.scale_ @ (turned(W, self.consensus_)
                                                   if self.variant == "aligned" else W)
        notes = list(self.notes_)
        if short.any():
            zeros = "their further coordinates are 0, which tells a classifier how large a bag is"
            notes.append(f"{short.sum()} bags have too few different instances; {zeros}.")
        if len(full) < len(bags):
            notes.append(f"{len(bags) - len(full)} bags are empty and have no vector.")
        return Converted(out, short, notes)

    def _one_map(self) -> PCA | POLE:
        if self.projection == "pca":
            return PCA(n_components=self.n_components)
        return POLE(
            n_components=self.n_components, p=2.0 if self.projection == "lpp" else self.p,
            ridge=self.ridge, n_neighbors=self.n_neighbors, standardize=False,
            same_bag=self.same_bag if self.variant == "mixed" else 0.0,
        )

    def _own_map(
        self, X: NDArray, rows: NDArray, watch: Monitor, fraction: float
    ) -> NDArray[np.float64]:
        """W_a (D, r) of one bag, in units of `scale_`;
        columns that it has too few instances for are 0."""
        watch.step(fraction, "Projections of bags")
        A = X[rows] / self.scale_
        A = A[distinct_rows(A).rows]
        W = np.empty((X.shape[1], 0))
        if len(A) > 1:
            wanted = min(self.n_components, len(A) - 1)
            W = _principal(
                A, wanted
            ) if self.projection == "pca" else self._powers(A, wanted, watch, fraction)
        return np.pad(W, ((0, 0), (0, self.n_components - W.shape[1])))

    def _powers(
        self, A: NDArray, wanted: int, watch: Monitor, fraction: float
    ) -> NDArray[np.float64]:
        one = Bags.from_lists([np.arange(len(A))], np.zeros(1))
        S: csr_array = bag_affinity(A, one, np.arange(len(A)), n_neighbors=self.n_neighbors)
        part = Portion(watch, fraction, fraction)
        p = 2.0 if self.projection == "lpp" else self.p
        return power_axes(A, S, wanted, p=p, ridge=self.ridge, monitor=part).W


def convert(
    X: ArrayLike, bags: Bags, *, holistic: ArrayLike | None = None, monitor: Monitor | None = None,
    **settings: Any
) -> Converted:
    """The vectors of K bags by a projection learned from the same bags.

    holistic : (K, D), as of `Conversion.transform`. settings : those of `Conversion`.
    """
    watch = monitored(monitor)
    fitted = Conversion(**settings).fit(X, bags, monitor=Portion(watch, 0.0, 0.5))
    return fitted.transform(X, bags, holistic=holistic, monitor=Portion(watch, 0.5, 1.0))


def convert_by_concepts(
    X: ArrayLike, bags: Bags, *, features: str = "full", monitor: Monitor | None = None,
    **settings: Any
) -> Converted:
    """The vectors of bags as distances to target concepts, and to clusters of background,
    found by their labels.

    Parameters
    ----------
    features : "full" or "nearest", see `bag_features`. settings : those of `FCMI`.

    Returns
    -------
    vectors : (B, 2 K + 2 K- + 1), or (B, K) for "nearest"; of bags of unknown label as well.
        No bag is short.

    Raises MissingLabels without a positive and a negative bag, ParamError, DataError. O of `FCMI`.
    """
    if features not in KINDS:
        raise ParamError(f"features is {features!r}", hint=f"Choose among {', '.join(KINDS)}.")
    X = _table(X)
    check_members(bags, len(X))
    found = FCMI(**settings).fit(X, bags=bags, monitor=monitor)
    vectors = bag_features(X, bags, found.concepts, found.negative_concepts, features)
    notes = [SEEN, *found.notes_]
    empty = int((bags.sizes == 0).sum())
    if empty:
        notes.append(f"Bags that are empty and have no vector: {empty}.")
    return Converted(vectors, np.zeros(len(bags), bool), notes)


def consensus(maps: list[NDArray]) -> NDArray[np.float64]:
    """The (D, r) of unit length that maps (D, r), each of unit length,
    are nearest to once turned (Procrustes).

    Starts at the leading directions of all maps together, so that the order of bags does not
    matter. O(K D r²) a round. Raises DataError where no bag has two different instances.
    """
    if not maps:
        raise DataError("no bag has two different instances",
                        hint="Give larger bags, or choose the variant global.")
    stacked = [W / np.linalg.norm(W) for W in maps]
    r = stacked[0].shape[1]
    C = fix_signs(np.linalg.svd(np.hstack(stacked), full_matrices=False)[0][:, :r])
    C = np.pad(C, ((0, 0), (0, r - C.shape[1])))
    C /= np.linalg.norm(C)
    for _ in range(_ROUNDS):
        new = np.sum([turned(W, C) for W in stacked], axis=0)
        new /= max(float(np.linalg.norm(new)), np.finfo(np.float64).tiny)
        moved, C = float(np.linalg.norm(new - C)), new
        if moved < _SETTLED:
            break
    return C


def turned(W: NDArray, C: NDArray) -> NDArray[np.float64]:
    """W Q for the orthogonal Q (r, r) that brings W nearest to C."""
    left, _, right = np.linalg.svd(W.T @ C)
    return W @ (left @ right)


def _principal(A: NDArray, r: int) -> NDArray[np.float64]:
    """The r principal axes (D, r) of the rows; as many as they have."""
    _, s, right = np.linalg.svd(A - A.mean(axis=0), full_matrices=False)
    return fix_signs(right[:r][s[:r] > 1e-9 * max(s[0], np.finfo(np.float64).tiny)].T)


def _table(X: ArrayLike) -> NDArray[np.float64]:
    X = np.ascontiguousarray(X, np.float64)
    if X.ndim != 2 or not np.isfinite(X).all():
        raise DataError(f"a table of shape {X.shape} is not one of finite numbers",
                        hint="Give one row per instance.")
    return X
