"""Ground of labeled frames: patches that no label of a target comes near, drawn at random.

Labels of background are few and lie where a person looked. What a scorer meets on a whole frame is
mostly ground that nobody thought of, so some of it has to be among what it learns from.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.monitor import Monitor, Portion
from emberscope.course.inputs import content_of
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.features.extract import extract
from emberscope.labels import Ignore, Label
from emberscope.labels.geometry import centers
from emberscope.project.exchange.sources import for_features, open_ref
from emberscope.project.model.project import Project, Run
from emberscope.scoring.grids import grids_of
from emberscope.scoring.kept import keep, kept

MOST = 6000  # patches


def ground_of(project: Project, run: Run, whole: Run | None = None) -> Instances:
    """Up to 6000 patches of the sides of a run on its labeled frames, as many of each frame.

    The middle of each lies farther than a patch from what the positive bags of its frame reach, and
    in no region to be ignored: labeled frames count as wholly labeled. Always the same ones.

    whole : the run, where `run` is the side of it that teaches; patches are as far from all that
    does not teach, whatever its label.
    """
    beside = _beside(run, whole)
    frames = np.unique(np.stack([run.source, run.frame], axis=1), axis=0)
    rng, parts = np.random.default_rng(run.recipe.seed), list[Instances]()
    for (source, frame), most in zip(frames.tolist(), _dealt(len(frames)), strict=True):
        ref = project.sources[source]
        boxes = np.concatenate([grid.everywhere() for grid in grids_of(run, ref).values()])
        near = [*reached(run, source, frame), *beside.get((source, frame), ())]
        free = boxes[_free(project.labels.on_frame(source, frame), near, boxes)]
        box = free[np.sort(rng.permutation(len(free))[:most])].astype(np.float32)
        parts.append(Instances.at(np.full(len(box), source), np.full(len(box), frame), box))
    return Instances(*(np.concatenate([getattr(part, name) for part in parts])
                       for name in ("ids", "source", "frame", "box")))


def features_of_ground(
    project: Project, run: Run, ground: Instances, cache: Path, monitor: Monitor
) -> NDArray[np.float32]:
    """(G, D) features of patches, kept in the cache. Raises FormatError, Cancelled."""
    used = np.unique(ground.source).tolist()
    contents = [content_of(project.sources[source]) for source in used]
    options = [project.sources[source].options for source in used]
    key = digest(["ground", ground.source, ground.frame, ground.box, contents, options,
                  run.recipe.features, code_version()])
    found = kept(cache, key)
    if found is not None:
        return found[0]
    parts = list[NDArray]()
    for at, source in enumerate(used):
        part = Portion(monitor, at / len(used), (at + 1) / len(used))
        mine = ground.take(np.flatnonzero(ground.source == source))
        ref = for_features(project.sources[source], run.recipe.features.units)
        with open_ref(ref) as opened:
            parts.append(extract(mine, {source: opened}.__getitem__, run.recipe.features,
                                 monitor=part))
    X = np.concatenate(parts)
    keep(cache, key, [X])
    return X


def _dealt(frames: int) -> list[int]:
    """How many patches each frame gives."""
    ends = np.linspace(0, MOST, frames + 1).astype(np.int64)
    return np.diff(ends).tolist()


def _beside(run: Run, whole: Run | None) -> dict[tuple[int, int], list[tuple[NDArray, NDArray]]]:
    """By source and frame, corners of the instances of a run that are not of its side."""
    out: dict[tuple[int, int], list[tuple[NDArray, NDArray]]] = {}
    if whole is not None:
        for row in np.flatnonzero(~np.isin(whole.ids, run.ids)).tolist():
            place = int(whole.source[row]), int(whole.frame[row])
            out.setdefault(place, []).append((whole.box[row, :2], whole.box[row, 2:]))
    return out


def _free(
    labels: Iterable[Label], near: Sequence[tuple[NDArray, NDArray]], boxes: NDArray
) -> NDArray[np.bool_]:
    """Which boxes lie on ground, of a frame with these labels. near : corners of what they keep
    away from."""
    middle, side = centers(boxes), (boxes[:, 2:] - boxes[:, :2]).max(axis=1)[:, None]
    free = np.ones(len(boxes), bool)
    for low, high in near:
        free &= ~((middle >= low - side) & (middle < high + side)).all(axis=1)
    for label in labels:
        if isinstance(label, Ignore):
            whole = label.x0 is None
            low, high = np.array([label.x0, label.y0]), np.array([label.x1, label.y1])
            free &= False if whole else ~((middle >= low) & (middle < high)).all(axis=1)
    return free


def reached(run: Run, source: int, frame: int) -> list[tuple[NDArray, NDArray]]:
    """Corners of what each positive bag reaches on a frame."""
    bags = run.bags
    positive = (bags.labels > 0)[bags.bag_of_member]
    members, owner = bags.members[positive], bags.bag_of_member[positive]
    here = (run.source[members] == source) & (run.frame[members] == frame)
    out = []
    for k in np.unique(owner[here]):
        own = run.box[members[here & (owner == k)]]
        out.append((own[:, :2].min(axis=0), own[:, 2:].max(axis=0)))
    return out
