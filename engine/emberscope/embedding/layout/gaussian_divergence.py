"""The loss of SNE and its gradient: Kullback-Leibler divergence to Gaussian neighborhoods of the
embedding."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor
from emberscope.embedding.layout.perplexity import conditional
from emberscope.neighbors.rows import over_rows
from emberscope.neighbors.search import Neighbors

_PAIRS = 1 << 20  # between two looks at the monitor, about 0.02 s
_FAST = {"reassoc", "contract", "nsz", "arcp"}  # no NaN or inf arises here


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an embedding should reproduce.

    pull : (N, N) float32, symmetric, diagonal 0: how much every pair attracts; p_j|i + p_i|j, or
    2 p_ij. entropy : sum of p log p. joint : whether all pairs share one distribution.
    """

    pull: NDArray[np.float32]
    entropy: float
    joint: bool


def wanted(D: NDArray, perplexity: float, *, joint: bool) -> Wanted:
    """Gaussian probabilities of neighbors among all others.

    D : (N, N) distances, diagonal 0, other entries above 0. perplexity : exp of the entropy of
    every row of p_j|i, at most N - 1. joint : p_ij = (p_j|i + p_i|j) / 2N in place of p_j|i.
    O(N² log N).
    """
    n = len(D)
    order = np.argsort(D, axis=1, kind="stable")
    order = order[order != np.arange(n)[:, None]].reshape(n, n - 1).astype(np.int32)
    listed = Neighbors(order, np.take_along_axis(D, order, axis=1))
    P: NDArray[np.float32] = np.zeros((n, n), np.float32)
    np.put_along_axis(P, order, conditional(listed, perplexity), axis=1)
    pull: NDArray[np.float32] = P + P.T
    if joint:
        pull /= np.float32(n)
        P = pull * np.float32(0.5)
    known = P[P > 0].astype(np.float64)
    return Wanted(pull, float(known @ np.log(known)), joint)


def divergence(
    want: Wanted, Z: NDArray, watch: Monitor
) -> tuple[float, NDArray[np.float64]]:
    """The loss at Z (N, d) float64, and its gradient (N, d). O(N² d).

    sum_i KL(P_i || Q_i) with q_j|i = exp(-|z_i - z_j|²) / sum over the row; where `joint`
    KL(P || Q) with q_ij over the sum of all pairs.
    """
    n = len(Z)
    logs, stress, slope = np.empty(n), np.empty(n), np.empty(Z.shape)
    rows = max(1, _PAIRS // n)
    over_rows(lambda *part: _log_sums(Z, *part, logs), n, rows, watch, "Embedding")
    total = float(logs.sum())
    if want.joint:
        largest = float(logs.max())
        total = largest + float(np.log(np.exp(logs - largest).sum()))
        logs[:] = total
    over_rows(lambda *part: _forces(want.pull, Z, logs, *part, stress, slope), n, rows, watch,
              "Embedding")
    return want.entropy + 0.5 * float(stress.sum()) + total, slope


@njit(cache=True, nogil=True, fastmath=_FAST)
def _log_sums(Z: NDArray, first: int, last: int, logs: NDArray) -> None:
    """log of the sum of exp(-|z_i - z_j|²) over j != i, for rows first:last."""
    n, d = Z.shape
    squared = np.empty(n)
    for i in range(first, last):
        least = np.inf
        for j in range(n):
            apart = 0.0
            for a in range(d):
                apart += (Z[i, a] - Z[j, a]) ** 2
            squared[j] = apart
            if j != i and apart < least:
                least = apart
        total = 0.0
        for j in range(n):
            if j != i:
                total += np.exp(least - squared[j])
        logs[i] = np.log(total) - least


@njit(cache=True, nogil=True, fastmath=_FAST)
def _forces(
    pull: NDArray, Z: NDArray, logs: NDArray, first: int, last: int, stress: NDArray, slope: NDArray
) -> None:
    """Gradient of rows first:last, and their sums of pull times squared distance."""
    n, d = Z.shape
    for i in range(first, last):
        stress[i] = 0.0
        for a in range(d):
            slope[i, a] = 0.0
        for j in range(n):
            if j == i:
                continue
            apart = 0.0
            for a in range(d):
                apart += (Z[i, a] - Z[j, a]) ** 2
            want = np.float64(pull[i, j])
            there = np.exp(-apart - logs[i]) + np.exp(-apart - logs[j])
            stress[i] += want * apart
            for a in range(d):
                slope[i, a] += 2 * (want - there) * (Z[i, a] - Z[j, a])
