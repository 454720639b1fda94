"""Which instance of a bag is its witness, as marks have it now: read by window, report and command line alike."""

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model import Project, Run


def witness_scores(project: Project, run: Run, rows: NDArray | None = None) -> NDArray | None:
    """(N,), or of `rows` (M,): what ranks the instances of a bag, NaN for those marked as background or ignored.

    The run's "witness" where it has one, else "score", the votes of neighbors; None where it has neither. A mark counts
    at once, whatever the run was made of.
    """
    found = run.point_scores.get("witness", run.point_scores.get("score"))
    if found is None:
        return None
    values, ids = (found, run.ids) if rows is None else (found[rows], run.ids[rows])
    out = marked_background(project, ids)
    return np.where(out, np.nan, values).astype(found.dtype) if out.any() else values


def marked_background(project: Project, ids: NDArray) -> NDArray[np.bool_]:
    """(M,) True where an instance is marked as background, or to be ignored. O(M log marks)."""
    against = [key for key, class_id in project.marks.items() if class_id == 0 or project.role(class_id) < 0]
    return np.isin(ids, np.array(against, np.int64)) if against else np.zeros(len(ids), bool)


def marks_since(project: Project, run: Run) -> int:
    """How many marks on instances of a run were made, changed or taken back since it was made; those of an older
    version, which kept no marks, count where they are not in its labels `y`."""
    kept = run.diagnostics.get("marks")
    there = set(run.ids.tolist())
    if kept is None:
        role = dict(zip(run.ids.tolist(), run.y.tolist(), strict=True)) if project.marks else {}
        return sum(key in there and project.role(now) != role[key] for key, now in project.marks.items())
    before = dict(kept.tolist())
    now = {key: class_id for key, class_id in project.marks.items() if key in there or key in before}
    return sum(before.get(key) != now.get(key) for key in before.keys() | now.keys())
