"""Reading truth: boxes drawn elsewhere, whatever file they came in.

Boxes come out in pixel-edge coordinates of the frame as it is shown, frames 0-based. One reader per
format, all through `read_truth`. About single images, matched to frames by their names
(`image_names`):

* Pascal VOC xml, a file or a folder of them, and labelme json, likewise;
* YOLO texts and masks, folders of them whose classes a file beside them names, and
  SegmentationClass of VOC;
* COCO json, CVAT xml for images, tables `filename,xmin,ymin,xmax,ymax`: one file for many images.

About the frames of one clip, by their numbers:

* AGT files, with a `.bbox_met` beside them where there is one;
* tables `frame,x,y,w,h` (csv; frame 0-based, x and y 1-based pixels), or with corners
  `xmin,ymin,xmax,ymax` (edges);
* MOT tables, and truth of ATR scorers (JSON);
* CVAT xml for videos, and a folder of VOC files `frame_000000.xml` that CVAT made of a video;
* tracker files (JSON with `tracks` of `positions`, as the Cacophony Project writes them).
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.frames.source import FrameSource
from emberscope.labels.foreign import foreign_truth
from emberscope.labels.formats import (
    agt,
    atr,
    coco,
    cvat,
    labelme,
    masks,
    mot,
    tables,
    tracks,
    voc,
    voc_masks,
    yolo,
)
from emberscope.labels.formats.json_files import json_kind
from emberscope.labels.image_names import Images, Named, images_of
from emberscope.labels.jsonl import is_label_file
from emberscope.labels.truth_objects import Facts, Objects, TruthBox
from emberscope.labels.truth_text import declared_text, decoded, guessed_note, table_text

__all__ = [
    "TruthBox",
    "is_numbered",
    "is_truth_folder",
    "names_in",
    "placed_in",
    "read_truth",
    "sniff_truth",
]

_MOST_ON_FRAME = 10_000  # boxes of a frame
_MOST_BOXES = 1_000_000  # of a truth
_MOST_NAMES = 1000       # classes of a truth
_HEAD = 4096
# Formats of one file per image, which may be a folder of such.
_FILES = {"voc": ".xml", "labelme": ".json", "yolo": ".txt", "masks": ".png", "voc-masks": ".png"}
_PICTURES = (*_FILES, "coco", "cvat", "images")
KNOWN = (
    "Known are VOC and CVAT xml, COCO, labelme and ATR json, YOLO, MOT, AGT, masks, tables "
    "frame,x,y,w,h, frame,xmin,ymin,xmax,ymax or filename,xmin,ymin,xmax,ymax, tracker files, and "
    "labels (jsonl)."
)


def sniff_truth(path: str | Path) -> str:
    """Which truth format a path holds: "voc", "labelme", "yolo" (files, or folders of them),
    "masks", "voc-masks" (folders), "cvat", "coco", "images" (a table of these), "agt", "table",
    "mot", "atr", "tracks", or "labels" that this program wrote.

    Raises FormatError where it is none of them, saying what it is where that is known. Of JSON the
    whole is looked at, else the name and the first 4 KiB.
    """
    path = Path(path)
    if os.path.isdir(path):  # noqa: PTH112 - of a path that nothing can have it says no
        kind = _folder_kind(path)
        if kind:
            return kind
        what = "no .xml file in this folder about an image, nor labelme json, YOLO texts or masks"
        raise FormatError(str(path), None, what,
                          "Choose the folder that holds the box files.")
    head = _head(path)
    suffix = path.suffix.lower()
    if suffix == ".agt" or re.match(r"Agt\s*\{", head):
        return "agt"
    if suffix == ".xml" or head.startswith("<"):
        return "cvat" if cvat.is_cvat(head) else "voc"
    if is_label_file(path):
        return "labels"
    kind = json_kind(declared_text(path)) if head.startswith("{") else tables.table_kind(head)
    empty = not head and path.name == "gt.txt"  # a clip without a box
    if kind or mot.is_mot(table_text(head).lstrip()) or empty:
        return kind or "mot"
    if (
        suffix == ".txt"
        and yolo.is_line(head.partition("\n")[0])
        and yolo.names_file(path) is not None
    ):
        return "yolo"
    what, hint = foreign_truth(path, head)
    if not what and not head:
        what = "an empty file, not a truth file"
    elif not what and suffix == ".csv":
        what = f"not a truth file: its columns are {', '.join(tables.names_of_columns(head)):.100}"
    raise FormatError(str(path), None, what or "not a truth file", hint or KNOWN)


def is_truth_folder(path: str | Path) -> bool:
    """Whether a path is a folder of box files, one per image."""
    path = Path(path)
    return os.path.isdir(path) and bool(_folder_kind(path))  # noqa: PTH112


def _folder_kind(folder: Path) -> str:
    if any(not cvat.is_cvat(_head(file)) for file in _xml_files(folder)):
        return "voc"
    if yolo.is_yolo(folder):
        return "yolo"
    if voc_masks.is_class_masks(folder):
        return "voc-masks"
    if masks.is_masks(folder):
        return "masks"
    first = next((file for file in folder.glob("*.json") if not file.name.startswith(".")), None)
    try:
        return (
            "labelme" if first is not None and json_kind(declared_text(first)) == "labelme" else ""
        )
    except FormatError:
        return ""


def _xml_files(folder: Path) -> Iterator[Path]:
    """One by one: who takes the first alone need not wait for a list of all."""
    with suppress(PermissionError), os.scandir(folder) as inside:
        for entry in inside:
            if entry.name.lower().endswith(".xml"):
                yield folder / entry.name


def box_files(path: Path, kind: str) -> list[Path]:
    """The files of a truth of one file per image."""
    if not path.is_dir():
        return [path]
    found = yolo.text_files(path) if kind == "yolo" else path.iterdir()
    return sorted(
        file for file in found if file.suffix.lower() == _FILES[kind] and file.name[0] != "."
    )


def names_in(path: str | Path) -> list[Named]:
    """The images that a truth is about, by the names it has for them; none where it is about a
    clip.

    Raises FormatError where it cannot be read; of several files those that cannot are called by
    their own name.
    """
    path, kind = Path(path), sniff_truth(path)
    if kind == "voc":
        return [voc.named_by(file) for file in box_files(path, kind)]
    if kind == "labelme":
        return [labelme.labelme_named(file) for file in box_files(path, kind)]
    if kind in ("yolo", "masks", "voc-masks"):
        return [Named(file, stem=file.stem) for file in box_files(path, kind)]
    if kind == "images":
        return tables.names_in(path)
    return (
        cvat.names_in(path) if kind == "cvat" else coco.coco_names(path) if kind == "coco" else []
    )


def is_numbered(names: Sequence[Named]) -> bool:
    """Whether the images of a truth are called by the frames of a video, `frame_000000` and on, as
    CVAT calls them."""
    return bool(names) and all(voc.numbered(named) is not None for named in names)


def placed_in(source: FrameSource, names: Sequence[Named]) -> tuple[dict[Named, int], list[Named]]:
    """The frames that a truth names, of one source; and the names that fit several of its frames
    equally well.

    A single file about a single image is about that one, whatever their names.
    """
    images = Images(images_of(source))
    placed: dict[Named, int] = {}
    ties: list[Named] = []
    for named in names:
        found, _ = images.find(named)
        if len(found) == 1:
            placed[named] = found[0].frame
        elif found:
            ties.append(named)
    if not (placed or ties) and source.n_frames > 1 and is_numbered(names):
        placed = {named: voc.numbered(named) or 0 for named in names}
    if not (placed or ties) and source.n_frames == 1 and len(names) == 1 and names[0].stem:
        placed = {names[0]: 0}
    return placed, ties


def read_truth(
    path: str | Path,
    source: FrameSource,
    *,
    voc_origin: int | None = None,
    frames: Mapping[Named, int] | None = None,
    outlines: bool = False,
    notes: list[str] | None = None,
    facts: Facts | None = None,
) -> list[TruthBox]:
    """All boxes of a truth file or folder that belong to frames of `source`, in frame order.

    Parameters
    ----------
    path : a file, or a folder of VOC xml or labelme json files.
    source : the frames the truth is about: number, shape, names.
    voc_origin : 0 reads VOC corners as edges [xmin, xmax), which is how most tools write them; 1 as
        the classic 1-based inclusive pixels [xmin - 1, xmax); None looks which it is, see
        `voc.read_files`.
    frames : which frame each image of the truth is, where that was found out among several sources;
        the others are not looked at.
    outlines : polygons, ellipses and lines come as they are drawn, beside the boxes around them.
    notes : sentences about what was left out, and what was done to boxes, are appended here.
    facts : what the truth says of the clip and its frames is added here; what it says of an object
    is in its `about`.

    Notes
    -----
    Every object that the truth has for these frames is taken, or left out and counted with the
    reason. Of several files one that cannot be read is left out and named. Raises FormatError for a
    file that cannot be read as what it claims to be.
    """
    notes = notes if notes is not None else []
    path, kind = Path(path), sniff_truth(path)
    if kind == "labels":
        raise FormatError(str(path), None, "these are labels, not truth", "Import them as labels.")
    objects = Objects(source, outlines=outlines)
    objects.facts = objects.facts if facts is None else facts
    if kind in _PICTURES and not _is_of_video(path, kind):
        if frames is None:
            frames = _placed(path, source, notes)
        _read_images(path, kind, frames, objects, notes, voc_origin)
    elif kind == "cvat":
        cvat.read_cvat(path, {}, objects, notes)
    elif kind == "agt":
        agt.read_truth_agt(path, source, objects, notes)
    else:
        read = {
            "table": tables.read_table,
            "tracks": tracks.read_tracks,
            "mot": mot.read,
            "atr": atr.read,
        }[kind]
        read(path, objects, notes)
    kept = objects.finish(notes)
    _check_counts(path, kept)
    return kept


def _is_of_video(path: Path, kind: str) -> bool:
    return kind == "cvat" and not cvat.is_about_images(cvat.root_of(path))


def _placed(path: Path, source: FrameSource, notes: list[str]) -> dict[Named, int]:
    """The frames that a truth names; what it names besides is noted. Raises FormatError where it
    names none."""
    names = names_in(path)
    placed, ties = placed_in(source, names)
    strays = [named for named in names if named not in placed and named not in ties]
    if strays and not placed and not ties:
        known = next((image.path.name for image in images_of(source)), "")
        hint = (
            f"Frames here are called like: {Path(known).stem}."
            if known
            else "Frames of this clip have no names."
        )
        raise FormatError(
            str(path), None, f"no frame is called {strays[0].stem or strays[0].name}", hint
        )
    if strays:
        notes.append(
            f"{_box_files(len(strays), 'matches', 'match')} no frame, for example "
            f"{_called(strays[0])}."
        )
    if ties:
        notes.append(
            f"{_box_files(len(ties), 'fits', 'fit')} several frames and is left out, for example "
            f"{_called(ties[0])}."
            if len(ties) == 1
            else f"{len(ties)} box files fit several frames and are left out, for example "
                 f"{_called(ties[0])}."
        )
    return placed


def _box_files(count: int, one: str, many: str) -> str:
    return f"1 box file {one}" if count == 1 else f"{count} box files {many}"


def _called(named: Named) -> str:
    return named.truth.name if named.stem else named.name


def _read_images(
    path: Path,
    kind: str,
    frames: Mapping[Named, int],
    objects: Objects,
    notes: list[str],
    origin: int | None,
) -> None:
    if kind == "voc":
        mine = {named.truth: frame for named, frame in frames.items()}
        # Not by `box_files`: a folder of many clips would be listed for each of them
        voc.read_files(sorted(mine), mine, objects, notes, origin=origin)
    elif kind == "labelme":
        _read_labelme(frames, objects, notes)
    elif kind == "yolo":
        yolo.read_files(frames, objects, notes)
    elif kind == "masks":
        masks.read_files(frames, objects, notes)
    elif kind == "voc-masks":
        voc_masks.read_files(frames, objects, notes)
    elif kind == "images":
        tables.read_image_table(path, frames, objects, notes, objects.shape)
    else:
        {"cvat": cvat.read_cvat, "coco": coco.read_coco}[kind](path, frames, objects, notes)


def _read_labelme(frames: Mapping[Named, int], objects: Objects, notes: list[str]) -> None:
    guessed: list[str] = []
    bad: list[FormatError] = []
    for named, frame in frames.items():
        try:
            labelme.read_labelme(named.truth, frame, objects, guessed)
        except FormatError as error:
            bad.append(error)
    if bad and len(bad) == len(frames):
        raise bad[0]
    notes += [*guessed_note(guessed), *voc.bad_note(bad, len(frames))]


def _check_counts(path: str | Path, kept: Sequence[TruthBox]) -> None:
    """Raise FormatError for a truth that is about something else than frames with objects of some
    classes."""
    if len(kept) > _MOST_BOXES:
        raise FormatError(str(path), None, f"more than {_MOST_BOXES} boxes", "Split it.")
    ((frame, most),) = Counter(found.frame for found in kept).most_common(1) or [(0, 0)]
    if most > _MOST_ON_FRAME:
        raise FormatError(
            str(path),
            None,
            f"{most} boxes on frame {frame}, more than {_MOST_ON_FRAME}",
            "Check that its frames are numbered.",
        )
    names = {found.name for found in kept}
    if len(names) > _MOST_NAMES:
        raise FormatError(
            str(path),
            None,
            f"{len(names)} names of classes, more than {_MOST_NAMES}",
            "Check that its names are those of classes, not of objects.",
        )


def _head(path: Path) -> str:
    try:
        with open_to_read(path) as file:
            data = file.read(_HEAD)
    except OSError as error:
        raise FormatError(
            str(path), None, f"cannot be opened: {error.strerror or error}"
        ) from error
    return decoded(data)[0].lstrip("\ufeff").lstrip()
