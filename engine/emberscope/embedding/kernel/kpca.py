"""Kernel PCA: principal components of a kernel matrix."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.distance.mds import principal_vectors
from emberscope.embedding.distance.pairs import (
    check_square,
    squared_distances,
    symmetrize,
    unit_rows,
)
from emberscope.embedding.linear.linear import read_coordinates
from emberscope.embedding.novelty import KeepsKnown
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.geodesics import landmarks
from emberscope.neighbors.search import nearest
from emberscope.neighbors.spectral import fix_signs

EXACT_LIMIT = 10_000  # 0.8 GB
LANDMARKS = 1000
_SAMPLE = 500
_SCALE_SAMPLE = 2000
_TUNED = 7
_MERCER = 1e-8
_RANK = 1e-12
_ROWS = 512
_ANCHORS = 300
_RIDGE = 1e-3
_DISTANCE = ("rbf", "laplacian")


class KernelPCA(KeepsKnown):
    """Principal components of the instances as a kernel sees them:
    curved coordinates by one eigenproblem.

    Attributes
    ----------
    eigenvalues_ : (d,) of the centered kernel matrix, descending.
        sigma_ : float, the width used (0 = not used).
    references_ : (R, D) instances that new ones are compared with. map_ : (R, d). offset_ : (d,).

    Notes
    -----
    Schölkopf, Smola and Müller 1998, with the last step of the print corrected (the centered kernel
    of the new instances counts, in H K* - 1/N K). K = H k H, Z = U sqrt(l), z(x) = (k(x) - mean k)
    U / sqrt(l): exact for the training instances. Kernels: exp(-d² / (2 sigma²)), exp(-d / sigma),
    exp(-d² / (s_i s_j)) with s the distance to the 7th neighbor, (x·y / mean |x|² + 1)^degree,
    cosine, x·y; precomputed takes K itself, and k(x) for new instances. Up to 10 000 instances
    exactly: O(N² D), 8 N² bytes. Above, Nystroem with 1000 landmarks in its one-shot orthogonal
    form, kernel rows by the block: O(N L D + N L²), no matrix of N. scikit-learn's KernelPCA can
    neither be stopped nor share the memory of its matrix, so the eigenproblem is our own.
    `inverse_transform`: a straight line plus a smooth remainder (ridge regression on 300 radial
    functions of z).
    """

    n_components: int = N_COMPONENTS
    kernel: str = param(
        "rbf",
        choices=("rbf", "laplacian", "self-tuned", "polynomial", "cosine", "linear", "precomputed"),
        group="Embedding",
        help="Likeness of two instances. Linear gives PCA; precomputed: X is the kernel matrix.",
    )
    sigma: float | None = param(
        None, low=0, open_low=True, unit="feature distance", group="Embedding",
        auto="median distance between instances",
        help="Width of the rbf and laplacian kernels.",
    )
    degree: int = param(
        3, low=1, high=10, group="Embedding", advanced=True, when=("kernel", "polynomial"),
        help="Power of the polynomial kernel.",
    )
    n_landmarks: int | None = param(
        None, low=10, high=5000, title="Landmarks", group="Computation", advanced=True,
        auto=f"all instances up to {EXACT_LIMIT}, else {LANDMARKS}",
        help="Instances whose kernels span the embedding; fewer is faster and rougher.",
    )
    random_state: int = RANDOM_STATE
    state: ClassVar[tuple[str, ...]] = (
        "references_", "map_", "offset_", "eigenvalues_", "sigma_", "scale_", "power_", "tuning_",
        "back_mean_", "back_line_", "back_anchors_", "back_weights_", "back_width_", "known_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        if self.kernel == "precomputed":
            check_square(X, "kernels")
        self._keep(X)
        copies = distinct_rows(X)
        rng = np.random.default_rng(self.random_state)
        self._measure(X, np.ascontiguousarray(X[copies.rows]), rng)
        watch.step(0.05, "Kernel")
        self._check_mercer(X, rng)
        wanted = self._n_landmarks(len(X))
        if wanted >= len(X):
            Z = self._exact(X, Portion(watch, 0.05, 0.9))
        else:
            rows = landmarks(X[copies.rows], wanted, seed=self.random_state,
                             monitor=Portion(watch, 0.05, 0.15))
            Z = self._nystroem(X, copies.rows[rows], Portion(watch, 0.15, 0.9))
            self.notes_.append(f"The kernel is spanned by {len(rows)} landmarks.")
        if (flat := int((self.eigenvalues_ <= 0).sum())):
            self.notes_.append(f"{flat} of {self.n_components} axes are empty: the kernel spans "
                               "fewer dimensions.")
        watch.step(0.95, "Way back")
        self._fit_back(X, Z, rng)
        self.embedding_ = Z[copies.rows][copies.inverse].astype(X.dtype)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d);
        (M, N) kernels to the training instances if precomputed."""
        X = self._validate_new(X)
        Z = np.empty((len(X), self.map_.shape[1]))
        for part in slices(len(X), _ROWS):
            Z[part] = self._kernels(X[part]) @ self.map_ - self.offset_
        return Z.astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """About the point of feature space that coordinates stand for, (M, d) -> (M, D)."""
        Z = read_coordinates(Z, self.map_.shape[1])
        X = self.back_mean_ + Z @ self.back_line_
        if len(self.back_anchors_):
            X += _radial(Z, self.back_anchors_, self.back_width_) @ self.back_weights_
        return X

    def _n_landmarks(self, n: int) -> int:
        if self.kernel == "precomputed":
            if n > EXACT_LIMIT:
                raise TooLarge(f"the kernel of {n} instances is too large",
                               hint=f"Give {EXACT_LIMIT} at most.")
            return n
        if self.n_landmarks is None:
            return n if n <= EXACT_LIMIT else LANDMARKS
        return self.n_landmarks

    def _measure(self, X: NDArray, U: NDArray, rng: np.random.Generator) -> None:
        """Widths and scales that the kernel takes from the data."""
        self.references_ = X if self.kernel != "precomputed" else np.empty((0, 0))
        self.sigma_, self.power_, self.scale_, self.tuning_ = (
            0.0, 1.0, np.empty(0), np.empty((0, 0))
        )
        if self.kernel in _DISTANCE:
            few = U[rng.choice(len(U), min(len(U), _SCALE_SAMPLE), replace=False)]
            between = np.sqrt(squared_distances(few, few, same=True)[np.triu_indices(len(few), 1)])
            auto = float(np.median(between)) if len(between) else 1.0
            self.sigma_ = float(self.sigma) if self.sigma is not None else auto
        elif self.kernel == "polynomial":
            self.power_ = float(np.square(X, dtype=np.float64).sum(axis=1).mean()) or 1.0
        elif self.kernel == "self-tuned":
            if len(U) < 2:
                raise DataError("all instances are the same", hint="Choose other features.")
            few = np.sort(rng.choice(len(U), min(len(U), EXACT_LIMIT), replace=False))
            self.tuning_ = U[few]  # new instances find their 7th neighbor among these

    def _kernels(self, Q: NDArray) -> NDArray[np.float64]:
        """Kernel of rows of Q with the references, (M, R)."""
        if self.kernel == "precomputed":
            return Q.astype(np.float64)
        R = self.references_
        if self.kernel in ("linear", "cosine", "polynomial"):
            A, B = (unit_rows(Q), unit_rows(R)) if self.kernel == "cosine" else (Q, R)
            K = np.asarray(A, np.float64) @ np.asarray(B, np.float64).T
            if self.kernel == "polynomial":
                K /= self.power_
                K += 1
                K **= self.degree
            return K
        K = squared_distances(Q, R)
        if self.kernel == "rbf":
            K /= -2 * self.sigma_**2
        elif self.kernel == "laplacian":
            np.sqrt(K, out=K)
            K /= -self.sigma_
        else:
            K /= -self._tuned(Q)[:, None]
            K /= self._tuned_references()
        return np.exp(K, out=K)

    def _tuned(self, Q: NDArray) -> NDArray[np.float64]:
        """Distance of rows of Q to their 7th neighbor among other instances, itself not counted."""
        k = min(_TUNED + 1, len(self.tuning_))
        found = nearest(self.tuning_, np.ascontiguousarray(Q), k).dist.astype(np.float64)
        return np.where(found[:, 0] == 0, found[:, -1], found[:, max(k - 2, 0)])

    def _tuned_references(self) -> NDArray[np.float64]:
        if len(self.scale_) != len(self.references_):
            self.scale_ = self._tuned(self.references_)
        return self.scale_

    def _check_mercer(self, X: NDArray, rng: np.random.Generator) -> None:
        """Note a kernel that is none: negative eigenvalues beyond rounding in a sample of 500."""
        rows = np.sort(rng.choice(len(X), min(len(X), _SAMPLE), replace=False))
        if self.kernel == "precomputed":
            K = X[np.ix_(rows, rows)].astype(np.float64)
        else:
            whole, scale = self.references_, self.scale_
            self.references_, self.scale_ = np.ascontiguousarray(X[rows]), np.empty(0)
            K = self._kernels(self.references_)
            self.references_, self.scale_ = whole, scale
        least = float(np.linalg.eigvalsh((K + K.T) / 2)[0])
        if least < -_MERCER * abs(np.trace(K)):
            self.notes_.append("The kernel belongs to no feature space: directions of negative "
                               "variance are left out.")

    def _exact(self, X: NDArray, watch: Monitor) -> NDArray:
        K = np.empty((len(X), len(X)))
        for part in slices(len(X), _ROWS, Portion(watch, 0.0, 0.4), "Kernel"):
            K[part] = self._kernels(X[part])
        mean = (K.mean(axis=0) + K.mean(axis=1)) / 2
        watch.step(0.4, "Centering")
        K -= mean
        K -= (mean - mean.mean())[:, None]
        symmetrize(K, monitor=Portion(watch, 0.4, 0.5))
        d = min(self.n_components, len(X))
        values, Z = principal_vectors(K, d, monitor=Portion(watch, 0.5, 1.0))
        spare = self.n_components - d
        self.eigenvalues_, Z = np.pad(values, (0, spare)), np.pad(Z, ((0, 0), (0, spare)))
        self.map_ = np.divide(Z, self.eigenvalues_, out=np.zeros_like(Z),
                              where=self.eigenvalues_ > 0)
        self.offset_ = mean @ self.map_
        return Z

    def _nystroem(self, X: NDArray, rows: NDArray, watch: Monitor) -> NDArray:
        """Features k(x, landmarks) W^-1/2, whose inner products are the kernel as the landmarks see
        it; then PCA."""
        self.references_, self.scale_ = np.ascontiguousarray(X[rows]), np.empty(0)
        within = self._kernels(self.references_)
        values, vectors = np.linalg.eigh((within + within.T) / 2)
        keep = values > 1e-10 * max(values[-1], 0.0)
        root = vectors[:, keep] / np.sqrt(values[keep])
        second, total = np.zeros((root.shape[1],) * 2), np.zeros(root.shape[1])
        for part in slices(len(X), _ROWS, Portion(watch, 0.1, 0.6), "Kernel of landmarks"):
            F = self._kernels(X[part]) @ root
            second += F.T @ F
            total += F.sum(axis=0)
        center = total / len(X)
        second -= len(X) * np.outer(center, center)
        spread, turn = np.linalg.eigh(second)
        d = min(self.n_components, len(spread))
        spread, turn = np.maximum(spread[::-1][:d], 0.0), turn[:, ::-1][:, :d]
        spare = self.n_components - d
        filled = spread > _RANK * max(spread[0], 0.0)
        self.eigenvalues_ = np.pad(np.where(filled, spread, 0.0), (0, spare))
        self.map_ = np.pad(root @ np.where(filled, turn, 0.0), ((0, 0), (0, spare)))
        self.offset_ = np.pad(center @ np.where(filled, turn, 0.0), (0, spare))
        Z = np.empty((len(X), self.n_components))
        for part in slices(len(X), _ROWS, Portion(watch, 0.6, 1.0), "Projecting"):
            Z[part] = self._kernels(X[part]) @ self.map_ - self.offset_
        flip = np.where((fix_signs(Z) * Z).sum(axis=0) < 0, -1.0, 1.0)
        self.map_ *= flip
        self.offset_ *= flip
        return Z * flip

    def _fit_back(self, X: NDArray, Z: NDArray, rng: np.random.Generator) -> None:
        """Ridge regression from coordinates to features: a line,
        then radial functions for what it leaves."""
        self.back_mean_ = X.mean(axis=0, dtype=np.float64)
        self.back_anchors_: NDArray = np.empty((0, 0))
        self.back_weights_: NDArray = np.empty((0, 0))
        self.back_width_ = 1.0
        gram = Z.T @ Z
        ridge = 1e-12 * max(float(np.trace(gram)), np.finfo(np.float64).tiny)
        right = np.zeros((Z.shape[1], X.shape[1]))
        for part in slices(len(X), _ROWS):
            right += Z[part].T @ (X[part] - self.back_mean_)
        self.back_line_ = np.linalg.solve(gram + ridge * np.eye(len(gram)), right)
        if self.kernel == "linear" or not Z.any():
            return
        rows = rng.choice(len(Z), min(len(Z), _ANCHORS), replace=False)
        anchors = Z[rows]
        self.back_width_ = (
            0.5 * float(np.median(np.linalg.norm(anchors - anchors.mean(axis=0), axis=1))) or 1.0
        )
        second: NDArray = np.zeros((len(rows), len(rows)))
        right = np.zeros((len(rows), X.shape[1]))
        for part in slices(len(X), _ROWS):
            F = _radial(Z[part], anchors, self.back_width_)
            second += F.T @ F
            right += F.T @ (X[part] - self.back_mean_ - Z[part] @ self.back_line_)
        within = _radial(anchors, anchors, self.back_width_)
        second += _RIDGE * within + 1e-9 * np.trace(second) * np.eye(len(rows))
        self.back_weights_ = np.linalg.solve(second, right)
        self.back_anchors_ = anchors


def _radial(Z: NDArray, anchors: NDArray, width: float) -> NDArray[np.float64]:
    return np.exp(squared_distances(Z, anchors) / (-2 * width**2))
