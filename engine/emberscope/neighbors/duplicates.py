"""Exact duplicates: one instance to every graph method, whose copies get its coordinates."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit


@dataclass(frozen=True, slots=True)
class Distinct:
    """Rows that differ, and how to get back.

    rows : (U,) int64, ascending, the first row of each kind. inverse : (N,) int64, distinct row of
    each instance.
    counts : (U,) int64, copies of each.
    """

    rows: NDArray[np.int64]
    inverse: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_merged(self) -> int:
        """How many rows were copies of an earlier one."""
        return len(self.inverse) - len(self.rows)

    def restore(self, values: NDArray) -> NDArray:
        """Per-distinct-row values spread over all instances."""
        return values[self.inverse]

    def select(self, values: NDArray) -> NDArray:
        """The rows of `values` (N, ...) that are kept, C-contiguous; `values` itself where nothing
        was merged."""
        return np.ascontiguousarray(values[self.rows] if self.n_merged else values)


def distinct_rows(X: NDArray, y: NDArray | None = None) -> Distinct:
    """Find exact duplicates among rows of X (with `y`: of rows that also share the label).

    -0.0 equals 0.0. Rows of equal fingerprints are compared value by value. O(N D + N log N), 40 N
    bytes. NaN is not expected here.
    """
    # kernels are compiled for arrays that can be written only
    X = np.require(X, requirements=["C", "W"])
    labels = np.zeros(len(X), np.int64) if y is None else np.ascontiguousarray(y, np.int64)
    prints = _fingerprints(X)[:, 0] ^ (labels.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    order = np.argsort(prints, kind="stable")
    starts = np.flatnonzero(np.diff(prints[order], prepend=~prints[order[:1]]))
    if len(starts) == len(X):
        return Distinct(np.arange(len(X)), np.arange(len(X)), np.ones(len(X), np.int64))
    counts = np.diff(starts, append=len(X))
    first = np.empty(len(X), np.int64)
    first[order] = np.repeat(order[starts], counts)
    if _all_equal(X, labels, first):
        rows = np.sort(order[starts])
        inverse = np.searchsorted(rows, first)
        return Distinct(rows, inverse, np.bincount(inverse))
    return _by_bytes(X, labels)


def content_key(X: NDArray) -> bytes:
    """128 bits that tell arrays of other values, shape or precision apart; 0.1 s per gigabyte."""
    prints = _fingerprints(np.require(X, requirements=["C", "W"]))
    return hashlib.blake2b(prints.tobytes() + f"{X.shape}{X.dtype}".encode(),
                           digest_size=16).digest()


def _fingerprints(X: NDArray) -> NDArray[np.uint64]:
    """Two independent 64-bit fingerprints (N, 2) of the rows, blind to the sign of zero."""
    kind: Any = np.uint32 if X.dtype == np.float32 else np.uint64
    if X.dtype.itemsize != kind().itemsize:
        X = np.ascontiguousarray(X, np.float64)
    out = np.empty((len(X), 2), np.uint64)
    _mix(X.view(kind), kind(1 << (8 * kind().itemsize - 1)), out)
    return out


@njit(cache=True, nogil=True)
def _mix(words: NDArray, minus_zero: np.unsignedinteger, out: NDArray) -> None:
    """Eight accumulators take every eighth word each, so that they become vector code; then they
    are joined."""
    n = words.shape[1]
    P, Q = np.uint64(0x9FB21C651E98DF25), np.uint64(0xD6E8FEB86659FD93)
    half, third = np.uint64(32), np.uint64(29)
    a, b = np.empty(8, np.uint64), np.empty(8, np.uint64)
    for r in range(words.shape[0]):
        row = words[r]
        for lane in range(8):
            a[lane] = P * np.uint64(lane + 1)
            b[lane] = Q * np.uint64(lane + 1)
        for c in range(n // 8):
            at = np.uint64(8 * c)
            for lane in range(np.uint64(8)):
                word = np.uint64(row[at + lane]) if row[at + lane] != minus_zero else np.uint64(0)
                a[lane] = (a[lane] ^ word) * P
                b[lane] = (b[lane] ^ word) * Q
                a[lane] ^= a[lane] >> half
                b[lane] ^= b[lane] >> third
        for c in range(8 * (n // 8), n):
            word = np.uint64(row[c]) if row[c] != minus_zero else np.uint64(0)
            a[c % 8] = (a[c % 8] ^ word) * P
            b[c % 8] = (b[c % 8] ^ word) * Q
            a[c % 8] ^= a[c % 8] >> half
            b[c % 8] ^= b[c % 8] >> third
        first, second = np.uint64(n), np.uint64(n)
        for lane in range(8):
            first = (first ^ a[lane]) * P
            second = (second ^ b[lane]) * Q
            first ^= first >> half
            second ^= second >> third
        out[r, 0] = first
        out[r, 1] = second


@njit(cache=True, nogil=True)
def _all_equal(X: NDArray, labels: NDArray, first: NDArray) -> bool:
    """Whether every row equals, value by value, the one that its fingerprint says it is a copy
    of."""
    for r in range(X.shape[0]):
        if first[r] != r:
            if labels[r] != labels[first[r]]:
                return False
            for c in range(X.shape[1]):
                if X[r, c] != X[first[r], c]:
                    return False
    return True


def _by_bytes(X: NDArray, labels: NDArray) -> Distinct:
    """By sorting whole rows, for when two different ones share a fingerprint: hardly ever, and it
    costs a copy."""
    X = X + X.dtype.type(0)  # the sum turns -0.0 into 0.0
    keys = X.view(np.uint8).reshape(len(X), X.shape[1] * X.itemsize)
    keys = np.ascontiguousarray(np.hstack([keys, labels.view(np.uint8).reshape(len(X), 8)]))
    whole = keys.view(np.dtype((np.void, keys.shape[1]))).ravel()
    _, first, inverse, counts = np.unique(whole, return_index=True, return_inverse=True,
                                          return_counts=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Distinct(first[order].astype(np.int64), rank[inverse.ravel()],
                    counts[order].astype(np.int64))
