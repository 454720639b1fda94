"""Score clips, those of a project and any others, with what a run of it learned."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError, SourceChanged
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.inputs import content_of, inputs_of
from emberscope.course.versions import code_version
from emberscope.evaluate.unlike import Known
from emberscope.features.cache import digest
from emberscope.features.extract import n_features
from emberscope.frames.holdings import SourceAt, sources_at
from emberscope.project.exchange.points import check_goes_with, need_frames
from emberscope.project.exchange.sources import describe, for_features, open_ref
from emberscope.project.model.project import Project, Run, SourceRef
from emberscope.project.store.own_sources import check_network
from emberscope.scoring.detections import Block, Detections
from emberscope.scoring.grids import AS_TAUGHT, blocks_of, grids_of
from emberscope.scoring.kept import keep, keep_block, kept, kept_block, path_of
from emberscope.scoring.novelty import sample_of
from emberscope.scoring.probability import Probability, learn_probability
from emberscope.scoring.scan import scan
from emberscope.scoring.scorer import Lesson, Said, Scorer, lesson_of, said_by
from emberscope.scoring.teaching import side_that_teaches, sources_that_taught, taught_from


@dataclass(frozen=True, slots=True)
class ScoredClip:
    """A clip that was scored. found : detections. computed : frames that were scored now; those of
    an earlier call that was stopped are not computed again."""

    ref: SourceRef
    found: int
    computed: int


@dataclass(frozen=True, slots=True)
class KeptBlock:
    """A block of a clip in the cache. first : its first frame, from 0."""

    first: int
    path: Path
    key: str


def clips_at(
    project: Project, asked: Sequence[str | Path], *, options: dict[str, Any] | None = None,
    notes: list[str] | None = None,
) -> list[SourceRef]:
    """The clips that names of sources of the project, paths of files or of folders mean.

    options : how files are read that are not of the project. What a person should know about a
    file is appended to `notes`. Raises FormatError; DataError where there is none, ProjectError
    where one is a point set.
    """
    out, free = dict[int, SourceRef](), project.new_ids()[0]
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
        out |= {ref.id: ref for ref in known}
    need_frames(project, "scored clips")
    for ref in out.values():
        check_goes_with(ref, project.sources.values())
    if not out:
        raise DataError("there is no clip to score", hint="Name files, folders or sources.")
    return list(out.values())


class Scoring:
    """What all clips are scored with: what a run of a project teaches, without what its split names
    to judge.

    cache : folder of what was computed before; None for the user's cache folder. scales : sizes of
    patches over those of the run. Raises DataError for a run that says nothing of targets,
    ProjectError where a source of it is not in the project any more, or the project has points.
    """

    def __init__(
        self, project: Project, run: Run, cache: str | Path | None = None,
        scales: Sequence[float] = AS_TAUGHT,
    ) -> None:
        need_frames(project, "scored clips")
        self.project, self.run, self.scales = project, side_that_teaches(run), tuple(scales)
        self._whole = run
        self.cache = cache_folder() if cache is None else Path(cache)
        check_network(project, run.recipe.features)
        self.said: Said = said_by(project, run)
        run, score = self.run, self.said.score
        refs = [project.sources[key] for key in self.taught_by]
        self._made_of = digest([
            taught_from(project, run) if score is None else score, self.said.kind,
            self.said.ground.box, run.source, run.frame, run.box,
            [[content_of(ref), ref.options] for ref in refs], run.recipe.bags,
            run.recipe.features, self.scales, code_version(),
        ])  # fmt: skip
        self._watch = monitored(None)

    @property
    def taught_by(self) -> list[int]:
        """Ids of the sources that it has learned from, ascending."""
        return sources_that_taught(self.run)

    @cached_property
    def lesson(self) -> Lesson:
        """Computed when it is first asked for, which takes long."""
        return lesson_of(self.project, self.run, self.said, self.cache, self._watch)

    @cached_property
    def scorer(self) -> Scorer:
        """Grown when it is first asked for."""
        return Scorer.learned(self.lesson)

    def look(self, clips: Sequence[SourceRef], monitor: Monitor | None = None) -> list[float]:
        """Novelty of each clip: the share of its patches, 600 evenly chosen, that are farther from
        all instances of the run than 99 % of these are from those on other frames.

        Distances are of standardized features. Raises as `score`.
        """
        watch, out = monitored(monitor), list[float]()
        self._watch = Portion(watch, 0.0, 0.3)
        known = self._known
        for at, ref in enumerate(clips):
            part = Portion(watch, 0.3 + 0.7 * at / len(clips), 0.3 + 0.7 * (at + 1) / len(clips))
            with open_ref(for_features(ref, self.run.recipe.features.units)) as opened:
                out.append(known.share_new(sample_of(opened, ref, self.run, part)))
        return out

    @cached_property
    def _known(self) -> Known:
        own = self.lesson.take(np.arange(len(self.run.ids)))
        place = np.unique(own.place, axis=0, return_inverse=True)[1]
        return Known(own.X, place.ravel())

    def score(
        self, clips: Sequence[SourceRef], monitor: Monitor | None = None
    ) -> list[ScoredClip]:
        """Score all frames of clips that were not scored before.

        Frames are scored in blocks that are kept one by one, so that memory does not grow with the
        length of a clip, and a call that was stopped goes on where it was. Raises DataError for
        frames smaller than the patches of the run; FormatError where a source is gone; Cancelled.
        """
        watch = monitored(monitor)
        for ref in clips:
            grids_of(self.run, ref, self.scales)
        self._watch = Portion(watch, 0.0, 0.1)
        out = list[ScoredClip]()
        for at, ref in enumerate(clips):
            part = Portion(watch, 0.1 + 0.6 * at / len(clips), 0.1 + 0.6 * (at + 1) / len(clips))
            out.append(self._score(ref, part))
        self._learn_probability(Portion(watch, 0.7, 1.0))
        return out

    def _score(self, ref: SourceRef, monitor: Monitor) -> ScoredClip:
        """Score the blocks of a clip that are not there."""
        grids, found = grids_of(self.run, ref, self.scales), 0
        recipe, missing = self.run.recipe.features, list[NDArray[np.int32]]()
        for frames in self._frames_of(ref):
            block = kept_block(self.cache, self._key(ref, frames))
            if block is None:
                missing.append(frames)
            else:
                found += len(block.found)
        if not missing:
            return ScoredClip(ref, found, 0)
        with (open_ref(for_features(ref, recipe.units)) as opened,
              closing(scan(opened, missing, grids, recipe, self.scorer, monitor)) as scanned):
            for block in scanned:
                keep_block(self.cache, self._key(ref, block.frames), block)
                found += len(block.found)
        return ScoredClip(ref, found, sum(map(len, missing)))

    def blocks_at(self, ref: SourceRef) -> list[KeptBlock]:
        """Those of a clip that were scored, in order."""
        out = list[KeptBlock]()
        try:
            parts = list(self._frames_of(ref))
        except DataError:  # frames smaller than a patch
            return out
        for frames in parts:
            key = self._key(ref, frames)
            path = path_of(self.cache, key)
            if path.exists():
                out.append(KeptBlock(int(frames[0]), path, key))
        return out

    def blocks(self, ref: SourceRef) -> Iterator[Block]:
        """All of a clip that was scored. Raises SourceChanged where one is not there any more."""
        for frames in self._frames_of(ref):
            block = kept_block(self.cache, self._key(ref, frames))
            if block is None:
                raise SourceChanged(ref.path, None, "it changed while clips were scored",
                                    "Score again.")
            yield block

    def probability(self) -> tuple[Probability | None, str]:
        """The rule and a sentence about it; none where nothing was scored yet."""
        found = kept(self.cache, self._key_of_rule())
        if found is None:
            return None, ""
        return Probability.from_arrays(*found[:3]), str(found[3])

    def rule_on(self, ref: SourceRef) -> Probability | None:
        """The rule for a clip that was scored; None where there is none. Raises as `blocks`."""
        rule, _ = self.probability()
        return rule and rule.on(np.concatenate([block.found.score for block in self.blocks(ref)]))

    def _learn_probability(self, monitor: Monitor) -> None:
        """Learn the rule where it is not kept."""
        if kept(self.cache, self._key_of_rule()) is not None:
            return
        inputs = inputs_of(self.project, self.run, self.cache)
        rule, note = learn_probability(self.project, self.run, inputs, self.lesson, monitor,
                                       whole=self._whole, scales=self.scales)
        arrays = [np.empty(0), np.empty(0), np.empty(0)] if rule is None else rule.arrays()
        keep(self.cache, self._key_of_rule(), [*arrays, np.array(note)])

    def _frames_of(self, ref: SourceRef) -> Iterator[NDArray[np.int32]]:
        width = n_features(self.run.recipe.features)
        return blocks_of(ref.n_frames, grids_of(self.run, ref, self.scales), width)

    def _key(self, ref: SourceRef, frames: NDArray[np.int32]) -> str:
        return digest([self._made_of, content_of(ref), ref.options, frames])

    def _key_of_rule(self) -> str:
        run = self.run
        return digest([self._made_of, "probability", run.recipe.split, run.recipe.seed,
                       run.members, self._whole.ids, self._whole.members, self._whole.bag_labels])


def likely(rule: Probability | None, found: Detections) -> NDArray[np.float64]:
    """(N, 3) probability of each detection with both ends of its interval; (0, 3) where there is no
    rule."""
    return np.empty((0, 3)) if rule is None else rule.of(found.score)
