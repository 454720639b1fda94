"""COCO: one JSON file for many images, read and written. Boxes are x, y, w, h; x and y from the
corner, 0."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from emberscope.labels.columns import values_of
from emberscope.labels.formats.items import Item, Out, edge, new_file, plain_number, side
from emberscope.labels.formats.json_files import read_json
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.model import About
from emberscope.labels.outlines import polygon_area
from emberscope.labels.truth_objects import (
    Objects,
    Outline,
    Size,
    enclosing,
    is_ignored,
    is_rectangle,
    said_yes,
)
from emberscope.labels.truth_text import guessed_note

_APART = 2.0  # px between a box and a polygon that are of one object


class _Image(msgspec.Struct, frozen=True):
    id: int | str
    file_name: str = ""
    width: float | None = None
    height: float | None = None
    attributes: dict[str, Any] | None = None


class _Category(msgspec.Struct, frozen=True):
    id: int | str
    name: str = ""


class _Annotation(msgspec.Struct, frozen=True):
    image_id: int | str
    category_id: int | str | None = None
    bbox: list[float] | None = None
    segmentation: list[list[float]] | dict[str, Any] | None = None
    iscrowd: int | bool | None = None
    ignore: int | bool | None = None
    attributes: dict[str, Any] | None = None


class _Coco(msgspec.Struct, frozen=True):
    images: list[_Image]
    annotations: list[_Annotation]
    categories: list[_Category] = []


def coco_names(path: Path) -> list[Named]:
    """The images that a file is about. Raises FormatError."""
    return [
        Named(path, image.file_name) for image in read_json(path, _Coco, "its lists are").images
    ]


def read_coco(path: Path, frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    """Take the annotations of those images that `frames` names. Raises FormatError."""
    guessed: list[str] = []
    coco = read_json(path, _Coco, "its lists are", guessed)
    names = {category.id: category.name.strip() for category in coco.categories}
    images = {image.id: image for image in coco.images}
    unknown = 0
    for image in images.values():
        if (at := frames.get(Named(path, image.file_name))) is not None:
            objects.facts.of_frame(at, values_of(image.attributes or {}))
    for found in coco.annotations:
        of = images.get(found.image_id)
        unknown += of is None
        frame = frames.get(Named(path, of.file_name)) if of is not None else None
        if of is None or frame is None:
            continue
        objects.there += 1
        corners = _coco_corners(found)
        if corners is None:
            objects.leave("without a box or outline")
            continue
        name = names.get(found.category_id or 0, "") if found.category_id is not None else ""
        ignore = bool(found.iscrowd or found.ignore) or is_ignored(name)
        size: Size | None = (of.width, of.height) if of.width and of.height else None
        outline, about = _outline(found.segmentation, corners), _about(found.attributes)
        if outline is None:
            objects.take(frame, corners, name, ignore=ignore, size=size, about=about)
        else:
            objects.take_outline(frame, outline, name, ignore=ignore, size=size, about=about)
    if unknown:
        notes.append(f"{unknown} of its annotations name an image that it does not list.")
    notes += guessed_note(guessed)


def _coco_corners(found: _Annotation) -> Corners | None:
    if found.bbox is not None and len(found.bbox) == 4:
        x, y, w, h = found.bbox
        return x, y, edge(x, w), edge(y, h)
    if isinstance(found.segmentation, list):
        points = [
            (part[k], part[k + 1])
            for part in found.segmentation
            for k in range(0, len(part) - 1, 2)
        ]
        return enclosing(points) if points else None
    return None


def _outline(segmentation: object, box: Corners) -> Outline | None:
    """The polygon of an object; None of one in several parts, of a rectangle, and where the box is
    another one: somebody moved it alone."""
    if not isinstance(segmentation, list) or len(segmentation) != 1 or len(segmentation[0]) < 6:
        return None
    numbers = segmentation[0]
    points = tuple(zip(numbers[::2], numbers[1::2], strict=False))
    around = enclosing(points)
    moved = max(abs(a - b) for a, b in zip(around, box, strict=True)) > _APART
    if moved or is_rectangle(points):
        return None
    return Outline("polygon", points, box)


def _about(attributes: dict[str, Any] | None) -> About | None:
    """What CVAT and its kin write into the attributes of an annotation; None where there is nothing
    to say."""
    if not attributes:
        return None
    track = attributes.get("track_id")
    kept = isinstance(track, int) and not isinstance(track, bool) and 0 <= track < 2**53
    rest = {
        name: value for name, value in attributes.items() if name not in ("track_id", "occluded")
    }
    said = attributes.get("occluded")
    occluded = said is True or (isinstance(said, str | int) and said_yes(str(said)))
    about = About(track=track if kept else None, occluded=occluded, columns=values_of(rest))
    return about if about != About() else None


def write(out: Out, folder: Path) -> None:
    """Write `annotations.json`. Regions to be left out are crowds, which scorers leave out."""
    categories = {name: k for k, name in enumerate(out.names, start=1)}
    images, annotations = [], list[dict[str, Any]]()
    for k, (clip, frame) in enumerate(out.all_frames(), start=1):
        images.append(
            {"id": k, "file_name": frame.image, "width": clip.width, "height": clip.height}
        )
        for item in frame.items:
            annotations.append(_annotation(item, len(annotations) + 1, k, categories[item.name],
                                           (clip.width, clip.height)))
    named = [{"id": k, "name": name, "supercategory": ""} for name, k in categories.items()]
    info = {"description": "Labels of emberscope"}
    file = {
        "info": info,
        "licenses": [],
        "images": images,
        "annotations": annotations,
        "categories": named,
    }
    new_file(folder, "annotations.json").write_bytes(msgspec.json.encode(file))


def _annotation(
    item: Item, key: int, image: int, category: int, size: tuple[int, int]
) -> dict[str, Any]:
    x0, y0, x1, y1 = (plain_number(value) for value in item.box)
    w, h = plain_number(side(x0, x1)), plain_number(side(y0, y1))
    outline: object = [[x0, y0, x1, y0, x1, y1, x0, y1]]
    inside: float = w * h
    if item.ignore:
        outline = _runs(item, size)
    elif item.shape == "polygon":
        outline = [[plain_number(value) for point in item.points for value in point]]
        inside = plain_number(polygon_area(item.points))
    more: dict[str, Any] = {**item.about.columns, "occluded": item.about.occluded}
    if item.about.track is not None:
        more["track_id"] = item.about.track
    return {
        "id": key,
        "image_id": image,
        "category_id": category,
        "bbox": [x0, y0, w, h],
        "area": inside,
        "segmentation": outline,
        "iscrowd": int(item.ignore),
        "attributes": more,
    }


def _runs(item: Item, size: tuple[int, int]) -> dict[str, Any]:
    """The pixels of a box, in runs of those outside and inside, column by column, as crowds have to
    be given."""
    width, height = size
    x0, y0, x1, y1 = (round(value) for value in item.box)
    counts = [x0 * height + y0]
    for column in range(x0, x1):
        counts += [y1 - y0, height - y1 + (y0 if column + 1 < x1 else (width - x1) * height)]
    if x1 <= x0 or y1 <= y0:
        counts = [width * height]
    return {"size": [height, width], "counts": counts}
