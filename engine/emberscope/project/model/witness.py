"""Which instance of a bag is its witness, as marks have it now: read by window, report and command
line alike."""

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model.marks import look_up
from emberscope.project.model.project import Project, Run


def witness_scores(project: Project, run: Run, rows: NDArray | None = None) -> NDArray | None:
    """(N,), or of `rows` (M,): what ranks the instances of a bag, NaN for those marked as
    background or ignored.

    The run's "witness" where it has one, else "score", the votes of neighbors; None where it has
    neither. A mark counts at once, whatever the run was made of.
    """
    found = run.point_scores.get("witness", run.point_scores.get("score"))
    if found is None:
        return None
    values, ids = (found, run.ids) if rows is None else (found[rows], run.ids[rows])
    out = marked_background(project, ids)
    return np.where(out, np.nan, values).astype(found.dtype) if out.any() else values


def marked_background(project: Project, ids: NDArray) -> NDArray[np.bool_]:
    """(M,) True where an instance is marked as background, or to be ignored. O(M log marks)."""
    if not project.marks:
        return np.zeros(len(ids), bool)
    classes = project.marks.of(ids)
    out = classes == 0
    for info in project.classes.values():
        if info.role < 0:
            out |= classes == info.id
    return out


def marks_since(project: Project, run: Run) -> int:
    """How many marks on instances of a run were made, changed or taken back since it was made;
    those of an older version, which kept no marks, count where they are not in its labels `y`."""
    kept = run.diagnostics.get("marks")
    now = project.marks.of(run.ids)
    if kept is None:
        roles = np.zeros(len(now), np.int64)
        for info in project.classes.values():
            roles[now == info.id] = info.role
        return int(np.count_nonzero((now >= 0) & (roles != run.y)))
    kept = kept[np.argsort(kept[:, 0])]
    before = look_up(kept[:, 0], kept[:, 1], run.ids)
    changed = int(np.count_nonzero(before != now))
    if np.count_nonzero(before >= 0) == len(kept):
        return changed
    elsewhere = kept[~np.isin(kept[:, 0], run.ids)]  # marked then, and in no bag of the run
    return changed + int(np.count_nonzero(elsewhere[:, 1] != project.marks.of(elsewhere[:, 0])))
