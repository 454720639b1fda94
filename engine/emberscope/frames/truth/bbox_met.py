"""`.bbox_met`, the box metrics of the range data: headerless CSV."""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.base.text_tables import check_fields
from emberscope.frames.readers.parts.base import COPY_AGAIN, reading

MAX_BYTES = 1 << 26
# The 18 columns; some rows are longer, and what follows is ignored.
COLUMNS = (
    "site",
    "na",
    "base",
    "sensor",
    "scenario",
    "frame",
    "ply_id",
    "snr",
    "null",
    "upper_left_x",
    "upper_left_y",
    "mean_tgt",
    "std_tgt",
    "pot",
    "eff_pot",
    "mean_bkg",
    "std_bkg",
    "pob",
)


class MetRow(NamedTuple):
    """One target on one frame. `frame` is 0-based here (1-based in the file); numbers may be
    NaN."""

    frame: int
    ply_id: str
    upper_left_x: float
    upper_left_y: float
    sensor: str = ""
    scenario: str = ""
    snr: float = float("nan")
    mean_tgt: float = float("nan")
    std_tgt: float = float("nan")
    pot: float = float("nan")          # pixels on target
    eff_pot: float = float("nan")
    mean_bkg: float = float("nan")
    std_bkg: float = float("nan")
    pob: float = float("nan")


class BboxMet(NamedTuple):
    """The rows of a file; `skipped` counts lines that are none."""

    rows: tuple[MetRow, ...]
    skipped: int = 0


def read_bbox_met(path: str | Path) -> BboxMet:
    """Read box metrics. An empty file has no rows; FormatError where no line of several is one."""
    uri = str(path)
    with reading(uri):
        if Path(path).stat().st_size > MAX_BYTES:
            raise FormatError(
                uri, None, "metrics of more than 64 MiB are not read", "Check what file it is."
            )
        rows, count = list[MetRow](), 0
        with io.TextIOWrapper(open_to_read(path), "latin-1") as text:
            for line in csv.reader(_lines(text)):
                if any(cell.strip() for cell in line):
                    count += 1
                    row = _row(line)
                    if row is not None:
                        rows.append(row)
    if count and not rows:
        raise FormatError(
            uri, 0, "this is not a .bbox_met file: no line has its 18 columns", COPY_AGAIN
        )
    return BboxMet(tuple(rows), count - len(rows))


def _lines(text: Iterable[str]) -> Iterator[str]:
    for line in text:
        check_fields(line, ",")
        yield line.replace("\0", "")


def _row(line: list[str]) -> MetRow | None:
    cells = [cell.strip() for cell in line[: len(COLUMNS)]]
    if len(cells) < COLUMNS.index("upper_left_y") + 1:
        return None
    named = dict(zip(COLUMNS, cells))
    try:
        frame = int(float(named["frame"])) - 1
        numbers = {name: _number(named.get(name, "NULL")) for name in COLUMNS[7:] if name != "null"}
    except (ValueError, OverflowError):
        return None
    return MetRow(
        frame=frame,
        ply_id=named["ply_id"],
        sensor=named["sensor"],
        scenario=named["scenario"],
        **numbers,
    )


def _number(cell: str) -> float:
    return float("nan") if cell.upper() in ("NULL", "") else float(cell)
