"""Tables of boxes, CSV: by the number of their frame, read and written, or by the name of their
image."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from emberscope.base.csv_cells import Digits, from_cell, write_rows
from emberscope.base.text import SHOWN
from emberscope.base.text_tables import cells_of, columns_of
from emberscope.labels.columns import values_of
from emberscope.labels.formats.items import Out, digits, edge, new_file, side
from emberscope.labels.image_names import Named
from emberscope.labels.model import About
from emberscope.labels.truth_objects import Objects, is_ignored, number, said_yes
from emberscope.labels.truth_text import (
    declared_text,
    guessed_note,
    separator_of,
    table_text,
    text_rows,
)

BY_FRAME = ("frame", "x", "y", "w", "h")
_CORNERS = ("xmin", "ymin", "xmax", "ymax")
# Columns that name an image, the first that is there
_PICTURE = ("filename", "file", "image", "imageid", "path")
_LONGEST_ID = 16  # digits that a whole number of a file can have
_UNFINISHED = "of which a number is missing"
_CLASS = ("name", "class", "label", "labelname")
_TRACK = ("target id", "track", "track_id", "trackid")
_OCCLUDED = ("occluded", "isoccluded")
_KNOWN = frozenset((*BY_FRAME, *_CORNERS, *_PICTURE, *_CLASS, *_TRACK, *_OCCLUDED, "width",
                    "height"))


def table_kind(header: str) -> str:
    """"table" by frame number, "images" by name of the image, "" for other columns."""
    names = {name.lower() for name in names_of_columns(header)}
    if set(BY_FRAME) <= names:
        return "table"
    if not set(_CORNERS) <= names:
        return ""
    return "images" if names.intersection(_PICTURE) else "table" if "frame" in names else ""


def names_of_columns(header: str) -> list[str]:
    """What stands in the first line of a table that begins with this text."""
    text = table_text(header)
    first = next((line for line in text.split("\n") if line.strip()), "")
    separator = separator_of(text)
    parts = first.split() if separator == " " else first.split(separator)
    return [name.strip().strip('"') for name in parts]


def _rows(path: Path, guessed: list[str]) -> tuple[set[str], Iterator[tuple[int, dict[str, str]]]]:
    """The columns of a table that have a name, and its rows with the number of their line. Names
    that mean something to this program are in small letters, all others as they are written."""
    rows = text_rows(path, declared_text(path, guessed=guessed))
    _, names = next(rows, (0, []))
    columns = columns_of([low if (low := name.lower()) in _KNOWN else name for name in names])
    columns.pop("", None)
    return set(columns), ((line, cells_of(cells, columns)) for line, cells in rows)


def _about(row: Mapping[str, str]) -> About | None:
    """What a row says of its object besides; None where that is nothing."""
    track = from_cell(row.get(_first(_TRACK, row.keys()), ""))
    numbered = track.isdecimal() and len(track) < _LONGEST_ID
    more = {name: from_cell(cell) for name, cell in row.items() if name not in _KNOWN}
    about = About(track=int(track) if numbered else None,
                  occluded=said_yes(row.get(_first(_OCCLUDED, row.keys()))),
                  columns=values_of(more if numbered else {**more, _TRACK[0]: track}))
    return about if about != About() else None


def read_table(path: Path, objects: Objects, notes: list[str]) -> None:
    """Take `frame,x,y,w,h` or `frame,xmin,ymin,xmax,ymax`, and optionally a column of names; an
    empty row is a frame without a box. What other columns say is kept with the box.

    Frames count from 0, x and y are pixels from 1, corners are edges, [xmin, xmax); what is between
    two frames is left out and counted. Raises FormatError.
    """
    guessed: list[str] = []
    columns, rows = _rows(path, guessed)
    default, named = _name_from_file(path), _first(_CLASS, columns)
    sides = set(BY_FRAME) <= columns
    keys = BY_FRAME[1:] if sides else _CORNERS
    frames: set[float] = set()
    for line, row in rows:
        if not any(row[key] for key in keys):
            continue
        if not all(row[key] for key in keys):
            objects.there += 1
            objects.leave(_UNFINISHED)
            continue
        where = f"{path}, line {line}"
        frame = number(row["frame"], where, "frame")
        frames.add(frame)
        x0, y0, x1, y1 = (number(row[key], where, key) for key in keys)
        if sides:
            x0, y0 = x0 - 1, y0 - 1
            x1, y1 = edge(x0, x1), edge(y0, y1)
        name = from_cell(row.get(named, "")) or default
        objects.there += 1
        if not frame.is_integer():
            objects.leave("between two frames")
            continue
        objects.take(
            int(frame),
            (x0, y0, x1, y1),
            name,
            ignore=is_ignored(name),
            about=_about(row),
        )
    last = objects.n_frames
    if frames and min(frames) == 1 and max(frames) == last:
        notes.append(f"Its frames seem to count from 1: none is 0, and the last one is {last}. "
                     "Here they count from 0: take 1 from each.")
    notes += guessed_note(guessed)


def names_in(path: Path) -> list[Named]:
    """The images that a table is about. Raises FormatError."""
    columns, rows = _rows(path, [])
    by = _first(_PICTURE, columns)
    return list(dict.fromkeys(Named(path, row[by]) for _, row in rows))


def read_image_table(path: Path, frames: Mapping[Named, int], objects: Objects, notes: list[str],
                       shape: tuple[int, int]) -> None:
    """Take `filename,width,height,class,xmin,ymin,xmax,ymax` of those images that `frames` names.

    shape : rows and columns of the frames, for corners that are shares of the image (Open Images).
    Corners are edges, [xmin, xmax). A row without corners is an image without a box. What other
    columns say is kept with the box. Raises FormatError.
    """
    guessed: list[str] = []
    columns, rows = _rows(path, guessed)
    by, named = _first(_PICTURE, columns), _first(_CLASS, columns)
    shares = by == "imageid"
    for line, row in rows:
        frame = frames.get(Named(path, row[by]))
        if frame is None or not any(row[key] for key in _CORNERS):
            continue
        if not all(row[key] for key in _CORNERS):
            objects.there += 1
            objects.leave(_UNFINISHED)
            continue
        where = f"{path}, line {line}"
        x0, y0, x1, y1 = (number(row[key], where, key) for key in _CORNERS)
        size = None
        if shares:
            x0, y0, x1, y1 = x0 * shape[1], y0 * shape[0], x1 * shape[1], y1 * shape[0]
        elif row.get("width") and row.get("height"):
            size = number(row["width"], where, "width"), number(row["height"], where, "height")
        name = row.get(named, "")
        objects.there += 1
        objects.take(frame, (x0, y0, x1, y1), name, ignore=is_ignored(name), size=size,
                     about=_about(row))
    notes += guessed_note(guessed)


def _first(wanted: tuple[str, ...], columns: Collection[str]) -> str:
    return next((name for name in wanted if name in columns), "")


def _name_from_file(path: Path) -> str:
    """IR_AIRPLANE_001_boxes.csv is about an airplane."""
    match = re.fullmatch(r"(?:IR_)?([A-Za-z]+)_\d+(?:_boxes)?", path.stem)
    return match.group(1).capitalize() if match else "Target"


def write(out: Out, folder: Path) -> None:
    """Write `CLIP.csv` with the columns frame, x, y, w, h and name; frames count from 0, x and y
    from 1. A spot has no width and no height; a frame without a box has an empty row."""
    for clip in out.clips:
        rows: list[list] = [[*BY_FRAME, "name"]]
        for frame in clip.frames:
            rows += [[frame.number, "", "", "", "", ""]] if not frame.items else []
            for item in frame.items:
                x0, y0, x1, y1 = item.box
                place = (x0 + 1, y0 + 1, side(x0, x1), side(y0, y1))
                rows.append([frame.number, *(Digits(digits(value)) for value in place), item.name])
        with new_file(folder, f"{clip.name}.csv").open(
            "w", newline="", encoding="utf-8", errors=SHOWN
        ) as file:
            write_rows(file, rows)
