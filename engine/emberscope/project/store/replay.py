"""Steps of a journal are done over; behind a loss only those that do not build on what is lost.

What each step set is written down with what was there before. Behind a loss a step is done over
where it finds all of that as it was when it was made, and the sources, classes and runs that it
speaks of; else it needs something that is lost, and is left out as a whole, and so is what builds
on it. So nothing of a lost step is in what comes out: it is where the steps that were done over
lead by themselves.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from emberscope.base.errors import ProjectError
from emberscope.base.ids import label_of_bag
from emberscope.labels.model import UNKNOWN
from emberscope.project.model.compare import same
from emberscope.project.model.concept_edits import edits_of, run_of_setting
from emberscope.project.model.net_effect import Net, Write, together, value_of
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.operations import Operation, PutRuns, Table, Together
from emberscope.project.model.project import Project, Run
from emberscope.project.store.journal import Entry

_LARGEST_ID = 2**62
# What nonsense in a step may come to: it was written by whoever wrote the file.
_FAILS = (ProjectError, ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryError)

Place = tuple[Table, Any]


def replay(
    begin: Callable[[], Project], entries: Sequence[Entry], *, careful: int | None = None,
    doubtful: Collection[str] = (),
) -> tuple[Project, list[Entry]]:
    """The project after the entries, from `begin` on, and the entries that were done over.

    Parameters
    ----------
    begin : makes the project to begin with.
    careful : the first entry behind a loss, None where nothing is lost. An entry that makes no
    sense is a loss too.
    doubtful : names of the tables that what is lost may have changed. In others nothing can be
    missing.
    """
    project, trusted = begin(), list(entries[:careful])
    for number, entry in enumerate(trusted):
        try:
            _do(project, entry)
        except _FAILS:  # which may have done the half of it
            return replay(begin, entries, careful=number, doubtful=doubtful)
    behind = _Behind(project, doubtful)
    return project, [*trusted, *(entry for entry in entries[len(trusted):] if behind.take(entry))]


def _do(project: Project, entry: Entry) -> None:
    """Do one entry over. Raises one of `_FAILS`."""
    from emberscope.project.store.run_records import check_run

    assert entry.op is not None
    for run in _runs(entry.op):
        check_run(run)
    if entry.what == "undo":
        project.revert(entry.op)
    else:
        project.apply(entry.op)
    if entry.folded:
        project.use(entry.folded.next_ids)
    if not 0 <= max(msgspec.structs.astuple(project.next_ids)) < _LARGEST_ID:
        raise ProjectError("an id beyond all bounds")


def _runs(operation: Operation) -> Iterator[Run]:
    if isinstance(operation, Together):
        for step in operation.steps:
            yield from _runs(step)
    elif isinstance(operation, PutRuns):
        yield from (*operation.before, *operation.after)


class _Behind:
    """A project behind a loss: takes the entries that need nothing of it."""

    def __init__(self, project: Project, doubtful: Collection[str]) -> None:
        self._project, self._doubtful = project, doubtful
        self._lost: set[Place] = set()           # what entries set that were left out
        self._never_there = set(_missing(project))  # before the loss already

    def take(self, entry: Entry) -> bool:
        """Do an entry over; False where it is left out, and nothing changed."""
        project, net = self._project, Net()
        if entry.op is None or entry.left_out:
            return False
        try:
            net.add(entry.op, undone=entry.what == "undo")
            there = {place: value_of(project, *place) for place in net.writes}
        except _FAILS:
            return False
        next_ids = project.next_ids
        try:
            if not self._fits(net.writes, there):
                self._lost |= net.writes.keys()
                return False
            _do(project, entry)
            self._check(net.writes)
        except _FAILS:
            self._lost |= net.writes.keys()
            together(
                {place: Write(write.after, there[place]) for place, write in net.writes.items()}
            ).apply(project)
            project.next_ids = next_ids
            return False
        self._lost -= net.writes.keys()
        return True

    def _fits(self, writes: dict[Place, Write], there: dict[Place, Any]) -> bool:
        return (
            all(
                _is_as_it_was(place[0], there[place], write.before)
                for place, write in writes.items()
            )
            and all(self._is_there(place, writes) for place in _needs(writes))
            and not any(
                self._is_in_use(place, writes)
                for place, write in writes.items()
                if write.after is None
            )
        )

    def _is_there(self, place: Place, writes: dict[Place, Write]) -> bool:
        """Whether something that a step speaks of is there, or cannot have been among what is
        lost."""
        if place in writes:
            return writes[place].after is not None
        if place[1] in getattr(self._project, place[0]) or place in self._never_there:
            return True
        return place[0] not in self._doubtful and place not in self._lost

    def _is_in_use(self, place: Place, writes: dict[Place, Write]) -> bool:
        """Whether labels or marks that a step leaves as they are need the source or class that it
        removes."""
        table, key = place
        if table not in ("sources", "classes"):
            return False
        labels = self._project.labels.table()
        mine = labels.ids[(labels.sources if table == "sources" else labels.classes) == key]
        if any(("labels", label) not in writes for label in mine.tolist()):
            return True
        marked, classes = self._project.marks.columns()
        return table == "classes" and any(
            ("marks", id_) not in writes for id_ in marked[classes == key].tolist()
        )

    def _check(self, writes: dict[Place, Write]) -> None:
        """What was made of a run fits it, or ProjectError; no label gets the number of one that a
        bag is of."""
        project = self._project
        about = {run_of_setting(key) if table == "settings" else key
                 for table, key in writes if table in ("runs", "settings")}
        for run in (project.runs[key] for key in about if key in project.runs):
            edits_of(project, run)
            project.use(NextIds().after("labels", label_of_bag(int(run.bag_ids.max(initial=0)))))


def _needs(writes: dict[Place, Write]) -> Iterator[Place]:
    """The sources, classes and runs that a step speaks of."""
    for (table, key), write in writes.items():
        if write.after is None:
            continue
        if table == "labels":
            yield from _of_label(write.after)
        elif table == "marks" and write.after != UNKNOWN:
            yield "classes", write.after
        elif table == "settings" and (run := run_of_setting(key)) is not None:
            yield "runs", run


def _of_label(label: Any) -> Iterator[Place]:
    yield "sources", label.source
    if label.class_id != UNKNOWN:
        yield "classes", label.class_id


def _missing(project: Project) -> Iterator[Place]:
    """What labels and marks speak of and the project does not have."""
    labels = project.labels.table()
    marked = project.marks.columns()[1]
    used = {"sources": labels.sources, "classes": np.concatenate([labels.classes, marked])}
    for table, ids in used.items():
        for key in np.unique(ids).tolist():
            if key not in getattr(project, table):
                yield table, key  # type: ignore[misc]


def _is_as_it_was(table: Table, there: Any, before: Any) -> bool:
    if table == "selections" and there is not None and before is not None:
        return set(there) == set(before)
    if table == "sources" and there is not None and before is not None:
        # A project may be moved with its files
        return same(msgspec.structs.replace(there, path=before.path), before)
    return same(there, before)
