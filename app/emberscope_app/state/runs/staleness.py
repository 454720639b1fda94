"""Whether labels, classes, marks, or pairs that took part, changed since a run was made."""

from dataclasses import dataclass
from operator import is_

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import label_of_bag
from emberscope.labels.model import TargetClass
from emberscope.labels.side_info import SideRecord, alike_in_all
from emberscope.project import Project, Run


@dataclass(frozen=True, slots=True)
class _Made:
    """What a run was made of. Records never change: an edit puts others in their place, undo puts
    the same ones back. That makes comparing 100 000 of them a matter of 2 ms, and costs no copy."""

    labels: NDArray[np.object_]
    classes: tuple[TargetClass, ...]
    marks: tuple[NDArray[np.int64], NDArray[np.int64]]
    side: tuple[SideRecord, ...]

    @classmethod
    def now(cls, project: Project) -> "_Made":
        return cls(
            project.labels.table().labels,
            tuple(project.classes.values()),
            project.marks.columns(),
            tuple(project.side.values()),
        )

    def same_labels(self, other: "_Made") -> bool:
        """Labels, classes and marks are the same."""
        mine, theirs = self.labels, other.labels
        return (
            (
                mine is theirs
                or (
                    len(mine) == len(theirs)
                    and (all(map(is_, mine, theirs)) or all(mine == theirs))
                )
            )
            and self.classes == other.classes
            and all(map(np.array_equal, self.marks, other.marks))
        )


class LabelsOfRuns:
    """What the runs of a project were made of besides their recipes."""

    def __init__(self) -> None:
        # By run; None: of labels that are not there any more
        self._made: dict[int, _Made | None] = {}

    def keep(self, run_id: int, project: Project) -> None:
        """A run is made of the project as it is."""
        self._made[run_id] = _Made.now(project)

    def forget(self) -> None:
        self._made.clear()

    def changed_since(self, run: Run, project: Project) -> bool:
        now = _Made.now(project)
        if run.id not in self._made:  # made before the project was opened
            self._made[run.id] = None if outdated(project, run) else now
        made = self._made[run.id]
        if made is None or not made.same_labels(now):
            return True
        if "side" in run.state:  # pairs took part in it
            return made.side != now.side
        return not run.recipe.ignore_side and alike_in_all(made.side) != alike_in_all(now.side)


def outdated(project: Project, run: Run) -> bool:
    """Whether a run was certainly made of other labels: a label of its bags is gone, or a mark is
    not in its `y`.

    A label that was moved, or added, since then is not noticed.
    """
    if any(label_of_bag(bag) not in project.labels for bag in run.bag_ids.tolist()):
        return True
    marked = project.marks.of(run.ids)
    roles = np.zeros(len(marked), np.int64)
    for info in project.classes.values():
        roles[marked == info.id] = info.role
    # What is ignored is in no run
    return bool(np.any((marked >= 0) & (run.y != roles)) or np.any(marked == 0))
