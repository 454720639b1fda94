"""Several target concepts, and bags as the kernels read them."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import bag_groups
from emberscope.bags.model import Bags
from emberscope.base.kernels import njit
from emberscope.mil.noisy_or import bag_loss, nearest_loss
from emberscope.mil.scaling import z_score

SMALLEST, LARGEST = 1e-6, 1e6  # scales, in units of feature variance
_SUMS = {"reassoc", "contract"}  # reordered sums only: infinities keep their meaning


@dataclass(frozen=True, slots=True)
class Concepts:
    """K concepts of D features: an instance x is of concept k with probability exp(-sum_j s_kj
    (x_j - c_kj)²).

    centers : (K, D) float64, c. scales : (K, D) float64, s >= 0, how much each feature counts;
    1 / (2 variance) of a Gaussian of that shape.
    """

    centers: NDArray[np.float64]
    scales: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.centers)

    def take(self, which: NDArray) -> Self:
        """Some of them, in that order."""
        return type(self)(self.centers[which], self.scales[which])

    def distance2(self, Z: NDArray) -> NDArray[np.float64]:
        """a, weighted squared distances of instances, (M, D) -> (M, K); float64. O(M K D)."""
        return squared_distances(np.ascontiguousarray(Z, np.float64), self.centers, self.scales)

    def in_units(self, mean: NDArray, scale: NDArray) -> Self:
        """The same concepts of features x = mean + scale z, where these are of z; a constant
        feature (scale inf) counts for nothing."""
        width = np.where(np.isfinite(scale), scale, 0.0)
        return type(self)(mean + width * self.centers, self.scales / np.square(scale))


@dataclass(frozen=True, slots=True)
class StandardBags:
    """Z (M, D) float64, members bag after bag, features of unit variance.
    indptr : (B + 1,). positive : (B,) bool.

    mean, scale : (D,), x = mean + scale z; scale inf for a constant feature, which is 0 in Z.
    group : (B,), bags of one number look alike (they share instances, or a block of frames), so
    none of them may judge what was learned from another.
    """

    Z: NDArray[np.float64]
    indptr: NDArray[np.int64]
    positive: NDArray[np.bool_]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    group: NDArray[np.int64]

    @classmethod
    def of(cls, X: NDArray, bags: Bags) -> Self:
        """Bags of rows of X (N, D), each labeled and with a member.
        Memory: a copy of the members."""
        rows = X[bags.members].astype(np.float64)
        mean, scale = z_score(rows)
        return cls((rows - mean) / scale, bags.indptr.astype(np.int64), bags.labels > 0, mean,
                   scale, bag_groups(bags, len(X)))

    def take(self, which: NDArray) -> Self:
        """Some of the bags, (B,) bool, in the same units."""
        members = np.repeat(which, np.diff(self.indptr))
        indptr = np.concatenate([[0], np.cumsum(np.diff(self.indptr)[which])]).astype(np.int64)
        return type(self)(self.Z[members], indptr, self.positive[which], self.mean, self.scale,
                          self.group[which])

    def losses(self, concepts: Concepts, *, nearest: bool = False) -> NDArray[np.float64]:
        """-log Pr(label of bag | concept), (K, B); `nearest`:
        its nearest instance stands for a bag. O(K M D)."""
        return bag_losses(self.Z, self.indptr, self.positive, concepts.centers, concepts.scales,
                          nearest)

    def probabilities(self, concepts: Concepts, *, nearest: bool = False) -> NDArray[np.float64]:
        """Probability that a bag holds an instance of each concept, whatever its label, (K, B).
        O(K M D)."""
        everyone = np.ones(len(self.positive), bool)
        return np.exp(
            -bag_losses(self.Z, self.indptr, everyone, concepts.centers, concepts.scales, nearest)
        )


@njit(cache=True, nogil=True, fastmath=_SUMS)
def squared(z: NDArray, c: NDArray, s: NDArray) -> float:
    """sum_j s_j (z_j - c_j)² of one instance z (D,), center c (D,) and scales s (D,)."""
    total = 0.0
    for j in range(len(c)):
        off = z[j] - c[j]
        total += s[j] * off * off
    return total


@njit(cache=True, nogil=True)
def squared_distances(Z: NDArray, centers: NDArray, scales: NDArray) -> NDArray:
    """`squared` of all instances Z (M, D) to centers (K, D) with scales (K, D): (M, K)."""
    out = np.empty((len(Z), len(centers)))
    for n in range(len(Z)):
        for k in range(len(centers)):
            out[n, k] = squared(Z[n], centers[k], scales[k])
    return out


@njit(cache=True, nogil=True)
def bag_losses(
    Z: NDArray, indptr: NDArray, positive: NDArray, centers: NDArray, scales: NDArray, nearest: bool
) -> NDArray:
    """-log Pr(label of bag | concept), (K, B)."""
    out = np.empty((len(centers), len(positive)))
    pull = np.empty(np.max(np.diff(indptr)))
    for k in range(len(centers)):
        a = squared_distances(Z, centers[k : k + 1], scales[k : k + 1])[:, 0]
        for b in range(len(positive)):
            low, high = indptr[b], indptr[b + 1]
            if nearest:
                out[k, b] = nearest_loss(a[low:high], positive[b], pull[: high - low])
            else:
                out[k, b] = bag_loss(a[low:high], positive[b], pull[: high - low])
    return out
