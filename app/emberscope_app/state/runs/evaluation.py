"""Which runs stand side by side, what truth says of them, and the threshold that every view
follows."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.base.id_order import order_of
from emberscope.findings.judged.levels import (
    BAG,
    DETECTION,
    GROUND,
    INSTANCE,
    METHOD,
    AtThreshold,
    Judged,
    Tally,
)
from emberscope.findings.judged.pair import Compared
from emberscope.findings.judged.plots import FOUND, Shown
from emberscope.project import Changes, Run, to_snapshot
from emberscope.tasks.evaluation import CompareRuns, JudgeRun
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.asked_of_run import STOPPED
from emberscope_app.state.runs.checked_runs import checked_runs
from emberscope_app.state.runs.jobs import Job
from emberscope_app.when.timers import Later

_SETTLE_MS = 400  # after the last edit, before runs are judged again


class Evaluation(QObject):
    """`session.only(Evaluation)`: views read it; nothing is asked before one of them is in sight.

    level : one of `emberscope.findings.judged.levels.LEVELS`. kind : of the curve, "found" or
    "precision". by : whose held-out scores, "method" or "classifier".

    changed() : any of it but the threshold did. moved() : the threshold did.
    """

    changed = Signal()
    moved = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._checked = checked_runs(session)
        self.level, self.kind, self.by = INSTANCE, FOUND, METHOD
        self._chosen = False  # somebody chose a level
        self.compared: Compared | None = None
        self._judged: dict[int, Judged] = {}
        self._tallies: dict[tuple[int, str], Tally] = {}
        self._thresholds: dict[tuple[int, str], float] = {}
        self._rows: dict[tuple[int, str], tuple[NDArray, NDArray, NDArray]] = {}  # of `above`
        self._jobs: dict[int, Job] = {}
        self._errors: dict[int, str] = {}
        self._pair: tuple[int, int] | None = None  # that was asked for
        self._wanted = False  # somebody looked
        self._also: int | None = None  # a run that is judged without being checked
        self._seen: set[str] = set()  # the views that are in sight
        self._again = Later(self, self._ask, _SETTLE_MS)
        self._checked.changed.connect(self._on_checked)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.jobs.changed.connect(self._on_job)

    # --- what is known

    @property
    def checked(self) -> dict[int, int]:
        """Ids of the runs that are checked, each with the place of its color."""
        runs = self.session.project.runs  # one may be gone that nobody has unchecked yet
        return {run: place for run, place in self._checked.places.items() if run in runs}

    @property
    def active(self) -> Run | None:
        """The run whose band and threshold are on show: that in focus where it is checked, else the
        newest of those that are."""
        run = self.session.run
        if run is not None and run.id in self.checked:
            return run
        return self.session.project.runs.get(max(self.checked, default=-1))

    def judged(self, run: int) -> Judged | None:
        """What truth says of a run; None where it was not asked yet."""
        return self._judged.get(run)

    def shown(self) -> list[Shown]:
        """The level on show of each checked run that is judged."""
        return [Shown(run, place, found.level(self.level)) for run, place in self.checked.items()
                if (found := self._judged.get(run)) is not None]

    def tally(self, run: int | None = None, level: str = "") -> Tally | None:
        """Counts of a run, the active one, at a level, that on show; None where it has none."""
        active = self.active
        number = run if run is not None else active.id if active is not None else -1
        key = number, level or self.level
        found = self._judged.get(number)
        if found is None or found.level(key[1]).why_not:
            return None
        if key not in self._tallies:
            self._tallies[key] = Tally(found.level(key[1]))
        return self._tallies[key]

    def at(self, level: str = "") -> AtThreshold | None:
        """What the active run finds at its threshold."""
        tally = self.tally(level=level)
        return None if tally is None else tally.at(self.threshold(level))

    def threshold(self, level: str = "") -> float:
        """Of the active run, at a level, that on show."""
        tally, run = self.tally(level=level), self.active
        if tally is None or run is None:
            return 0.0
        return self._thresholds.get((run.id, tally.level.name), tally.level.start)

    def ranked_at(self, run: int, level: str, start: float) -> float:
        """The threshold of a run at a level; `start` where truth says none and nobody chose one."""
        tally = self.tally(run, level)
        start = start if tally is None else tally.level.start
        return self._thresholds.get((run, level), start)

    def shown_threshold(self) -> float | None:
        """Of the active run, while somebody sees a view of it; None else, of bags, which lie on
        no frame, and of classifiers, which score no frames."""
        on_frames = self.level != BAG and self.by == METHOD
        return self.threshold() if self.in_sight and on_frames and self.tally() else None

    def why_not(self) -> str:
        """Why there is nothing to show, as a sentence; "" where there is, or comes."""
        if not self.session.project.runs:
            return "No run yet. A run on labels shows here what it finds on bags it has not seen."
        if not self.checked:
            return "No run is checked. Check up to four in the list of runs."
        run = self.active
        assert run is not None
        if run.id in self._errors:
            return self._errors[run.id]
        found = self._judged.get(run.id)
        return "" if found is None else found.level(self.level).why_not

    @property
    def comparing(self) -> tuple[int, int] | None:
        """The two runs that are being compared; None where they are, or there are none."""
        return self._pair if self.compared is None else None

    @property
    def left_out(self) -> list[int]:
        """Runs that are checked and judged, and have nothing to show at this level."""
        return sorted(run for run in self.checked if (found := self._judged.get(run)) is not None
                      and found.level(self.level).why_not)

    @property
    def waiting(self) -> bool:
        """Whether the active run is being judged."""
        run = self.active
        return run is not None and run.id in self._jobs

    @property
    def in_sight(self) -> bool:
        """Whether anybody sees a view of it."""
        return bool(self._seen)

    # --- what a person does

    def look(self, view: str, seen: bool, *, also: int | None = None) -> None:
        """A view came into sight, or went: what is checked is judged where somebody looks.
        also : a run that it is about, checked or not."""
        before = self.in_sight
        if also is not None and also != self._also:
            self._also = also
            if self._wanted:
                self._ask()
        self._seen = self._seen | {view} if seen else self._seen - {view}
        if before != self.in_sight:
            self.moved.emit()
        if seen and not self._wanted:
            self._wanted = True
            self._check_first(self.session.run)
            self._ask()

    def check(self, run: int, on: bool) -> None:
        """Put a run beside the others, or take it away; four at most."""
        self._checked.check(run, on)

    def _check_first(self, run: Run | None) -> None:
        """Where none is checked, this one."""
        if not self.checked and run is not None:
            self._checked.check(run.id, True)

    def _on_checked(self) -> None:
        gone = {*self._judged, *self._jobs, *self._errors} - self.session.project.runs.keys()
        self._forget(gone)
        self._ask()
        self.changed.emit()

    def show(self, *, level: str = "", kind: str = "", by: str = "") -> None:
        """Another level, another kind of curve, or the scores of others, judged anew."""
        self._chosen |= bool(level)
        self.level, self.kind = level or self.level, kind or self.kind
        if by and by != self.by:
            self.by, self._pair = by, None
            self._forget({*self._judged, *self._jobs, *self._errors})
            self._thresholds.clear()  # of other scores
            self._ask()
        self.changed.emit()

    def set_threshold(
        self, threshold: float, *, run: int | None = None, level: str = ""
    ) -> None:
        """Of a run at a level, the active one at that on show."""
        active = self.active
        if run is None and (active is None or self.tally() is None):
            return
        number = run if run is not None or active is None else active.id
        assert number is not None
        key = number, level or self.level
        if self._thresholds.get(key) != threshold:
            self._thresholds[key] = threshold
            self.moved.emit()

    def step(self, by: int) -> None:
        """The next threshold at which something changes; -1 finds less."""
        tally = self.tally()
        if tally is not None and len(tally.thresholds):
            at = int(np.searchsorted(tally.thresholds, self.threshold())) - by
            last = len(tally.thresholds) - 1
            self.set_threshold(float(tally.thresholds[min(max(at, 0), last)]))

    def select(self, rows: NDArray[np.int64], *, mode: str = "replace") -> None:
        """Select the instances of entries of the level on show, in every view."""
        run, tally = self.active, self.tally()
        if run is None or tally is None:
            return
        if tally.level.scored:
            self.session.say("Detections on scored clips are no instances. Step from hit to hit on "
                             "the frames, or judge by instances.")
            return
        ids = tally.level.ids[rows]
        if tally.level.name == BAG:
            bags = np.flatnonzero(np.isin(run.bags.ids, ids))
            ids = run.ids[np.unique(np.concatenate([run.bags.of(k) for k in bags.tolist()]
                                                   or [np.empty(0, np.int64)]))]
        if self.session.run is not run:
            self.session.focus.set(run=run.id)
        self.session.selection.select(ids, mode=mode, origin=self)

    def above(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Rows of the instances of the active run above its threshold, and whether each shows a
        target. Bags, and detections on scored clips, have thresholds of their own: then it is that
        of instances."""
        level, tally, run = self.level, self.tally(), self.active
        if level == BAG or (tally is not None and tally.level.scored):
            level, tally = INSTANCE, self.tally(level=INSTANCE)
        if tally is None or run is None:
            return np.empty(0, np.int64), np.empty(0, bool)
        key = run.id, level
        if key not in self._rows:
            order = order_of(run.ids)
            found = order.order[np.searchsorted(order.ids, tally.level.ids)]
            self._rows[key] = found, tally.level.score, tally.level.truth != GROUND
        rows, score, target = self._rows[key]
        above = score >= self.threshold(level)
        return rows[above], target[above]

    def above_of(self, run: Run | None) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """`above`, of a run on show; none where it is not the active one, or nobody judges."""
        if run is None or run is not self.active or not self.in_sight:
            return np.empty(0, np.int64), np.empty(0, bool)
        return self.above()

    # --- asking

    def _ask(self) -> None:
        if not self._wanted:
            return
        runs = self.session.project.runs
        also = [self._also] if self._also in runs and self._also not in self.checked else []
        missing = [run for run in [*self.checked, *also] if run not in self._judged
                   and run not in self._jobs and run not in self._errors]
        snapshot = to_snapshot(self.session.project) if missing else None
        for number in missing:
            request = JudgeRun(snapshot=snapshot, run=runs[number],  # type: ignore[arg-type]
                               by=self.by)
            self._jobs[number] = self.session.jobs.ask(
                request, self._keep, title=f"Evaluate run {number}")
        self._ask_pair()

    def _ask_pair(self) -> None:
        """The active run against the checked one before it."""
        active = self.active
        before = [run for run in self.checked if active is not None and run != active.id]
        older = [run for run in before if active is not None and run < active.id]
        first = max(older, default=max(before, default=None))  # type: ignore[type-var]
        pair = (first, active.id) if first is not None and active is not None else None
        if pair == self._pair:
            return
        self._pair, self.compared = pair, None
        if pair is not None:
            runs = self.session.project.runs
            request = CompareRuns(snapshot=to_snapshot(self.session.project), first=runs[pair[0]],
                                  second=runs[pair[1]], by=self.by)
            self.session.jobs.ask(request, self._keep_pair, silent=True,
                                  title=f"Compare runs {pair[0]} and {pair[1]}")

    def _keep(self, found: Judged) -> None:
        self._jobs.pop(found.run, None)
        self._judged[found.run] = found
        if not self._chosen and found.level(self.level).remedy == BAG:
            self.level = BAG  # by instances there is nothing to see
        self.changed.emit()

    def _keep_pair(self, found: Compared) -> None:
        if (found.first, found.second) == self._pair:
            self.compared = found
            self.changed.emit()

    def _on_job(self, job: Job) -> None:
        """The worker could not, or a person stopped it."""
        run = next((run for run, own in self._jobs.items() if own is job), None)
        if run is not None and not job.active and job.state != "finished":
            del self._jobs[run]
            self._errors[run] = job.error or STOPPED
            self.changed.emit()

    def again(self) -> None:
        """Judge what is checked anew, such as after a failure."""
        self._forget(self.checked)
        self._wanted = True
        self._ask()
        self.changed.emit()

    def renew(self, run: int) -> None:
        """Judge a run anew, which has scored more clips."""
        self._forget([run])
        self._thresholds.pop((run, DETECTION), None)  # of what were perhaps patches of labels
        self._ask()
        self.changed.emit()

    def _forget(self, runs: Iterable[int]) -> None:
        for run in [*runs]:
            job = self._jobs.pop(run, None)
            if job is not None:
                self.session.jobs.cancel(job.id)
            self._judged.pop(run, None)
            self._errors.pop(run, None)
            for kept in (self._tallies, self._rows):
                for key in [key for key in kept if key[0] == run]:
                    del kept[key]  # type: ignore[attr-defined]

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self._forget({*self._judged, *self._jobs, *self._errors})
            self._thresholds.clear()
            self.compared, self._pair = None, None
            self.level, self.kind, self.by = INSTANCE, FOUND, METHOD
            self._chosen = False
            self._wanted = self.in_sight
            if self._wanted:
                self._check_first(self.session.run)
            self._again.start()
        elif changes.touch("runs"):
            new = changes.runs & self.session.project.runs.keys()
            if self._wanted and new:
                self._check_first(self.session.project.runs[max(new)])
            self._again.start()
        elif changes.touch("labels", "classes"):  # what truth says
            self._forget({*self._judged, *self._jobs, *self._errors})
            self._pair = None
            self._again.start()
        else:
            return
        self.changed.emit()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            if self._wanted:
                self._ask_pair()
            self.changed.emit()


def evaluation_of(session: Session) -> Evaluation:
    """The one of a session."""
    return session.only(Evaluation)

