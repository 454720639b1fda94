"""Top eigenpairs of large sparse symmetric matrices by block iteration with Chebyshev polynomials.

A polynomial of the matrix that is small on most of its spectrum and large at the top, applied to a
block of 8 or more vectors, turns these towards the top eigenvectors (Zhou, Saad, Tiago and
Chelikowsky 2006). Each product with the matrix serves 8 vectors at a time: one pass over the
nonzeros, contiguous reads.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored
from emberscope.neighbors.threads import thread_count, thread_pool

_LANES = 8  # vectors that one pass over the matrix serves
_REORDER_ABOVE = 20_000  # rows; below, the block of vectors fits in the cache in any order
_THREADS_ABOVE = 20_000
_BOUND_STEPS = 12
_SETTLED = 200  # products before the pace of the residual says anything
_FLOOR = 1e-14  # of the width of the spectrum: below, a residual is rounding


@dataclass(frozen=True, slots=True)
class Ritz:
    """values (m,) float64 and vectors (n, m), orthonormal. residual (m,) |A v - l v|. degree :
    products, or rounds."""

    values: NDArray
    vectors: NDArray
    residual: NDArray
    degree: int
    converged: bool


@dataclass(frozen=True, slots=True)
class _Rules:
    """When to stop, as `filtered_eigenpairs` has it. filters : how many go before that."""

    tol: float
    origin: float | None
    max_degree: int
    growth: float
    filters: int


def block_width(m: int) -> int:
    """Vectors iterated for m wanted: at least 4 more, in full passes."""
    return -(-(m + 4) // _LANES) * _LANES


def filtered_eigenpairs(
    A: csr_array, m: int, *, deflate: NDArray | None = None, tol: float = 1e-8,
    max_degree: int = 2000, growth: float = 1e4, origin: float | None = None,
    start: NDArray | None = None, single: bool = False, seed: int = 0,
    monitor: Monitor | None = None,
) -> Ritz:
    """The m algebraically largest eigenpairs of A, orthogonal to known eigenvectors.

    Parameters
    ----------
    A : csr_array, (n, n), symmetric. n at least `block_width(m)` plus the number of deflated
        vectors.
    deflate : (n, c), orthonormal eigenvectors to leave out.
    tol : residual |A v - l v| at which a pair is good enough, relative to the width of the
        spectrum, or, with `origin`, to the distance of the eigenvalue after the last one wanted
        from `origin`.
    max_degree : products with A after which it stops, whatever the residual, or before, when it
        foresees that they will not do.
    growth : how much more one filter may magnify the first vector than the last.
    origin : value near which the top of the spectrum lies: 1 for normalized affinities.
    start : (n, `block_width(m)`), vectors that are nearly right already, of normalized affinities
        (spectrum -1 .. 1). Few products are expected, so that rows are not reordered and the
        spectrum is not measured. Default: random.
    single : iterate in single precision (tol above 1e-5).

    Notes
    -----
    The damped interval reaches from a lower bound of the spectrum (12 Lanczos steps) to the
    smallest Ritz value of the block, which rises from round to round. O(nnz + n width) per product;
    the monitor is asked after each one.
    """
    watch = monitored(monitor)
    # A product reads a row of the block for every nonzero. Reverse Cuthill-McKee numbers neighbors
    # alike, so that those rows are still in the cache when the next row of A asks for them.
    # Eigenvalues do not change, and the rows of the vectors are put back at the end.
    reordered = start is None and A.shape[0] > _REORDER_ABOVE
    order = reverse_cuthill_mckee(A, symmetric_mode=True) if reordered else None
    known = np.empty((A.shape[0], 0)) if deflate is None else deflate
    if order is not None:
        watch.step(0.0, "Eigenvectors")
        A, known = csr_array(A[order]), known[order]
        watch.step(0.0, "Eigenvectors")
        A = csr_array(A[:, order])
    bounds, filters = (None, 2) if start is None else ((-1.0, 1.0), 1)
    if start is None:
        start = np.random.default_rng(seed).standard_normal((A.shape[0], block_width(m)))
    with thread_pool() as pool:
        filter = _Filter(A, np.float32 if single else np.float64, pool, watch)
        bounds = bounds or filter.bounds(seed)
        found = _iterate(
            filter, start, bounds, m, known, _Rules(tol, origin, max_degree, growth, filters)
        )
    if order is None:
        return found
    vectors = np.empty_like(found.vectors)
    vectors[order] = found.vectors
    return replace(found, vectors=vectors)


def _iterate(
    filter: "_Filter",
    start: NDArray,
    bounds: tuple[float, float],
    m: int,
    known: NDArray,
    rules: "_Rules",
) -> Ritz:
    """Rounds of Rayleigh-Ritz and one filter, until the residuals of the m first pairs are small or
    will not be."""
    low, top = bounds
    width = top - low
    known = known.astype(filter.dtype)
    block: NDArray = start.astype(filter.dtype)
    past: list[tuple[int, float]] = []
    while True:
        values, block, image = _rotate(filter, orthonormal(block, known))
        # |A v - l v| bounds the distance of l to an eigenvalue. Beside the width of the spectrum it
        # says how many digits of l are right; beside the gap to `origin` whether the digits that
        # matter are: eigenvalues of a graph crowd at 1, and a residual of 1e-8 means nothing for
        # one that is 1 - 1e-8.
        residual = np.linalg.norm(image[:, :m] - block[:, :m] * values[:m].astype(filter.dtype),
                                  axis=0)
        scale = width if rules.origin is None else abs(rules.origin - float(values[m]))
        small = max(rules.tol * scale, _FLOOR * width)
        past.append((filter.degree, float(residual.max()) / small))
        # Ritz values of random vectors are far from `origin`: their residual would pass for small
        # beside that.
        good = past[-1][1] <= 1 and len(past) > rules.filters
        if good or _foreseen(past) > rules.max_degree:
            values, block = values[:m].astype(np.float64), block[:, :m].astype(np.float64)
            return Ritz(values, block, residual, filter.degree, good)
        # The filter damps [low, cut] and magnifies what lies above. The smallest Ritz value of the
        # block is the best known border: what it keeps is as wide as the block. It is held inside
        # the spectrum, since the map to [-1, 1] divides by cut - low, and since a cut at the top
        # would magnify nothing.
        top = max(top, float(values[0]))
        cut = min(max(float(values[-1]), low + 0.1 * width), top - 1e-12 * width)
        block = filter.apply(block, low, cut, _degree(top, low, cut, rules.growth))


def _foreseen(past: list[tuple[int, float]]) -> float:
    """Products after which the residual will be small enough, at the pace of the last round or
    half, if better."""
    degree, excess = past[-1]
    halfway = next(((d, e) for d, e in reversed(past) if 2 * d <= degree), None)
    if halfway is None or degree < _SETTLED:
        return degree
    # The error falls by a constant factor per product, so its logarithm is a line. The last round
    # alone is too rough a slope (one lucky round stops the run), the whole past too slow (early
    # rounds only find the subspace): the better of the last round and the last half decides.
    pace = max(np.log(e / excess) / (degree - d) for d, e in (halfway, past[-2]))
    return degree + np.log(excess) / max(pace, 1e-9)


def _degree(top: float, low: float, cut: float, growth: float) -> int:
    """Degree at which the filter magnifies the top of the spectrum `growth` times."""
    # T_k grows as cosh(k arccosh x) outside [-1, 1]; solved for k. More than `growth` in one filter
    # would leave nothing but rounding of the last vectors beside the first. At least 4, so that
    # products outweigh the Rayleigh-Ritz step that follows; at most 60, so that a poor cut is soon
    # replaced.
    place = max((2 * top - low - cut) / (cut - low), 1 + 1e-9)
    return int(np.clip(np.arccosh(growth) / np.arccosh(place), 4, 60))


def orthonormal(block: NDArray, known: NDArray) -> NDArray:
    """An orthonormal basis of the block without the known vectors.

    By the eigenvectors of its Gram matrix, twice: matrix products only, where Householder's method
    on two busy cores took longer than all the rest. `block` : (N, b). `known` : (N, k),
    orthonormal. Returns (N, b).
    """
    # Known eigenvectors first: they are larger than all that is wanted and would fill the block
    # again. Columns are brought to length 1, because the filter leaves them with lengths apart by
    # up to `growth`, squared in the Gram matrix. Once leaves errors of the square root of the
    # precision; the second time takes them away.
    for _ in range(2):
        block = block - known @ (known.T @ block)
        block /= np.maximum(np.sqrt(np.einsum("ij,ij->j", block, block)),
                            np.finfo(block.dtype).tiny)
        values, turn = eigh((block.T @ block).astype(np.float64), check_finite=False)
        block = block @ (turn
                         / np.sqrt(np.maximum(values,
                                              np.finfo(block.dtype).eps))).astype(block.dtype)
    return np.ascontiguousarray(block)


def _rotate(filter: "_Filter", block: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Rayleigh-Ritz: values (largest first), vectors, and their images under A."""
    # The best eigenpairs within the span of the block, by a small dense problem. Symmetrized,
    # because the products round differently above and below the diagonal. The images turn along
    # with the vectors: that is the residual without another product with A.
    image = filter.product(block)
    gram = (block.T @ image).astype(np.float64)
    values, turn = eigh((gram + gram.T) / 2, check_finite=False)
    turn = turn[:, ::-1].astype(block.dtype)
    return values[::-1], np.ascontiguousarray(block @ turn), np.ascontiguousarray(image @ turn)


class _Filter:
    """Products of one matrix with blocks of vectors, on as many threads as there are cores."""

    def __init__(self, A: csr_array, dtype: type, pool: ThreadPoolExecutor, watch: Monitor) -> None:
        self.n = A.shape[0]
        self.dtype = dtype
        self.degree = 0
        self._A = A
        self._pool = pool
        self._watch = watch
        self._indptr = A.indptr.astype(np.int64)
        # unsigned: the kernel need not look for negative ones
        self._indices = A.indices.astype(np.uint32)
        self._data = A.data.astype(dtype)
        n_parts = thread_count() if self.n > _THREADS_ABOVE else 1
        edges = np.searchsorted(self._indptr, np.linspace(0, self._indptr[-1], n_parts + 1))
        edges[0], edges[-1] = 0, self.n
        self._parts = list(zip(edges[:-1].tolist(), edges[1:].tolist()))

    def product(self, block: NDArray) -> NDArray:
        """A block."""
        out = np.zeros_like(block)
        self._step(block, out, 1.0, 0.0, 0.0)
        return out

    def apply(self, block: NDArray, low: float, cut: float, degree: int) -> NDArray:
        """The Chebyshev polynomial of that degree, of A with [low, cut] mapped on [-1, 1], times
        the block."""
        # T_0 = 1, T_1 = x, T_k = 2 x T_{k-1} - T_{k-2}, with x = scale A + shift. Only the last two
        # are needed, so two blocks take turns: `_step` writes the next one over the older. The
        # first step writes into zeros, the copy keeps the caller's block as it is.
        scale, shift = 2 / (cut - low), -(cut + low) / (cut - low)
        before, now = block, np.zeros_like(block)
        self._step(before, now, scale, shift, 0.0)
        before = before.copy()
        for _ in range(degree - 1):
            self._step(now, before, 2 * scale, 2 * shift, 1.0)
            before, now = now, before
        return now

    def bounds(self, seed: int) -> tuple[float, float]:
        """A lower bound of the spectrum and nearly its top: Lanczos values, the lower one widened
        by its error."""
        # Extreme Ritz values of Lanczos come near the ends of the spectrum within a dozen steps.
        # They lie inside it: an eigenvalue below `low` would be magnified, not damped, and win. The
        # last off-diagonal bounds how far the ends can be beyond them (Zhou and Li 2011), so the
        # lower one is moved down by it; the top is corrected later.
        v = np.random.default_rng(seed).standard_normal(self.n)
        v /= np.linalg.norm(v)
        before, beta = np.zeros(self.n), 0.0
        diagonal, off = [], []
        for _ in range(min(_BOUND_STEPS, self.n)):
            w = self._A @ v - beta * before
            diagonal.append(float(w @ v))
            w -= diagonal[-1] * v
            beta = float(np.linalg.norm(w))
            off.append(beta)
            if beta < 1e-14:
                break
            before, v = v, w / beta
        T = np.diag(diagonal) + np.diag(off[:-1], 1) + np.diag(off[:-1], -1)
        values = np.linalg.eigvalsh(T)
        return float(values[0] - off[-1]), float(values[-1])

    def _step(self, block: NDArray, out: NDArray, scale: float, shift: float, past: float) -> None:
        """out <- scale A block + shift block - past out."""
        self._watch.step(1 - 1 / (1 + self.degree / 100), "Eigenvectors")
        self.degree += 1
        factors = (self.dtype(scale), self.dtype(shift), self.dtype(past))
        rest = [
            self._pool.submit(_block_step, self._indptr, self._indices, self._data, block, out,
                              *factors, *part)
            for part in self._parts[1:]
        ]
        _block_step(self._indptr, self._indices, self._data, block, out, *factors, *self._parts[0])
        for part in rest:
            part.result()


# "contract" only lets a * b + c be one instruction.
@njit(cache=True, nogil=True, fastmath={"contract"})
def _block_step(
    indptr: NDArray, indices: NDArray, data: NDArray, block: NDArray, out: NDArray,
    scale: np.floating, shift: np.floating, past: np.floating, first: int, last: int,
) -> None:
    """Rows first..last of: out <- scale A block + shift block - past out. The width of block is a
    multiple of 8."""
    # Eight sums in registers: each nonzero is read once for eight vectors, whose values stand side
    # by side in the row of the block. The compiler makes one or two vector instructions of them; a
    # loop over them would keep the sums in memory. Rows are disjoint, so threads share nothing that
    # they write.
    zero = block.dtype.type(0)
    for i in range(first, last):
        for c in range(0, block.shape[1], 8):
            s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
            for p in range(indptr[i], indptr[i + 1]):
                j, a = indices[p], data[p]
                s0 += a * block[j, c]
                s1 += a * block[j, c + 1]
                s2 += a * block[j, c + 2]
                s3 += a * block[j, c + 3]
                s4 += a * block[j, c + 4]
                s5 += a * block[j, c + 5]
                s6 += a * block[j, c + 6]
                s7 += a * block[j, c + 7]
            out[i, c] = scale * s0 + shift * block[i, c] - past * out[i, c]
            out[i, c + 1] = scale * s1 + shift * block[i, c + 1] - past * out[i, c + 1]
            out[i, c + 2] = scale * s2 + shift * block[i, c + 2] - past * out[i, c + 2]
            out[i, c + 3] = scale * s3 + shift * block[i, c + 3] - past * out[i, c + 3]
            out[i, c + 4] = scale * s4 + shift * block[i, c + 4] - past * out[i, c + 4]
            out[i, c + 5] = scale * s5 + shift * block[i, c + 5] - past * out[i, c + 5]
            out[i, c + 6] = scale * s6 + shift * block[i, c + 6] - past * out[i, c + 6]
            out[i, c + 7] = scale * s7 + shift * block[i, c + 7] - past * out[i, c + 7]
