"""A project as one step from an empty one: for a journal whose project file is gone, so that it
needs none."""

from collections.abc import Sequence
from typing import Any

from emberscope.project.model.compare import same
from emberscope.project.model.net_effect import Net, Write, together
from emberscope.project.model.operations import Table
from emberscope.project.model.project import Project
from emberscope.project.store.journal import Entry
from emberscope.project.store.journal_records import folded

_RECORDS: tuple[Table, ...] = ("sources", "classes", "side", "runs", "marks", "settings")


def as_saved(project: Project, entries: Sequence[Entry]) -> Entry:
    """What the project was before some steps, which it has taken since. O(labels + marks + steps);
    copies no array."""
    net, there, empty = Net(), _values(project), _values(Project())
    for entry in entries:
        assert entry.op is not None
        net.add(entry.op, undone=entry.what == "undo")
    for place, write in net.writes.items():
        there[place] = write.before
    writes = {place: Write(empty.get(place), there.get(place)) for place in {**empty, **there}}
    operation = together(
        {place: write for place, write in writes.items() if not same(write.before, write.after)},
        "The project as it was saved",
    )
    first = entries[0].folded.first if entries[0].folded else entries[0].at
    return Entry(what="do", at=first, op=operation, folded=folded(1, {}, first, project.next_ids))


def _values(project: Project) -> dict[tuple[Table, Any], Any]:
    """Everything in a project, as operations name and say it."""
    found: dict[tuple[Table, Any], Any] = {
        (table, key): value for table in _RECORDS for key, value in getattr(project, table).items()
    }
    found |= {("labels", label.id): label for label in project.labels}
    found |= {("selections", name): ids.tolist() for name, ids in project.selections.items()}
    return found
