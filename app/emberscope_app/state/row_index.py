"""From instance ids, which are stable, to rows of a run, which live inside one call."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.project import Run

Rows = NDArray[np.int64]



class RowIndex:
    """Rows of a run, or of any instances, by instance id."""

    def __init__(self, run: Run | Instances | None) -> None:
        self.of = run
        self.ids = run.ids if run is not None else np.empty(0, np.int64)
        self._order = np.argsort(self.ids, kind="stable")
        self._sorted = self.ids[self._order]

    def rows(self, ids: NDArray) -> Rows:
        """Rows of those ids that are here, ascending. O(len(ids) log N)."""
        if not len(self._sorted) or not len(ids):
            return np.empty(0, np.int64)
        at = np.minimum(np.searchsorted(self._sorted, ids), len(self._sorted) - 1)
        return np.sort(self._order[at[self._sorted[at] == ids]])

    def row(self, instance: int | None) -> int:
        """The row of one id, -1 where it is not here."""
        if instance is None:
            return -1
        found = self.rows(np.array([instance]))
        return int(found[0]) if len(found) else -1
