"""Score clips, those of a project and any others, with what a run of it learned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from emberscope.base.errors import DataError, SourceChanged
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.inputs import content_of, inputs_of
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.features.extract import n_features
from emberscope.frames.holdings import SourceAt, sources_at
from emberscope.project.exchange.sources import describe, for_features, open_ref
from emberscope.project.model.project import Project, Run, SourceRef
from emberscope.scoring.files import (
    TABLE,
    is_kept,
    read_block,
    read_kept,
    rows_of,
    write_block,
    write_kept,
    write_table,
)
from emberscope.scoring.novelty import Known, sample_of
from emberscope.scoring.probability import Probability, learn_probability
from emberscope.scoring.scan import Block, blocks_of, grids_of, scan
from emberscope.scoring.scorer import Lesson, Scorer, lesson_of

_RULE = "probability.npz"


@dataclass(frozen=True, slots=True)
class ScoredClip:
    """A clip that was scored. found : detections. computed : frames that were scored now; those of
    an earlier call that was stopped are not computed again. heat : folder of its heat maps."""

    source: str
    path: str
    frames: int
    found: int
    computed: int
    heat: str


@dataclass(frozen=True, slots=True)
class Scored:
    """What was written. table : path of the detections. notes : what a person should know."""

    table: str
    clips: list[ScoredClip]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Job:
    """What all clips are scored with."""

    run: Run
    lesson: Lesson
    made_of: str
    folder: Path

    def key(self, *more: object) -> str:
        """Of what a file in the folder is made of."""
        return digest([self.made_of, *more])


def clips_at(
    project: Project, asked: Sequence[str | Path], *, options: dict[str, Any] | None = None,
    notes: list[str] | None = None,
) -> list[SourceRef]:
    """The clips that names of sources of the project, paths of files or of folders mean.

    options : how files are read that are not of the project. What a person should know about a
    file is appended to `notes`. Raises FormatError; DataError where there is none.
    """
    out, free = list[SourceRef](), project.new_ids()[0]
    for word in asked:
        path = Path.cwd() / word
        known = [ref for ref in project.sources.values()
                 if str(word) == ref.name or Path(ref.path) == path]
        if not known:
            places = ([SourceAt(Path(word), options).with_set()] if options
                      else sources_at(word, notes=notes))
            found = [describe(at.path, options=at.options, notes=notes) for at in places]
            known = [msgspec.structs.replace(ref, id=free + n) for n, ref in enumerate(found)]
            free += len(found)
        out += [ref for ref in known if ref not in out]
    if not out:
        raise DataError("there is no clip to score", hint="Name files, folders or sources.")
    return out


def look_at_clips(
    project: Project, run: Run, clips: Sequence[SourceRef], *, cache: str | Path | None = None,
    monitor: Monitor | None = None,
) -> list[float]:
    """Novelty of each clip: the share of its patches, 600 evenly chosen, that are farther from all
    instances of the run than 99 % of these are from those on other frames.

    Distances are of standardized features. Raises as `score_clips`.
    """
    watch, out = monitored(monitor), list[float]()
    lesson = lesson_of(project, run, _cache(cache), Portion(watch, 0.0, 0.3))
    place = np.unique(np.stack([run.source, run.frame], axis=1), axis=0, return_inverse=True)[1]
    known = Known(lesson.X, place.ravel())
    for at, ref in enumerate(clips):
        part = Portion(watch, 0.3 + 0.7 * at / len(clips), 0.3 + 0.7 * (at + 1) / len(clips))
        with open_ref(for_features(ref, run.recipe.features.units)) as opened:
            out.append(known.share_new(sample_of(opened, ref, run, part)))
    return out


def score_clips(
    project: Project, run: Run, clips: Sequence[SourceRef], folder: str | Path, *,
    cache: str | Path | None = None, monitor: Monitor | None = None,
) -> Scored:
    """Score all frames of clips with what a run learned, and write what is found.

    Parameters
    ----------
    clips : of the project or not, see `clips_at`. folder : where to; `detections.csv`, and per
        clip a folder of heat maps below `heat`.
    cache : folder of what was computed before; None for the user's cache folder.

    Notes
    -----
    Frames are scored in blocks that are written one by one, so that memory does not grow with the
    length of a clip, and a call that was stopped goes on where it was. Raises DataError for a run
    that says nothing of targets and for frames smaller than its patches; ProjectError, FormatError
    where a source is gone; OSError where nothing can be written; Cancelled.
    """
    watch, where = monitored(monitor), _cache(cache)
    for ref in clips:
        grids_of(run, ref)
    lesson = lesson_of(project, run, where, Portion(watch, 0.0, 0.05))
    made_of = digest([lesson.X, lesson.score, lesson.kind, run.recipe.bags, run.recipe.features,
                      code_version()])
    job = _Job(run, lesson, made_of, Path(folder))
    rule, note = _probability(project, job, where, Portion(watch, 0.05, 0.3))
    scorer, scored = Scorer.learned(lesson), list[ScoredClip]()
    for at, ref in enumerate(clips):
        part = Portion(watch, 0.3 + 0.7 * at / len(clips), 0.3 + 0.7 * (at + 1) / len(clips))
        scored.append(_score(job, ref, scorer, part))
    names = {target.id: target.name for target in project.classes.values()}
    table, called = job.folder / TABLE, [ref.name for ref in clips]
    write_table(table, (row for ref in clips for block in _kept(job, ref) for row in rows_of(
        ref.name if called.count(ref.name) == 1 else ref.path, block.found,
        None if rule is None else rule.of(block.found.score), names)))
    return Scored(str(table), scored, [note])


def _score(job: _Job, ref: SourceRef, scorer: Scorer, monitor: Monitor) -> ScoredClip:
    """Score the blocks of a clip that are not there."""
    grids, folder, found, computed = grids_of(job.run, ref), _heat(job, ref), 0, 0
    steps = {side: grid.stride for side, grid in grids.items()}
    recipe, paths = job.run.recipe.features, set[Path]()
    with open_ref(for_features(ref, recipe.units)) as opened:
        for path, frames in _blocks(job, ref):
            key, paths = _key(job, ref, frames), paths | {path}
            part = Portion(monitor, frames[0] / ref.n_frames, (frames[-1] + 1) / ref.n_frames)
            block = read_block(path, key)
            if block is None:
                block = scan(opened, frames, grids, recipe, scorer, part)
                write_block(path, key, block, steps)
                computed += len(frames)
            found += len(block.found)
            part.step(1.0, f"Scored {ref.name}")
    for old in filter(is_kept, set(folder.glob("frames_*.npz")) - paths):  # of another run
        old.unlink()
    return ScoredClip(ref.name, ref.path, ref.n_frames, found, computed, str(folder))


def _kept(job: _Job, ref: SourceRef) -> Iterator[Block]:
    """The blocks of a clip that was scored."""
    for path, frames in _blocks(job, ref):
        block = read_block(path, _key(job, ref, frames))
        if block is None:
            raise SourceChanged(str(path), None, "it changed while clips were scored",
                                "Score again.")
        yield block


def _blocks(job: _Job, ref: SourceRef) -> Iterator[tuple[Path, np.ndarray]]:
    width = n_features(job.run.recipe.features)
    for frames in blocks_of(ref.n_frames, grids_of(job.run, ref), width):
        yield _heat(job, ref) / f"frames_{frames[0]:06d}-{frames[-1]:06d}.npz", frames


def _key(job: _Job, ref: SourceRef, frames: np.ndarray) -> str:
    return job.key(content_of(ref), ref.options, frames)


def _heat(job: _Job, ref: SourceRef) -> Path:
    """The folder of the heat maps of a clip: its name, and a hash of what makes it another one."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in ref.name)
    return job.folder / "heat" / f"{name[:60]}-{digest([ref.path, ref.options])[:8]}"


def _probability(
    project: Project, job: _Job, cache: Path, monitor: Monitor
) -> tuple[Probability | None, str]:
    """The rule, and a sentence about it; kept in the folder like everything else."""
    sources = [content_of(project.sources[key]) for key in np.unique(job.run.source).tolist()]
    run, path = job.run, job.folder / _RULE
    key = job.key("probability", run.recipe.split, run.recipe.seed, sources, run.members)
    kept = read_kept(path, key)
    if kept is None:
        inputs = inputs_of(project, run, cache)
        rule, note = learn_probability(project, run, inputs, job.lesson, monitor)
        numbers = [] if rule is None else [rule.offset, rule.slope, rule.hits, rule.others]
        kept = {"rule": np.array(numbers, np.float64), "note": np.array(note)}
        write_kept(path, key, kept)
    numbers = kept["rule"].tolist()
    rule = Probability(*numbers[:2], *map(int, numbers[2:])) if numbers else None
    return rule, str(kept["note"])


def _cache(cache: str | Path | None) -> Path:
    return cache_folder() if cache is None else Path(cache)
