"""Clips scored by a run: how far they are from what it has seen, and what is found on them."""

from pathlib import Path
from typing import Any

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.about_run import AboutRun


class ClipLook(msgspec.Struct, frozen=True):
    """novelty : share of the patches of a clip that are unlike all that the run has seen. words : a
    sentence where that is much, else ""."""

    source: str
    novelty: float
    words: str


class ClipLooks(msgspec.Struct, frozen=True):
    """One of each clip; notes : what a person should know of the files."""

    clips: list[ClipLook]
    notes: list[str]


class ClipScore(msgspec.Struct, frozen=True):
    """As `scoring.clips.ScoredClip`."""

    source: str
    path: str
    frames: int
    found: int
    computed: int
    heat: str


class ClipScores(msgspec.Struct, frozen=True):
    """As `scoring.clips.Scored`."""

    table: str
    clips: list[ClipScore]
    notes: list[str]


class LookAtClips(AboutRun[ClipLooks], frozen=True, kw_only=True):
    """How far clips are from what the run has seen. clips : names of sources of the project, or
    paths. options : how files that are not of the project are read."""

    clips: list[str]
    options: dict[str, Any] = {}


class ScoreClips(AboutRun[ClipScores], frozen=True, kw_only=True):
    """Score all frames of clips, and write heat maps and detections. clips, options : as of
    `LookAtClips`. folder : where to."""

    clips: list[str]
    folder: str
    options: dict[str, Any] = {}


def look_at_clips(request: LookAtClips, monitor: Monitor) -> ClipLooks:
    """See `scoring.clips` and `scoring.novelty`."""
    from emberscope.scoring import clips
    from emberscope.scoring.novelty import novelty_words

    project, notes = from_snapshot(request.snapshot), list[str]()
    found = clips.clips_at(project, request.clips, options=request.options, notes=notes)
    shares = clips.look_at_clips(project, request.run, found, monitor=monitor)
    return ClipLooks([ClipLook(ref.name, share, novelty_words(ref.name, share))
                      for ref, share in zip(found, shares, strict=True)], notes)


def score_clips(request: ScoreClips, monitor: Monitor) -> ClipScores:
    """See `scoring.clips`."""
    from dataclasses import asdict

    from emberscope.scoring import clips

    project = from_snapshot(request.snapshot)
    asked = clips.clips_at(project, request.clips, options=request.options)
    made = clips.score_clips(project, request.run, asked, Path(request.folder), monitor=monitor)
    return ClipScores(made.table, [ClipScore(**asdict(clip)) for clip in made.clips], made.notes)
