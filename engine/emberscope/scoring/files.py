"""What scoring leaves in a folder: heat maps by block of frames, each with what it was made of, and
the table of detections."""

import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.csv_cells import Digits, write_rows
from emberscope.base.files import open_to_read, written_whole
from emberscope.scoring.detections import Detections
from emberscope.scoring.scan import Block

TABLE = "detections.csv"
COLUMNS = ("source", "frame", "x0", "y0", "x1", "y1", "class", "score", "probability")
_HEAT = "heat_"
# What reading raises of a file that is gone, damaged, or one array instead of several.
_NO_ARRAYS = (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile)


def read_kept(path: Path, key: str) -> dict[str, NDArray] | None:
    """The arrays that were written with this key; None where there are none, others, or damaged
    ones."""
    try:
        with open_to_read(path) as file, np.load(file, allow_pickle=False) as found:
            kept = {name: found[name] for name in found.files}
    except _NO_ARRAYS:
        return None
    return kept if str(kept.pop("key", "")) == key else None


def is_kept(path: Path) -> bool:
    """Whether `write_kept` wrote a file: one of another program has no key."""
    try:
        with open_to_read(path) as file, np.load(file, allow_pickle=False) as found:
            return "key" in found.files
    except _NO_ARRAYS:
        return False


def write_kept(path: Path, key: str, arrays: dict[str, NDArray]) -> None:
    """Write arrays, of any shape, with a key, whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part, part.open("wb") as file:
        np.savez_compressed(file, key=np.array(key), **arrays)  # type: ignore[arg-type]


def read_block(path: Path, key: str) -> Block | None:
    """A block of frames that was scored before; None where it is to be scored (again)."""
    kept = read_kept(path, key)
    if kept is None:
        return None
    heat = {int(name.removeprefix(_HEAT)): values for name, values in kept.items()
            if name.startswith(_HEAT)}
    found = Detections(kept["frame"], kept["box"], kept["kind"], kept["score"])
    return Block(kept["frames"], heat, found)


def write_block(path: Path, key: str, block: Block, steps: dict[int, float]) -> None:
    """Write the heat maps, heat_SIDE (F, rows, cols) and step_SIDE in px, and the detections of
    some frames. Raises OSError."""
    heat = {f"{_HEAT}{side}": values for side, values in block.heat.items()}
    step = {f"step_{side}": np.array(px) for side, px in steps.items()}
    found = block.found
    write_kept(path, key, {
        "frames": block.frames, "frame": found.frame, "box": found.box, "kind": found.kind,
        "score": found.score, **heat, **step,
    })


def write_table(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write the table of detections, row by row, whole or not at all. Raises OSError."""
    with written_whole(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, [COLUMNS])
        write_rows(file, rows)


def rows_of(
    source: str, found: Detections, probability: NDArray | None, names: dict[int, str]
) -> Iterable[list[object]]:
    """A row per detection, by frame, the highest first. probability : (N,), None leaves the column
    empty. names : of classes by id."""
    for n in range(len(found)):
        box = [Digits(f"{value:g}") for value in found.box[n]]
        kind = int(found.kind[n])
        likely = "" if probability is None else Digits(f"{probability[n]:.4f}")
        yield [source, int(found.frame[n]), *box, names.get(kind, str(kind)),
               Digits(f"{found.score[n]:.6g}"), likely]
