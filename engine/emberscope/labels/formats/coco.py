"""COCO: one JSON file for many images."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from emberscope.labels.formats.json_files import read_json
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.truth_objects import Objects, Size, enclosing, is_ignored
from emberscope.labels.truth_text import guessed_note


class _Image(msgspec.Struct, frozen=True):
    id: int | str
    file_name: str = ""
    width: float | None = None
    height: float | None = None


class _Category(msgspec.Struct, frozen=True):
    id: int | str
    name: str = ""


class _Annotation(msgspec.Struct, frozen=True):
    image_id: int | str
    category_id: int | str | None = None
    bbox: list[float] | None = None
    segmentation: list[list[float]] | msgspec.Raw | None = None
    iscrowd: int | bool | None = None
    ignore: int | bool | None = None


class _Coco(msgspec.Struct, frozen=True):
    images: list[_Image]
    annotations: list[_Annotation]
    categories: list[_Category] = []


def coco_names(path: Path) -> list[Named]:
    """The images that a file is about. Raises FormatError."""
    return [Named(path, image.file_name) for image in read_json(path, _Coco, "its lists are").images]


def read_coco(path: Path, frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    """Take the annotations of those images that `frames` names. Raises FormatError."""
    guessed: list[str] = []
    coco = read_json(path, _Coco, "its lists are", guessed)
    names = {category.id: category.name.strip() for category in coco.categories}
    images = {image.id: image for image in coco.images}
    unknown = 0
    for found in coco.annotations:
        image = images.get(found.image_id)
        unknown += image is None
        frame = frames.get(Named(path, image.file_name)) if image is not None else None
        if image is None or frame is None:
            continue
        objects.there += 1
        corners = _coco_corners(found)
        if corners is None:
            objects.leave("without a box or outline")
            continue
        name = names.get(found.category_id or 0, "") if found.category_id is not None else ""
        ignore = bool(found.iscrowd or found.ignore) or is_ignored(name)
        size: Size | None = (image.width, image.height) if image.width and image.height else None
        objects.take(frame, corners, name, ignore=ignore, size=size)
    if unknown:
        notes.append(f"{unknown} of its annotations name an image that it does not list.")
    notes += guessed_note(guessed)


def _coco_corners(found: _Annotation) -> Corners | None:
    if found.bbox is not None and len(found.bbox) == 4:
        x, y, w, h = found.bbox
        return x, y, x + w, y + h
    if isinstance(found.segmentation, list):
        points = [(part[k], part[k + 1]) for part in found.segmentation for k in range(0, len(part) - 1, 2)]
        return enclosing(points) if points else None
    return None
