"""Labels that a method imputed to instances, round by round, as a run keeps them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model.project import Run

IMPUTED = "imputed"  # the color mode


@dataclass(frozen=True, slots=True)
class Rounds:
    """labels : (R + 1, N) int8 in {-1, 0, +1}, at the start and after every round; 0 in no labeled
    bag.
    changed : (R,) share of the labels that could change and did. kept : the round that the
    embedding was made from."""

    labels: NDArray[np.int8]
    changed: NDArray[np.float64]
    kept: int

    @property
    def last(self) -> int:
        """The number of the last round."""
        return len(self.labels) - 1

    def at(self, number: int | None) -> NDArray[np.int8]:
        """(N,) labels after a round, 0 = at the start; None = those kept."""
        return self.labels[self.kept if number is None else min(max(number, 0), self.last)]

    def flipped(self, number: int) -> int:
        """How many labels a round changed."""
        return (
            int(np.count_nonzero(self.labels[number] != self.labels[number - 1])) if number else 0
        )


def rounds_of(run: Run | None) -> Rounds | None:
    """What the method of a run imputed; None where it imputes nothing (other methods keep other
    histories)."""
    if run is None or "kept_round_" not in run.state:
        return None
    labels, changed, kept = (
        run.state.get(name) for name in ("history_", "changes_", "kept_round_")
    )
    if not isinstance(kept, int | np.integer):
        return None
    if (
        not isinstance(labels, np.ndarray)
        or labels.ndim != 2
        or labels.shape[1] != len(run.ids)
        or not len(labels)
    ):
        return None
    changed = np.asarray([] if changed is None else changed, np.float64)
    if changed.shape != (len(labels) - 1,):
        return None
    return Rounds(labels, changed, min(max(int(kept), 0), len(labels) - 1))
