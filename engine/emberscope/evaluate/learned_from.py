"""What a method learns from beside bags."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from emberscope.labels.side_info import SideInfo


@dataclass(frozen=True, slots=True)
class LearnedFrom:
    """labels : (N,) of instances, as `fit` takes them. side : what is known of them beside labels.
    None where a method does not get it."""

    labels: NDArray | None = None
    side: SideInfo | None = None

    def among(self, rows: NDArray, n: int) -> "LearnedFrom":
        """The same of some of n instances."""
        return LearnedFrom(
            None if self.labels is None else self.labels[rows],
            None if self.side is None else self.side.among(rows, n),
        )

    @property
    def beside_labels(self) -> dict[str, Any]:
        """What `fit` gets by name: methods that know no side information are not asked for it."""
        return {} if self.side is None else {"side": self.side}


BAGS_ALONE = LearnedFrom()
