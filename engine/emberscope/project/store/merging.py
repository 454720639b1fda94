"""Two who changed one project: what was done here is done over on what the other one saved."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from emberscope.labels.model import UNKNOWN
from emberscope.project.model import done
from emberscope.project.model.compare import same
from emberscope.project.model.concept_edits import renumbered
from emberscope.project.model.net_effect import Net, Table, Write, together, value_of
from emberscope.project.model.operations import Together
from emberscope.project.model.project import Project
from emberscope.project.store.generations import SaveError
from emberscope.project.store.journal import Entry, count_steps

_Writes = dict[tuple[Table, Any], Write]
_ONE = {"sources": "source", "classes": "class", "labels": "label", "marks": "the mark of instance",
        "side": "side information", "runs": "run", "selections": "the selection"}


class BothChanged(SaveError):
    """Both sides changed the same thing, so that only a person can say what becomes of it."""

    def __init__(self, what: str) -> None:
        super().__init__(f"cannot be merged: {what}", hint="Save under another name to keep both.")
        self.args = (what,)


def merged(entries: Iterable[Entry], theirs: Project) -> Together:
    """The operation that does the steps over on `theirs`.

    Notes
    -----
    What both added under one id gets new ids; a source or class that both added is one. Of a
    setting that both changed ours stays. Raises BothChanged where a record, mark or selection was
    changed on both sides, where something of one side lies on a source or class that the other side
    removed, and where new ids would have to go into a run. Linear in the number of steps and of
    labels.
    """
    entries, net = list(entries), Net()
    for entry in entries:
        assert entry.op is not None
        net.add(entry.op, undone=entry.what == "undo")
    free = net.next_ids.beyond(theirs.next_ids)
    writes = _renumbered(
        net.changed(), theirs, {"labels": free.label, "runs": free.run, "": free.record}
    )
    wanted = {place: write for place, write in writes.items() if _is_wanted(place, write, theirs)}
    _check_ties(wanted, theirs)
    return together(wanted, f"Merge {count_steps(entries)} actions")


def _is_wanted(place: tuple[Table, Any], write: Write, theirs: Project) -> bool:
    """Whether it is still to be done. Raises BothChanged."""
    there = value_of(theirs, *place)
    if same(there, write.after):
        return False
    if place[0] != "settings" and not same(there, write.before):
        table, key = place
        raise BothChanged(f"{_ONE[table]} {key} was changed here and by somebody else")
    return True


def _renumbered(writes: _Writes, theirs: Project, free: dict[str, int]) -> _Writes:
    """What was added here, with ids that nothing else has there. Raises BothChanged.

    free : the next id of labels, of runs, and under "" of sources and classes.
    """
    ids: dict[str, dict[int, int]] = {
        "sources": {},
        "classes": {},
        "labels": {},
        "side": {},
        "runs": {},
    }
    for (table, key), write in writes.items():
        there = value_of(theirs, table, key)
        if (
            table not in ids
            or write.before is not None
            or write.after is None
            or same(there, write.after)
        ):
            continue
        twin = _twin(theirs, table, write.after)
        if twin is not None:
            ids[table][key] = twin
        elif there is not None:
            of = table if table in free else ""
            ids[table][key] = free[of]
            free[of] += 1
    tables = {table for table, _ in writes}
    if (ids["sources"] and tables & {"marks", "side", "selections", "runs"}) or (
        (ids["classes"] or ids["labels"]) and "runs" in tables
    ):
        raise BothChanged(
            "both sides added sources, classes or labels, and runs were made here from ours"
        )
    found: _Writes = {}
    for (table, key), write in writes.items():
        new = ids[table].get(key, key) if table in ids else key
        if (
            table in ("sources", "classes")
            and new != key
            and value_of(theirs, table, new) is not None
        ):
            continue  # theirs is the same
        after = _with_ids(write.after, table, new, ids)
        if table == "settings":
            new, after = renumbered(done.renumbered(key, ids["sources"]), after, ids["runs"])
        found[table, new] = Write(write.before, after)
    return found


def _twin(theirs: Project, table: Table, record: Any) -> int | None:
    """The id under which they have the same source or class."""
    if table == "sources":
        return next(
            (
                s.id
                for s in theirs.sources.values()
                if (s.path, s.fingerprint, s.options)
                == (record.path, record.fingerprint, record.options)
            ),
            None,
        )
    if table == "classes":
        return next(
            (
                c.id
                for c in theirs.classes.values()
                if (c.name, c.role) == (record.name, record.role)
            ),
            None,
        )
    return None


def _with_ids(value: Any, table: Table, new: Any, ids: Mapping[str, Mapping[int, int]]) -> Any:
    """A record under its new id, with the new ids of what it points at."""
    classes, sources = ids["classes"], ids["sources"]
    if value is None or table in ("selections", "settings"):
        return value
    if table == "marks":
        return classes.get(value, value)
    if table == "labels":
        return msgspec.structs.replace(
            value,
            id=new,
            source=sources.get(value.source, value.source),
            class_id=classes.get(value.class_id, value.class_id),
        )
    return value if value.id == new else msgspec.structs.replace(value, id=new)


def _check_ties(writes: _Writes, theirs: Project) -> None:
    """Raises BothChanged where a label or mark would lose its source or class."""
    def gone(table: Table) -> set[int]:
        return {
            key for (name, key), write in writes.items() if name == table and write.after is None
        }

    def there(table: Table) -> set[int]:
        added = {
            key
            for (name, key), write in writes.items()
            if name == table and write.after is not None
        }
        return (getattr(theirs, table).keys() | added) - gone(table)

    sources, classes = there("sources"), there("classes") | {UNKNOWN}
    mine = [
        write.after
        for (table, _), write in writes.items()
        if table == "labels" and write.after is not None
    ]
    changed = {label.id for label in mine} | gone("labels")
    lost_sources, lost_classes = gone("sources"), gone("classes")
    kept = [label for label in theirs.labels if label.id not in changed]
    if any(label.source not in sources for label in mine) or any(
        label.source in lost_sources for label in kept
    ):
        raise BothChanged("one side labeled a source that the other side removed")
    marks = {write.after for (table, _), write in writes.items() if table == "marks"} - {None}
    used = {label.class_id for label in kept} | set(np.unique(theirs.marks.columns()[1]).tolist())
    if not {label.class_id for label in mine} | marks <= classes or used & lost_classes:
        raise BothChanged("one side used a class that the other side removed")
