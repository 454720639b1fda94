"""Ground of labeled frames: patches that no label of a target comes near, drawn at random.

Labels of background are few and lie where a person looked. What a scorer meets on a whole frame is
mostly ground that nobody thought of, so some of it has to be among what it learns from.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.monitor import Monitor, Portion
from emberscope.course.inputs import content_of
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.features.extract import extract
from emberscope.labels import Ignore
from emberscope.labels.geometry import centers
from emberscope.project.exchange.sources import for_features, open_ref
from emberscope.project.model.project import Project, Run
from emberscope.scoring.grids import grids_of
from emberscope.scoring.kept import keep, kept

MOST = 6000  # patches


def ground_of(project: Project, run: Run) -> Instances:
    """Up to 6000 patches of the sides of a run on its labeled frames, as many of each frame.

    The middle of each lies farther than a patch from what the positive bags of its frame reach, and
    in no region to be ignored: labeled frames count as wholly labeled. Always the same ones.
    """
    frames = np.unique(np.stack([run.source, run.frame], axis=1), axis=0)
    rng, parts = np.random.default_rng(run.recipe.seed), list[Instances]()
    for (source, frame), most in zip(frames.tolist(), _dealt(len(frames)), strict=True):
        ref = project.sources[source]
        boxes = np.concatenate([grid.everywhere() for grid in grids_of(run, ref).values()])
        free = boxes[_free(project, run, source, frame, boxes)]
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


def _free(
    project: Project, run: Run, source: int, frame: int, boxes: NDArray
) -> NDArray[np.bool_]:
    """Which boxes lie on ground."""
    middle, side = centers(boxes), (boxes[:, 2:] - boxes[:, :2]).max(axis=1)[:, None]
    free = np.ones(len(boxes), bool)
    for low, high in reached(run, source, frame):
        free &= ~((middle >= low - side) & (middle < high + side)).all(axis=1)
    for label in project.labels.on_frame(source, frame):
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
