"""Truth in JSON: COCO, labelme, and the tracks of a tracker (as the Cacophony Project writes them)."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.truth_objects import Objects, Size, enclosing
from emberscope.labels.truth_text import declared_text, guessed_note
from emberscope.labels.voc import IGNORED

_T = TypeVar("_T")
Point = tuple[float, float]


class _Position(msgspec.Struct, frozen=True, gc=False):
    frame_number: float | None = None
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None
    blank: bool | None = None


class _Prediction(msgspec.Struct, frozen=True, gc=False):
    confident_tag: str | None = None
    label: str | None = None


class _Track(msgspec.Struct, frozen=True):
    positions: list[_Position]
    predictions: list[_Prediction] | None = None

    @property
    def name(self) -> str:
        first = self.predictions[0] if self.predictions else _Prediction()
        return first.confident_tag or first.label or "Target"


class _Tracks(msgspec.Struct, frozen=True):
    tracks: list[_Track]


class _Shape(msgspec.Struct, frozen=True):
    label: str | None = None
    points: list[list[float]] = []
    shape_type: str | None = None


class _Labelme(msgspec.Struct, frozen=True):
    shapes: list[_Shape]
    imagePath: str | None = None
    imageWidth: float | None = None
    imageHeight: float | None = None


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


def json_kind(text: str) -> str:
    """"coco", "labelme" or "tracks", "" for other JSON and for text that is none."""
    try:
        keys = set(msgspec.json.decode(text, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, RecursionError):  # damaged; reading it as what it was says where
        keys = {key for key in ("images", "annotations", "shapes", "imagePath", "tracks") if f'"{key}"' in text}
    if {"images", "annotations"} <= keys:
        return "coco"
    if "shapes" in keys:
        return "labelme"
    return "tracks" if "tracks" in keys else ""


def _read(path: Path, kind: type[_T], what: str, guessed: list[str] | None = None) -> _T:
    try:
        return msgspec.json.decode(declared_text(path, guessed=guessed), type=kind, strict=False)
    except msgspec.ValidationError as error:
        place = re.search(r"`\$\.?(.+)`$", str(error))
        where = f" at {place[1]}" if place else ""
        raise FormatError(str(path), None, f"{what} not as expected{where}", "Save it again.") from error
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FormatError(str(path), None, "it is cut off, or no JSON", "Save it again.") from error


# ---- labelme: a file per image ---------------------------------------------------------------------------------


def labelme_named(path: Path) -> Named:
    """Which image a file is about; by its own name alone where it cannot be read."""
    try:
        return Named(path, _read(path, _Labelme, "it is").imagePath or "", "", path.stem)
    except FormatError:
        return Named(path, stem=path.stem)


def read_labelme(path: Path, frame: int, objects: Objects, guessed: list[str]) -> None:
    """Take the shapes of a file as the boxes around them. Raises FormatError, before anything is taken."""
    found = _read(path, _Labelme, "it is", guessed)
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
            objects.take(frame, (x - r, y - r, x + r, y + r), name, ignore=_is_ignored(name), size=size)
        else:
            objects.take(frame, enclosing(points), name, ignore=_is_ignored(name), size=size)


def _is_ignored(name: str) -> bool:
    return IGNORED.fullmatch(name) is not None


# ---- COCO: one file for many images ----------------------------------------------------------------------------


def coco_names(path: Path) -> list[Named]:
    """The images that a file is about. Raises FormatError."""
    return [Named(path, image.file_name) for image in _read(path, _Coco, "its lists are").images]


def read_coco(path: Path, frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    """Take the annotations of those images that `frames` names. Raises FormatError."""
    guessed: list[str] = []
    coco = _read(path, _Coco, "its lists are", guessed)
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
        ignore = bool(found.iscrowd or found.ignore) or _is_ignored(name)
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


# ---- tracks ------------------------------------------------------------------------------------------------------


def read_tracks(path: Path, objects: Objects, notes: list[str]) -> None:
    """Take tracker boxes: made by a machine, named by its classifier; blank positions are no objects.

    Raises FormatError.
    """
    guessed: list[str] = []
    there = objects.there
    for track in _read(path, _Tracks, "the tracks are", guessed).tracks:
        for p in track.positions:
            if p.blank:
                continue
            if p.frame_number is None or p.x is None or p.y is None or p.width is None or p.height is None:
                raise FormatError(str(path), None, "a position of a track lacks frame_number, x, y, width or height")
            objects.there += 1
            objects.take(int(p.frame_number), (p.x, p.y, p.x + p.width, p.y + p.height), track.name)
    if objects.there > there:
        notes.append("The boxes were made by a tracker, not by hand.")
    notes += guessed_note(guessed)
