"""Kernels between bags: weighted sums of a kernel of instances over all pairs,
and the classifiers built on one."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Onward, Portion, monitored
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.mil.distances import groups
from emberscope.mil.feature_choice import KeepsBags
from emberscope.mil.scaling import centered
from emberscope.mil.support_vectors import HALFWAY, balanced, support_vectors
from emberscope.mil.training_bags import thinned, thinned_note

# pairs of instances at a time, 32 MB: blocks of few rows would make matrix products slow
_PAIRS = 1 << 22
_VALUES = 1 << 22  # kernel values of instances and bags at a time
_LARGEST = 1 << 31  # bytes of the kernel between bags
_LARGEST_BAG = 4000  # instances of a bag that are compared; a mean over as many is right to 2 %
_MESSAGE = "Kernel between bags"
# of the support vector machine: its result then does not depend on the order of bags
_TOLERANCE = 1e-9

PENALTY = param(
    10.0, low=0, open_low=True, high=1e6, group="Classifier", title="Penalty C",
    grid=(1.0, 10.0, 100.0),
    help="How much a bag on the wrong side costs against a wide margin.",
)
WIDTH = param(
    0.5, low=0, open_low=True, high=1000, group="Bags", title="Kernel width",
    grid=(0.25, 0.5, 1.0, 2.0),
    help="Of the Gaussian kernel between instances, in units of their root mean square distance "
    "from the mean. Small: only instances that are almost the same count as alike.",
)


@dataclass(frozen=True, slots=True)
class InstanceKernel:
    """k(x, z) of instances. gamma > 0: exp(-gamma |x - z|²); else (1 + x'z / D)^degree."""

    gamma: float
    degree: int = 1

    def __call__(self, X: NDArray, Z: NDArray, norms: NDArray) -> NDArray[np.float64]:
        """(n, m) for rows X (n, D) and Z (m, D) of squared `norms` (m,);
        O(n m D) in matrix products."""
        if self.gamma <= 0:
            products = (X / X.shape[1]) @ Z.T
            products += 1
            return np.power(products, self.degree, out=products)
        k = (2 * self.gamma * X) @ Z.T
        k -= self.gamma * norms
        k -= self.gamma * np.square(X).sum(axis=1)[:, None]
        np.minimum(k, 0.0, out=k)
        return np.exp(k, out=k)

    def of_itself(self, X: NDArray) -> NDArray[np.float64]:
        """k(x, x) of every row, (n,)."""
        return np.ones(len(X)) if self.gamma > 0 else (1 + np.square(X).mean(axis=1)) ** self.degree


@dataclass(frozen=True, slots=True)
class WeightedBags:
    """values : (M, D) members, one bag after the other.
    starts : (K,), the first of each, none empty.

    weights : (M,). norms : (M,), squared lengths of the members.
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    weights: NDArray[np.float64]
    norms: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray, starts: NDArray, weights: NDArray) -> "WeightedBags":
        """With the squared length of every row added."""
        return cls(values, starts, weights, np.square(values).sum(axis=1))

    @property
    def ends(self) -> NDArray[np.int64]:
        """(K,) where each bag ends."""
        return np.append(self.starts[1:], len(self.values))


def set_kernel(
    a: WeightedBags, b: WeightedBags, kernel: InstanceKernel, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """sum over x in A, z in B of w_x w_z k(x, z) for every pair of bags, (K, K').

    O(M M' D) in blocks of matrix products.
    """
    watch = monitored(monitor)
    out = np.zeros((len(a.starts), len(b.starts)))
    step = max(1, _PAIRS // len(b.values))
    for begin in range(0, len(a.values), step):
        watch.step(begin / len(a.values), _MESSAGE)
        end = min(begin + step, len(a.values))
        values = kernel(a.values[begin:end], b.values, b.norms)
        values *= b.weights
        per_row = segment_reduce(np.add, values, b.starts, axis=1) * a.weights[begin:end, None]
        first = int(np.searchsorted(a.starts, begin, side="right")) - 1
        inside = a.starts[first + 1 :]
        parts = np.concatenate([[0], inside[inside < end] - begin])
        out[first : first + len(parts)] += segment_reduce(np.add, per_row, parts)
    return out


def row_kernel(
    a: WeightedBags, kernel: InstanceKernel, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """sum over z in B of w_z k(x, z) for every member x and every bag B of the same bags, (M, K).

    Every pair of bags is met once. O(M² D / 2) in blocks of matrix products.
    """
    watch = monitored(monitor)
    n = len(a.values)
    out = np.zeros((n, len(a.starts)))
    for first, last in groups(a.starts, n, max(1, _PAIRS // n)):
        begin, end = int(a.starts[first]), int(a.ends[last - 1])
        alone = last - first == 1
        step = max(1, _PAIRS // n) if alone else end - begin
        parts = np.zeros(1, np.int64) if alone else a.starts[first:last] - begin
        for i in range(begin, end, step):
            watch.step(i / n, _MESSAGE)
            j = min(i + step, end)
            values = kernel(a.values[i:j], a.values[begin:], a.norms[begin:])
            later = values[:, end - begin :] * a.weights[i:j, None]
            out[end:, first:last] += segment_reduce(np.add, later, parts).T
            values *= a.weights[begin:]
            out[i:j, first:] = segment_reduce(np.add, values, a.starts[first:] - begin, axis=1)
    return out


def own_kernel(
    a: WeightedBags, kernel: InstanceKernel, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """The kernel of every bag with itself, (K,): the diagonal of `set_kernel(a, a)`.
    O(sum of squared sizes D)."""
    watch = monitored(monitor)
    out = np.zeros(len(a.starts))
    for k, (start, end) in enumerate(zip(a.starts, a.ends, strict=True)):
        rows, weights, norms = a.values[start:end], a.weights[start:end], a.norms[start:end]
        step = max(1, _PAIRS // len(rows))
        for i in range(0, len(rows), step):
            watch.step(start / len(a.values), _MESSAGE)
            out[k] += weights[i : i + step] @ (kernel(rows[i : i + step], rows, norms) @ weights)
    return out


class KernelClassifier(KeepsBags):
    """A support vector machine on a kernel between bags;
    a subclass gives the weights of instances and the kernel.

    f(B) = sum_j dual_j k(B, B_j) + intercept over support bags B_j, where k is normalized by
    `_norm`. Of a bag of more than 4000 instances 4000 are compared, see `thinned`; this is noted.
    """

    state: ClassVar[tuple[str, ...]] = (
        *KeepsBags.state, "weights_", "norm_", "dual_", "intercept_", "gamma_", "mean_", "scale_"
    )
    C: float
    width: float
    standardize: bool

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the support bags.

        Raises MissingLabels without a bag of each label, TooLarge for too many bags, DataError
        where all instances are the same.
        """
        watch = Onward(monitor)  # each graph of a bag begins at 0
        X, training = self._training(X, y, bags, watch)
        bags = thinned(X, training.bags, _LARGEST_BAG)
        _check_memory(len(bags), len(bags.members))
        self.notes_ += thinned_note(training.bags, _LARGEST_BAG, "are compared")
        learned = X[np.unique(training.bags.members)]
        self.mean_, self.scale_ = centered(learned, standardize=self.standardize)
        spread = np.square((learned - self.mean_) / self.scale_).sum(axis=1).mean()
        if not spread > 0:
            raise DataError("all instances are the same", hint="Choose other features.")
        self.gamma_ = float(1 / (2 * spread * self.width**2))
        self._keep((X - self.mean_) / self.scale_, bags)
        known = WeightedBags.of(self.X_, self.indptr_[:-1],
                                self._weights(self.X_, self._kept, Portion(watch, 0, 0.2)))
        rows = row_kernel(known, self._kernel, monitor=Portion(watch, 0.2, 0.9))
        gram = segment_reduce(np.add, rows * known.weights[:, None], known.starts)
        norm = self._norm(np.diag(gram))
        likeness = (gram + gram.T) / (2 * np.outer(norm, norm))
        watch.step(0.9, "Support vectors")
        cost = balanced(self.C, self.labels_)
        dual, self.intercept_, settled = support_vectors(likeness, self.labels_, cost,
                                                         tolerance=_TOLERANCE)
        if not settled:
            self.notes_.append(HALFWAY)
        self.score_ = np.empty(len(X))
        members = bags.members
        self.score_[members] = (
            rows @ (dual / norm) / self._norm(self._kernel.of_itself(self.X_)) + self.intercept_
        )
        self._support(known.weights, norm, dual)
        rest = np.setdiff1d(np.arange(len(X)), members)
        self.score_[rest] = self._instance_scores(X[rest], Portion(watch, 0.95, 1.0))
        return self

    @property
    def _kernel(self) -> InstanceKernel:
        return InstanceKernel(self.gamma_)

    def _weights(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        """Weight of every row of X, which lie in order of the bags, none empty."""
        return np.ones(len(X))

    def _norm(self, own: NDArray) -> NDArray[np.float64]:
        """What the kernel of two bags is divided by, one factor per bag,
        from their kernels with themselves."""
        return np.sqrt(own)

    def _support(self, weights: NDArray, norm: NDArray, dual: NDArray) -> None:
        """Keep the support bags only: no other takes part in a score."""
        bags = self._kept
        chosen = np.flatnonzero(dual)
        rows = np.concatenate([bags.of(int(k)) for k in chosen])
        self.X_, self.weights_ = np.ascontiguousarray(self.X_[rows]), weights[rows]
        self.indptr_ = np.concatenate([[0], np.cumsum(bags.sizes[chosen])]).astype(np.int64)
        self.labels_ = self.labels_[chosen]
        self.norm_, self.dual_ = norm[chosen], dual[chosen]

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        watch, bags = monitored(monitor), thinned(X, bags, _LARGEST_BAG)
        out = np.full(len(bags), np.nan)
        full = np.flatnonzero(bags.sizes)
        if not len(full):
            return out
        A = ((X - self.mean_) / self.scale_)[bags.members]
        indptr = np.append(bags.indptr[:-1][full], len(A))
        here = np.arange(len(A))
        alone = Bags(indptr, here, np.zeros(len(full), np.int8), full, full)
        a = WeightedBags.of(A, indptr[:-1], self._weights(A, alone, Portion(watch, 0.0, 0.2)))
        norm = self._norm(own_kernel(a, self._kernel, monitor=Portion(watch, 0.2, 0.5)))
        out[full] = self._decision(a, norm, Portion(watch, 0.5, 1.0))
        return out

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        """Every instance as a bag of its own, with weight 1."""
        watch = monitored(monitor)
        out = np.empty(len(X))
        step = max(1, _VALUES // len(self.labels_))
        for start in range(0, len(X), step):
            A = (X[start : start + step] - self.mean_) / self.scale_
            a = WeightedBags.of(A, np.arange(len(A)), np.ones(len(A)))
            part = Portion(watch, start / len(X), min(start + step, len(X)) / len(X))
            out[start : start + step] = self._decision(a, self._norm(self._kernel.of_itself(A)),
                                                       part)
        return out

    def _decision(
        self, a: WeightedBags, norm: NDArray, monitor: Monitor | None
    ) -> NDArray[np.float64]:
        kept = WeightedBags.of(self.X_, self.indptr_[:-1], self.weights_)
        k = set_kernel(a, kept, self._kernel, monitor=monitor) / norm[:, None]
        return k @ (self.dual_ / self.norm_) + self.intercept_


def _check_memory(n_bags: int, n_members: int) -> None:
    """Raise TooLarge where the kernel between all members and all bags does not fit."""
    size = 8 * n_bags * (n_bags + n_members)
    if size > _LARGEST:
        raise TooLarge(
            f"the kernel between {n_members} instances and {n_bags} bags takes {size / 2**30:.0f} "
            "GiB",
            hint="Use fewer, larger bags, or a classifier of instances.",
        )
