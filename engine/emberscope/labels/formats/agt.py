"""AGT, the ground truth of ARF files, with the boxes of a `.bbox_met` file."""

from pathlib import Path

from emberscope.frames.source import FrameSource
from emberscope.frames.truth.agt import Agt, Target, TargetUpdate, associate, read_agt, write_agt
from emberscope.frames.truth.agt_boxes import boxes_from_agt, companions
from emberscope.labels.formats.items import Item, Out, OutClip, digits, new_file
from emberscope.labels.truth_objects import Objects, is_ignored


def read_truth_agt(path: Path, source: FrameSource, objects: Objects, notes: list[str]) -> None:
    """Take the targets of a file, with the boxes of the `.bbox_met` file beside it. Raises
    FormatError."""
    agt = read_agt(path)
    notes.extend((*agt.warnings, *associate(agt, n_frames=source.n_frames).warnings))
    shared = list[Path]()
    metrics = companions(path, shared=shared)["bbox_met"]
    notes.extend(
        f"{found.name} in {found.parent.name} is left out: AGT files of this name in other folders "
        "could be meant as "
        "well. Put it beside its AGT file."
        for found in shared
    )
    targets = boxes_from_agt(
        agt, shape=source.shape, n_frames=source.n_frames, bbox_met=metrics, left=objects.left
    )
    objects.there += sum(len(update.targets) for update in agt.target_updates)
    for found in targets:
        objects.take(found.frame, found.box or (found.x, found.y, found.x, found.y), found.name,
                     ignore=is_ignored(found.name))


def write(out: Out, folder: Path) -> None:
    """Write `CLIP.agt` and `CLIP.bbox_met`. Frames count from 1, corners are the first and the last
    pixel. Names are in Latin letters only: others become "?"."""
    for clip in out.clips:
        updates, rows = [], list[str]()
        for frame in clip.frames:
            targets = [_target(item, k) for k, item in enumerate(frame.items, start=1)]
            updates.append(TargetUpdate(targets=tuple(targets), hint=frame.number + 1))
            rows += [
                _row(clip, frame.number, k, item)
                for k, item in enumerate(frame.items, start=1)
                if item.shape == "box"
            ]
        project = {"Name": clip.name, "Comment": "Labels of emberscope"}
        write_agt(
            new_file(folder, f"{clip.name}.agt"),
            Agt(project=project, target_updates=tuple(updates)),
        )
        path = new_file(folder, f"{clip.name}.bbox_met")
        path.write_text("".join(rows), encoding="latin-1", errors="replace")


def _target(item: Item, ply: int) -> Target:
    x0, y0, x1, y1 = item.box
    box = (x0, y0, x1 - 1, y1 - 1) if item.shape == "box" else None
    return Target(type=item.name, ply_id=str(ply), x=(x0 + x1) / 2, y=(y0 + y1) / 2, pix_box=box)


def _row(clip: OutClip, frame: int, ply: int, item: Item) -> str:
    """A line of 18 columns: where the target is, and NULL for all that is measured of its
    pixels."""
    x0, y0, _, _ = item.box
    known = {
        4: " ".join(clip.name.replace(",", " ").split()),
        5: str(frame + 1),
        6: str(ply),
        9: digits(x0),
        10: digits(y0),
    }
    return ",".join(known.get(k, "NULL") for k in range(18)) + "\n"
