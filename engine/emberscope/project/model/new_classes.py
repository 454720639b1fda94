"""New classes come into a project in the places of their names; the empty class it began with gives
way."""

from collections.abc import Collection, Iterable

import msgspec
import numpy as np

from emberscope.labels.class_places import free_place, gives_way, placed
from emberscope.labels.model import TargetClass
from emberscope.project.model.operations import PutClasses
from emberscope.project.model.project import Project


def used_classes(project: Project) -> set[int]:
    """Ids of the classes that labels or marks are of. O(labels + marks)."""
    marks = np.unique(project.marks.columns()[1]).tolist()
    return {label.class_id for label in project.labels} | set(marks)


def put_new_classes(
    project: Project, new: Iterable[TargetClass], *, title: str = "", used: Collection[int] = ()
) -> PutClasses:
    """The operation that adds classes. Their slots are given here, and those they come with do not
    count.

    used : ids of classes that are about to be used, besides those that labels and marks are of.
    """
    used = used_classes(project) | set(used)
    old = list(project.classes.values())
    idle = [found for found in old if gives_way(found, used)]
    kept = [found for found in old if found not in idle]
    after = placed(new, kept)
    moved = [
        msgspec.structs.replace(
            found, slot=free_place(found.name, [other.slot for other in (*kept, *after)])
        )
        for found in idle
    ]
    before = [found for found, other in zip(idle, moved, strict=True) if found != other]
    return PutClasses(
        title=title, before=before, after=[*after, *(other for other in moved if other not in idle)]
    )


def renamed(project: Project, old: TargetClass, name: str) -> TargetClass:
    """A class under another name; while nothing is labeled with it, in the place of that name where
    it is free."""
    taken = [found.slot for found in project.classes.values() if found.id != old.id]
    empty = old.role > 0 and old.id not in used_classes(project)
    return msgspec.structs.replace(
        old, name=name, slot=free_place(name, taken) if empty else old.slot
    )
