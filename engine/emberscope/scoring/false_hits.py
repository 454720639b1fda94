"""Ground that a scorer takes for targets, on frames whose labels say that there are no others: it
learns from the worst of that once more.

Ground drawn at random is mostly easy. What a scorer mistakes for a target is rare in it, and is
what false alarms on other clips are like.
"""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.bags.verdict import says
from emberscope.base.monitor import Monitor, Portion
from emberscope.features.extract import extract
from emberscope.project.exchange.sources import for_features, open_ref
from emberscope.project.model.project import Project, Run
from emberscope.scoring.detections import Detections
from emberscope.scoring.grids import grids_of
from emberscope.scoring.ground import on_ground
from emberscope.scoring.scan import scan
from emberscope.scoring.scorer import Lesson, Scorer

MOST = 200    # false hits that are learned from
_FRAMES = 40  # that are looked for them on
_LEAST = 0.3  # below, nobody would take it for a target: a scorer that knows its ground stays


def known_frames(project: Project, run: Run) -> NDArray[np.int64]:
    """(F, 2) source and frame of those of a run that a label calls empty or complete, 40 at most,
    evenly chosen."""
    frames = np.unique(np.stack([run.source, run.frame], axis=1), axis=0).astype(np.int64)
    rows = [row for row, (source, frame) in enumerate(frames.tolist())
            if any(says(label, "empty") or says(label, "complete")
                   for label in project.labels.on_frame(source, frame))]
    if not rows:
        return frames[:0]
    chosen = np.linspace(0, len(rows) - 1, min(_FRAMES, len(rows))).astype(np.int64)
    return frames[np.array(rows)[np.unique(chosen)]]


def with_false_hits(project: Project, run: Run, lesson: Lesson, monitor: Monitor) -> Lesson:
    """A lesson and behind it, with a score of 0, the 200 highest detections on ground of known
    frames by what the lesson teaches, of those from 0.3 on. Raises FormatError where a file is
    gone, Cancelled."""
    frames = known_frames(project, run)
    if not len(frames):
        return lesson
    parts = list(_on_sources(project, run, frames, Scorer.learned(lesson), monitor))
    score = np.concatenate([found.score for found, _, _ in parts])
    worst = np.argsort(-score, kind="stable")[:MOST]
    worst = np.sort(worst[score[worst] >= _LEAST])
    X = np.concatenate([own for _, own, _ in parts])[worst]
    place = np.concatenate([own for _, _, own in parts])[worst]
    none = np.zeros(len(worst), np.int64)
    return Lesson(np.concatenate([lesson.X, X]), np.concatenate([lesson.score, none]),
                  np.concatenate([lesson.kind, none]), np.concatenate([lesson.place, place]))


def _on_sources(
    project: Project, run: Run, frames: NDArray[np.int64], scorer: Scorer, monitor: Monitor
) -> Iterator[tuple[Detections, NDArray[np.float32], NDArray[np.int64]]]:
    """Of each source, what is found on its ground, the features of that, and source and frame."""
    done = 0
    for source in np.unique(frames[:, 0]).tolist():
        mine = frames[frames[:, 0] == source, 1].astype(np.int32)
        part = Portion(monitor, done / len(frames), (done + len(mine)) / len(frames))
        ref = project.sources[source]
        with open_ref(for_features(ref, run.recipe.features.units)) as opened:
            scanned = scan(opened, [frame[None] for frame in mine], grids_of(run, ref),
                           run.recipe.features, scorer, part)
            with closing(scanned):
                found = Detections.joined([_false(project, run, source, block.found)
                                           for block in scanned])
            at = Instances.at(np.full(len(found), source), found.frame, found.box)
            X = extract(at, {source: opened}.__getitem__, run.recipe.features)
        yield found, X, np.stack([at.source, at.frame], axis=1).astype(np.int64)
        done += len(mine)


def _false(project: Project, run: Run, source: int, found: Detections) -> Detections:
    """Of detections on one frame those on ground."""
    if not len(found):
        return found
    return found.take(np.flatnonzero(
        on_ground(project, run, source, int(found.frame[0]), found.box)))
