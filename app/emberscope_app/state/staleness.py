"""Whether labels, classes, marks, or pairs that took part, changed since a run was made."""

import msgspec
import numpy as np

from emberscope.base.ids import label_of_bag
from emberscope.project import Project, Run


class LabelsOfRuns:
    """What the runs of a project were made of besides their recipes."""

    def __init__(self) -> None:
        self._labels: dict[int, bytes] = {}
        self._side: dict[int, bytes] = {}

    def keep(self, run_id: int, project: Project) -> None:
        """A run is made of the project as it is."""
        self._labels[run_id], self._side[run_id] = _labels(project), _side(project)

    def forget(self) -> None:
        self._labels.clear()
        self._side.clear()

    def changed_since(self, run: Run, project: Project) -> bool:
        if run.id not in self._labels:  # made before the project was opened
            self._labels[run.id] = b"" if outdated(project, run) else _labels(project)
            self._side[run.id] = _side(project)
        if self._labels[run.id] != _labels(project):
            return True
        return "side" in run.state and self._side[run.id] != _side(project)  # pairs took part in it


def outdated(project: Project, run: Run) -> bool:
    """Whether a run was certainly made of other labels: a label of its bags is gone, or a mark is not in its `y`.

    A label that was moved, or added, since then is not noticed.
    """
    if any(label_of_bag(bag) not in project.labels for bag in run.bag_ids.tolist()):
        return True
    marked = project.marks.of(run.ids)
    roles = np.zeros(len(marked), np.int64)
    for info in project.classes.values():
        roles[marked == info.id] = info.role
    return bool(np.any((marked >= 0) & (run.y != roles)) or np.any(marked == 0))  # what is ignored is in no run


def _labels(project: Project) -> bytes:
    """Equal bytes, equal labels, classes and marks."""
    return msgspec.msgpack.encode([list(project.labels), list(project.classes.values()), sorted(project.marks.items())])


def _side(project: Project) -> bytes:
    return msgspec.msgpack.encode(list(project.side.values()))
