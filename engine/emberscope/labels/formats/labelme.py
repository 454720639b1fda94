"""labelme: one JSON file of shapes per image, read and written."""

import math
import posixpath
from pathlib import Path
from typing import Any

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.formats.items import Item, Out, OutClip, OutFrame, new_file, plain_number
from emberscope.labels.formats.json_files import read_json
from emberscope.labels.image_names import Named
from emberscope.labels.truth_objects import Objects, Outline, enclosing, is_ignored


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
    """Take the shapes of a file. Raises FormatError, before anything is taken."""
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
        elif (outline := _outline(shape.shape_type, points)) is not None:
            objects.take_outline(frame, outline, name, ignore=is_ignored(name), size=size)
        else:
            objects.take(frame, enclosing(points), name, ignore=is_ignored(name), size=size)


def _outline(shape: str | None, points: list[tuple[float, float]]) -> Outline | None:
    """A shape that is no box: a polygon, a line, a circle."""
    if shape == "circle" and len(points) == 2:
        (x, y), edge = points
        r = math.dist((x, y), edge)
        return Outline("ellipse", ((x - r, y - r), (x + r, y + r)))
    if shape in ("polygon", None) and len(points) >= 3:
        return Outline("polygon", tuple(points))
    if shape in ("line", "linestrip") and len(points) >= 2:
        return Outline("line", tuple(points))
    return None


_SHAPES = {"box": "rectangle", "point": "point", "line": "linestrip", "polygon": "polygon",
           "ellipse": "circle"}


def write(out: Out, folder: Path) -> None:
    """Write `CLIP/IMAGE.json`; labelme opens it with the image where that lies, seen from the
    file."""
    for clip, frame in out.all_frames():
        text = msgspec.json.format(msgspec.json.encode(_file(clip, frame)), indent=2)
        new_file(folder, clip.name, f"{frame.stem}.json").write_bytes(text)


def _file(clip: OutClip, frame: OutFrame) -> dict[str, Any]:
    image = (
        frame.image
        if posixpath.isabs(frame.image) or frame.image[1:2] == ":"
        else f"../{frame.image}"
    )
    return {
        "version": "5.5.0",
        "flags": {},
        "shapes": [_shape(item) for item in frame.items],
        "imagePath": image,
        "imageData": None,
        "imageHeight": clip.height,
        "imageWidth": clip.width,
    }


def _shape(item: Item) -> dict[str, Any]:
    corners = item.points
    if item.shape == "ellipse":  # only circles are written: the middle, and a point on the edge
        x0, y0, x1, y1 = item.box
        corners = ((x0 + x1) / 2, (y0 + y1) / 2), (x1, (y0 + y1) / 2)
    points = [[plain_number(x), plain_number(y)] for x, y in corners]
    return {"label": item.name, "points": points, "group_id": None, "description": "",
            "shape_type": _SHAPES[item.shape], "flags": {}, "mask": None}
