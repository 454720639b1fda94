"""Symmetric eigenproblems of all spectral methods: deflated Lanczos, dense for small n."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored
from emberscope.neighbors.chebyshev import block_width, filtered_eigenpairs

DENSE_LIMIT = 1000  # the dense solver cannot be stopped; here it takes 0.1 s
_RESCUE_LIMIT = 5000  # up to this n the dense solver takes over where Lanczos does not converge


@dataclass(frozen=True, slots=True)
class Eigen:
    """Eigenpairs, largest first, with the proof of their quality.

    values : (m,) float64. vectors : (n, m) float64, orthonormal, signs fixed.
    residual : max |A v - l v|. orthogonality : max |V'V - I|. leakage : max |deflated' V|.
    """

    values: NDArray
    vectors: NDArray
    residual: float
    orthogonality: float
    leakage: float


def fix_signs(V: NDArray) -> NDArray:
    """Flip columns so that the entry of largest magnitude is positive (ties: lowest row).

    Magnitudes within 1e-9 of the largest count as ties, so that rounding cannot decide.
    """
    if not V.size:
        return V
    magnitude = np.abs(V)
    row = np.argmax(magnitude >= magnitude.max(axis=0) * (1 - 1e-9), axis=0)
    signs = np.where(V[row, np.arange(V.shape[1])] < 0, -1.0, 1.0)
    return V * signs


def top_eigenpairs(
    A,
    m: int,
    *,
    deflate: NDArray | None = None,
    dense_limit: int | None = None,
    tol: float = 1e-10,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Eigen:
    """The m algebraically largest eigenpairs of a symmetric matrix, orthogonal to known eigenvectors.

    Parameters
    ----------
    A : (n, n) symmetric, sparse or dense, float64.
    m : int, 1 to n minus the number of deflated vectors.
    deflate : (n, c), orthonormal eigenvectors of A to leave out.
    dense_limit : up to this n the dense solver is used; default `DENSE_LIMIT`.

    Notes
    -----
    Spec 02 section 1.4, with a lower dense limit (measured at n = 3000, dense: 2.8 s, Lanczos 0.4 s). Lanczos runs on
    P A P - s V V' with ncv >= 40, so that a deflated vector lies at the lower end of the spectrum instead of being
    found again. O(n³) dense; O(nnz) per Lanczos step, cancellable between steps.
    """
    n = A.shape[0]
    known = np.empty((n, 0)) if deflate is None else deflate
    if not 1 <= m <= n - known.shape[1]:
        raise DataError(f"{m} eigenvectors wanted of {n - known.shape[1]}", hint="Choose fewer dimensions.")
    watch = monitored(monitor)
    watch.step(0.0, "Eigenvectors")
    shift = 2 * _norm_bound(A) + 1.0 if known.shape[1] else 0.0
    if n <= max(DENSE_LIMIT if dense_limit is None else dense_limit, m + known.shape[1] + 2):
        values, vectors = _dense(A, m, known, shift)
    else:
        try:
            values, vectors = _lanczos(A, m, known, shift, tol, seed, watch)
        except ArpackNoConvergence as error:
            if n > _RESCUE_LIMIT:
                raise DataError(
                    f"the eigenvectors of {n} instances did not converge",
                    hint="Choose more neighbors or a wider kernel.",
                ) from error
            values, vectors = _dense(A, m, known, shift)
    vectors = fix_signs(vectors)
    return Eigen(values, vectors, *_quality(A, values, vectors, known))


def normalized(W: csr_array) -> tuple[csr_array, NDArray]:
    """D^-1/2 W D^-1/2 of affinities with positive row sums, and the roots of these sums, (n,)."""
    root = np.sqrt(np.asarray(W.sum(axis=1)).ravel())
    S = csr_array(W, dtype=np.float64, copy=True)
    S.data *= np.repeat(1 / root, np.diff(S.indptr)) * (1 / root)[S.indices]
    return S, root


def rough_eigenpairs(
    W: csr_array, m: int, *, tol: float = 2e-3, seed: int = 0, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """The m slowest modes of a graph of affinities, good enough to start a layout from.

    Parameters
    ----------
    W : csr_array, (n, n), symmetric, affinities >= 0 with positive row sums; n above m. Where the graph is in
        several components the first modes tell these apart.
    tol : residual; 2e-3 leaves about 2 degrees between the coordinates and the exact ones.

    Returns
    -------
    values : (m,) float64, of L v = l D v, ascending, the constant left out. Z : (n, m) float32, weighted variance 1.
    """
    S, root = normalized(W)
    constant = (root / np.linalg.norm(root))[:, None]
    if W.shape[0] <= max(DENSE_LIMIT, block_width(m) + 1):
        found = top_eigenpairs(S, m, deflate=constant, monitor=monitor)
        values, vectors = found.values, found.vectors
    else:
        ritz = filtered_eigenpairs(
            S, m, deflate=constant, tol=tol / 2, max_degree=150, growth=1e3, single=True, seed=seed, monitor=monitor
        )
        values, vectors = ritz.values, fix_signs(ritz.vectors)
    Z = vectors / root[:, None] * np.linalg.norm(root)
    return np.maximum(1 - values, 0.0), Z.astype(np.float32)


def _norm_bound(A) -> float:
    """At least the largest |eigenvalue|: the Frobenius norm."""
    return float(np.linalg.norm(A.data if issparse(A) else A))


def _dense(A, m: int, known: NDArray, shift: float) -> tuple[NDArray, NDArray]:
    M = A.toarray() if issparse(A) else np.array(A, np.float64)
    if known.shape[1]:
        M -= shift * (known @ known.T)
    n = len(M)
    values, vectors = eigh(M, subset_by_index=(n - m, n - 1), overwrite_a=True, check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _lanczos(A, m: int, known: NDArray, shift: float, tol: float, seed: int, watch: Monitor) -> tuple[NDArray, NDArray]:
    n = A.shape[0]
    steps = 0

    def matvec(x: NDArray) -> NDArray:
        nonlocal steps
        steps += 1
        if steps % 10 == 0:
            watch.step(1 - 1 / (1 + steps / 200), "Eigenvectors")
        inside = known @ (known.T @ x.ravel())
        image = A @ (x.ravel() - inside)
        return image - known @ (known.T @ image) - shift * inside

    start = np.random.default_rng(seed).standard_normal(n)
    start -= known @ (known.T @ start)
    operator = LinearOperator((n, n), matvec=matvec, dtype=np.float64)
    ncv = min(n - 1, max(40, 4 * m))
    values, vectors = eigsh(operator, k=m, which="LA", ncv=ncv, tol=tol, v0=start, maxiter=max(300, n // 10))
    order = np.argsort(-values, kind="stable")
    return values[order], qr(vectors[:, order], mode="economic")[0]


def _quality(A, values: NDArray, vectors: NDArray, known: NDArray) -> tuple[float, float, float]:
    residual = np.linalg.norm(A @ vectors - vectors * values, axis=0).max()
    orthogonality = np.abs(vectors.T @ vectors - np.eye(len(values))).max()
    leakage = np.abs(known.T @ vectors).max() if known.shape[1] else 0.0
    return float(residual), float(orthogonality), float(leakage)
