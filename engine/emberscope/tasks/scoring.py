"""Clips scored by a run: how far they are from what it has seen, and what is found on them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion
from emberscope.base.out_folders import make_out_folder
from emberscope.project.model.snapshot import from_snapshot
from emberscope.scoring.planned import ClipsPlan
from emberscope.tasks.request import AboutRun

if TYPE_CHECKING:
    from emberscope.base.errors import DataError, FormatError
    from emberscope.project.model.project import SourceRef


class ClipLook(msgspec.Struct, frozen=True):
    """novelty : share of the patches of a clip that are unlike all that the run has seen. words :
    sentences where that is much, or where its frames are of another size or depth, else "". scores
    : False of a clip that cannot be scored; then words say why."""

    source: str
    novelty: float
    words: str
    scores: bool = True


class ClipLooks(msgspec.Struct, frozen=True):
    """One of each clip; notes : what a person should know of the files."""

    clips: list[ClipLook]
    notes: list[str]


class ClipScore(msgspec.Struct, frozen=True):
    """As `scoring.clips.ScoredClip`. heat : folder of its heat maps, "" where nothing is written.
    """

    source: str
    path: str
    frames: int
    found: int
    computed: int
    heat: str


class ReachedAt(msgspec.Struct, frozen=True):
    """As `scoring.against_truth.Reached`."""

    false_alarms: float
    found: float
    low: float
    high: float
    threshold: float


class ClipScores(msgspec.Struct, frozen=True):
    """What was scored. table : path of the detections, "" where nothing is written. notes : what a
    person should know. reached : by truth, where that was given. taught : a sentence, one of the
    notes, where the run has learned from some of them."""

    table: str
    clips: list[ClipScore]
    notes: list[str]
    reached: list[ReachedAt] = []
    taught: str = ""


class HeatFile(msgspec.Struct, frozen=True):
    """A file of `scoring.kept` with a block of frames. first : its first frame, from 0."""

    first: int
    path: str
    key: str


class HeatOfFrame(NamedTuple):
    """As `scoring.heat.Heat`."""

    values: NDArray[np.float32]
    step: float


class FoundOnClip(msgspec.Struct, frozen=True):
    """What was found on a source of the project, N detections by frame, the highest first.

    frame : (N,) int32. box : (N, 4) float32, px. kind : (N,) int64, ids of classes. score : (N,)
    float32. probability : (N, 3) float64 with both ends of intervals, (0, 3) where there is none.
    heat : its files, those frames that were scored. frames : how many were.
    """

    source: int
    frame: np.ndarray
    box: np.ndarray
    kind: np.ndarray
    score: np.ndarray
    probability: np.ndarray
    heat: list[HeatFile]
    frames: int


class FoundOnClips(msgspec.Struct, frozen=True):
    """Of the sources of the project those that were scored. notes : on probabilities."""

    clips: list[FoundOnClip]
    notes: list[str]


class LookAtClips(AboutRun[ClipLooks], frozen=True, kw_only=True):
    """How far clips are from what the run has seen. clips : names of sources of the project, or
    paths. options : how files that are not of the project are read. leave_out : say which clips
    cannot be scored, instead of failing over the first one."""

    clips: list[str]
    options: dict[str, Any] = {}
    leave_out: bool = False


class ScoreClips(AboutRun[ClipScores], frozen=True, kw_only=True):
    """Score all frames of clips. clips, options : as of `LookAtClips`. folder : where to write
    detections and heat maps; "" keeps them in the cache alone. also : what else, see
    `scoring.files.ALSO`. truth : path of the truth of the one clip, "" for none. other_sizes : look
    for targets of other sizes than the labeled ones, too."""

    clips: list[str]
    folder: str = ""
    also: list[str] = []
    truth: str = ""
    options: dict[str, Any] = {}
    other_sizes: bool = False


class PlanClips(AboutRun[ClipsPlan], frozen=True, kw_only=True):
    """What scoring clips would take; reads headers alone. Fields as of `ScoreClips`."""

    clips: list[str]
    options: dict[str, Any] = {}
    other_sizes: bool = False


class FindScored(AboutRun[FoundOnClips], frozen=True, kw_only=True):
    """What scoring by the run has kept of the sources of the project. other_sizes : as of
    `ScoreClips`. Computes nothing."""

    other_sizes: bool = False


class HeatReader:
    """Heat of the frames of one clip, from the files that were kept; holds one block.

    shape : rows and cols of its frames, px.
    """

    def __init__(self, files: Sequence[HeatFile], shape: tuple[int, int]) -> None:
        self._files, self._shape = sorted(files, key=lambda file: file.first), shape
        self._held: tuple[HeatFile, Any] | None = None

    def read(self, frame: int) -> HeatOfFrame | None:
        """Of a frame, from 0; None where it was not scored, or its file is gone."""
        from emberscope.scoring.heat import heat_on
        from emberscope.scoring.kept import block_in

        before = [file for file in self._files if file.first <= frame]
        if not before:
            return None
        file = before[-1]
        if self._held is None or self._held[0] is not file:
            self._held = file, block_in(Path(file.path), file.key)
        block = self._held[1]
        found = None if block is None else heat_on(block, frame, self._shape)
        return None if found is None else HeatOfFrame(found.values, found.step)


def look_at_clips(request: LookAtClips, monitor: Monitor) -> ClipLooks:
    """See `scoring.clips` and `scoring.novelty`."""
    from emberscope.base.errors import DataError, FormatError
    from emberscope.project.exchange.sources import changed_note, changed_sources
    from emberscope.scoring.clips import Scoring, clips_at
    from emberscope.scoring.novelty import novelty_words
    from emberscope.scoring.unlike import unlike_words

    project, notes = from_snapshot(request.snapshot), list[str]()
    found = clips_at(project, request.clips, options=request.options, notes=notes)
    scoring, out = Scoring(project, request.run), list[ClipLook]()
    known = [project.sources[key] for key in scoring.taught_by]
    for at, ref in enumerate(found):
        try:
            (share,) = scoring.look([ref], Portion(monitor, at / len(found), (at + 1) / len(found)))
        except (DataError, FormatError) as error:
            if not request.leave_out or not _is_of(error, ref):
                raise
            out.append(ClipLook(ref.name, 0.0, str(error), scores=False))
            continue
        words = (unlike_words(ref, known), novelty_words(ref.name, share))
        out.append(ClipLook(ref.name, share, " ".join(filter(None, words))))
    changed = changed_note(project, changed_sources(project))  # the run learns from them anew
    return ClipLooks(out, [*filter(None, [changed]), *notes])


def plan_clips(request: PlanClips, monitor: Monitor) -> ClipsPlan:
    """See `scoring.plan`."""
    from emberscope.scoring import plan
    from emberscope.scoring.clips import clips_at

    project, notes = from_snapshot(request.snapshot), list[str]()
    found = clips_at(project, request.clips, options=request.options, notes=notes)
    made = plan.plan_clips(request.run, found, _scales(request.other_sizes), monitor)
    return msgspec.structs.replace(made, notes=[*notes, *made.notes])


def _is_of(error: "DataError | FormatError", ref: "SourceRef") -> bool:
    """Whether an error is of one clip, and not of what the run has learned from."""
    return error.where in (ref.name, ref.path)


def score_clips(request: ScoreClips, monitor: Monitor) -> ClipScores:
    """See `scoring.clips` and `scoring.files`. Raises DataError where truth is named for several
    clips."""
    from emberscope.base.errors import DataError
    from emberscope.scoring.against_truth import against_truth, truth_on
    from emberscope.scoring.clips import Scoring, clips_at
    from emberscope.scoring.files import refuse_foreign, write_folder
    from emberscope.scoring.teaching import taught_words

    project = from_snapshot(request.snapshot)
    asked = clips_at(project, request.clips, options=request.options)
    if request.truth and len(asked) != 1:
        raise DataError(f"truth is of one clip, {len(asked)} are to be scored",
                        hint="Score the clips that have truth one by one.")
    truth = truth_on(asked[0], Path(request.truth)) if request.truth else []
    if request.folder:
        refuse_foreign(Path(request.folder))
        make_out_folder(request.folder)
    scoring = Scoring(project, request.run, scales=_scales(request.other_sizes))
    made = scoring.score(asked, Portion(monitor, 0.0, 0.8 if request.also else 0.95))
    table, heat, kept = "", [""] * len(made), ""
    if request.folder:
        written = write_folder(scoring, asked, Path(request.folder), request.also,
                               Portion(monitor, 0.8 if request.also else 0.95, 1.0))
        table, heat, kept = written.table, written.heat, written.note
    clips = [ClipScore(clip.ref.name, clip.ref.path, clip.ref.n_frames, clip.found, clip.computed,
                       folder) for clip, folder in zip(made, heat, strict=True)]
    taught = taught_words(request.run, asked)
    reached = list[ReachedAt]()
    notes = [*filter(None, [taught, scoring.probability()[1], kept])]
    if truth:
        found, words = against_truth(scoring, asked[0], truth)
        reached, notes = [ReachedAt(*row) for row in found], [words, *notes]
    return ClipScores(table, clips, notes, reached, taught)


def _scales(other_sizes: bool) -> tuple[float, ...]:
    from emberscope.scoring.grids import AS_TAUGHT, OTHER_SIZES

    return OTHER_SIZES if other_sizes else AS_TAUGHT


def find_scored(request: FindScored, monitor: Monitor) -> FoundOnClips:
    """See `scoring.clips`."""
    from emberscope.base.errors import DataError
    from emberscope.scoring.clips import Scoring, likely
    from emberscope.scoring.detections import Detections
    from emberscope.scoring.kept import kept_block

    project, out = from_snapshot(request.snapshot), list[FoundOnClip]()
    try:
        scoring = Scoring(project, request.run, scales=_scales(request.other_sizes))
    except DataError:  # the run says nothing of targets
        return FoundOnClips([], [])
    rule, note = scoring.probability()
    for at, ref in enumerate(project.sources.values()):
        monitor.step(at / len(project.sources), "Scored clips")
        there = scoring.blocks_at(ref)
        blocks = [(file, kept_block(scoring.cache, file.key)) for file in there]
        good = [(file, block) for file, block in blocks if block is not None]
        if not good:
            continue
        found = Detections.joined([block.found for _, block in good])
        files = [HeatFile(file.first, str(file.path), file.key) for file, _ in good]
        out.append(FoundOnClip(ref.id, found.frame, found.box, found.kind, found.score,
                               likely(rule and rule.on(found.score), found), files,
                               sum(len(block.frames) for _, block in good)))
    return FoundOnClips(out, [note] if note else [])
