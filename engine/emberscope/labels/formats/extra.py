"""The side file of an export: what a format cannot hold, so that it comes back with the labels that
it holds.

`emberscope-extra.json` lies in the folder of the export. Of each label that the files of the format
do not give back as it is, it keeps the label, and the box under which the files have it. On the way
in each box that is still there becomes its label again; a box that somebody moved, or drew, is
taken as it is in the files.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from emberscope.base.errors import EmberscopeError, FormatError
from emberscope.base.files import absolute, open_to_read, read_bytes
from emberscope.base.text import from_json, to_json
from emberscope.labels.class_places import own_place
from emberscope.labels.geometry import Corners
from emberscope.labels.image_names import Named
from emberscope.labels.jsonl import LabelFile, LabelInstance, LabelSource
from emberscope.labels.model import (
    UNKNOWN,
    Box,
    Ellipse,
    Id,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Spot,
    TargetClass,
)
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair
from emberscope.labels.truth import TruthBox, names_in, read_truth
from emberscope.labels.truth_objects import Points

EXTRA = "emberscope-extra.json"
VERSION = 2  # 1 had no outlines
_MOST = 1 << 29  # bytes
MOST_FRAMES = 10_000_000  # of a clip
_LEVELS = 3  # folders above a file of an export in which its side file is looked for


class Shown(msgspec.Struct, frozen=True, array_like=True):
    """A label as the files have it: its name, the box around it, whether it is to be left out, and
    where the files hold its outline, that."""

    name: str
    x0: float
    y0: float
    x1: float
    y1: float
    ignore: bool = False
    shape: Literal["box", "polygon", "ellipse", "line"] = "box"
    points: Points = ()

    @property
    def box(self) -> Corners:
        """Its corners, px."""
        return self.x0, self.y0, self.x1, self.y1


class Kept(msgspec.Struct, frozen=True):
    """A label, and the box under which the files of the format have it; None where they have
    none."""

    label: Label
    shown: Shown | None = None


class Spare(msgspec.Struct, frozen=True):
    """A box that the files have where no label has one, as the part of a mask that others cut in
    two."""

    source: Id
    frame: Id
    shown: Shown


class FrameAt(msgspec.Struct, frozen=True, gc=False):
    """Which frame of a clip an image of the export is. image, stem : see `items.OutFrame`."""

    frame: Id
    image: str
    stem: str


class ClipAt(msgspec.Struct, frozen=True):
    """A clip of the export: the id of its source, where its truth lies, and its frames that were
    written."""

    source: Id
    truth: str
    width: int
    height: int
    n_frames: Annotated[int, msgspec.Meta(ge=0, le=MOST_FRAMES)]
    frames: list[FrameAt]


class Extra(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a side file. files : the files that the export wrote, each with a hash. marks
    : instance and class."""

    format: Literal["emberscope-extra"] = "emberscope-extra"
    version: int = VERSION
    of: str
    files: dict[str, str]
    sources: list[LabelSource]
    classes: list[TargetClass]
    clips: list[ClipAt]
    kept: list[Kept]
    spare: list[Spare] = []
    instances: list[LabelInstance] = []
    side: list[Pair | Distance | Invariance | Actions] = []
    marks: list[tuple[Id, Id]] = []


class Frames:
    """Stands for the frames of a source whose file nobody has to open: their number and their
    size."""

    format, dtype, bit_depth, units, polarity, fps = "", None, None, "counts", "unknown", None

    def __init__(self, n_frames: int, width: int, height: int) -> None:
        self.uri, self.n_frames, self.shape = "", n_frames, (height, width)

    def frame_meta(self, index: int) -> dict[str, Any]:
        """Nothing is known of them."""
        return {}


def extra_at(path: str | Path) -> Path | None:
    """The side file that a path means: itself, that in a folder, or that of the export which a file
    or a folder is of; else None."""
    path = absolute(path)
    own = path if path.name == EXTRA else path / EXTRA if path.is_dir() else None
    if own is not None and _is_extra(own):
        return own
    for folder in list(path.parents)[:_LEVELS]:
        found = folder / EXTRA
        if _is_extra(found):
            name, files = path.relative_to(folder).as_posix(), read_extra(found).files
            return (
                found
                if name in files or any(file.startswith(f"{name}/") for file in files)
                else None
            )
    return None


def _is_extra(path: Path) -> bool:
    try:
        with open_to_read(path) as file:
            return b'"emberscope-extra"' in file.read(200)
    except OSError:
        return False


def write_extra(path: Path, extra: Extra) -> None:
    """Write a side file."""
    path.write_bytes(to_json(extra))


def read_extra(path: Path) -> Extra:
    """Read a side file. Raises FormatError."""
    try:
        if path.stat().st_size > _MOST:
            raise FormatError(str(path), None, "more than 512 MiB")
        found = from_json(read_bytes(path), kind=Extra)
    except OSError as error:
        raise FormatError(
            str(path), None, f"cannot be opened: {error.strerror or error}"
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(
            str(path), None, f"not a side file of an export: {error}", "Export again."
        ) from error
    if found.version > VERSION:
        raise FormatError(
            str(path), None, f"version {found.version}, known is {VERSION}", "Update emberscope."
        )
    return found


def read_export(path: Path, notes: list[str]) -> LabelFile:
    """The labels of an export: what the files of its format hold now, and what its side file keeps
    besides.

    Labels get ids from 1. What was changed since the export is said in `notes`. Raises FormatError
    where the side file cannot be read.
    """
    extra = read_extra(path)
    reader = _Reader(extra, notes)
    boxes = boxes_of(path.parent, extra.clips, notes)
    labels = [label for source, own in boxes.items() for label in reader.labels_of(source, own)]
    labels += [kept.label for kept in extra.kept if kept.shown is None]
    reader.say_what_changed()
    labels = [msgspec.structs.replace(label, id=k) for k, label in enumerate(labels, start=1)]
    return LabelFile(
        labels, reader.classes, extra.sources, extra.instances, list(extra.side), extra.marks
    )


class _Reader:
    def __init__(self, extra: Extra, notes: list[str]) -> None:
        self._notes = notes
        self.classes = list(extra.classes)
        self._by_name = {target.name: target.id for target in reversed(extra.classes)}
        self._kept: dict[tuple[int, int, Shown], list[Label]] = {}
        for kept in reversed(extra.kept):
            if kept.shown is not None:
                place = kept.label.source, kept.label.frame, kept.shown
                self._kept.setdefault(place, []).append(kept.label)
        self._spare = Counter((one.source, one.frame, one.shown) for one in extra.spare)

    def labels_of(self, source: int, boxes: Iterable[TruthBox]) -> list[Label]:
        found: list[Label] = []
        for box in boxes:
            place = source, box.frame, shown_as(box)
            if same := self._kept.get(place):
                found.append(same.pop())
            elif self._spare[place]:
                self._spare[place] -= 1
            else:
                found.append(plain_label(box, source, self._class_of(box)))
        return found

    def _class_of(self, box: TruthBox) -> int:
        if box.name not in self._by_name:
            free = max((target.id for target in self.classes), default=0) + 1
            self.classes.append(
                TargetClass(id=free, name=box.name, role=1, slot=own_place(box.name))
            )
            self._by_name[box.name] = free
        return self._by_name[box.name]

    def say_what_changed(self) -> None:
        lost = sum(map(len, self._kept.values()))
        if lost:
            which = "The box of 1 label was" if lost == 1 else f"The boxes of {lost} labels were"
            self._notes.append(
                f"{which} changed or removed since the export; what is in the files now is taken."
            )


def boxes_of(folder: Path, clips: Iterable[ClipAt], notes: list[str]) -> dict[int, list[TruthBox]]:
    """The boxes that the files of an export have for each clip, by its source, in frame order; none
    where they cannot be read, which is said in `notes`."""
    found: dict[int, list[TruthBox]] = {}
    for group in _by_file(clips):
        own: list[str] = []
        try:
            found |= _read(folder, group, own)
        except EmberscopeError as error:
            notes.append(f"{group[0].truth} cannot be read: {error.what}.")
        notes += [note for note in own if "cannot be read" in note]
    return found


def _by_file(clips: Iterable[ClipAt]) -> list[list[ClipAt]]:
    """Clips of one size whose truth lies in one file are read together: a file for all of a hundred
    clips is not read a hundred times."""
    groups: dict[tuple[str, int, int], list[ClipAt]] = {}
    for clip in clips:
        if clip.frames:
            groups.setdefault((clip.truth, clip.width, clip.height), []).append(clip)
    return list(groups.values())


def _read(folder: Path, clips: Sequence[ClipAt], notes: list[str]) -> dict[int, list[TruthBox]]:
    """The boxes of clips as if they were one, one clip behind the other."""
    truth = Path(clips[0].truth)
    if truth.is_absolute() or ".." in truth.parts:
        raise FormatError(
            str(folder / EXTRA), None, f"{truth} leads out of the folder of the export"
        )
    starts = [0, *accumulate(clip.n_frames for clip in clips)]
    frames = _named_frames(folder / truth, clips, starts)
    stand_in = Frames(starts[-1], clips[0].width, clips[0].height)
    found: dict[int, list[TruthBox]] = {clip.source: [] for clip in clips}
    boxes = read_truth(
        folder / truth, stand_in, frames=frames, outlines=True, notes=notes  # type: ignore[arg-type]
    )
    for box in boxes:
        at = bisect_right(starts, box.frame) - 1
        mine = msgspec.structs.replace(box, frame=box.frame - starts[at]) if at else box
        found[clips[at].source].append(mine)
    return found


def _named_frames(
    path: Path, clips: Sequence[ClipAt], starts: Sequence[int]
) -> Mapping[Named, int]:
    """Which frame each image of a truth is, as the export named them."""
    images: dict[str, int] = {}
    stems: dict[str, int] = {}
    for clip, start in zip(clips, starts, strict=False):
        images |= {at.image: at.frame + start for at in clip.frames}
        stems |= {at.stem: at.frame + start for at in clip.frames}
    found = {}
    for named in names_in(path):
        frame = stems.get(named.stem) if named.stem else images.get(named.name)
        if frame is not None:
            found[named] = frame
    return found


def shown_as(box: TruthBox) -> Shown:
    """A box as it stands in the side file."""
    return Shown(box.name, *box.box, box.ignore, box.shape, box.points)


def plain_label(box: TruthBox, source: int, class_id: int) -> Label:
    """The label that a box of the files is by itself; its id is 0."""
    place: dict[str, Any] = {
        "id": 0,
        "source": source,
        "frame": box.frame,
        "origin": "imported",
        "about": box.about,
    }
    if box.ignore:
        return Ignore(class_id=UNKNOWN, x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1, **place)
    if box.is_point:
        return Spot(class_id=class_id, x=box.x0, y=box.y0, **place)
    if box.shape == "polygon":
        return Polygon(class_id=class_id, points=box.points, **place)
    if box.shape == "line":
        return Polyline(class_id=class_id, points=box.points, **place)
    if box.shape == "ellipse":
        return Ellipse(class_id=class_id, x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1, **place)
    return Box(class_id=class_id, x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1, **place)


# By source and frame, with what was meant
Written = Mapping[int, Mapping[int, list[tuple[Label, Shown | None]]]]


def kept_of(
    folder: Path, clips: Iterable[ClipAt], written: Written, classes: Mapping[str, int],
) -> tuple[list[Kept], list[Spare]]:
    """What the files of an export, as they were written, do not give back of the labels; and what
    they have that is no label.

    written : each label with the box that was meant, None where none was written. classes : ids by
    names. Raises FormatError where the files cannot be read, which would be a defect.
    """
    boxes: dict[int, list[TruthBox]] = {}
    for group in _by_file(clips):
        boxes |= _read(folder, group, [])
    kept, spare = list[Kept](), list[Spare]()
    for source, by_frame in written.items():
        read: dict[int, list[TruthBox]] = {}
        for box in boxes.get(source, ()):
            read.setdefault(box.frame, []).append(box)
        for frame, labels in by_frame.items():
            there = _Boxes(read.get(frame, ()))
            kept += [
                one
                for label, meant in labels
                if (one := _kept(label, meant, there, classes)) is not None
            ]
            spare += [Spare(source, frame, shown_as(box)) for box in there.left()]
    return kept, spare


def _kept(
    label: Label, meant: Shown | None, there: "_Boxes", classes: Mapping[str, int]
) -> Kept | None:
    """A label that the files do not give back as it is, None for others."""
    mine = msgspec.structs.replace(label, id=0)
    same = there.take(meant) if meant is not None else None
    if same is None:
        return Kept(mine)
    known = same.name in classes or same.ignore
    plain = plain_label(same, label.source, classes.get(same.name, UNKNOWN)) if known else None
    return Kept(mine, shown_as(same)) if plain != mine else None


class _Boxes:
    """The boxes that were read of a frame, to be taken one by one by what was meant."""

    def __init__(self, boxes: Iterable[TruthBox]) -> None:
        self._left = dict.fromkeys(range(len(rows := list(boxes))), True)
        self._rows = rows
        self._exact: dict[Shown, list[int]] = {}
        for k in reversed(range(len(rows))):
            self._exact.setdefault(shown_as(rows[k]), []).append(k)

    def take(self, meant: Shown) -> TruthBox | None:
        """The box as it was meant, or the nearest one less than 1.5 px off; None where there is
        none."""
        same = self._exact.get(meant)
        while same:
            k = same.pop()
            if self._left.pop(k, False):
                return self._rows[k]
        near = [(self._off(self._rows[k], meant), k) for k in self._left]
        off, k = min(near, default=(2.0, -1))
        return self._rows[k] if off < 1.5 and self._left.pop(k) else None

    def left(self) -> list[TruthBox]:
        """Those that were not taken."""
        return [self._rows[k] for k in self._left]

    @staticmethod
    def _off(box: TruthBox, meant: Shown) -> float:
        far = max(abs(a - b) for a, b in zip(box.box, meant.box, strict=True))
        alike = (box.name, box.ignore, box.shape) == (meant.name, meant.ignore, meant.shape)
        return far if alike else far + 0.5
