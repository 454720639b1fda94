"""Kernels of the neighbor search: lists of nearest rows, improved by blocks of matrix products.

A list is a row of `keys` and of `ids`: a heap whose first entry is the farthest. Keys are squared
distances in float32 from |q|² + |x|² - 2 q·x; what is reported is always recomputed from
differences. The kernels call each other, so they share this file (numba's cache does not see
changes in others).
"""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

# columns looked at together: a row is looked at closely only where one of them could enter its list
_LANES = 64
_WIDTH = 512  # candidates gathered at a time
_ANY_ORDER = {"contract", "reassoc", "nsz"}  # of the terms of a sum, so that it becomes vector code


@njit(cache=True, nogil=True)
def _offer(key: float, j: int, keys: NDArray, ids: NDArray, known: bool) -> None:
    """Put (key, j) in place of the farthest entry, unless it is there already (only looked for
    where `known`)."""
    m = len(keys)
    if known:
        for spot in range(m):
            if ids[spot] == j:
                return
    # The new entry sinks from the root: the larger child moves up until both are smaller. The root
    # stays the farthest entry, the one value that every later comparison needs, at log2(k) moves
    # per entry that gets in. NaN never gets in: the comparison is false for it.
    spot = 0
    while True:
        child = 2 * spot + 1
        if child >= m:
            break
        if child + 1 < m and keys[child + 1] > keys[child]:
            child += 1
        if not keys[child] > key:
            break
        keys[spot] = keys[child]
        ids[spot] = ids[child]
        spot = child
    keys[spot] = key
    ids[spot] = j


@njit(cache=True, nogil=True)
def _scan_rows(
    G: NDArray, own: NDArray, norms: NDArray, rows: NDArray, selves: NDArray, candidates: NDArray,
    keys: NDArray, ids: NDArray, known: bool,
) -> None:
    """Offer every column of G (products; squared norms of its rows and columns) to the list of each
    of its rows."""
    # Almost no candidate enters a list, so the first pass only asks whether any could. It counts
    # per lane of 64 columns, without a branch, and becomes vector code. Only lanes with a count are
    # gone through one by one, against the bound of now, which has fallen meanwhile.
    n = G.shape[1]
    full = n // _LANES
    two, one, zero = np.float32(2), np.float32(1), np.float32(0)
    hits = np.empty(_LANES, np.float32)
    for r in range(G.shape[0]):
        g, mine, whose = G[r], keys[rows[r]], ids[rows[r]]
        worst = mine[0] - own[r]
        hits[:] = zero
        for c in range(full):
            # unsigned: no check for negative indices, so it becomes vector code
            at = np.uint64(_LANES * c)
            for b in range(np.uint64(_LANES)):
                hits[b] += one if norms[at + b] - two * g[at + b] < worst else zero
        for b in range(_LANES):
            if hits[b] > zero:
                for j in range(b, _LANES * full, _LANES):
                    key = own[r] + (norms[j] - two * g[j])
                    if key < mine[0] and candidates[j] != selves[r]:
                        _offer(key, candidates[j], mine, whose, known)
        for j in range(_LANES * full, n):
            key = own[r] + (norms[j] - two * g[j])
            if key < mine[0] and candidates[j] != selves[r]:
                _offer(key, candidates[j], mine, whose, known)


@njit(cache=True, nogil=True)
def _scan_columns(
    G: NDArray, norms: NDArray, own: NDArray, columns: NDArray, candidates: NDArray, keys: NDArray,
    ids: NDArray
) -> None:
    """Offer every row of G to the list of each of its columns."""
    n = G.shape[1]
    full = n // _LANES
    two, one, zero = np.float32(2), np.float32(1), np.float32(0)
    hits = np.empty(_LANES, np.float32)
    # As in `_scan_rows`, but each column has its own bound: kept in one array, less the norm of the
    # column, so that a row of G is compared in one pass. It is brought up to date with every entry,
    # not with every row, so that a list takes the fewest entries.
    worst = np.empty(n, np.float32)
    for j in range(n):
        worst[j] = keys[columns[j], 0] - own[j]
    for r in range(G.shape[0]):
        g, norm = G[r], norms[r]
        hits[:] = zero
        for c in range(full):
            at = np.uint64(_LANES * c)
            for b in range(np.uint64(_LANES)):
                hits[b] += one if norm - two * g[at + b] < worst[at + b] else zero
        for b in range(_LANES):
            if hits[b] > zero:
                for j in range(b, _LANES * full, _LANES):
                    key = norm - two * g[j]
                    if key < worst[j]:
                        _offer(own[j] + key, candidates[r], keys[columns[j]], ids[columns[j]],
                               False)
                        worst[j] = keys[columns[j], 0] - own[j]
        for j in range(_LANES * full, n):
            key = norm - two * g[j]
            if key < worst[j]:
                _offer(own[j] + key, candidates[r], keys[columns[j]], ids[columns[j]], False)
                worst[j] = keys[columns[j], 0] - own[j]


@njit(cache=True, nogil=True)
def join(
    A: NDArray, B: NDArray, a_norms: NDArray, b_norms: NDArray, rows: NDArray, selves: NDArray,
    columns: NDArray, keys: NDArray, ids: NDArray, both: bool,
) -> None:
    """Offer the rows of B to the lists `rows` of A; with `both` also those of A to the lists
    `columns` of B.

    `A` : (a, D), `B` : (b, D) float32. `a_norms`, `rows`, `selves` : (a,). `b_norms`, `columns` :
    (b,). `keys`, `ids` : (N, k), heaps.
    """
    # |a - b|² = |a|² + |b|² - 2 a·b: all distances by one matrix product in single precision, where
    # the processor is fastest. Near rows lose digits by it, which is why the distances of what is
    # kept are computed again from differences, see `settle`.
    G = np.empty((A.shape[0], B.shape[0]), np.float32)
    np.dot(A, B.T, G)
    _scan_rows(G, a_norms, b_norms, rows, selves, columns, keys, ids, False)
    if both:
        _scan_columns(G, a_norms, b_norms, columns, rows, keys, ids)


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
def _squared(a: NDArray, b: NDArray) -> float:
    """|a - b|² from differences, in double precision: right to the last digits also for nearly
    equal rows."""
    total = 0.0
    for i in range(a.shape[0]):
        difference = np.float64(a[i]) - np.float64(b[i])
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def _insert(value: float, j: int, idx: NDArray, dist2: NDArray, held: int) -> int:
    """Keep (value, j) among the nearest, sorted by (value, j); returns how many are held."""
    # Insertion from the far end: lists are short and most offers end at the first comparison. Ties
    # are broken by the index, so that a list does not depend on the order in which threads or
    # blocks offered its entries. The last entry falls out where the list is full.
    k = len(idx)
    if held == k and (value > dist2[k - 1] or (value == dist2[k - 1] and j > idx[k - 1])):
        return held
    spot = held if held < k else k - 1
    while spot > 0 and (dist2[spot - 1] > value
                        or (dist2[spot - 1] == value and idx[spot - 1] > j)):
        dist2[spot] = dist2[spot - 1]
        idx[spot] = idx[spot - 1]
        spot -= 1
    dist2[spot] = value
    idx[spot] = j
    return min(held + 1, k)


@njit(cache=True, nogil=True)
def settle(X: NDArray, Q: NDArray, first: int, ids: NDArray, idx: NDArray, dist2: NDArray) -> None:
    """Order the entries of the lists (-1 = none) by their true distances to the rows of Q from
    `first` on.

    Squared, NaN and index -1 where a list holds fewer than k.
    `ids` : (n, m), unordered. `idx`, `dist2` : (n, k), written.
    """
    for r in range(ids.shape[0]):
        held = 0
        for c in range(ids.shape[1]):
            if ids[r, c] >= 0:
                held = _insert(_squared(X[ids[r, c]], Q[first + r]), ids[r, c], idx[r], dist2[r],
                               held)
        for c in range(held, idx.shape[1]):
            idx[r, c] = -1
            dist2[r, c] = np.nan


@njit(cache=True, nogil=True)
def settle_again(
    X: NDArray, Q: NDArray, rows: NDArray, exclude: NDArray, G: NDArray, own: NDArray,
    b_norms: NDArray, first: int, limit: NDArray, slack: float, idx: NDArray, dist2: NDArray,
    held: NDArray,
) -> None:
    """Look closely at every row of X from `first` on whose distance in G is not safely beyond
    `limit`.

    `rows`, `exclude`, `own`, `limit`, `held` : (n,). `G` : (n, b). `b_norms` : (b,). `idx`,
    `dist2` : (n, k), written.
    """
    for r in range(len(rows)):
        for j in range(G.shape[1]):
            # `slack` covers the rounding of the product, as a share of the norms. Beyond the limit
            # with that allowance a row cannot belong to the list; all others are computed from
            # differences. So the answer is exact although the matrix product is not.
            sure = own[r] + b_norms[j] - 2 * G[r, j] - slack * (own[r] + b_norms[j]) > limit[r]
            if not sure and first + j != exclude[r]:
                value = _squared(X[first + j], Q[rows[r]])
                held[r] = _insert(value, first + j, idx[r], dist2[r], held[r])


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
def plant(P: NDArray, size: int, seed: int) -> tuple[NDArray, NDArray]:
    """A random projection tree: the rows of P in an order in which near rows are near, and where
    each leaf ends.

    Each node is cut at the median along the line through two of its rows. Leaves have size / 2 to
    size rows. `P` : (N, q) float32; returns (N,) and (leaves,).
    """
    n, q = P.shape
    order = np.arange(n).astype(np.int32)
    along = np.empty(n, np.float32)
    line = np.empty(q, np.float32)
    ends = np.empty(4 * n // size + 8, np.int64)
    n_leaves = 0
    todo = np.empty((64, 2), np.int64)
    todo[0, 0], todo[0, 1] = 0, n
    n_todo = 1
    state = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    while n_todo > 0:
        n_todo -= 1
        low, high = todo[n_todo, 0], todo[n_todo, 1]
        if high - low <= size:
            ends[n_leaves] = high
            n_leaves += 1
            continue
        # The line through two random rows tends to lie along the spread of the node, and costs no
        # covariance. The median, not the middle, halves it: leaves of equal size keep matrix
        # products equally large, and the depth at log2(n / size). Several trees with other lines
        # join what one cut apart.
        state = _next(state)
        a = order[low + np.int64(state % np.uint64(high - low))]
        state = _next(state)
        b = order[low + np.int64(state % np.uint64(high - low))]
        for c in range(q):
            line[c] = P[a, c] - P[b, c]
        for i in range(low, high):
            total = np.float32(0)
            row = P[order[i]]
            for c in range(q):
                total += line[c] * row[c]
            along[i] = total
        middle = (low + high) // 2
        _halve(along, order, low, high - 1, middle)
        todo[n_todo, 0], todo[n_todo, 1] = middle, high
        todo[n_todo + 1, 0], todo[n_todo + 1, 1] = low, middle
        n_todo += 2
    return order, ends[:n_leaves].copy()


@njit(cache=True, nogil=True)
def _next(state: np.uint64) -> np.uint64:
    """Xorshift (Marsaglia 2003): the generator of one tree, so that trees do not depend on the
    thread."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@njit(cache=True, nogil=True)
def _halve(values: NDArray, order: NDArray, low: int, high: int, middle: int) -> None:
    """Quickselect: afterwards no value before `middle` exceeds one after it."""
    # Hoare's partition, then only the half with the middle: O(n) on average against O(n log n) of
    # sorting, and all that a cut needs. Equal values go to both sides, so that many copies do not
    # make it quadratic. The order moves along, which saves gathering the rows.
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
def _gather(X: NDArray, rows: NDArray, center: int, out: NDArray, norms: NDArray) -> None:
    """The rows as seen from one of them: near that, differences of near ones keep their digits."""
    # The product form cancels |a|² + |b|² against 2 a·b; with the origin far away nothing is left
    # of a small distance. Rows of a leaf are near each other, so any of them as the origin makes
    # the norms as small as the distances, at one subtraction per number.
    origin = X[center]
    for i in range(len(rows)):
        row = X[rows[i]]
        total = np.float32(0)
        for c in range(X.shape[1]):
            value = row[c] - origin[c]
            out[i, c] = value
            total += value * value
        norms[i] = total


@njit(cache=True, nogil=True)
def join_leaves(
    X: NDArray, order: NDArray, ends: NDArray, first: int, last: int, size: int, keys: NDArray,
    ids: NDArray
) -> None:
    """Offer to each other the rows of each of the leaves first to last - 1.

    `order` : (N,). `ends` : (leaves,). `keys`, `ids` : (N, k), heaps.
    """
    A, norms = np.empty((size, X.shape[1]), np.float32), np.empty(size, np.float32)
    G = np.empty(size * size, np.float32)
    for leaf in range(first, last):
        rows = order[(ends[leaf - 1] if leaf else 0) : ends[leaf]]
        n = len(rows)
        _gather(X, rows, rows[0], A, norms)
        g = G[: n * n].reshape(n, n)
        np.dot(A[:n], A[:n].T, g)
        _scan_rows(g, norms, norms[:n], rows, rows, rows, keys, ids, True)


@njit(cache=True, nogil=True)
def join_neighbors(
    X: NDArray, order: NDArray, ends: NDArray, first: int, last: int, size: int, known: NDArray,
    fresh: NDArray, keys: NDArray, ids: NDArray,
) -> None:
    """Offer to the rows of each leaf the neighbors of their neighbors, as `known` (N, reach) before
    this round.

    Candidates are taken together for the whole leaf, so that most of the work is matrix products. A
    path of two steps that are both not `fresh` was offered before. No two leaves touch the same
    lists.
    """
    n_features, reach = X.shape[1], known.shape[1]
    A, a_norms = np.empty((size, n_features), np.float32), np.empty(size, np.float32)
    B, b_norms = np.empty((_WIDTH, n_features), np.float32), np.empty(_WIDTH, np.float32)
    G = np.empty(size * _WIDTH, np.float32)
    seen = np.full(X.shape[0], -1, np.int32)
    candidates = np.empty(size * reach * (reach + 1), np.int32)
    for leaf in range(first, last):
        rows = order[(ends[leaf - 1] if leaf else 0) : ends[leaf]]
        n = len(rows)
        found = 0
        for i in range(n):
            for x in range(reach):
                # A pair is worth a product only where one of its two steps is new since the last
                # round: that is the incremental search of Dong, Moses and Li 2011. `seen` holds the
                # last leaf that took a row, so a candidate is gathered once per leaf and the array
                # is never cleared.
                a, is_fresh = known[rows[i], x], fresh[rows[i], x]
                if a < 0:
                    continue
                if is_fresh and seen[a] != leaf:
                    seen[a] = leaf
                    candidates[found] = a
                    found += 1
                for y in range(reach):
                    b = known[a, y]
                    if b >= 0 and (is_fresh or fresh[a, y]) and seen[b] != leaf:
                        seen[b] = leaf
                        candidates[found] = b
                        found += 1
        _gather(X, rows, rows[0], A, a_norms)
        for start in range(0, found, _WIDTH):
            some = candidates[start : min(start + _WIDTH, found)]
            _gather(X, some, rows[0], B, b_norms)
            g = G[: n * len(some)].reshape(n, len(some))
            np.dot(A[:n], B[: len(some)].T, g)
            _scan_rows(g, a_norms, b_norms, rows, rows, some, keys, ids, True)


@njit(cache=True, nogil=True)
def nearest_known(
    keys: NDArray, ids: NDArray, before: NDArray, known: NDArray, fresh: NDArray
) -> None:
    """The nearest entries of each list in order (-1 = none), and which of them `before` does not
    hold.

    `keys`, `ids` : (n, m). `before` : (n, b). `known`, `fresh` : (n, k), written.
    """
    distance = np.empty(known.shape[1])
    for r in range(ids.shape[0]):
        known[r] = -1
        held = 0
        for c in range(ids.shape[1]):
            if ids[r, c] >= 0:
                held = _insert(np.float64(keys[r, c]), ids[r, c], known[r], distance, held)
        for c in range(known.shape[1]):
            fresh[r, c] = True
            for b in before[r]:
                if b == known[r, c]:
                    fresh[r, c] = False
