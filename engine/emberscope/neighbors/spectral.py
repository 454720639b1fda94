"""Symmetric eigenproblems of all spectral methods: the top of affinities, the bottom of misfits;
dense for small n."""

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.neighbors.chebyshev import Ritz, block_width, filtered_eigenpairs
from emberscope.neighbors.coarse import grouped
from emberscope.neighbors.envelope import Envelope
from emberscope.neighbors.inverse import inverse_eigenpairs
from emberscope.neighbors.threads import thread_pool

DENSE_LIMIT = 1000  # the dense solver cannot be stopped; here it takes 0.1 s
_COARSEN_ABOVE = 20_000  # rows; a rough start of a larger graph begins with groups of rows
_LOCALIZED = 0.05  # share of the instances that carry an axis, below which a note says so
_SHIFT = 1e-9  # of the mean diagonal: makes a semidefinite matrix definite
_FLOPS = 4e10  # per second, about
_SECONDS_PER_ENTRY = 2e-10  # of a product with a block, per entry and vector, about
_FEW_PRODUCTS = 300
_MOST_PRODUCTS = 1500
_MOST_FLOPS = 6e11
_MOST_BYTES = 2 << 30
_BOTTOM_DENSE_LIMIT = 400
_RESCUE_LIMIT = 5000  # up to this n the dense solver takes over where Lanczos does not converge


@dataclass(frozen=True, slots=True)
class Eigen:
    """Eigenpairs, in the order asked for, with the proof of their quality.

    values : (m,) float64. vectors : (n, m) float64, orthonormal, signs fixed.
    residual : max |A v - l v|. orthogonality : max |V'V - I|. leakage : max |deflated' V|.
    converged : whether the residual is as small as was wanted.
    """

    values: NDArray
    vectors: NDArray
    residual: float
    orthogonality: float
    leakage: float
    converged: bool = True


def fix_signs(V: NDArray) -> NDArray:
    """Flip columns so that the entry of largest magnitude is positive (ties: lowest row).

    Magnitudes within 1e-9 of the largest count as ties, so that rounding cannot decide. `V` : (N,
    m); returns (N, m).
    """
    if not V.size:
        return V
    magnitude = np.abs(V)
    row = np.argmax(magnitude >= magnitude.max(axis=0) * (1 - 1e-9), axis=0)
    signs = np.where(V[row, np.arange(V.shape[1])] < 0, -1.0, 1.0)
    return V * signs


def participation(Z: NDArray) -> NDArray:
    """(sum z²)² / (n sum z⁴) of every column, (d,): 1 for a flat axis, 1/n for one carried by a
    single instance."""
    fourth = np.power(Z, 4).sum(axis=0)
    return np.square(np.square(Z).sum(axis=0)) / (len(Z) * np.where(fourth > 0, fourth, 1.0))


def localized_axes(Z: NDArray, hint: str) -> list[str]:
    """One sentence for a person on axes carried by less than 5 % of the instances; none where there
    are none."""
    axes = [str(axis + 1) for axis in np.flatnonzero(participation(Z) < _LOCALIZED)]
    if not axes:
        return []
    which = f"Axes {', '.join(axes)} are each" if len(axes) > 1 else f"Axis {axes[0]} is"
    return [f"{which} carried by less than {_LOCALIZED:.0%} of the instances; {hint}."]


def top_eigenpairs(
    A: NDArray | csr_array,
    m: int,
    *,
    deflate: NDArray | None = None,
    dense_limit: int | None = None,
    tol: float = 1e-10,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Eigen:
    """The m algebraically largest eigenpairs of a symmetric matrix, orthogonal to known
    eigenvectors.

    Parameters
    ----------
    A : (n, n) symmetric, sparse or dense, float64.
    m : int, 1 to n minus the number of deflated vectors.
    deflate : (n, c), orthonormal eigenvectors of A to leave out.
    dense_limit : up to this n the dense solver is used; default `DENSE_LIMIT`.

    Notes
    -----
    The dense limit was measured (at n = 3000, dense: 2.8 s, Lanczos 0.4 s). Sparse matrices go
    through Chebyshev iteration; dense ones, and where that does not converge, through Lanczos on P
    A P - s V V' with ncv >= 40, so that a deflated vector lies at the lower end of the spectrum
    instead of being found again. O(n³) dense; O(nnz) per vector and step, cancellable between
    steps. Raises DataError for m above what is left of N, or where no solver converges.
    """
    n = A.shape[0]
    known = np.empty((n, 0)) if deflate is None else deflate
    if not 1 <= m <= n - known.shape[1]:
        raise DataError(f"{m} eigenvectors wanted of {n - known.shape[1]}",
                        hint="Choose fewer dimensions.")
    watch = monitored(monitor)
    watch.step(0.0, "Eigenvectors")
    shift = 2 * _norm_bound(A) + 1.0 if known.shape[1] else 0.0
    if n <= max(DENSE_LIMIT if dense_limit is None else dense_limit, m + known.shape[1] + 2):
        values, vectors = _dense(A, m, known, shift)
    elif (found := _filtered(A, m, known, tol, seed, Portion(watch, 0.0, 0.5))) is not None:
        values, vectors = found.values, found.vectors
    else:
        try:
            with thread_pool() if issparse(A) else nullcontext():
                values, vectors = _lanczos(A, m, known, shift, tol, seed, Portion(watch, 0.5, 1.0))
        except ArpackNoConvergence as error:
            if n > _RESCUE_LIMIT:
                raise DataError(
                    f"the eigenvectors of {n} instances did not converge",
                    hint="Choose more neighbors or a wider kernel.",
                ) from error
            values, vectors = _dense(A, m, known, shift)
    vectors = fix_signs(vectors)
    return Eigen(values, vectors, *_quality(A, values, vectors, known))


def _filtered(
    A: NDArray | csr_array, m: int, known: NDArray, tol: float, seed: int, watch: Monitor
) -> Ritz | None:
    """Pairs of a sparse matrix by block iteration; None where that is no way."""
    if not issparse(A) or A.shape[0] < block_width(m) + known.shape[1]:
        return None
    found = filtered_eigenpairs(csr_array(A), m, deflate=known, tol=tol, max_degree=1000, seed=seed,
                                monitor=watch)
    return found if found.converged else None


def normalized(W: csr_array) -> tuple[csr_array, NDArray]:
    """D^-1/2 W D^-1/2 of affinities with positive row sums, and the roots of these sums, (n,)."""
    root = np.sqrt(np.asarray(W.sum(axis=1)).ravel())
    S = csr_array(W, dtype=np.float64, copy=True)
    S.data *= np.repeat(1 / root, np.diff(S.indptr)) * (1 / root)[S.indices]
    return S, root


def rough_eigenpairs(
    W: csr_array, m: int, *, tol: float = 0.5, seed: int = 0, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """The m slowest modes of a graph of affinities, good enough to start a layout from.

    Parameters
    ----------
    W : csr_array, (n, n), symmetric, affinities >= 0 with positive row sums; n above m. Where the
        graph is in several components the first modes tell these apart.
    tol : residual relative to the eigenvalue after the last one wanted; 0.5 leaves at most about 10
        degrees between the coordinates and the exact ones. At most 150 products with the graph,
        whatever the residual.

    Returns
    -------
    values : (m,) float64, of L v = l D v, ascending, the constant left out. Z : (n, m) float32,
        weighted variance 1.
    """
    S, root = normalized(W)
    constant = (root / np.linalg.norm(root))[:, None]
    if W.shape[0] <= max(DENSE_LIMIT, block_width(m) + 1):
        found = top_eigenpairs(S, m, deflate=constant, monitor=monitor)
        values, vectors = found.values, found.vectors
    else:
        ritz = _rough(W, S, root, m, tol, seed, monitored(monitor))
        values, vectors = ritz.values, fix_signs(ritz.vectors)
    Z = vectors / root[:, None] * np.linalg.norm(root)
    return np.maximum(1 - values, 0.0), Z.astype(np.float32)


def _rough(
    W: csr_array, S: csr_array, root: NDArray, m: int, tol: float, seed: int, watch: Monitor
) -> Ritz:
    """Top pairs in single precision; of a large graph by way of its groups, whose modes are the
    start."""
    start = None
    if S.shape[0] > _COARSEN_ABOVE:
        watch.step(0.0, "Eigenvectors")
        group, coarse = grouped(W)
        S_coarse, root_coarse = normalized(coarse)
        width = block_width(m)
        if len(root_coarse) > 2 * width + DENSE_LIMIT:
            ritz = _rough(coarse, S_coarse, root_coarse, width, tol, seed, Portion(watch, 0.0, 0.5))
            start = (ritz.vectors / root_coarse[:, None])[group] * root[:, None]
            watch = Portion(watch, 0.5, 1.0)
    return filtered_eigenpairs(
        S, m, deflate=(root / np.linalg.norm(root))[:, None], tol=tol, origin=1.0, max_degree=150,
        growth=1e3 if start is None else 10.0, start=start, single=True, seed=seed, monitor=watch,
    )


def bottom_eigenpairs(
    M: csr_array,
    m: int,
    *,
    deflate: NDArray | None = None,
    tol: float = 1e-6,
    dense_limit: int | None = None,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Eigen:
    """The m smallest eigenpairs of a sparse positive semidefinite matrix, ascending, orthogonal to
    known ones.

    Parameters
    ----------
    M : csr_array, (n, n), symmetric positive semidefinite, for instance of LLE, whose useful
        eigenvalues are near 1e-6.
    m : int, 1 to n minus the number of deflated vectors.
    deflate : (n, c), orthonormal eigenvectors to leave out, as a rule the constant.
    tol : residual relative to the eigenvalue after the last one wanted. `Eigen.converged` says
        whether it was reached.

    Notes
    -----
    Dense for n up to 400. Else whichever is foreseen to be faster of Chebyshev iteration (few
    neighbors of many dimensions: a wide spectrum) and iteration with the inverse of M + 1e-9
    mean(diag M) by a Cholesky factor in the envelope of M (graphs of curves and surfaces, or n up
    to about 15 000); where the first does not converge and the second is affordable, both.
    Cancellable every 0.2 s. Raises DataError for m above what is left of N.
    """
    n = M.shape[0]
    known = np.empty((n, 0)) if deflate is None else deflate
    if not 1 <= m <= n - known.shape[1]:
        raise DataError(f"{m} eigenvectors wanted of {n - known.shape[1]}",
                        hint="Choose fewer dimensions.")
    watch = monitored(monitor)
    watch.step(0.0, "Eigenvectors")
    if n <= max(_BOTTOM_DENSE_LIMIT if dense_limit is None else dense_limit,
                4 * (m + 4) + known.shape[1]):
        values, vectors = _dense(-M, m, known, 2 * _norm_bound(M) + 1.0)
        converged = True
    else:
        with thread_pool():
            values, vectors, converged = _bottom(M, m, known, tol, seed, watch)
    vectors = fix_signs(vectors)
    return Eigen(np.maximum(-values, 0.0), vectors, *_quality(M, -values, vectors, known),
                 converged)


def _bottom(
    M: csr_array, m: int, known: NDArray, tol: float, seed: int, watch: Monitor
) -> tuple[NDArray, NDArray, bool]:
    """Values of -M, largest first, vectors, and whether they are as good as wanted."""
    envelope = Envelope(M)
    watch.step(0.0, "Eigenvectors")
    factoring = envelope.flops / _FLOPS
    product = M.nnz * block_width(m) * _SECONDS_PER_ENTRY
    affordable = envelope.flops <= _MOST_FLOPS and envelope.bytes <= _MOST_BYTES
    if factoring > _FEW_PRODUCTS * product:
        degree = int(min(factoring / product, _MOST_PRODUCTS) if affordable else _MOST_PRODUCTS)
        part = Portion(watch, 0.0, 0.5)
        found = filtered_eigenpairs(
            csr_array(-M), m, deflate=known, tol=tol, max_degree=degree, origin=0.0, seed=seed,
            monitor=part
        )
        if found.converged or not affordable:
            return found.values, found.vectors, found.converged
        watch = Portion(watch, 0.5, 1.0)
    diagonal = float(M.diagonal().mean())
    if not envelope.factor(_SHIFT * diagonal, Portion(watch, 0.0, 0.8)):
        envelope.factor(1e-6 * diagonal, Portion(watch, 0.8, 0.8))
    found = inverse_eigenpairs(
        M, m, envelope, deflate=known, tol=tol, norm=diagonal, seed=seed,
        watch=Portion(watch, 0.8, 1.0)
    )
    return -found.values, found.vectors, found.converged


def _norm_bound(A: NDArray | csr_array) -> float:
    """At least the largest |eigenvalue|: the Frobenius norm."""
    return float(np.linalg.norm(A.data if issparse(A) else A))


def _dense(A: NDArray | csr_array, m: int, known: NDArray, shift: float) -> tuple[NDArray, NDArray]:
    M = np.array(A, np.float64) if isinstance(A, np.ndarray) else A.toarray()
    if known.shape[1]:
        M -= shift * (known @ known.T)
    n = len(M)
    values, vectors = eigh(M, subset_by_index=(n - m, n - 1), overwrite_a=True, check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _lanczos(
    A: NDArray | csr_array, m: int, known: NDArray, shift: float, tol: float, seed: int,
    watch: Monitor
) -> tuple[NDArray, NDArray]:
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

    start = np.random.default_rng(seed).standard_normal((n,))
    start -= known @ (known.T @ start)
    operator = LinearOperator((n, n), matvec=matvec, dtype=np.float64)
    ncv = min(n - 1, max(40, 4 * m))
    values, vectors = eigsh(operator, k=m, which="LA", ncv=ncv, tol=tol, v0=start,
                            maxiter=max(300, n // 10))
    order = np.argsort(-values, kind="stable")
    return values[order], qr(vectors[:, order], mode="economic")[0]


def _quality(
    A: NDArray | csr_array, values: NDArray, vectors: NDArray, known: NDArray
) -> tuple[float, float, float]:
    residual = np.linalg.norm(A @ vectors - vectors * values, axis=0).max()
    orthogonality = np.abs(vectors.T @ vectors - np.eye(len(values))).max()
    leakage = np.abs(known.T @ vectors).max() if known.shape[1] else 0.0
    return float(residual), float(orthogonality), float(leakage)
