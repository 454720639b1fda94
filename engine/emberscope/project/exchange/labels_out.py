"""Labels go to other programs: in the formats of `labels.formats`, with a side file for what these
cannot hold."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from emberscope.base.errors import EmberscopeError
from emberscope.base.files import absolute, length_of_name, shortened
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.out_folders import (
    beside,
    check_free,
    files_in,
    hash_of,
    in_the_way,
    put_in_place,
)
from emberscope.base.plain_text import plain
from emberscope.frames.readers.folder import FolderSource, frames_of
from emberscope.frames.registry import may_turn, open_source
from emberscope.labels.formats.extra import (
    EXTRA,
    ClipAt,
    Extra,
    FrameAt,
    Shown,
    kept_of,
    read_extra,
    write_extra,
)
from emberscope.labels.formats.items import IGNORE, Item, Out, OutClip, OutFrame
from emberscope.labels.formats.table import Format, format_of
from emberscope.labels.formats.yolo import LISTS
from emberscope.labels.model import FrameLabel, Label
from emberscope.project.exchange.label_file import label_source
from emberscope.project.exchange.labels_lost import Loss, losses, outgoing
from emberscope.project.exchange.out_frames import check_sources, write_frames
from emberscope.project.exchange.points import need_frames
from emberscope.project.exchange.side_file import instances_spoken_of
from emberscope.project.model.project import Project, SourceRef
from emberscope.project.store.own_sources import may_be_read

_LONGEST = 80  # of the name of a clip
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # devices on Windows
_UNFIT = dict.fromkeys(map(ord, '<>:"/\\|?*'), "_")


@dataclass(frozen=True, slots=True)
class Way:
    """How labels go out. form : id of a format. frames : bits of the PNG images of all labeled
    frames that are written beside, 8 or 16; 0 writes none. force : replace files of others that are
    in the way. say_lost : what the format cannot hold goes to the notes."""

    form: str
    frames: int = 0
    force: bool = False
    say_lost: bool = True


@dataclass(slots=True)
class _Plan:
    """What is to be written, and by source and frame each label with the box that is meant."""

    out: Out
    clips: list[ClipAt]
    written: dict[int, dict[int, list[tuple[Label, Shown | None]]]] = field(default_factory=dict)
    fallen_back: int = 0


def write_labels(
    project: Project,
    folder: str | Path,
    way: Way,
    *,
    notes: list[str] | None = None,
    monitor: Monitor | None = None,
) -> list[Path]:
    """Write the labels of a project into a folder, all files of it at once; returns the files.

    The folder is made elsewhere, read again, and then put in its place: what does not come back of
    a label is in its side file. A folder of an earlier export is replaced, files of others in it
    stay.
    notes : gets what the format cannot hold (`labels_lost.losses`), and what else a person should
    know. Raises ProjectError for an unknown format, and where files of others would be replaced;
    OSError, Cancelled.
    """
    notes, watch = notes if notes is not None else [], monitored(monitor)
    form, folder = format_of(way.form), absolute(folder)
    check_export(project, folder, way)
    notes += [loss.words for loss in losses(project, form)] if way.say_lost else []
    watch.step(0.0, "Putting the labels in order")
    plan = _planned(project, form, folder, own_images=bool(way.frames))
    with beside(folder) as part:
        form.write(plan.out, part)
        if way.frames:
            notes += write_frames(
                project,
                plan.out,
                [at.source for at in plan.clips],
                part,
                bits=way.frames,
                monitor=Portion(watch, 0.2, 0.8),
            )
        watch.step(0.8, "Reading the files again")
        extra = _side_file(project, form, plan, part, notes)
        write_extra(part / EXTRA, extra)
        put_in_place(part, folder, known=known_files(folder, form.id), force=way.force)
    if not way.frames:
        notes += filter(
            None, (_turned_note(project.sources[at.source]) for at in plan.clips if at.frames)
        )
    if plan.fallen_back:
        notes.append(
            f"The files of {plan.fallen_back} clips cannot be listed: their frames are called by "
            "numbers."
        )
    return [folder / name for name in (*extra.files, EXTRA)]


def check_export(project: Project, folder: str | Path, way: Way) -> None:
    """Raise what is known to be wrong with an export before anything is read or written:
    ProjectError for points, and for files of others in the way, FormatError for frames that are
    not there."""
    need_frames(project, "labels for other programs")
    if not way.force:
        check_free(Path(folder), obstacles(Path(folder), way.form))
    if way.frames:
        check_sources(project)


def obstacles(folder: Path, form: str) -> list[str]:
    """What lies in a folder that an export in a format may have to replace, and that no earlier one
    left like this: files of an earlier export that were changed since, and its side file where that
    is of another format."""
    known = known_files(folder, form)
    if not known:
        return [EXTRA] if (folder / EXTRA).exists() else []
    return in_the_way(folder, known, known)


def known_files(folder: Path, form: str) -> dict[str, str]:
    """The files that an earlier export in a format left in a folder, with their hashes; its side
    file as it is now."""
    try:
        found = read_extra(folder / EXTRA)
    except EmberscopeError:
        return {}
    if found.of != form:
        return {}
    inside = {
        name: was for name, was in found.files.items() if not {"..", ""} & set(name.split("/"))
    }
    return {**inside, EXTRA: hash_of(folder / EXTRA)}


def _side_file(project: Project, form: Format, plan: _Plan, part: Path, notes: list[str]) -> Extra:
    classes = list(project.classes.values())
    by_name = {target.name: target.id for target in reversed(classes)}
    kept, spare = kept_of(part, plan.clips, plan.written, by_name)
    missing = sum(1 for one in kept if one.shown is None)
    if missing:
        notes.append(
            f"{how_many(missing, 'label')} of {len(project.labels)} "
            f"{'is' if missing == 1 else 'are'} in {EXTRA} only."
        )
    sources = [label_source(ref) for ref in project.sources.values()]
    return Extra(
        of=form.id, files=files_in(part), sources=sources, classes=classes, clips=plan.clips,
        kept=kept,
        spare=spare, instances=instances_spoken_of(project, notes, marked=True),
        side=list(project.side.values()),
        marks=list(project.marks.items()),
    )  # fmt: skip


# ---- what is written


def _planned(project: Project, form: Format, folder: Path, *, own_images: bool) -> _Plan:
    """The clips of a project as a format takes them, and which label each item is."""
    names, used = _Names(), set[str]()
    plan = _Plan(Out([], []), [])
    clips: list[OutClip] = []
    by_source: dict[int, dict[int, list[Label]]] = {}
    for label in project.labels:
        by_source.setdefault(label.source, {}).setdefault(label.frame, []).append(label)
    for source, by_frame in by_source.items():
        ref = project.sources.get(source)
        if ref is None:
            plan.clips.append(ClipAt(source, "", 0, 0, 0, []))
            plan.written[source] = {
                frame: [(label, None) for label in own] for frame, own in by_frame.items()
            }
            continue
        name = names.of(_stem(ref))
        images = _images(ref)
        plan.fallen_back += ref.format == FolderSource.format and not images
        frames, written = _frames_of(project, form, ref, by_frame)
        called = _Called(folder, name, images, own=own_images)
        out = [OutFrame(number, *called.of(number), items) for number, items in frames]
        clips.append(OutClip(name, ref.cols, ref.rows, ref.n_frames, out))
        at = [FrameAt(frame.number, frame.image, frame.stem) for frame in out]
        plan.clips.append(
            ClipAt(source, form.truth.format(name), ref.cols, ref.rows, ref.n_frames, at)
        )
        plan.written[source] = written
        used.update(item.name for _, items in frames for item in items)
    known = [target.name for target in project.classes.values()]
    plan.out = Out(
        clips, [name for name in dict.fromkeys([*known, *sorted(used), IGNORE]) if name in used]
    )
    return plan


def _frames_of(
    project: Project, form: Format, ref: SourceRef, by_frame: Mapping[int, list[Label]]
) -> tuple[list[tuple[int, list[Item]]], dict[int, list[tuple[Label, Shown | None]]]]:
    """The frames that are written, each with its items; and by frame each label with the box that
    is meant.

    A frame without an item is written where somebody said that it is empty, or that all on it is
    labeled: other programs take every image that they are given without an object for an empty one.
    """
    frames: list[tuple[int, list[Item]]] = []
    written: dict[int, list[tuple[Label, Shown | None]]] = {}
    for number, labels in sorted(by_frame.items()):
        items: list[Item] = []
        for label in labels:
            item, _ = outgoing(label, ref, project.classes, form)
            written.setdefault(number, []).append((label, None if item is None else _shown(item)))
            items += [] if item is None else [item]
        says = {label.says for label in labels if isinstance(label, FrameLabel)}
        if 0 <= number < ref.n_frames and (
            items or (says & {"empty", "complete"} and "contains" not in says)
        ):
            frames.append((number, items))
    return frames, written


def _shown(item: Item) -> Shown:
    if item.shape == "box" or item.shape == "point":
        return Shown(item.name, *item.box, item.ignore)
    points = item.points if item.shape != "ellipse" else ()
    return Shown(item.name, *item.box, item.ignore, item.shape, points)


def _images(ref: SourceRef) -> list[Path]:
    """The image file of each frame; none of clips."""
    if ref.format != FolderSource.format:
        return [Path(ref.path)] if ref.n_frames == 1 else []
    try:
        upright = bool(ref.options.get("upright", False))
        found = (
            frames_of(Path(ref.path), ref.options.get("size"), upright=upright)
            if may_be_read(ref)
            else []
        )
    except EmberscopeError:
        return []
    return found if len(found) == ref.n_frames else []


def _stem(ref: SourceRef) -> str:
    return ref.name if ref.format == FolderSource.format else Path(ref.name).stem


def _turned_note(ref: SourceRef) -> str:
    """A sentence where labels are about images as they are stored, which other programs show
    upright; else ""."""
    if not may_turn(ref.format) or ref.options.get("upright") or not may_be_read(ref):
        return ""
    try:
        with open_source(Path(ref.path), **{**ref.options, "upright": True}) as source:
            turned = bool(getattr(source, "stored_turned", False))
    except (EmberscopeError, OSError):  # it is gone
        return ""
    if not turned:
        return ""
    return (
        f"{ref.name}: images are stored turned, and its labels are about them as they are stored; "
        "other programs show them upright. Write the frames too, then both fit."
    )


class _Called:
    """How the frames of a clip are called in files: by their own images, else by their numbers.

    own : their images are written too, and called by these.
    """

    def __init__(self, folder: Path, clip: str, images: list[Path], *, own: bool) -> None:
        self._folder, self._clip, self._images, self._own = folder, clip, images, own
        self._stems = Counter(_alike(image.stem) for image in images)
        self._seen: set[str] = set()

    def of(self, number: int) -> tuple[str, str]:
        """The path of its image, seen from the folder, and a name for the file about it."""
        numbered = f"frame_{number:06d}"
        path = self._images[number] if number < len(self._images) else None
        stem = (
            numbered
            if path is None
            else plain(path.stem if self._stems[_alike(path.stem)] == 1 else path.name)
        )
        if f"{stem.casefold()}.txt" in LISTS or _alike(stem) in self._seen or len(stem) > 200:
            stem = f"{stem[:150]}_{numbered}"
        self._seen.add(_alike(stem))
        if self._own or path is None:
            return (
                f"images/{self._clip}/{stem}.png" if self._own else f"{self._clip}/{stem}.png",
                stem,
            )
        return _relative(path, self._folder), stem


def _relative(path: Path, folder: Path) -> str:
    """A path seen from a folder, with "/" between names; the whole path where it is on another
    drive."""
    try:
        return plain(Path(os.path.relpath(path, folder)).as_posix())
    except ValueError:
        return plain(path.as_posix())


class _Names:
    """File names for clips, no two alike in any case of letters."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, name: str) -> str:
        """A name that every file system takes, and that no earlier one has."""
        clean = plain(name).translate(_UNFIT).strip(" .") or "clip"
        clean = f"_{clean}" if _RESERVED.fullmatch(clean) else clean
        clean = shortened(clean, _LONGEST) if length_of_name(clean) > _LONGEST else clean
        found, k = clean, 1
        while _alike(found) in self._taken:
            k += 1
            found = f"{clean}_{k}"
        self._taken.add(_alike(found))
        return found


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


__all__ = ["Loss", "Way", "known_files", "losses", "write_labels"]
