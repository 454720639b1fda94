"""Truth as scorers of automatic target recognition take it: `CLIP.truth.json`.

Frames count from 1, and so do pixels: the upper left corner of the image is [1, 1].
"""

import re
from pathlib import Path
from typing import Any

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.columns import values_of
from emberscope.labels.formats.items import Out, edge, new_file, plain_number, side
from emberscope.labels.formats.json_files import read_json
from emberscope.labels.model import About
from emberscope.labels.truth_objects import Objects, is_ignored
from emberscope.labels.truth_text import guessed_note

SUFFIX = ".truth.json"
_KIND = "bbox_xywh"
_KNOWN = ("class", "shape")  # what an annotation says that is no column


class _Shape(msgspec.Struct, frozen=True):
    data: list[float] = []
    type: str = _KIND


class _Annotation(msgspec.Struct, frozen=True, rename={"name": "class"}):
    name: str = ""
    shape: _Shape | None = None


class _Frame(msgspec.Struct, frozen=True):
    annotations: list[_Annotation] = []


class _Truth(msgspec.Struct, frozen=True):
    fileUID: str
    frameAnnotations: dict[str, _Frame]
    collection: str = ""


class _Fields(msgspec.Struct, frozen=True):
    """The same with all that a file says, whatever its names."""

    frameAnnotations: dict[str, dict[str, Any]]


def write(out: Out, folder: Path) -> None:
    """Write a file per clip. Regions to be left out have the class "ignore"."""
    for clip in out.clips:
        frames = {}
        for frame in clip.frames:
            found = []
            for item in frame.items:
                x0, y0, x1, y1 = item.box
                data = [
                    plain_number(value) for value in (x0 + 1, y0 + 1, side(x0, x1), side(y0, y1))
                ]
                said = {
                    name: value for name, value in item.about.columns.items() if name not in _KNOWN
                }
                found.append({**said, "class": item.name, "shape": _Shape(data)})
            frames[f"f{frame.number + 1}"] = {"annotations": found}
        text = msgspec.json.encode(
            {"fileUID": clip.name, "frameAnnotations": frames, "collection": "emberscope"}
        )
        new_file(folder, clip.name + SUFFIX).write_bytes(msgspec.json.format(text, indent=1))


def read(path: Path, objects: Objects, notes: list[str]) -> None:
    """Take the boxes of a file. Whatever else it says of a box, a frame or the clip, and is a plain
    value, is kept as a column. Raises FormatError."""
    guessed: list[str] = []
    fields = read_json(path, _Fields, "the frames are").frameAnnotations
    for key, frame in read_json(path, _Truth, "the frames are", guessed).frameAnnotations.items():
        match = re.fullmatch(r"\D*(\d{1,9})", key)
        if match is None:
            raise FormatError(
                str(path), None, f"{key!r:.40} is no frame", "Frames are called f1, f2 and on."
            )
        at = int(match[1]) - 1
        if 0 <= at < objects.n_frames:
            objects.facts.of_frame(at, values_of(fields[key]))
        for found, said in zip(frame.annotations, fields[key].get("annotations", ()), strict=True):
            objects.there += 1
            if found.shape is None or found.shape.type != _KIND or len(found.shape.data) != 4:
                objects.leave("without a box or outline")
                continue
            x, y, w, h = found.shape.data
            x0, y0 = x - 1, y - 1
            name = found.name.strip()
            columns = values_of({key: value for key, value in said.items() if key not in _KNOWN})
            objects.take(at, (x0, y0, edge(x0, w), edge(y0, h)), name, ignore=is_ignored(name),
                         about=About(columns=columns) if columns else None)
    notes += guessed_note(guessed)
