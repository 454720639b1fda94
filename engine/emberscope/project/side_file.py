"""Side information between a project and files: JSON Lines with the places of its instances, CSV of distances."""

import csv
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np

from emberscope.bags.make import make_bags
from emberscope.bags.model import Instances
from emberscope.base.errors import EmberscopeError, FormatError, ProjectError
from emberscope.base.files import open_to_read
from emberscope.labels.jsonl import LabelFile, LabelInstance
from emberscope.labels.side_info import Distance, SideRecord, content_of, instances_of, with_instances
from emberscope.project.model import Project, SourceRef
from emberscope.project.operations import PutSide

_LARGEST_TABLE = 64 << 20  # bytes; a line of a distance takes about 50


def instances_spoken_of(project: Project, notes: list[str]) -> list[LabelInstance]:
    """The instances that the side information of a project speaks of, where a run or the labels know their pixels."""
    wanted = np.array(sorted({i for record in project.side.values() for i in instances_of(record)}), np.int64)
    if not len(wanted):
        return []
    found: dict[int, LabelInstance] = {}
    for table in _tables(project):
        rows = table.rows_of(wanted)
        for row in rows.tolist():
            key = int(table.ids[row])
            x0, y0, x1, y1 = table.box[row].tolist()
            found.setdefault(key, LabelInstance(id=key, source=int(table.source[row]), frame=int(table.frame[row]),
                                                box=(x0, y0, x1, y1)))
        if len(found) == len(wanted):
            break
    if lost := len(wanted) - len(found):
        notes.append(f"{_many(lost, 'chip')} of side information {'is' if lost == 1 else 'are'} in no run and under no "
                     "label: other projects cannot know them again.")
    return [found[key] for key in sorted(found)]


def fresh_side(
    found: LabelFile, project: Project, sources: Mapping[int, SourceRef], notes: list[str]
) -> list[SideRecord]:
    """The records of a file that the project has not, about its own instances; `sources` by their id in the file."""
    known = [place for place in found.instances if place.source in sources]
    table = Instances.at(
        np.array([sources[place.source].id for place in known], np.int64),
        np.array([place.frame for place in known], np.int64),
        np.array([place.box for place in known], np.float32).reshape(-1, 4),
    )
    ids = {place.id: key for place, key in zip(known, table.ids.tolist(), strict=True)}
    there = {content_of(record) for record in project.side.values()}
    fresh, strange, again = list[SideRecord](), 0, 0
    for record in found.side:
        if not ids.keys() >= set(instances_of(record)):
            strange += 1
        elif content_of(mine := with_instances(record, ids)) in there:
            again += 1
        else:
            there.add(content_of(mine))
            fresh.append(mine)
    if strange:
        notes.append(f"{_many(strange, 'record')} of side information left out: about chips of other sources.")
    if again:
        notes.append(f"{_many(again, 'record')} of side information left out that the project has already.")
    return _numbered(fresh, project)


def import_distances(project: Project, path: str | Path, *, notes: list[str] | None = None) -> PutSide:
    """The operation that brings in the distances of a CSV file.

    Its columns: `a` and `b`, ids of instances as in the column `instance` of an exported table; `distance`, not
    squared; and, where wanted, `unit`, `weight`, `attribute`. `notes` gets what was left out. Raises FormatError for a
    file that is no such table, with the line; ProjectError where none of its instances is of the project.
    """
    read = _read_distances(path)
    wanted = np.unique(np.array([instances_of(record) for record in read], np.int64))
    known: set[int] = set()
    for table in _tables(project):
        known.update(table.ids[table.rows_of(wanted)].tolist())
        if len(known) == len(wanted):
            break
    mine = [record for record in read if known >= set(instances_of(record))]
    if not mine:
        raise ProjectError("none of its instances is in a run or under a label of the project", where=str(path),
                           hint="Give the ids that the column instance of an exported table has.")
    if notes is not None and len(mine) < len(read):
        notes.append(f"{_many(len(read) - len(mine), 'distance')} left out: about instances that are not of the "
                     "project.")
    return PutSide(title=f"Import distances of {Path(path).name}", after=_numbered(mine, project))


def _tables(project: Project) -> Iterable[Instances]:
    """Instances that the project knows the pixels of: of its labels first, then of its runs, newest first."""
    yield make_bags(project.labels, project.classes, project.frame_sizes, project.recipe.bags,
                    marks=project.marks).instances
    for run in reversed(project.runs.values()):
        yield run.instances


def _numbered(records: list[SideRecord], project: Project) -> list[SideRecord]:
    ids = project.new_ids(len(records)) if records else []
    return [msgspec.structs.replace(record, id=key) for record, key in zip(records, ids, strict=True)]


def _read_distances(path: str | Path) -> list[SideRecord]:
    try:
        with open_to_read(path) as file:
            raw = file.read(_LARGEST_TABLE + 1)
    except OSError as error:
        raise FormatError(str(path), None, f"cannot be opened: {error.strerror or error}") from error
    if len(raw) > _LARGEST_TABLE:
        raise FormatError(str(path), None, f"a table of more than {_LARGEST_TABLE >> 20} MB", "Split it.")
    try:
        rows = csv.DictReader(raw.decode("utf-8-sig").splitlines())
        names = set(rows.fieldnames or ())
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(str(path), 0, "no table of distances", "Save it as CSV in UTF-8.") from error
    if missing := {"a", "b", "distance"} - names:
        raise FormatError(str(path), 0, f"no column {sorted(missing)[0]}", "Name the columns a, b, distance, unit.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    found = list[SideRecord]()
    try:
        for row in rows:
            found.append(_distance(row, now))
    except (ValueError, TypeError, OverflowError, csv.Error, EmberscopeError) as error:
        what = error.what if isinstance(error, EmberscopeError) else str(error)
        raise FormatError(str(path), None, f"line {rows.line_num}: {what}",
                          "Give two instance ids and a number per line.") from error
    if not found:
        raise FormatError(str(path), None, "a table without a distance")
    return found


def _distance(row: Mapping[str, str | None], now: str) -> Distance:
    given = {"id": 0, "a": int(row["a"] or ""), "b": int(row["b"] or ""), "distance": float(row["distance"] or ""),
             "unit": (row.get("unit") or "").strip(), "attribute": (row.get("attribute") or "").strip(),
             "weight": float(row.get("weight") or 1.0), "origin": "imported", "created": now, "kind": "distance"}
    return msgspec.convert(given, Distance)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
