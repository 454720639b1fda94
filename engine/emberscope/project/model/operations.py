"""Operations: the only way a project changes. They are the undo stack, the journal and the script
of what was done.

Every operation is a plain record with `apply(project) -> Changes` and `revert(project) -> Changes`;
it stores ids and both the old and the new value, never object references, so that it can be
written, replayed and undone.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.labels.model import Label, TargetClass
from emberscope.labels.side_info import SideRecord
from emberscope.project.model.marks import NONE, class_column, id_column
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.packing import decode, encode
from emberscope.project.model.project import Project, Run, SourceRef

K = TypeVar("K", bound=int | str)


@dataclass(frozen=True, slots=True)
class Changes:
    """What kinds of thing changed, and which: views re-read only that."""

    sources: frozenset[int] = frozenset()
    classes: frozenset[int] = frozenset()
    labels: frozenset[int] = frozenset()
    frames: frozenset[tuple[int, int]] = frozenset()  # (source, frame) whose labels changed
    marks: bool = False  # which ones nobody asks: views look at all instances of a run at once
    side: frozenset[int] = frozenset()  # records of side information
    runs: frozenset[int] = frozenset()
    selections: frozenset[str] = frozenset()
    settings: frozenset[str] = frozenset()
    everything: bool = False  # a project was opened: nothing read before holds

    def touch(self, *kinds: str) -> bool:
        """Whether anything of these kinds changed: names of the fields above, e.g.
        ``touch("labels", "classes")``."""
        return self.everything or any(getattr(self, kind) for kind in kinds)

    def __or__(self, other: "Changes") -> "Changes":
        return Changes(*(getattr(self, name) | getattr(other, name) for name in self.__slots__))

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)


EVERYTHING = Changes(everything=True)
Table = Literal["sources", "classes", "labels", "marks", "side", "runs", "selections", "settings"]
_ID = attrgetter("id")
_Record = SourceRef | TargetClass | Label | SideRecord | Run
Entry = tuple[Table, int | str, object, object]


class _Operation(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", eq=False):
    table: ClassVar[Table]  # of the project, which it sets entries of
    title: str = ""

    def writes(self) -> Iterator[Entry]:
        """(table, key, before, after) of every entry it sets, in order; None: there is none."""
        raise NotImplementedError

    def apply(self, project: Project) -> Changes:
        """Do it; says which ids changed."""
        raise NotImplementedError

    def revert(self, project: Project) -> Changes:
        """Undo it; says which ids changed."""
        raise NotImplementedError


class PutSources(_Operation, frozen=True, kw_only=True, tag="put-sources"):
    """Add, replace or remove sources."""

    table: ClassVar[Table] = "sources"
    before: list[SourceRef] = []
    after: list[SourceRef] = []

    def writes(self) -> Iterator[Entry]:
        return _entries(self.table, _by_id(self.before), _by_id(self.after))

    def apply(self, project: Project) -> Changes:
        return _swap(project, project.sources, self.before, self.after, "sources")

    def revert(self, project: Project) -> Changes:
        return _swap(project, project.sources, self.after, self.before, "sources")


class PutClasses(_Operation, frozen=True, kw_only=True, tag="put-classes"):
    """Add, replace or remove classes."""

    table: ClassVar[Table] = "classes"
    before: list[TargetClass] = []
    after: list[TargetClass] = []

    def writes(self) -> Iterator[Entry]:
        return _entries(self.table, _by_id(self.before), _by_id(self.after))

    def apply(self, project: Project) -> Changes:
        return _swap(project, project.classes, self.before, self.after, "classes")

    def revert(self, project: Project) -> Changes:
        return _swap(project, project.classes, self.after, self.before, "classes")


class PutLabels(_Operation, frozen=True, kw_only=True, tag="put-labels"):
    """Add (before empty), edit (same ids in both) or remove (after empty) labels."""

    table: ClassVar[Table] = "labels"
    before: list[Label] = []
    after: list[Label] = []

    def writes(self) -> Iterator[Entry]:
        return _entries(self.table, _by_id(self.before), _by_id(self.after))

    def apply(self, project: Project) -> Changes:
        return _swap_labels(project, self.before, self.after)

    def revert(self, project: Project) -> Changes:
        return _swap_labels(project, self.after, self.before)


class MarkInstances(_Operation, frozen=True, kw_only=True, tag="mark-instances"):
    """Say of single instances which class they are; `after` None removes the mark.

    ids (M,), before (M,) int64, -1 where there was no mark. Lists, with None for -1, are taken too:
    older journals have them.
    """

    table: ClassVar[Table] = "marks"
    ids: Any
    before: Any
    after: int | None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "ids", id_column(self.ids))
        msgspec.structs.force_setattr(self, "before", class_column(self.before))

    def writes(self) -> Iterator[Entry]:
        ids = self.ids.tolist()
        before = [None if class_id < 0 else class_id for class_id in self.before.tolist()]
        return _entries(
            self.table, dict(zip(ids, before, strict=True)), dict.fromkeys(ids, self.after)
        )

    def apply(self, project: Project) -> Changes:
        return _set_marks(
            project, self.ids, np.full(len(self.ids), NONE if self.after is None else self.after)
        )

    def revert(self, project: Project) -> Changes:
        return _set_marks(project, self.ids, self.before)


class PutSide(_Operation, frozen=True, kw_only=True, tag="put-side"):
    """Add, replace or remove side information: pairs, distances, invariances, actions."""

    table: ClassVar[Table] = "side"
    before: list[SideRecord] = []
    after: list[SideRecord] = []

    def writes(self) -> Iterator[Entry]:
        return _entries(self.table, _by_id(self.before), _by_id(self.after))

    def apply(self, project: Project) -> Changes:
        return _swap(project, project.side, self.before, self.after, "side")

    def revert(self, project: Project) -> Changes:
        return _swap(project, project.side, self.after, self.before, "side")


class PutRuns(_Operation, frozen=True, kw_only=True, tag="put-runs"):
    """Add or remove finished runs, or replace one by itself with more numbers."""

    table: ClassVar[Table] = "runs"
    before: list[Run] = []
    after: list[Run] = []

    def writes(self) -> Iterator[Entry]:
        return _entries(self.table, _by_id(self.before), _by_id(self.after))

    def apply(self, project: Project) -> Changes:
        return _swap(project, project.runs, self.before, self.after, "runs")

    def revert(self, project: Project) -> Changes:
        return _swap(project, project.runs, self.after, self.before, "runs")


class PutSelection(_Operation, frozen=True, kw_only=True, tag="put-selection"):
    """Keep a selection under a name; None removes it."""

    table: ClassVar[Table] = "selections"
    name: str
    before: list[int] | None = None
    after: list[int] | None = None

    def writes(self) -> Iterator[Entry]:
        yield self.table, self.name, self.before, self.after

    def apply(self, project: Project) -> Changes:
        return self._set(project, self.after)

    def revert(self, project: Project) -> Changes:
        return self._set(project, self.before)

    def _set(self, project: Project, ids: list[int] | None) -> Changes:
        if ids is None:
            project.selections.pop(self.name, None)
        else:
            project.selections[self.name] = np.unique(np.asarray(ids, np.int64))
        return Changes(selections=frozenset({self.name}))


class PutSettings(_Operation, frozen=True, kw_only=True, tag="put-settings"):
    """Set project settings; a value of None removes the key."""

    table: ClassVar[Table] = "settings"
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}

    def writes(self) -> Iterator[Entry]:
        return _entries(self.table, self.before, self.after)

    def apply(self, project: Project) -> Changes:
        return self._set(project, self.after)

    def revert(self, project: Project) -> Changes:
        return self._set(project, self.before)

    def _set(self, project: Project, values: dict[str, Any]) -> Changes:
        for key in self.before.keys() | self.after.keys():
            if values.get(key) is None:
                project.settings.pop(key, None)
            else:
                project.settings[key] = values[key]
        return Changes(settings=frozenset(self.before.keys() | self.after.keys()))


class Together(_Operation, frozen=True, kw_only=True, tag="together"):
    """Several operations as one undo step, e.g. a source with all its labels."""

    steps: list["Operation"] = []

    def writes(self) -> Iterator[Entry]:
        for step in self.steps:
            yield from step.writes()

    def apply(self, project: Project) -> Changes:
        changes = Changes()
        for step in self.steps:
            changes |= step.apply(project)
        return changes

    def revert(self, project: Project) -> Changes:
        changes = Changes()
        for step in reversed(self.steps):
            changes |= step.revert(project)
        return changes


Operation = (
    PutSources
    | PutClasses
    | PutLabels
    | MarkInstances
    | PutSide
    | PutRuns
    | PutSelection
    | PutSettings
    | Together
)


def mark(
    project: Project,
    ids: Iterable[int] | NDArray[np.int64],
    class_id: int | None,
    *,
    title: str = "",
) -> MarkInstances:
    """The operation that marks instances, ids (n,), as a class (0 = ignored, None = no mark)."""
    given = id_column(ids).copy()  # an operation never changes
    return MarkInstances(title=title, ids=given, before=project.marks.of(given), after=class_id)


def remove_sources(project: Project, source_ids: list[int]) -> Together:
    """The operation that removes sources together with their labels."""
    gone = [project.sources[i] for i in source_ids]
    labels = [label for i in source_ids for label in project.labels.in_source(i)]
    names = ", ".join(source.name for source in gone)
    return Together(
        title=f"Remove {names}", steps=[PutLabels(before=labels), PutSources(before=gone)]
    )


def to_record(operation: Operation) -> bytes:
    """MessagePack bytes of an operation: what the journal stores. Arrays travel as dtype, shape,
    bytes."""
    return encode(operation)


def from_record(record: bytes) -> Operation:
    """The operation of `to_record`. Raises ProjectError for anything else; runs no code from the
    record."""
    return decode(record, kind=Operation, what="an operation record")


def _by_id(records: Iterable[_Record]) -> dict[int, _Record]:
    return {record.id: record for record in records}


def _entries(
    table: Table, before: Mapping[K, object], after: Mapping[K, object]
) -> Iterator[Entry]:
    return (
        (table, key, before.get(key), after.get(key)) for key in dict.fromkeys([*before, *after])
    )


def _swap(project: Project, table: dict, old: list, new: list, what: str) -> Changes:
    kept = {record.id for record in new}  # what is replaced stays in its place
    for record in old:
        if record.id not in kept:
            table.pop(record.id, None)
    last, in_order = max(table, default=-1), True
    for record in new:
        in_order &= record.id in table or record.id > last
        last = max(last, record.id)
        table[record.id] = record
    project.use(NextIds().after(what, max(kept, default=-1)))
    if not in_order:  # what comes back takes the place that it had
        ordered = sorted(table.items())
        table.clear()
        table.update(ordered)
    changed: dict[str, Any] = {what: frozenset(record.id for record in (*old, *new))}
    return Changes(**changed)


def _swap_labels(project: Project, old: list[Label], new: list[Label]) -> Changes:
    gone, come = list(map(_ID, old)), list(map(_ID, new))
    places = project.labels.swap(gone, new)
    project.use(NextIds().after("labels", max(come, default=0)))
    return Changes(labels=frozenset(gone).union(come), frames=frozenset(places))


def _set_marks(project: Project, ids: NDArray[np.int64], classes: NDArray[np.int64]) -> Changes:
    project.marks.put(ids, classes)
    return Changes(marks=bool(len(ids)))
