"""labelme: one JSON file of shapes per image."""

import math
from pathlib import Path

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.formats.json_files import read_json
from emberscope.labels.image_names import Named
from emberscope.labels.truth_objects import Objects, enclosing, is_ignored


class _Shape(msgspec.Struct, frozen=True):
    label: str | None = None
    points: list[list[float]] = []
    shape_type: str | None = None


class _Labelme(msgspec.Struct, frozen=True):
    shapes: list[_Shape]
    imagePath: str | None = None
    imageWidth: float | None = None
    imageHeight: float | None = None


def labelme_named(path: Path) -> Named:
    """Which image a file is about; by its own name alone where it cannot be read."""
    try:
        return Named(path, read_json(path, _Labelme, "it is").imagePath or "", "", path.stem)
    except FormatError:
        return Named(path, stem=path.stem)


def read_labelme(path: Path, frame: int, objects: Objects, guessed: list[str]) -> None:
    """Take the shapes of a file as the boxes around them. Raises FormatError, before anything is taken."""
    found = read_json(path, _Labelme, "it is", guessed)
    if any(len(point) != 2 for shape in found.shapes for point in shape.points):
        raise FormatError(str(path), None, "a point of a shape is not x, y")
    size = (found.imageWidth, found.imageHeight) if found.imageWidth and found.imageHeight else None
    for shape in found.shapes:
        objects.there += 1
        points = [(x, y) for x, y in shape.points]
        name = (shape.label or "").strip()
        if not points:
            objects.leave("without a box or outline")
        elif shape.shape_type == "circle" and len(points) == 2:
            (x, y), edge = points
            r = math.dist((x, y), edge)
            objects.take(frame, (x - r, y - r, x + r, y + r), name, ignore=is_ignored(name), size=size)
        else:
            objects.take(frame, enclosing(points), name, ignore=is_ignored(name), size=size)
