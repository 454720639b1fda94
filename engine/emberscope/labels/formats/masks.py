"""Masks: per frame a PNG of 16 bits whose pixels are numbers of classes, 0 where nothing is
labeled."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.csv_cells import from_cell, write_rows
from emberscope.base.errors import FormatError
from emberscope.base.files import read_bytes
from emberscope.base.text import SHOWN
from emberscope.labels.formats.items import Item, Out, new_file
from emberscope.labels.formats.voc import bad_note
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.outlines import ellipse_outline, inside_polygon
from emberscope.labels.truth_objects import Objects, is_ignored
from emberscope.labels.truth_text import declared_text, text_rows

CLASSES = "mask-classes.csv"  # number, name
_LEVELS = 2  # folders above a mask in which the classes are looked for
_MOST_BYTES = 1 << 28


def write(out: Out, folder: Path) -> None:
    """Write `masks/CLIP/IMAGE.png` and `masks/mask-classes.csv`. A pixel is of a box or an
    outline that its middle lies in; of those that overlap the smallest is seen."""
    from imagecodecs import png_encode

    numbers = {name: k for k, name in enumerate(out.names, start=1)}
    for clip, frame in out.all_frames():
        mask = np.zeros((clip.height, clip.width), np.uint16)
        for item in sorted(frame.items, key=lambda item: _area(item.box), reverse=True):
            x0, y0, x1, y1 = (_pixel(value) for value in item.box)
            part = mask[y0:y1, x0:x1]
            part[_covers(item, x0, y0, part.shape)] = numbers[item.name]
        new_file(folder, "masks", clip.name, f"{frame.stem}.png").write_bytes(png_encode(mask))
    with new_file(folder, "masks", CLASSES).open(
        "w", newline="", encoding="utf-8", errors=SHOWN
    ) as file:
        write_rows(file, [["number", "name"], *([k, name] for name, k in numbers.items())])


def _covers(item: Item, left: int, top: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """(rows, cols) True on the pixels from a corner on whose middle lies in an item."""
    if item.shape == "box" or 0 in shape:
        return np.ones(shape, np.bool_)
    down, across = np.indices(shape) + 0.5
    middles = np.stack([across.ravel() + left, down.ravel() + top], axis=1)
    outline = ellipse_outline(item.box) if item.shape == "ellipse" else item.points
    return inside_polygon(middles, outline).reshape(shape)


def _area(box: tuple[float, float, float, float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _pixel(edge: float) -> int:
    """The first pixel whose middle lies at an edge or behind it."""
    return int(np.ceil(edge - 0.5))


def classes_near(folder: Path) -> Path | None:
    """The table of classes in a folder of masks or one of those above."""
    return next(
        (up / CLASSES for up in [folder, *folder.parents][:_LEVELS] if (up / CLASSES).is_file()),
        None,
    )


def is_masks(folder: Path) -> bool:
    """Whether a folder holds masks."""
    return next(folder.glob("*.png"), None) is not None and classes_near(folder) is not None


def read_files(frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    """Take the connected parts of masks as boxes, each mask about the frame that `frames` names;
    one that cannot be read is left out and named. Raises the error of the first where none can be
    read."""
    known: dict[Path, dict[int, str]] = {}
    bad: list[FormatError] = []
    for named, frame in frames.items():
        folder = named.truth.parent
        try:
            known[folder] = known.get(folder) or _names(folder)
            mask = _mask(named.truth)
        except FormatError as error:
            bad.append(error)
            continue
        size = float(mask.shape[1]), float(mask.shape[0])
        for number in np.unique(mask[mask > 0]).tolist():
            name = known[folder].get(number, f"class {number}")
            for box in boxes_of(connected(mask == number)):
                objects.there += 1
                objects.take(frame, box, name, ignore=is_ignored(name), size=size)
    if bad and len(bad) == len(frames):
        raise bad[0]
    if objects.there:
        notes.append("Each connected part of a mask is a box; parts that touch are one.")
    notes += bad_note(bad, len(frames))


def _names(folder: Path) -> dict[int, str]:
    path = classes_near(folder)
    if path is None:
        raise FormatError(str(folder), None, f"there is no {CLASSES} beside its masks")
    rows = [cells for _, cells in text_rows(path, declared_text(path))][1:]
    return {
        int(cells[0]): from_cell(cells[1])
        for cells in rows
        if len(cells) > 1 and cells[0].isdigit()
    }


def png_of(path: Path) -> bytes:
    """The bytes of a mask. Raises FormatError for one that is too large."""
    if path.stat().st_size > _MOST_BYTES:
        raise FormatError(str(path), None, "a mask of more than 256 MiB")
    return read_bytes(path)


def unread(path: Path) -> FormatError:
    """What to say of a mask that cannot be decoded."""
    return FormatError(str(path), 0, "the PNG cannot be read", "Copy it again from where it came.")


def _mask(path: Path) -> NDArray[np.integer]:
    from imagecodecs import png_decode

    try:
        mask = np.asarray(png_decode(png_of(path)))
    except (RuntimeError, ValueError) as error:
        raise unread(path) from error
    if mask.ndim != 2 or mask.dtype.kind != "u":
        raise FormatError(str(path), 0, "a mask has one whole number per pixel, no color")
    return mask


def connected(inside: NDArray[np.bool_]) -> NDArray[np.integer]:
    """(rows, cols) the number of the connected part of each pixel inside, 0 outside."""
    from scipy import ndimage

    parts, _ = ndimage.label(inside)
    return np.asarray(parts)


def boxes_of(parts: NDArray[np.integer]) -> list[Corners]:
    """A box around each of some parts (rows, cols): those of one number; 0 is none."""
    from scipy import ndimage

    places = (place for place in ndimage.find_objects(parts) if place is not None)
    return [(float(across.start), float(down.start), float(across.stop), float(down.stop))
            for down, across in places]
