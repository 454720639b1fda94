"""Pairs and distances between a project and tables, CSV."""

import itertools
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np

from emberscope.base.csv_cells import from_cell, write_rows
from emberscope.base.errors import EmberscopeError, FormatError, ProjectError
from emberscope.base.files import written_whole
from emberscope.base.grouping import how_many
from emberscope.base.text import SHOWN
from emberscope.base.text_tables import cells_of, columns_of, table_rows
from emberscope.labels.side_info import (
    Distance,
    Pair,
    SideRecord,
    conflicts,
    conflicts_note,
    instances_of,
    units_note,
)
from emberscope.project.exchange.side_file import known_instances, new_records, numbered
from emberscope.project.model.operations import PutSide
from emberscope.project.model.project import Project

SAME, DIFFERENT = "same", "different"
PAIR_COLUMNS = ("a", "b", "kind", "attribute", "weight")
QUESTION_COLUMNS, PLACE_COLUMNS = ("a", "b", "kind", "attribute"), ("frame of a", "frame of b")
DISTANCE_COLUMNS = ("a", "b", "distance", "unit", "attribute", "weight")
_READ = frozenset((*PAIR_COLUMNS, *DISTANCE_COLUMNS))
_MOST = 1_000_000  # pairs or distances of a table: all distances between 1400 instances
_HINT = f"Give two instance ids and {SAME}, {DIFFERENT} or a distance per line."

Cells = Mapping[str, str]


def import_table(project: Project, path: str | Path, *, notes: list[str] | None = None) -> PutSide:
    """The operation that brings in the pairs or the distances of a CSV file.

    Its columns: `a` and `b`, ids of instances as in the column `instance` of an exported table;
    `kind`, same or different, or `distance`, not squared; and, where wanted, `attribute`, `weight`
    and the `unit` of distances. Without a line of names the columns are a, b, kind, attribute,
    weight. A line with an empty kind, a question that nobody answered, is left out, and so is what
    the project says already. `notes` gets what was left out, what contradicts, and distances of
    several units. Raises FormatError for a file that is no such table, with the line; ProjectError
    where none of its instances is of the project, or nothing in it is new.
    """
    read, unanswered = _records(path)
    what = "distance" if isinstance(read[0], Distance) else "pair"
    wanted = np.unique(np.array([instances_of(record) for record in read], np.int64))
    known: set[int] = set()
    for table in known_instances(project):
        known.update(table.ids[table.rows_of(wanted)].tolist())
        if len(known) == len(wanted):
            break
    mine = [record for record in read if known >= set(instances_of(record))]
    if not mine:
        raise ProjectError(
            "none of its instances is in a run or under a label of the project",
            where=str(path),
            hint="Give the ids that the column instance of an exported table has.",
        )
    if notes is not None and unanswered:
        notes.append(f"{how_many(unanswered, 'pair')} left out: without an answer.")
    if notes is not None and len(mine) < len(read):
        notes.append(
            f"{how_many(len(read) - len(mine), what)} left out: about instances that are not of "
            "the project."
        )
    new = new_records(mine, project)
    if not new:
        raise ProjectError(
            f"the project has its {what}s already", where=str(path), hint="Nothing is to be done."
        )
    if notes is not None and len(new) < len(mine):
        notes.append(
            f"{how_many(len(mine) - len(new), what)} left out that the project has already."
        )
    after = numbered(new, itertools.count(project.next_id))
    if notes is not None:
        every, fresh = [*project.side.values(), *after], {record.id for record in after}
        words = units_note(every) if what == "distance" else conflicts_note(
            [found for found in conflicts(every) if fresh & set(found.ids)])
        notes += [words] if words else []
    return PutSide(title=f"Import {what}s of {Path(path).name}", after=after)


def imported(operation: PutSide) -> str:
    """What `import_table` brings in, e.g. "2 pairs"."""
    return how_many(
        len(operation.after), "distance" if isinstance(operation.after[0], Distance) else "pair"
    )


def side_rows(project: Project) -> dict[str, list[list[str]]]:
    """The tables that `import_table` reads, "pairs" and "distances", a line of names first; those
    with no row left out.
    """
    pairs = [[str(r.a), str(r.b), SAME if r.same else DIFFERENT, r.attribute, f"{r.weight:.9g}"]
             for r in project.side.values() if isinstance(r, Pair)]
    distances = [[str(r.a), str(r.b), f"{r.distance:.9g}", r.unit, r.attribute, f"{r.weight:.9g}"]
                 for r in project.side.values() if isinstance(r, Distance)]
    tables = {
        "pairs": [list(PAIR_COLUMNS), *pairs],
        "distances": [list(DISTANCE_COLUMNS), *distances],
    }
    return {name: rows for name, rows in tables.items() if len(rows) > 1}


def write_questions(
    path: str | Path,
    pairs: Iterable[tuple[int, int]],
    places: Mapping[int, str],
    *,
    attribute: str = "",
) -> None:
    """A table of pairs whose kind is to be filled in, for `import_table`: whole or not at all.
    Raises OSError.

    places : where each instance is to be seen, in words.
    """
    with (
        written_whole(path) as partial,
        partial.open("w", encoding="utf-8", errors=SHOWN, newline="") as file,
    ):
        rows = ([a, b, "", attribute, places[a], places[b]] for a, b in pairs)
        write_rows(file, [[*QUESTION_COLUMNS, *PLACE_COLUMNS], *rows], ends="\n")


def _records(path: str | Path) -> tuple[list[SideRecord], int]:
    """What a table says, and how many of its lines are questions without an answer."""
    rows = table_rows(path)
    at, first = next(rows, (1, []))
    nameless = bool(first) and first[0].isdigit()
    names = PAIR_COLUMNS if nameless else first
    columns = {name: k for name, k in columns_of(names).items() if name in _READ}
    if missing := {"a", "b"} - set(names) or (
        {"kind or distance"} if not {"kind", "distance"} & set(names) else set()
    ):
        raise FormatError(str(path), 0, f"no column {sorted(missing)[0]}",
                          "Name the columns a, b, kind, attribute, or a, b, distance, unit.")
    of_distances, now = "distance" in names, datetime.now(UTC).isoformat(timespec="seconds")
    found, unanswered = list[SideRecord](), 0
    for line, cells in itertools.chain([(at, first)] if nameless else [], rows):
        row = cells_of(cells, columns)
        # Else a line cut short
        if not of_distances and not row["kind"] and len(cells) > columns["kind"]:
            unanswered += 1
            continue
        try:
            found.append(_distance(row, now) if of_distances else _pair(row, now))
        except (ValueError, TypeError, OverflowError, EmberscopeError) as error:
            what = error.what if isinstance(error, EmberscopeError) else str(error)
            raise FormatError(f"{path}, line {line}", None, what, _HINT) from error
        if len(found) > _MOST:
            raise FormatError(
                str(path), None, f"more than {_MOST} lines that say something", "Split the table."
            )
    if not found and unanswered:
        raise FormatError(
            str(path), None, "no question has an answer", f"Write {SAME} or {DIFFERENT} under kind."
        )
    if not found:
        raise FormatError(
            str(path), None, f"a table without a {'distance' if of_distances else 'pair'}"
        )
    return found, unanswered


def _pair(row: Cells, now: str) -> Pair:
    kind = row["kind"].lower()
    if kind not in (SAME, DIFFERENT):
        raise ValueError(f"{kind!r} is neither {SAME} nor {DIFFERENT}")
    return msgspec.convert({**_common(row, now), "same": kind == SAME, "kind": "pair"}, Pair)


def _distance(row: Cells, now: str) -> Distance:
    unit = from_cell(row.get("unit", ""))
    given = {**_common(row, now), "distance": _number(row["distance"], "distance"), "unit": unit}
    return msgspec.convert({**given, "kind": "distance"}, Distance)


def _common(row: Cells, now: str) -> dict[str, object]:
    return {
        "id": 0,
        "a": _id(row["a"]),
        "b": _id(row["b"]),
        "attribute": from_cell(row.get("attribute", "")),
        "weight": _number(row.get("weight") or "1", "weight"),
        "origin": "imported",
        "created": now,
    }


def _id(cell: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise ValueError(f"{cell!r} is no id of an instance") from None


def _number(cell: str, what: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ValueError(f"the {what} is {cell!r}, not a number") from None
