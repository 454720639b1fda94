"""What a row of steps comes to: of each thing the value before the first of them and the value
after the last.

Operations set things and do nothing else, so that this one operation takes the project where all
steps in a row do.
"""

from typing import Any

import msgspec

from emberscope.project.model.compare import same
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.operations import (
    MarkInstances,
    Operation,
    PutClasses,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    PutSources,
    Table,
    Together,
)
from emberscope.project.model.project import Project

_RECORDS: tuple[tuple[Table, Any], ...] = (
    ("sources", PutSources),
    ("classes", PutClasses),
    ("labels", PutLabels),
    ("side", PutSide),
    ("runs", PutRuns),
)
_MIXED = "several at once"
_BY_WEIGHT: tuple[Table, ...] = (
    "runs",
    "labels",
    "marks",
    "side",
    "sources",
    "classes",
    "selections",
    "settings",
)


class Write(msgspec.Struct, frozen=True, eq=False):
    """One thing that is set: a record, the class of an instance, a list of ids, a value. None:
    there is none."""

    before: Any
    after: Any


def kind_of(operation: Operation) -> str:
    """What an operation changes: the name of a table, "several at once" for more than one."""
    if isinstance(operation, Together):
        inside = {kind_of(step) for step in operation.steps}
        return inside.pop() if len(inside) == 1 else _MIXED
    return operation.table


def main_kind(operation: Operation) -> str:
    """As `kind_of`, but of several tables the one that a person did it for: a run and not the
    settings beside it."""
    if not isinstance(operation, Together):
        return operation.table
    inside = {main_kind(step) for step in operation.steps}
    return next((table for table in _BY_WEIGHT if table in inside), _MIXED)


def value_of(project: Project, table: Table, key: Any) -> Any:
    """What a project has there, as an operation says it; None for nothing."""
    found = getattr(project, table).get(key)
    return found.tolist() if table == "selections" and found is not None else found


class Net:
    """Adds steps up. `next_ids` are beyond all ids that came along, removed ones too."""

    def __init__(self) -> None:
        self.writes: dict[tuple[Table, Any], Write] = {}
        self.next_ids = NextIds()

    def add(self, operation: Operation, *, undone: bool = False) -> None:
        """One more step: an operation that was done, or undone."""
        writes = list(operation.writes())
        if undone:
            writes = [(table, key, after, before) for table, key, before, after in reversed(writes)]
        for table, key, before, after in writes:
            first = self.writes.get((table, key))
            self.writes[table, key] = Write(first.before if first else before, after)
            self.next_ids = self.next_ids.after(table, key)

    def changed(self) -> dict[tuple[Table, Any], Write]:
        """What is not as before."""
        return {
            place: write for place, write in self.writes.items() if not _is_same(place[0], write)
        }

    def operation(self, title: str = "") -> Together:
        """All of it as one operation, sources and classes first."""
        return together(self.changed(), title)


def together(writes: dict[tuple[Table, Any], Write], title: str = "") -> Together:
    """The operation that sets everything named."""
    steps: list[Operation] = []
    for table, kind in _RECORDS:
        mine = [write for (name, _), write in writes.items() if name == table]
        if mine:
            steps.append(kind(before=[write.before for write in mine if write.before is not None],
                              after=[write.after for write in mine if write.after is not None]))
    steps += _marks({key: write for (table, key), write in writes.items() if table == "marks"})
    steps += [PutSelection(name=key, before=write.before, after=write.after)
              for (table, key), write in writes.items() if table == "selections"]
    settings = {key: write for (table, key), write in writes.items() if table == "settings"}
    if settings:
        steps.append(PutSettings(before={key: write.before for key, write in settings.items()},
                                 after={key: write.after for key, write in settings.items()}))
    return Together(title=title, steps=steps)


def _marks(writes: dict[int, Write]) -> list[MarkInstances]:
    groups: dict[int | None, list[int]] = {}
    for instance, write in writes.items():
        groups.setdefault(write.after, []).append(instance)
    return [MarkInstances(ids=ids, before=[writes[i].before for i in ids], after=after)
            for after, ids in groups.items()]


def _is_same(table: Table, write: Write) -> bool:
    before, after = write.before, write.after
    if table in ("runs", "settings"):  # runs never change; settings may hold anything
        return before is after or (table == "settings" and same(before, after))
    return bool(before == after)
