"""What scoring writes into a folder that a person names: the table of detections, heat maps by
block of frames, and what else is asked for."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.csv_cells import Digits, write_rows
from emberscope.base.errors import ProjectError
from emberscope.base.files import open_to_read, written_whole
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.out_folders import make_out_folder
from emberscope.features.cache import digest
from emberscope.project.model.project import SourceRef
from emberscope.scoring.clips import Scoring, likely
from emberscope.scoring.declarations import write_declarations, write_labels
from emberscope.scoring.detections import Block, Detections
from emberscope.scoring.earlier import (
    labels_of_others,
    rows_by_clip,
    rows_of_others,
    words_of_others,
)
from emberscope.scoring.images import write_images, write_video

TABLE, LABELS = "detections.csv", "detections.jsonl"
ALSO = ("atr", "labels", "images", "video")  # what is written besides where it is asked for
COLUMNS = ("source", "frame", "x0", "y0", "x1", "y1", "class", "score", "probability",
           "probability_low", "probability_high")
SUMS = "detections.sha256"  # of what was written, as `sha256sum` writes and checks them
_MOST_BYTES = 4096
_HEAT = "heat_"


@dataclass(frozen=True, slots=True)
class Written:
    """table : path of the detections. heat : folder of the heat maps of each clip. note : on what
    was there before, "" for nothing."""

    table: str
    heat: list[str]
    note: str


def refuse_foreign(folder: Path) -> None:
    """Raise ProjectError where a file would take the place of somebody's, or where there is no
    place for it."""
    if folder.exists() and not folder.is_dir():
        raise ProjectError("this is no folder", where=str(folder), hint="Name another one.")
    sums = _sums(folder)
    for name in (TABLE, LABELS, SUMS):
        path = folder / name
        ours = sums is not None and (name == SUMS or _sum(path) in sums.get(name, ()))
        if path.is_symlink() or (path.exists() and not ours):
            raise ProjectError("this file is not one that `score` wrote, or was changed since, and "
                               "it is not replaced", where=str(path),
                               hint="Name another folder, or move it away.")


def write_folder(
    scoring: Scoring, clips: Sequence[SourceRef], folder: Path, also: Collection[str] = (),
    monitor: Monitor | None = None,
) -> Written:
    """Write detections and heat maps of clips that were scored.

    also : of `ALSO`: declarations for scorers of target recognition, labels for projects, images
    and a video of frames with heat and boxes. What is there of other clips stays. Raises as
    `refuse_foreign`; OSError where nothing can be written, FormatError where a file is gone that
    images need, Cancelled.
    """
    watch = monitored(monitor)
    refuse_foreign(folder)
    make_out_folder(folder)
    folders = [_called(ref) for ref in clips]
    for at, (ref, name) in enumerate(zip(clips, folders, strict=True)):
        watch.step(at / len(clips), f"Writing {ref.name}")
        for block in scoring.blocks(ref):
            _write_block(folder / "heat" / name, block)
        if "atr" in also:
            write_declarations(scoring, ref, folder / "declarations" / f"{name}.json")
        if "images" in also:
            write_images(scoring, ref, folder / "images" / name, watch)
        if "video" in also:
            write_video(scoring, ref, folder / "video" / f"{name}.mp4", watch)
    table, labels = folder / TABLE, folder / LABELS
    # By either, as other clips of an earlier call had its name or not
    names = {word for ref in clips for word in (ref.name, ref.path)}
    before = rows_by_clip(table)
    write_table(table, chain(rows_of_others(table, names), _rows(scoring, clips)))
    if "labels" in also:
        others = labels_of_others(labels, {ref.name for ref in clips},
                                  scoring.project.classes.values(),
                                  max(ref.id for ref in clips) + 1)
        with written_whole(labels) as part:
            write_labels(scoring, clips, part, others)
            _note(labels, part)
        _settle(labels)
    return Written(str(table), [str(folder / "heat" / name) for name in folders],
                   words_of_others(before, rows_by_clip(table), names))


def _sums(folder: Path) -> dict[str, list[str]] | None:
    """Checksums of the files that `score` wrote into a folder, by name; None where what lies in
    their place is something else."""
    out: dict[str, list[str]] = {}
    try:
        with open_to_read(folder / SUMS) as file:
            lines = file.read(_MOST_BYTES).decode().splitlines()
    except FileNotFoundError:
        return out
    except (OSError, UnicodeDecodeError):
        return None
    for line in lines:
        number, _, name = line.partition("  ")
        if name not in (TABLE, LABELS) or len(number) != 2 * sha256().digest_size:
            return None
        out.setdefault(name, []).append(number)
    return out


def _sum(path: Path) -> str:
    """"" where it cannot be read."""
    try:
        with open_to_read(path) as file:
            found = sha256()
            while part := file.read(1 << 20):
                found.update(part)
            return found.hexdigest()
    except OSError:
        return ""


def _note(path: Path, part: Path) -> None:
    """Write down the checksum of a file before it takes its place. That of the file before it
    stays, so that either is known where the program ends in between."""
    sums = _sums(path.parent) or {}
    sums[path.name] = [*sums.get(path.name, ())[-1:], _sum(part)]
    _write_sums(path.parent, sums)


def _settle(path: Path) -> None:
    """Forget the checksum of the file before, once the new one is in its place: `sha256sum -c`
    would say that it fails."""
    sums = _sums(path.parent) or {}
    if len(sums.get(path.name, ())) > 1:
        _write_sums(path.parent, {**sums, path.name: sums[path.name][-1:]})


def _write_sums(folder: Path, sums: dict[str, list[str]]) -> None:
    lines = [f"{number}  {name}\n" for name in sums for number in sums[name]]
    with written_whole(folder / SUMS) as new:
        new.write_text("".join(lines), encoding="utf-8")


def write_table(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write the table of detections, row by row, whole or not at all. Raises OSError."""
    with written_whole(path) as part:
        with part.open("w", encoding="utf-8", newline="") as file:
            write_rows(file, [COLUMNS])
            write_rows(file, rows)
        _note(path, part)
    _settle(path)


def rows_of(
    source: str, found: Detections, probability: NDArray, names: dict[int, str]
) -> Iterable[list[object]]:
    """A row per detection, by frame, the highest first. probability : (N, 3), (0, 3) leaves the
    columns empty. names : of classes by id."""
    for n in range(len(found)):
        box = [Digits(f"{value:g}") for value in found.box[n]]
        kind = int(found.kind[n])
        chance = [Digits(f"{p:.4f}") for p in probability[n]] if len(probability) else [""] * 3
        yield [source, int(found.frame[n]), *box, names.get(kind, str(kind)),
               Digits(f"{found.score[n]:.6g}"), *chance]


def called(ref: SourceRef, clips: Sequence[SourceRef]) -> str:
    """The name of a clip, its path where several are called alike."""
    return ref.name if [other.name for other in clips].count(ref.name) == 1 else ref.path


def _rows(scoring: Scoring, clips: Sequence[SourceRef]) -> Iterator[list[object]]:
    names = {target.id: target.name for target in scoring.project.classes.values()}
    for ref in clips:
        rule = scoring.rule_on(ref)
        for block in scoring.blocks(ref):
            yield from rows_of(called(ref, clips), block.found, likely(rule, block.found), names)


def _called(ref: SourceRef) -> str:
    """What files of a clip are called: its name, and a hash of what makes it another one."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in ref.name)
    return f"{name[:60]}-{digest([ref.path, ref.options])[:8]}"


def _write_block(folder: Path, block: Block) -> None:
    """Write the heat maps, heat_SIDE (F, rows, cols) and step_SIDE in px, and the detections of
    some frames."""
    found = block.found
    arrays: dict[str, Any] = {
        "frames": block.frames, "frame": found.frame, "box": found.box, "kind": found.kind,
        "score": found.score,
    }  # fmt: skip
    arrays |= {f"{_HEAT}{side}": values for side, values in block.heat.items()}
    arrays |= {f"step_{side}": np.array(px) for side, px in block.steps.items()}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"frames_{block.frames[0]:06d}-{block.frames[-1]:06d}.npz"
    with written_whole(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)
