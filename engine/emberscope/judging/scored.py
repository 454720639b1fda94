"""Detections on clips that a run has scored and did not learn from, beside what their labels
know."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError, ProjectError
from emberscope.base.folders import cache_folder
from emberscope.base.ids import bag_id
from emberscope.evaluate.held_out import enough_blocks
from emberscope.findings.judged.levels import DETECTION, GROUND, WhyNot
from emberscope.judging.evidence import MANY_CLIPS, Entries, Places
from emberscope.labels import FrameLabel, Ignore
from emberscope.labels.geometry import bounds
from emberscope.labels.model import Label, tight_box
from emberscope.labels.origins import MODEL, code_of
from emberscope.labels.truth_objects import TruthBox
from emberscope.project.model.project import Project, Run, SourceRef
from emberscope.scoring.clips import Scoring
from emberscope.scoring.detections import Block, Detections
from emberscope.scoring.kept import FOLDER, kept_block
from emberscope.scoring.matching import FALSE_ALARM, HIT, match
from emberscope.scoring.teaching import sources_that_taught

_NO_FALSE = "No detection on the {} scored frames with truth is a false alarm: there is no curve."


@dataclass(frozen=True, slots=True)
class ScoredClips:
    """entries : as of the detection level, by places of their own. rests_on : on what they rest, in
    words; note : the same as a sentence."""

    entries: Entries
    places: Places
    rests_on: str
    note: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What the labels of a clip know. frames : whose targets are all known. boxes : of targets and
    of regions to be left out, kind and label (T,) their classes and ids of their labels."""

    frames: list[int]
    boxes: list[TruthBox]
    kind: list[int]
    label: list[int]


@dataclass(frozen=True, slots=True)
class _Told:
    """The entries of one clip. place : of each among the frames (F,) that count."""

    source: int
    frames: NDArray[np.int64]
    place: NDArray[np.int64]
    score: NDArray[np.float64]
    truth: NDArray[np.int64]
    said: NDArray[np.int64]
    label: NDArray[np.int64]


def scored_clips(
    project: Project, run: Run, cache: str | Path | None = None
) -> ScoredClips | WhyNot | None:
    """What a run found on the clips that it scored and did not learn from, on frames whose targets
    labels know; None where there is no such target.

    A frame counts where labels say where all of its targets are, or that it has none. What a
    detector labeled and nobody checked is no truth: such a region is left out. cache : where scores
    are kept, None for the user's cache folder.
    """
    folder = cache_folder() if cache is None else Path(cache)
    seen = set(sources_that_taught(run))
    known = {ref.id: _known(project, ref.id) for ref in project.sources.values()}
    known = {source: each for source, each in known.items() if each.frames}
    if not known.keys() - seen or not (folder / FOLDER).is_dir():
        return None
    try:
        scoring = Scoring(project, run, folder)
    except (DataError, ProjectError):  # says nothing of targets, or a clip of it is gone
        return None
    blocks = {source: _blocks(scoring, project.sources[source]) for source in known}
    told = [_told(source, known[source], blocks[source]) for source in sorted(known.keys() - seen)]
    told = [each for each in told if len(each.frames)]
    if not any((each.truth != GROUND).any() for each in told):
        return None
    left = sum(1 for source in known.keys() & seen if blocks[source])
    return _joined(run, told, left)


def _blocks(scoring: Scoring, ref: SourceRef) -> list[Block]:
    """Those of a clip that are there and whole."""
    kept = [kept_block(scoring.cache, block.key) for block in scoring.blocks_at(ref)]
    return [block for block in kept if block is not None]


def _known(project: Project, source: int) -> _Known:
    out = _Known([], [], [], [])
    for frame in project.labels.frames(source):
        labels = project.labels.on_frame(source, frame)
        boxes = [_box(project, label) for label in labels]
        if any(box is _ANYWHERE for box in boxes):
            continue
        there = [(label, box) for label, box in zip(labels, boxes, strict=True)
                 if isinstance(box, TruthBox)]  # fmt: skip
        if not any(_says_empty(label) for label in labels) and all(
            box.ignore for _, box in there
        ):
            continue
        out.frames.append(frame)
        out.boxes.extend(box for _, box in there)
        out.kind.extend(label.class_id for label, _ in there)
        out.label.extend(label.id for label, _ in there)
    return out


_ANYWHERE = "anywhere"  # of a label that may be about any place of its frame


def _box(project: Project, label: Label) -> TruthBox | str | None:
    """Where the target of a label is, or a region to be left out; None of what is about neither."""
    if isinstance(label, Ignore):
        if label.x0 is None or label.y0 is None or label.x1 is None or label.y1 is None:
            return _ANYWHERE
        return TruthBox(label.frame, label.x0, label.y0, label.x1, label.y1, ignore=True)
    if isinstance(label, FrameLabel):
        return _ANYWHERE if label.says == "contains" else None
    if project.role(label.class_id) <= 0:
        return None
    detected = code_of(label.origin) == MODEL
    box = tight_box(label) or (bounds(label) if detected else None)
    if box is None:
        return _ANYWHERE
    checked = label.about is not None and label.about.checked
    return TruthBox(label.frame, *box, ignore=detected and not checked)


def _says_empty(label: Label) -> bool:
    return isinstance(label, FrameLabel) and label.says == "empty"


def _told(source: int, known: _Known, blocks: list[Block]) -> _Told:
    """Targets, each with its hit, then false alarms."""
    none = np.empty(0, np.int64)
    scored = np.concatenate([none, *(block.frames for block in blocks)])
    frames = np.intersect1d(np.array(known.frames, np.int64), scored)
    if not len(frames):
        return _Told(source, frames, none, np.empty(0), none, none, none)
    found = Detections.joined([block.found for block in blocks])
    matches = match(found, known.boxes, frames)
    wanted = set(frames.tolist())
    rows = [n for n, box in enumerate(known.boxes) if box.frame in wanted and not box.ignore]
    at = np.full(len(known.boxes), -1)
    at[rows] = np.arange(len(rows))
    kind = np.array([known.kind[n] for n in rows], np.int64)
    score, said = np.full(len(rows), -np.inf), kind.copy()
    hits, false = (np.flatnonzero(matches.outcome == each) for each in (HIT, FALSE_ALARM))
    mine = at[matches.target[hits]]
    score[mine], said[mine] = found.score[hits], found.kind[hits]
    return _Told(
        source, frames, np.concatenate([matches.targets, matches.place[false]]),
        np.concatenate([score, found.score[false]]),
        np.concatenate([kind, np.full(len(false), GROUND)]),
        np.concatenate([said, found.kind[false]]),
        np.array([known.label[n] for n in rows], np.int64),
    )  # fmt: skip


def _joined(run: Run, told: Sequence[_Told], left: int) -> ScoredClips | WhyNot:
    source = np.concatenate([np.full(len(each.frames), each.source) for each in told])
    frame = np.concatenate([each.frames for each in told])
    by_clip = len(told) >= MANY_CLIPS
    group = _groups(source, frame, by_clip)
    truth = np.concatenate([each.truth for each in told])
    if (truth != GROUND).all():
        return WhyNot(_NO_FALSE.format(len(frame)), "label")
    starts = np.cumsum([0, *(len(each.frames) for each in told)])
    place = np.concatenate([each.place + start
                            for each, start in zip(told, starts, strict=False)])  # fmt: skip
    bag = np.full(len(truth), -1)
    bag[truth != GROUND] = np.arange(int((truth != GROUND).sum()))
    label = np.concatenate([each.label for each in told])
    entries = Entries(
        DETECTION, np.full(len(truth), -1), np.concatenate([each.score for each in told]), truth,
        np.concatenate([each.said for each in told]), group[place], bag, place,
        np.bincount(group).astype(np.float64),
    )  # fmt: skip
    clips, frames = _counted(len(told), "clip"), _counted(len(frame), "frame")
    whose = f"{clips} that run {run.id} has scored and not seen"
    out = f"{_counted(left, 'clip')} that taught it {'are' if left > 1 else 'is'} left out"
    drawn = "clips" if by_clip else "blocks of frames"
    rests_on = (f"{len(truth)} targets and false alarms on {whose}, {frames} with truth, intervals "
                f"by {len(np.unique(group))} {drawn}")
    note = f"Detections on {frames} with truth of {whose}"
    return ScoredClips(
        entries, Places(source, frame, np.array([bag_id(key) for key in label.tolist()], np.int64)),
        f"{rests_on}; {out}" if left else rests_on, f"{note}; {out}." if left else f"{note}.",
    )  # fmt: skip


def _groups(source: NDArray, frame: NDArray, by_clip: bool) -> NDArray[np.int64]:
    """(F,) clips, or blocks of frames; from 0."""
    if by_clip:
        return np.unique(source, return_inverse=True)[1].reshape(-1)
    return enough_blocks(source, frame)


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
