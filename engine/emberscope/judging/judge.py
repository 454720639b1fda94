"""A run judged at every level: curves with bands, the threshold to begin with, its weakest
slices."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np

from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, monitored
from emberscope.catalogue.classifier_title import classifier_title
from emberscope.evaluate.curves import Band, curves
from emberscope.evaluate.slices import Sliced, Slices
from emberscope.evaluate.within_clips import Value
from emberscope.findings.judged.levels import (
    BAG,
    DETECTION,
    GROUND,
    INSTANCE,
    LEVELS,
    METHOD,
    Estimate,
    Judged,
    Level,
    Slice,
    SliceAxis,
    Tally,
    Traced,
    WhyNot,
    balanced_threshold,
    crossed,
    without,
)
from emberscope.findings.split_sides import split_words
from emberscope.judging.axes import axes_of
from emberscope.judging.evidence import Entries, Evidence, Places
from emberscope.judging.scored import ScoredClips, scored_clips
from emberscope.project.model.project import Project, Run
from emberscope.project.nouns import nouns_of_run

_RULE_OF_THREE = 3.0  # events at most, with 95 % certainty, where none was seen
_ALARMS = 1.0  # false alarms per frame of the threshold that detections begin with
_WEAKEST = 12
_WHAT = {INSTANCE: "instances with known truth", BAG: "bags by their labels",
         DETECTION: "targets and detections on ground"}  # fmt: skip
_PATCHES = ("Detections are patches of labels: no clip with truth that run {} has not seen was "
            "scored by it.")  # fmt: skip


def judge_run(
    project: Project, run: Run, *, by: str = METHOD, cache: str | Path | None = None,
    monitor: Monitor | None = None,
) -> Judged:
    """What truth says of the held-out scores of a run, at every level that can be judged.

    Detections are those on clips that the run has scored and not seen, where labels know the
    targets of such frames; else they are made of the instances of the run, patches of labels.
    by : whose held-out scores, of the method or of the classifier, which scores no clips.
    cache : where scores of clips are kept, None for the user's cache folder. About 0.1 s for
    10 000 instances.
    """
    watch = monitored(monitor)
    evidence = Evidence(project, run, by)
    conflicts = run.bags.conflicts(len(run.ids))
    bags = np.unique(run.bags.bag_of_member[np.isin(run.bags.members, conflicts)])
    levels = []
    for at, name in enumerate(LEVELS):
        of_frames = project.of_points and name == DETECTION
        watch.step(at / len(LEVELS), "Judging" if of_frames else f"Judging by {name}")
        found = scored_clips(project, run, cache) if name == DETECTION and by == METHOD else None
        levels.append(_held_out(evidence, name) if found is None
                      else without(name, found) if isinstance(found, WhyNot)
                      else _on_clips(project, found))
    return Judged(run.id, levels, len(conflicts), len(bags))


def _held_out(evidence: Evidence, name: str) -> Level:
    """By held-out scores."""
    found = evidence.why_not or entries_of(evidence, name)
    if isinstance(found, WhyNot):
        return without(name, found)
    level = _level(evidence.project, evidence.places, found, _rests_on(evidence, found))
    if name != DETECTION:
        return level
    note = f"{_PATCHES.format(evidence.run.id)}{_unseen(level)}"
    return msgspec.structs.replace(level, note=note)


def _on_clips(project: Project, clips: ScoredClips) -> Level:
    """By detections on clips that were scored."""
    level = _level(project, clips.places, clips.entries, clips.rests_on)
    return msgspec.structs.replace(level, scored=True, note=f"{clips.note}{_unseen(level)}")


def _unseen(level: Level) -> str:
    """Of a curve that looks perfect: what so few frames can say at most; "" of another one."""
    target, ground = level.score[level.truth != GROUND], level.score[level.truth == GROUND]
    if not len(ground) or ground.max() >= target.min():
        return ""
    return (f" No false alarm scores above a target on {how_many(level.frames, 'frame')}: that "
            f"says fewer than {_RULE_OF_THREE / level.frames:.2g} per frame, and not that there "
            "are none.")


def entries_of(evidence: Evidence, name: str) -> Entries | WhyNot:
    """Those of a level, or why there are none."""
    made = {INSTANCE: evidence.instance_entries, BAG: evidence.bag_entries,
            DETECTION: evidence.detection_entries}  # fmt: skip
    return made[name]()


def _level(project: Project, places: Places, entries: Entries, rests_on: str) -> Level:
    positive = entries.truth != GROUND
    found = curves(positive, entries.score, entries.group, frames=entries.frames)
    axes = axes_of(project, places, entries)
    weakest, looked = _weakest(entries, axes)
    frames = int(entries.frames.sum()) if entries.frames is not None else 0
    level = Level(
        entries.name, "", "", rests_on, entries.ids, entries.score,
        entries.truth, entries.said, entries.group, frames, _traced(found.found),
        _traced(found.precision),
        _estimate(found.area), _estimate(found.partial), _estimate(found.average_precision), 0.0,
        found.independent, axes, weakest, looked,
    )  # fmt: skip
    return msgspec.structs.replace(level, start=_start(level))


def _start(level: Level) -> float:
    """The threshold to begin with: one false alarm per frame of detections, else the balanced
    one."""
    if level.per_frame:
        return Tally(level).threshold_at(_ALARMS)
    return balanced_threshold(level.score, level.truth != GROUND)


def _rests_on(evidence: Evidence, entries: Entries) -> str:
    """"1 320 instances with known truth, 12 clips; default: 5 folds of clips ..."."""
    nouns = nouns_of_run(evidence.run)
    clips = len(np.unique(evidence.run.source[entries.instance]))
    drawn = nouns.say("clips" if evidence.by_clip else "blocks of frames")
    whose = f"scores of {classifier_title(evidence.run.recipe)}, "
    whose *= evidence.by != METHOD
    return (f"{whose}{len(entries)} {_WHAT[entries.name]}{_known_words(evidence, entries)}, "
            f"{clips} {nouns.clip}{'s' * (clips != 1)}, "
            f"intervals by {len(np.unique(entries.group))} {drawn}; {split_words(evidence.run)}")


def _known_words(evidence: Evidence, entries: Entries) -> str:
    """" in 16 of 32 positive bags", where truth is not known of all of them."""
    positive = (evidence.fold >= 0) & (evidence.bags.labels > 0) & (evidence.bags.sizes > 0)
    there, known = int(positive.sum()), len(evidence.known_bags())
    if entries.name == BAG or known == there:
        return ""
    return f", those of {known} of {there} positive bags"


def _traced(band: Band) -> Traced:
    return Traced(band.x, band.y, band.low, band.high)


def _estimate(value: Value) -> Estimate:
    return Estimate(float(value.value), float(value.low), float(value.high))


def _weakest(entries: Entries, axes: list[SliceAxis]) -> tuple[list[Slice], int]:
    """The lowest slices by one axis and by two, with intervals for as many as were looked at."""
    if entries.frames is not None:
        return [], 0
    cut = Sliced(entries.truth != GROUND, entries.score, entries.group)
    asked: list[tuple[SliceAxis, SliceAxis | None]] = [(axis, None) for axis in axes]
    asked += list(combinations(axes, 2))
    cells = [(crossed(a, b), len(a.names) * (len(b.names) if b is not None else 1))
             for a, b in asked]  # fmt: skip
    looked = len({one for cell, size in cells for one in _alike(cut.areas(cell, size))})
    out: dict[tuple[float, int, int], Slice] = {}
    for (a, b), (cell, size) in zip(asked, cells, strict=True):
        found = cut.areas(cell, size, looked=looked)
        for key, one in zip(_alike(found), _slices(found, a, b), strict=True):
            out.setdefault(key, one)  # the same targets by another name
    lowest = sorted(out.values(), key=lambda one: (not one.weak, one.unsure, one.area.value))
    return lowest[:_WEAKEST], looked


def _alike(found: Slices) -> list[tuple[float, int, int]]:
    """What slices of the same targets have in common, of those that say something."""
    return [(float(found.area[at]), int(found.targets[at]), int(found.ground[at]))
            for at in np.flatnonzero(found.known).tolist()]


def _slices(found: Slices, first: SliceAxis, second: SliceAxis | None) -> Iterator[Slice]:
    wide = len(second.names) if second is not None else 1
    for at in np.flatnonzero(found.known).tolist():
        row, column = divmod(at, wide)
        values, title = {first.id: row}, _named(first, row)
        if second is not None:
            values[second.id] = column
            title += f", {_named(second, column)}"
        area = Estimate(*(float(end[at]) for end in (found.area, found.low, found.high)))
        yield Slice(title, values, area, int(found.targets[at]), int(found.ground[at]),
                    int(found.groups[at]), bool(found.weak[at]))


def _named(axis: SliceAxis, value: int) -> str:
    """"night.arf", "size 8-12 px": values that say what they are stand alone."""
    alone = axis.id in ("class", "clip", "part")
    return axis.names[value] if alone else f"{axis.id} {axis.names[value]}"
