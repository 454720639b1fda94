"""Features whose inner products are a Gaussian kernel:
they make a linear method its kernel version."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.embedding.distance.pairs import squared_distances
from emberscope.mil.density import median_squared_distance
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.geodesics import landmarks

EXACT_LIMIT = 1000  # instances; their eigenproblem cannot be stopped
LARGEST = 100_000  # instances; 0.8 GB of features
_RANK = 1e-10
_ROWS = 512


@dataclass(frozen=True, slots=True)
class KernelFeatures:
    """phi(x) = exp(-|x - references|² / width) root - center, (r,),
    centered over the training instances.

    references : (R, D). root : (R, r). center : (r,). width : float.
        spanned : whether there are more instances.
    """

    references: NDArray
    root: NDArray
    center: NDArray
    width: float
    spanned: bool


def kernel_features(
    A: NDArray, width: float | None, *, monitor: Monitor | None = None
) -> tuple[NDArray[np.float64], KernelFeatures]:
    """Features (N, r) of the rows of A, and the map. Width None: the median squared distance.

    These are all kernel principal components of the training instances up to a rotation, so exact;
    beyond 1000 distinct instances they are spanned by 1000 of them (Nystroem). Raises TooLarge
    above 100 000. O(R³ + N R D + N R²), 8 N R bytes.
    """
    if len(A) > LARGEST:
        raise TooLarge(f"the kernel of {len(A)} instances is too large",
                       hint="Choose kernel linear.")
    watch = monitored(monitor)
    watch.step(0.0, "Kernel")
    copies = distinct_rows(A)
    distinct = A[copies.rows]
    references = np.ascontiguousarray(
        distinct[landmarks(distinct, EXACT_LIMIT, monitor=Portion(watch, 0.0, 0.2))]
    )
    width = median_squared_distance(A) if width is None else float(width)
    within = np.exp(squared_distances(references, references, same=True) / -width)
    values, vectors = np.linalg.eigh(within)
    kept = values > _RANK * values[-1]
    root = vectors[:, kept] / np.sqrt(values[kept])
    F = kernel_map(A, references, width, root, np.zeros(root.shape[1]),
                   monitor=Portion(watch, 0.5, 1.0))
    center = F.mean(axis=0)
    F -= center
    return F, KernelFeatures(references, root, center, width, len(references) < len(distinct))


def kernel_map(
    A: NDArray, references: NDArray, width: float, map: NDArray, offset: NDArray, *,
    monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """exp(-|a - references|² / width) map - offset of rows of A, (M, d), by blocks of rows."""
    out = np.empty((len(A), map.shape[1]))
    for part in slices(len(A), _ROWS, monitor, "Kernel"):
        K = squared_distances(A[part], references)
        K /= -width
        out[part] = np.exp(K, out=K) @ map - offset
    return out
