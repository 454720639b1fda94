"""AGT, the ground truth of ARF files, with the boxes of a `.bbox_met` file."""

import re
from collections.abc import Sequence
from pathlib import Path

from emberscope.frames.source import FrameSource
from emberscope.frames.truth.agt import (
    Agt,
    Target,
    TargetUpdate,
    associate,
    ply_key,
    read_agt,
    write_agt,
)
from emberscope.frames.truth.agt_boxes import AgtTarget, boxes_from_agt, companions
from emberscope.labels.columns import Value, values_of
from emberscope.labels.formats.items import Item, Out, OutClip, digits, new_file
from emberscope.labels.model import About
from emberscope.labels.truth_objects import Objects, is_ignored

_OWN = re.compile(r"box \d+")  # a player that `write` named, of a label without a track


def read_truth_agt(path: Path, source: FrameSource, objects: Objects, notes: list[str]) -> None:
    """Take the targets of a file, with the boxes of the `.bbox_met` file beside it. Raises
    FormatError."""
    agt = read_agt(path)
    notes.extend((*agt.warnings, *associate(agt, n_frames=source.n_frames).warnings))
    shared = list[Path]()
    metrics = companions(path, shared=shared)["bbox_met"]
    notes.extend(
        f"{found.name} in {found.parent.name} is left out: AGT files of this name in other folders "
        "could be meant as well. Put it beside its AGT file."
        for found in shared
    )
    targets = boxes_from_agt(
        agt, shape=source.shape, n_frames=source.n_frames, bbox_met=metrics, left=objects.left
    )
    objects.there += sum(len(update.targets) for update in agt.target_updates)
    for found in targets:
        objects.take(found.frame, found.box or (found.x, found.y, found.x, found.y), found.name,
                     ignore=is_ignored(found.name), about=_about(found))
    objects.facts.clip |= _of_clip(agt)


def _about(target: AgtTarget) -> About | None:
    """Range in m, aspect in degrees, the number of its player as that of its track, and its
    keywords."""
    own = _OWN.fullmatch(target.ply_id) is not None
    known: dict[str, float | str | None] = {"range": target.range_m, "aspect": target.aspect}
    if isinstance(number := ply_key(target.ply_id), str) and number and not own:
        known["target id"] = target.ply_id
    columns = values_of({**target.said, **known})
    track = number if isinstance(number, int) and number < 2**53 else None
    about = About(track=track, columns=columns)
    return about if about != About() else None


def _of_clip(agt: Agt) -> dict[str, Value]:
    """Where it was recorded: the fields of its project that are plain values."""
    return values_of(
        {name.lower(): agt.project[name] for name in ("Site", "Scenario") if name in agt.project}
    )


def write(out: Out, folder: Path) -> None:
    """Write `CLIP.agt` and `CLIP.bbox_met`. Frames count from 1, corners are the first and the last
    pixel. Names are in Latin letters only: others become "?"."""
    for clip in out.clips:
        updates, rows = [], list[str]()
        for frame in clip.frames:
            plies = _plies(frame.items)
            targets = [_target(item, ply) for item, ply in zip(frame.items, plies, strict=True)]
            updates.append(TargetUpdate(targets=tuple(targets), hint=frame.number + 1))
            rows += [
                _row(clip, frame.number, ply, item)
                for item, ply in zip(frame.items, plies, strict=True)
                if item.shape == "box"
            ]
        project = {"Name": clip.name, "Comment": "Labels of emberscope"}
        write_agt(
            new_file(folder, f"{clip.name}.agt"),
            Agt(project=project, target_updates=tuple(updates)),
        )
        path = new_file(folder, f"{clip.name}.bbox_met")
        path.write_text("".join(rows), encoding="latin-1", errors="replace")


def _target(item: Item, ply: str) -> Target:
    x0, y0, x1, y1 = item.box
    box = (x0, y0, x1 - 1, y1 - 1) if item.shape == "box" else None
    known = {
        name: value
        for name in ("range", "aspect")
        if type(value := item.about.columns.get(name)) is float
    }
    return Target(type=item.name, ply_id=ply, x=(x0 + x1) / 2, y=(y0 + y1) / 2, pix_box=box,
                  range_m=known.get("range"), aspect=known.get("aspect"))


def _plies(items: Sequence[Item]) -> list[str]:
    """A name for each target of a frame: the number of its track, else one that is known again as
    none."""
    tracks = [item.about.track for item in items]
    return [f"box {k}" if track is None or tracks.count(track) > 1 else str(track)
            for k, track in enumerate(tracks, start=1)]


def _row(clip: OutClip, frame: int, ply: str, item: Item) -> str:
    """A line of 18 columns: where the target is, and NULL for all that is measured of its
    pixels."""
    x0, y0, _, _ = item.box
    known = {
        4: " ".join(clip.name.replace(",", " ").split()),
        5: str(frame + 1),
        6: ply,
        9: digits(x0),
        10: digits(y0),
    }
    return ",".join(known.get(k, "NULL") for k in range(18)) + "\n"
