"""Rules about classes that more than one view keeps: names, which may go."""

import numpy as np

from emberscope.labels.model import BACKGROUND, TargetClass
from emberscope.project import Project
from emberscope_app.words import counted, verb


def wrong_name(project: Project, name: str, *, of: TargetClass | None = None) -> str:
    """Why a class cannot be called that, "" where it can. `of` is the class that has the name
    now."""
    others = {known.name.lower() for known in project.classes.values() if known != of}
    if not name:
        return "A class needs a name."
    return f"There is a class {name} already." if name.lower() in others else ""


def why_kept(project: Project, class_id: int) -> str:
    """Why a class cannot be deleted, "" where it can: nothing may point at a class that is gone."""
    if class_id == BACKGROUND:
        return "empty frames need it"
    labels = sum(label.class_id == class_id for label in project.labels)
    marks = int(np.count_nonzero(project.marks.columns()[1] == class_id))
    used = [counted(count, word) for count, word in ((labels, "label"), (marks, "mark")) if count]
    if used:
        return f"{' and '.join(used)} {verb(labels + marks, 'use')} it"
    return "" if len(project.classes) > 1 else "a project needs a class"


def class_title(project: Project, class_id: int) -> str:
    """The name of a class id of `instance_classes`."""
    if class_id in project.classes:
        return project.classes[class_id].name
    return "Ignored" if class_id == -1 else "Unknown"
