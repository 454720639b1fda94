"""Clips that the run on show has scored: what was found on them, and from which score on it
counts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder
from emberscope.labels import Box
from emberscope.labels.model import label_of_run
from emberscope.project import Changes, PutLabels, Run, to_snapshot
from emberscope.project.model.snapshot import Snapshot
from emberscope.tasks.scoring import (
    ClipLooks,
    ClipScores,
    FindScored,
    FoundOnClip,
    FoundOnClips,
    HeatOfFrame,
    HeatReader,
    LookAtClips,
    ScoreClips,
)
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.state.runs.jobs import Job
from emberscope_app.words import counted

HEAT = "heat"          # the layer of the frame
_LIKELY = 0.5          # probability of what counts at first
_NO_HITS = np.empty(0, np.int64)


class Scored(QObject):
    """What was found by the run on show. `changed`: other clips, or another threshold or opacity.

    clips : by id of the source. notes : on probabilities. opacity : of the heat map, 0 to 1.
    other_sizes : whether targets of other sizes than the labeled ones are looked for, too.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.clips: dict[int, FoundOnClip] = {}
        self.notes: list[str] = []
        self._threshold, self.opacity, self.other_sizes = 0.5, 0.6, False
        self._evaluation = evaluation_of(session)
        self._followed: float | None = None
        self._run: Run | None = None
        self._readers: dict[int, HeatReader] = {}
        session.layers.begin(HEAT, True)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.layers.changed.connect(self._on_layer)
        for signal in (self._evaluation.moved, self._evaluation.changed):
            signal.connect(self._follow)
        self._look()

    # --- what is there

    @property
    def threshold(self) -> float:
        """The score from which on a detection counts: that of the views that judge the run, while
        somebody sees one."""
        return self._threshold if self._followed is None else self._followed

    @property
    def floor(self) -> float:
        """The score from which on heat is painted: all of it but while runs are judged."""
        return 0.0 if self._followed is None else self._followed

    def of(self, source: int | None) -> FoundOnClip | None:
        """What was found on a clip; None where it was not scored."""
        return self.clips.get(source) if source is not None else None

    def hits(self, source: int | None, frame: int | None = None) -> NDArray[np.int64]:
        """Rows of what counts on a clip, or on a frame of it."""
        found = self.of(source)
        if found is None:
            return _NO_HITS
        counts = found.score >= self.threshold
        return np.flatnonzero(counts if frame is None else counts & (found.frame == frame))

    def highest(self, source: int | None, n_frames: int) -> NDArray[np.float32]:
        """(n_frames,) the highest score of each frame, 0 where there is none."""
        out, found = np.zeros(n_frames, np.float32), self.of(source)
        if found is not None:
            inside = found.frame < n_frames
            np.maximum.at(out, found.frame[inside], found.score[inside])
        return out

    def heat(self, source: int, frame: int) -> HeatOfFrame | None:
        """The heat map of a frame."""
        found, ref = self.of(source), self._session.project.sources.get(source)
        if found is None or ref is None:
            return None
        reader = self._readers.get(source)
        if reader is None:
            self._readers = {source: HeatReader(found.heat, (ref.rows, ref.cols))}
            reader = self._readers[source]
        return reader.read(frame)

    def set_threshold(self, score: float) -> None:
        """Let count what scores as high as that."""
        if score == self.threshold:
            return
        if self._followed is not None:
            self._evaluation.set_threshold(score)
            return
        self._threshold = score
        self.changed.emit()

    def set_opacity(self, opacity: float) -> None:
        """Paint the heat map stronger or fainter."""
        if opacity != self.opacity:
            self.opacity = opacity
            self.changed.emit()

    def set_other_sizes(self, on: bool) -> None:
        """Look for targets of other sizes than the labeled ones, too; shows what was found so
        before."""
        if on != self.other_sizes:
            self.other_sizes, self._run = on, None
            self._look()

    # --- what can be done

    def why_not(self) -> str:
        """Why no clip can be scored now; "" where one can."""
        run = self._session.run
        if run is None:
            return "Needs a run"
        return "" if _tells(run) else "This run does not say which instances are targets"

    def score(self, sources: Sequence[int]) -> Job | None:
        """Say how far clips are from what the run has seen, then score them. None where the run
        says nothing of targets."""
        session, run = self._session, self._session.run
        refs = [session.project.sources[key] for key in sources if key in session.project.sources]
        if run is None or not refs or self.why_not():
            return None
        called = [ref.name for ref in session.project.sources.values()]
        names = [ref.name if called.count(ref.name) == 1 else ref.path for ref in refs]
        snapshot, other_sizes = to_snapshot(session.project), self.other_sizes
        what = refs[0].name if len(refs) == 1 else counted(len(refs), "clip")

        def begin(looks: ClipLooks) -> None:
            left = [look for look in looks.clips if not look.scores]
            words = [look.words for look in [*left, *looks.clips] if look.words]
            if words:
                session.say(" ".join(list(dict.fromkeys(words))[:3]), level="warn", stays=True)
            clips = [name for name, look in zip(names, looks.clips, strict=True) if look.scores]
            if clips:
                session.jobs.ask(
                    ScoreClips(snapshot=snapshot, run=run, clips=clips, other_sizes=other_sizes),
                    lambda made: self._end(run, snapshot, made),
                    title=f"Score {what} by run {run.id}",
                )

        return session.jobs.ask(
            LookAtClips(snapshot=snapshot, run=run, clips=names, leave_out=len(names) > 1), begin,
            title=f"Compare {what} with run {run.id}",
        )  # fmt: skip

    def go_to_hit(self, direction: int) -> bool:
        """Show the next (+1) or previous (-1) frame with a hit, over the end of a clip into the
        next one that has some. False where there is none."""
        session = self._session
        order = [key for key in session.project.sources if len(self.hits(key))]
        if session.focus.source in order:
            at, frame = order.index(session.focus.source), session.focus.frame
            frames = self.clips[order[at]].frame[self.hits(order[at])]
            left = frames[frames > frame] if direction > 0 else frames[frames < frame]
            if len(left):
                session.go(frame=int(left.min() if direction > 0 else left.max()))
                return True
            order = order[at + 1 :] if direction > 0 else order[:at][::-1]
        elif direction < 0:
            order.reverse()
        if not order:
            return False
        frames = self.clips[order[0]].frame[self.hits(order[0])]
        session.go(order[0], int(frames.min() if direction > 0 else frames.max()))
        return True

    def take(self) -> int:
        """Take what counts on the clip in focus as labels of a detector, one undo step; how many.

        Those where a label of the same class is of the same object, as `labels.agreement` says,
        are left out: labels that were there, and detections that were taken before.
        """
        session, source = self._session, self._session.focus.source
        found, run = self.of(source), self._session.run
        if found is None or source is None or run is None:
            return 0
        rows = [row for row in self.hits(source).tolist()
                if not self._is_labeled(_label(found, row, 0, run))]
        ids = session.project.new_label_ids(len(rows))
        labels = [_label(found, row, key, run) for key, row in zip(ids, rows, strict=True)]
        if not labels:
            return 0
        title = f"Take {counted(len(labels), 'detection')}"
        return len(labels) if session.do(PutLabels(title=title, after=list(labels))) else 0

    def _is_labeled(self, hit: Box) -> bool:
        from emberscope.labels.agreement import agreement

        here = self._session.project.labels.on_frame(hit.source, hit.frame)
        return bool(agreement([hit], here).both[hit.class_id])

    # --- what changes

    def _follow(self) -> None:
        """The threshold of the views that judge runs moved, or nobody sees one any more."""
        found = self._evaluation
        own = self._run is not None and found.active is self._run
        followed = found.shown_threshold() if own else None
        if followed != self._followed:
            self._followed = followed
            self.changed.emit()

    def _end(self, run: Run, snapshot: Snapshot, made: ClipScores) -> None:
        if self._session.run is run:
            self._ask(run, snapshot)
            self._evaluation.renew(run.id)
            count = sum(clip.found for clip in made.clips)
            what = f"Scored {counted(len(made.clips), 'clip')}: {counted(count, 'detection')}."
            self._session.say(" ".join(filter(None, [what, made.taught])))

    def _look(self) -> None:
        """Look for what was scored before by the run on show."""
        run = self._session.run
        if run is self._run:
            return
        self._run = run
        self._follow()
        self._take(FoundOnClips([], []))
        if run is not None and _tells(run) and _something_kept():
            self._ask(run, to_snapshot(self._session.project))

    def _ask(self, run: Run, snapshot: Snapshot) -> None:
        def take(found: FoundOnClips) -> None:
            if self._session.run is run and self.other_sizes == asked.other_sizes:
                self._take(found)

        asked = FindScored(snapshot=snapshot, run=run, other_sizes=self.other_sizes)
        self._session.jobs.ask(asked, take, title="Scored clips", silent=True)

    def _take(self, found: FoundOnClips) -> None:
        first = not self.clips
        self.clips = {clip.source: clip for clip in found.clips}
        self.notes, self._readers = found.notes, {}
        if first and self.clips:
            self._threshold = _usual_threshold(found.clips)
        self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything or changes.touch("runs"):
            self._look()
        elif changes.touch("sources"):
            self._run = None
            self._look()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._look()

    def _on_layer(self, layer: str) -> None:
        if layer == HEAT:
            self.changed.emit()


def _label(found: FoundOnClip, row: int, key: int, run: Run) -> Box:
    return label_of_run(
        run.id, key, source=found.source, frame=int(found.frame[row]),
        class_id=int(found.kind[row]), corners=found.box[row].tolist())


def _tells(run: Run) -> bool:
    """Whether a run says which instances are targets."""
    return bool({"witness", "score"} & run.point_scores.keys()) or "score_" in run.state


def _something_kept() -> bool:
    try:
        return any((cache_folder() / "scores").iterdir())
    except (OSError, EmberscopeError):
        return False


def _usual_threshold(clips: Sequence[FoundOnClip]) -> float:
    """The lowest score that is as likely a target as not; 0.5 where probabilities are not known."""
    likely = [clip.score[clip.probability[:, 0] >= _LIKELY] for clip in clips
              if len(clip.probability) == len(clip.score)]
    scores = np.concatenate([np.empty(0), *likely])
    return float(scores.min()) if len(scores) else 0.5
