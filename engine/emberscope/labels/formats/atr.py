"""Truth as scorers of automatic target recognition take it: `CLIP.truth.json`.

Frames count from 1, and so do pixels: the upper left corner of the image is [1, 1].
"""

import re
from pathlib import Path

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.formats.items import Out, edge, new_file, plain_number, side
from emberscope.labels.formats.json_files import read_json
from emberscope.labels.truth_objects import Objects, is_ignored
from emberscope.labels.truth_text import guessed_note

SUFFIX = ".truth.json"
_KIND = "bbox_xywh"


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
                found.append(_Annotation(item.name, _Shape(data)))
            frames[f"f{frame.number + 1}"] = _Frame(found)
        text = msgspec.json.encode(_Truth(clip.name, frames, "emberscope"))
        new_file(folder, clip.name + SUFFIX).write_bytes(msgspec.json.format(text, indent=1))


def read(path: Path, objects: Objects, notes: list[str]) -> None:
    """Take the boxes of a file. Raises FormatError."""
    guessed: list[str] = []
    for key, frame in read_json(path, _Truth, "the frames are", guessed).frameAnnotations.items():
        match = re.fullmatch(r"\D*(\d{1,9})", key)
        if match is None:
            raise FormatError(
                str(path), None, f"{key!r:.40} is no frame", "Frames are called f1, f2 and on."
            )
        for found in frame.annotations:
            objects.there += 1
            if found.shape is None or found.shape.type != _KIND or len(found.shape.data) != 4:
                objects.leave("without a box or outline")
                continue
            x, y, w, h = found.shape.data
            x0, y0 = x - 1, y - 1
            name = found.name.strip()
            objects.take(
                int(match[1]) - 1, (x0, y0, edge(x0, w), edge(y0, h)), name, ignore=is_ignored(name)
            )
    notes += guessed_note(guessed)
