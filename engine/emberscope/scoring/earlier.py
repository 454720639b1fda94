"""What an earlier call has written into the same folder about other clips: it stays there."""

import csv
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from emberscope.base.csv_cells import Digits, from_cell
from emberscope.base.grouping import how_many
from emberscope.labels.jsonl import LabelSource, read_jsonl
from emberscope.labels.model import Label, TargetClass

_SHOWN = 3  # names of clips in a sentence


def rows_of_others(path: Path, names: Collection[str]) -> Iterator[list[object]]:
    """Rows of a table of detections about clips of other names, as they are written there."""
    for row in _rows(path):
        if from_cell(row[0]) not in names:
            yield [*map(Digits, row)]


def rows_by_clip(path: Path) -> dict[str, str]:
    """A checksum of the rows about each clip of a table, by its name; none where no table is."""
    found = dict[str, Any]()
    for row in _rows(path):
        found.setdefault(from_cell(row[0]), sha256()).update(",".join(row).encode())
    return {name: rows.hexdigest() for name, rows in found.items()}


def words_of_others(before: dict[str, str], after: dict[str, str], names: Collection[str]) -> str:
    """A sentence on the clips of other names that a table keeps, and on those of `names` whose rows
    are others than they were; "" where nothing is to be said. before, after : of `rows_by_clip`."""
    kept = [name for name in before if name not in names]
    changed = [name for name in before if name in names and before[name] != after.get(name)]
    words = [f"The table keeps what was found before on {_named(kept)}."] * bool(kept)
    words += [f"What was found before on {_named(changed)} is replaced there."] * bool(changed)
    return " ".join(words)


def labels_of_others(
    path: Path, names: Collection[str], classes: Iterable[TargetClass], source: int
) -> tuple[list[LabelSource], list[Label]]:
    """Of a file of labels of a detector those on clips of other names, and these clips, numbered
    from `source` on; labels are numbered from 1. Those of a project in which the numbers of classes
    mean something else are left out."""
    if not path.exists():
        return [], []
    found, known = read_jsonl(path), {info.id: info.name for info in classes}
    if any(known.get(info.id) != info.name for info in found.classes):
        return [], []
    others = [ref for ref in found.sources if ref.name not in names]
    number = {ref.id: source + n for n, ref in enumerate(others)}
    mine = [label for label in found.labels if label.source in number]
    return (
        [msgspec.structs.replace(ref, id=number[ref.id]) for ref in others],
        [msgspec.structs.replace(label, id=n, source=number[label.source])
         for n, label in enumerate(mine, start=1)],
    )  # fmt: skip


def _rows(path: Path) -> Iterator[list[str]]:
    """Those below the header of a table that this program wrote; none where it is not there."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows, None)
        yield from filter(None, rows)


def _named(names: Collection[str]) -> str:
    """"a.arf and b.arf", "9 clips"."""
    return " and ".join(names) if len(names) < _SHOWN else how_many(len(names), "clip")
