"""miGraph: MI-Kernel in which many similar instances of a bag count as one."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.param import param
from emberscope.mil.bag_kernels import PENALTY, WIDTH, KernelClassifier
from emberscope.mil.distances import squared_distances
from emberscope.mil.scaling import STANDARDIZE

_PAIRS = 1 << 20


class MIGraph(KernelClassifier):
    """A support vector machine with the graph kernel of miGraph,
    the fast one of the two of Zhou, Sun and Li 2009.

        k(B, B') = sum over x in B, z in B' of w_x w_z k(x, z) / (sum_x w_x sum_z w_z)
        w_x = 1 / sum_u W_xu

    W_xu is 1 where |x - u| is below `reach` times the mean distance within the bag, and 1 for x
    itself: instances of a clique share one vote. k(x, z) = exp(-|x - z|² / (2 width² m²)), m² the
    total variance of the training instances. f(B) = sum_j dual_j k(B, B_j) + intercept minimizes
    1/2 |f|² + C sum of hinge losses, both classes weighing the same. The score of an instance is f
    of a bag of it alone.

    Attributes
    ----------
    X_ : (n, D), standardized instances of the support bags, one after the other.
        indptr_ : (S+1,). labels_ : (S,).
    weights_ : (n,), w_x of these, of sum 1 per bag. dual_ : (S,).
        intercept_, gamma_ : float. mean_, scale_ : (D,).
    norm_ : (S,), ones: the kernel is normalized by its weights.

    Notes
    -----
    Zhou, Sun and Li 2009, miGraph. The mean distance within a bag is that of pairs of two different
    instances, as the paper leaves it open. The same paper's MIGraph, which compares edges, is
    `MIGraphEdit`. O(n² D) in matrix products for n instances, in blocks, 8 n K bytes (TooLarge
    above 2 GiB); the graphs take O(size² D) for each bag and no memory. Of a bag of more than 4000
    instances 4000 are compared.
    """

    C: float = PENALTY
    width: float = WIDTH
    reach: float = param(
        1.0, low=0, high=100, group="Bags", title="Reach of a clique",
        help="Instances of a bag nearer than this share one vote, in units of the mean distance "
        "within the bag; 0 gives each its own.",
    )
    standardize: bool = STANDARDIZE

    def _weights(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        watch = monitored(monitor)
        out = np.empty(len(X))
        for k in range(len(bags)):
            start, end = int(bags.indptr[k]), int(bags.indptr[k + 1])
            watch.step(start / len(X), "Graphs of the bags")
            weight = 1 / clique_sizes(X[start:end], self.reach, watch)
            out[start:end] = weight / weight.sum()
        return out

    def _norm(self, own: NDArray) -> NDArray[np.float64]:
        return np.ones(len(own))


def clique_sizes(X: NDArray, reach: float, watch: Monitor) -> NDArray[np.float64]:
    """How many of the rows of X (n, D) lie within `reach` times their mean distance of each,
    itself included, (n,)."""
    n = len(X)
    if n < 2:
        return np.ones(n)
    step = max(1, _PAIRS // n)
    total = 0.0
    for i in range(0, n, step):
        watch.step(0.0, "Graphs of the bags")
        total += float(np.sqrt(squared_distances(X[i : i + step], X)).sum())
    limit2 = (reach * total / (n * (n - 1))) ** 2
    sizes = np.empty(n)
    for i in range(0, n, step):
        watch.step(0.0, "Graphs of the bags")
        near = squared_distances(X[i : i + step], X) < limit2
        near[np.arange(len(near)), np.arange(i, i + len(near))] = True
        sizes[i : i + step] = near.sum(axis=1)
    return sizes
