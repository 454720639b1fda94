"""An import that was made from an older snapshot, with ids that are fresh in the project now."""

import itertools
from collections.abc import Iterator
from typing import Any

import msgspec

from emberscope.labels.model import Label, TargetClass
from emberscope.project.model.operations import (
    MarkInstances,
    Operation,
    PutClasses,
    PutLabels,
    PutSide,
    PutSources,
    Together,
    mark,
)
from emberscope.project.model.project import Project


def renumber(operation: Together, project: Project) -> Together:
    """The same import with ids that are fresh in `project`, for an operation made from an older
    snapshot; sources that come in with it are new in both."""
    ids, label_ids = itertools.count(project.next_id), itertools.count(project.next_label)
    classes = {
        record.id: next(ids) for step in _steps(operation, PutClasses) for record in step.after
    }
    sources = {ref.id: next(ids) for step in _steps(operation, PutSources) for ref in step.after}
    steps: list[Operation] = []
    for step in operation.steps:
        if isinstance(step, PutClasses):
            fresh_classes = [_with_class_id(record, classes) for record in step.after]
            steps.append(msgspec.structs.replace(step, after=fresh_classes))
        elif isinstance(step, PutSources):
            steps.append(msgspec.structs.replace(
                step, after=[msgspec.structs.replace(ref, id=sources[ref.id]) for ref in step.after]
            ))  # fmt: skip
        elif isinstance(step, PutLabels):
            after = [_with_ids(label, next(label_ids), classes, sources) for label in step.after]
            steps.append(msgspec.structs.replace(step, after=after))
        elif isinstance(step, PutSide):
            after_side = [msgspec.structs.replace(record, id=next(ids)) for record in step.after]
            steps.append(msgspec.structs.replace(step, after=after_side))
        elif isinstance(step, MarkInstances) and step.after is not None:
            fresh = mark(project, step.ids, classes.get(step.after, step.after), title=step.title)
            steps.append(fresh)
        else:
            steps.append(step)
    return msgspec.structs.replace(operation, steps=steps)


def _steps(operation: Together, kind: type) -> Iterator[Any]:
    return (step for step in operation.steps if isinstance(step, kind))


def _with_class_id(record: TargetClass, classes: dict[int, int]) -> TargetClass:
    return msgspec.structs.replace(record, id=classes[record.id])


def _with_ids(label: Label, new_id: int, classes: dict[int, int], sources: dict[int, int]) -> Label:
    return msgspec.structs.replace(
        label,
        id=new_id,
        class_id=classes.get(label.class_id, label.class_id),
        source=sources.get(label.source, label.source),
    )
