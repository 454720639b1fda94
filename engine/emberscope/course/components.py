"""Principal components found on the training side of a fold, where what is held out judges."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.embedding.linear.pca import PCA

_PER_PRODUCT = 5e-11  # s
_WIDEST = 2000  # directions that principal components are sought among


class FoldComponents:
    """The reduction of a run, to be fitted on a part of its instances: as many components, fewer
    where the part is smaller.

    Attributes
    ----------
    embedding_ : (N, d) of what it was fitted on. notes_ : none; the run's own say what there is.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.notes_: list[str] = []

    def fit(
        self, X: NDArray, y: NDArray | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the components of X (N, D); labels are ignored. Raises DataError as PCA does."""
        self._pca = PCA(n_components=min(self.most, *X.shape)).fit(X, monitor=monitor)
        self.embedding_ = np.ascontiguousarray(self._pca.embedding_)
        return self

    def transform(self, X: NDArray) -> NDArray:
        """The components of other instances, (M, D) -> (M, d)."""
        return np.ascontiguousarray(self._pca.transform(X), X.dtype)


def components_seconds(n: int, wide: int, narrow: int) -> float:
    """What it takes to reduce n rows of `wide` features to `narrow`; 0 where these are as many."""
    m = min(n, wide, _WIDEST)
    return _PER_PRODUCT * (n * wide * m + m**3) if narrow < wide else 0.0
