"""AGT, the ground truth of ARF files, with the boxes of a `.bbox_met` file."""

from pathlib import Path

from emberscope.frames.source import FrameSource
from emberscope.frames.truth.agt import associate, read_agt
from emberscope.frames.truth.agt_boxes import boxes_from_agt, companions
from emberscope.labels.truth_objects import Objects, is_ignored


def read_truth_agt(path: Path, source: FrameSource, objects: Objects, notes: list[str]) -> None:
    """Take the targets of a file, with the boxes of the `.bbox_met` file beside it. Raises FormatError."""
    agt = read_agt(path)
    notes.extend((*agt.warnings, *associate(agt, n_frames=source.n_frames).warnings))
    targets = boxes_from_agt(
        agt, shape=source.shape, n_frames=source.n_frames, bbox_met=companions(path)["bbox_met"], left=objects.left
    )
    objects.there += sum(len(update.targets) for update in agt.target_updates)
    for found in targets:
        objects.take(found.frame, found.box or (found.x, found.y, found.x, found.y), found.name,
                     ignore=is_ignored(found.name))
