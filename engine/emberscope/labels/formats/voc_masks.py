"""Masks of Pascal VOC and what follows it: SegmentationClass says the class of each pixel by a
number of a palette or by a color, SegmentationObject beside it tells objects of one class apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.frames.truth.mask_folders import (
    COLORED,
    NAMED,
    OF_CLASSES,
    OF_OBJECTS,
    masks_in,
)
from emberscope.labels.formats.masks import boxes_of, connected, png_of, unread
from emberscope.labels.formats.voc import bad_note
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.truth_objects import Objects, is_ignored
from emberscope.labels.truth_text import declared_text

VOID = 255  # of a palette: the rim around objects, and what is left open
_BACKGROUND = {"background", "_background_"}
_UNNAMED = "Target"
_CLASSIC = (
    "background", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair",
    "cow", "diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa",
    "train", "tvmonitor",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Classes:
    """names : of the numbers of pixels. colors : the number of each color, 0xRRGGBB."""

    names: Mapping[int, str] = field(default_factory=dict)
    colors: Mapping[int, int] = field(default_factory=dict)


def is_class_masks(folder: Path) -> bool:
    """Whether a folder is one of classes of pixels, or of objects without such beside it."""
    if not masks_in(folder):
        return False
    return bool(OF_CLASSES.fullmatch(folder.name)) or _beside(folder, OF_CLASSES) is None


def _beside(folder: Path, pattern: re.Pattern[str]) -> Path | None:
    """The folder beside this one that is called so and holds masks."""
    try:
        near = sorted(path for path in folder.parent.iterdir() if pattern.fullmatch(path.name))
    except OSError:
        return None
    return next((path for path in near if path.is_dir() and masks_in(path)), None)


def read_files(frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    """Take objects of masks as boxes, each mask about the frame that `frames` names.

    An object is what SegmentationObject gives one number; without it, a connected part of a class.
    The rim of 255 belongs to none. A mask that cannot be read is left out and named. Raises the
    error of the first where none can be read.
    """
    bad: list[FormatError] = []
    known: dict[Path, tuple[Classes, Path | None]] = {}
    by_parts = False
    for named, frame in frames.items():
        folder = named.truth.parent
        if folder not in known:
            known[folder] = classes_of(folder), _beside(folder, OF_OBJECTS)
        classes, apart = known[folder]
        try:
            mask = numbers_in(named.truth, classes)
            numbers = _numbers_apart(named.truth, mask, apart)
        except FormatError as error:
            bad.append(error)
            continue
        size = float(mask.shape[1]), float(mask.shape[0])
        for box, name in _objects_of(mask, numbers, classes):
            objects.there += 1
            objects.take(frame, box, name, ignore=is_ignored(name), size=size)
            by_parts |= numbers is None
    if bad and len(bad) == len(frames):
        raise bad[0]
    if by_parts:
        notes.append("Each connected part of a class is a box; objects that touch are one.")
    notes += bad_note(bad, len(frames))


def _numbers_apart(path: Path, mask: NDArray, apart: Path | None) -> NDArray[np.int64] | None:
    """The numbers that tell objects of a mask apart; None where nothing does."""
    if OF_OBJECTS.fullmatch(path.parent.name):
        return mask
    if apart is None or not (apart / path.name).is_file():
        return None
    numbers = numbers_in(apart / path.name, Classes())
    if numbers.shape != mask.shape:
        what = "it is not as large as the mask of classes of its name"
        raise FormatError(str(apart / path.name), None, what, "Export both again.")
    return numbers


def _objects_of(
    mask: NDArray, numbers: NDArray[np.int64] | None, classes: Classes
) -> list[tuple[Corners, str]]:
    if numbers is mask:  # of objects alone: nobody says of which class
        return [(box, _UNNAMED) for box in _boxes(mask > 0, mask)]
    found = []
    for number in np.unique(mask[(mask > 0) & (mask != VOID)]).tolist():
        name = classes.names.get(number, f"class {number}")
        if name.casefold() not in _BACKGROUND:
            found += [(box, name) for box in _boxes(mask == number, numbers)]
    return found


def _boxes(inside: NDArray[np.bool_], numbers: NDArray[np.int64] | None) -> list[Corners]:
    """Boxes of what has one number each; without numbers, of the connected parts."""
    if numbers is None:
        return boxes_of(connected(inside))
    parts = np.where(inside & (numbers != VOID), numbers, 0)
    kept, flat = np.unique(parts, return_inverse=True)  # colors have large numbers
    return boxes_of(flat.reshape(parts.shape) + (1 if kept[0] else 0))


def classes_of(folder: Path) -> Classes:
    """What the table in the folder of masks, or the one above, says of classes: `labelmap.txt`
    (name:r,g,b::) or `class_names.txt` (a name a line, from 0); without one, the twenty classes of
    VOC. Numbers and colors of masks of objects are of no class. Raises FormatError for a table that
    cannot be read."""
    if OF_OBJECTS.fullmatch(folder.name):
        return Classes()
    for up in (folder, folder.parent):
        if (up / COLORED).is_file():
            return _colored(up / COLORED)
        if (up / NAMED).is_file():
            return Classes(dict(enumerate(_lines(up / NAMED))))
    return Classes(dict(enumerate(_CLASSIC)))


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in declared_text(path).splitlines() if line.strip()]


def _colored(path: Path) -> Classes:
    names: dict[int, str] = {}
    colors: dict[int, int] = {}
    lines = [line for line in _lines(path) if not line.startswith("#")]
    # A number is that of the line; the background is 0 wherever it stands
    lines.sort(key=lambda line: line.split(":")[0].strip().casefold() not in _BACKGROUND)
    first = 0 if lines and lines[0].split(":")[0].strip().casefold() in _BACKGROUND else 1
    for number, line in enumerate(lines, start=first):
        name, _, rest = line.partition(":")
        parts = rest.partition(":")[0].split(",")
        if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
            what = f"a line has no color as in car:128,0,0:: - {line[:40]}"
            raise FormatError(str(path), None, what, "Export the masks again.")
        names[number] = name.strip()
        red, green, blue = (int(part) & 255 for part in parts)
        colors[red << 16 | green << 8 | blue] = number
    return Classes(names, colors)


def numbers_in(path: Path, classes: Classes) -> NDArray[np.int64]:
    """(rows, cols) numbers of a mask: those of its palette, its gray levels, or of its colors,
    those that `classes` gives them, else those of the palette of VOC. Without `classes.names`, one
    number per color whatever it is. Raises FormatError."""
    import io

    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(png_of(path))) as image:
            image.load()
            pixels = np.asarray(image if image.mode in ("P", "L", "I;16", "I") else
                                image.convert("RGB"))
            palette = image.getpalette() if image.mode == "P" else None
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError,
            Image.DecompressionBombError) as error:
        raise unread(path) from error
    if pixels.ndim == 2 and not (palette and classes.colors):
        return pixels.astype(np.int64)
    if pixels.ndim == 2:
        table = np.array(palette).reshape(-1, 3)
        packed = _packed(table)[np.minimum(pixels, len(table) - 1)]
    else:
        packed = _packed(pixels)
    if not classes.names:  # numbers of their own, none of which is that of the rim
        own = np.where(packed > 0, packed | 1 << 24, 0)
        return np.where(packed == voc_color(VOID), VOID, own)
    return _numbered(path, packed, classes.colors or _voc_colors())


def _numbered(
    path: Path, packed: NDArray[np.int64], colors: Mapping[int, int]
) -> NDArray[np.int64]:
    there, flat = np.unique(packed, return_inverse=True)
    numbers = np.empty(len(there), np.int64)
    for k, color in enumerate(there.tolist()):
        number = colors.get(color, {0: 0, voc_color(VOID): VOID}.get(color))
        if number is None:
            what = f"no class has the color {color >> 16},{color >> 8 & 255},{color & 255}"
            raise FormatError(
                str(path), None, what, f"Put a {COLORED} with all colors beside the masks."
            )
        numbers[k] = number
    return numbers[flat].reshape(packed.shape)


def _voc_colors() -> dict[int, int]:
    return {voc_color(number): number for number in range(256)}


def voc_color(number: int) -> int:
    """The color 0xRRGGBB of a number in the palette of VOC: its bits from the lowest go to red,
    green and blue in turn, from their highest."""
    color = [0, 0, 0]
    for bit in range(8):
        for channel in range(3):
            color[channel] |= ((number >> (3 * bit + channel)) & 1) << (7 - bit)
    return color[0] << 16 | color[1] << 8 | color[2]


def _packed(colors: NDArray) -> NDArray[np.int64]:
    """0xRRGGBB of colors (..., 3)."""
    return colors.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
