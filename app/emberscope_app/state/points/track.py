"""The steps of a track in the run on show, the motions of its actions, and what would be seen
next."""


import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.findings.motions import Motion, Motions, Next, Place, Places, Planned
from emberscope.findings.track_model import track_model
from emberscope.findings.track_steps import TrackSteps, track_steps
from emberscope.project import Changes, Run, to_snapshot
from emberscope.tasks.motions import DescribeActions, LocateViews
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.cloud import cloud_of
from emberscope_app.state.runs.jobs import Job

NO_TRACK = (
    "No track among these instances: paint actions on the timeline, or embed one chip per frame"
)
TRACKS = "tracks"  # the layer of the maps that shows them
MOST_VIEWS = 100  # that are looked for at once


def track_of(session: Session) -> "Track":
    """The one track of a session, for both maps."""
    return session.only(Track)


class Track(QObject):
    """The steps of the run on show, and what the worker says of its actions. `changed`: any of it
    is new.

    row : the instance that what comes next is asked for. action : the action that is asked about,
    "" for none. start : the instance that a way leads from to `row`, -1 for none. places : where on
    the track what is selected is, by what is seen; empty where nobody asked.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._cloud = session, cloud_of(session)
        self._steps: tuple[object, TrackSteps] | None = None
        self.motions: list[Motion] = []
        self.inverses: list[tuple[str, str]] = []
        self.next: dict[str, Next] = {}
        self._way: Planned | None = None
        self.start = -1
        self._of: Run | None = None  # the run that all of it is of
        self.row, self.action = -1, ""
        self._job: Job | None = None
        self._asked: tuple[object, ...] = ()
        self.places: tuple[Place, ...] = ()
        self._locating: Job | None = None
        session.changed.connect(self._on_project)
        session.selection.changed.connect(lambda _origin: self._on_selection())
        session.focus.changed.connect(self._on_focus)
        session.layers.changed.connect(self._on_layer)
        session.jobs.changed.connect(self._on_job)
        self._cloud.changed.connect(self._on_cloud)

    @property
    def on(self) -> bool:
        return self._session.layers.is_on(TRACKS) and self._cloud.pickable

    @property
    def found(self) -> Next | None:
        """What the chosen action leads to, never of another run."""
        return self.next.get(self.action) if self._of is self._cloud.run else None

    @property
    def way(self) -> Planned | None:
        """The way from the start to the chip, never of another run or another chip."""
        known = self._of is self._cloud.run and self._ends is not None
        return self._way if known else None

    @property
    def _ends(self) -> tuple[int, int] | None:
        if self.start < 0 or self.row in (-1, self.start):
            return None
        return self.start, self.row

    def start_here(self, *, here: bool) -> None:
        """Plan ways from the chip; or none any more."""
        self.start, self._way = self.row if here else -1, None
        self._ask()
        self.changed.emit()

    @property
    def views(self) -> NDArray[np.int64]:
        """The selected instances as views, in time, else the chip; of many the first 100."""
        run = self._cloud.run
        rows = self._cloud.rows_of(self._session.selection.ids)
        if run is None or not len(rows):
            return np.array([self.row] if self.row >= 0 else [], np.int64)
        return rows[np.lexsort((run.frame[rows], run.source[rows]))][:MOST_VIEWS]

    @property
    def locating(self) -> bool:
        """Whether the worker looks for the views."""
        return self._locating is not None and self._locating.active

    def locate(self) -> None:
        """Ask where on the track the views are, by what is seen; once more: nothing."""
        run, steps, views = self._cloud.run, self.steps, self.views
        there, self.places = bool(self.places), ()
        if run is not None and steps is not None and len(views) and not there:
            request = LocateViews(snapshot=to_snapshot(self._session.project), run=run,
                                  steps=steps, rows=views)
            job = self._session.jobs.ask(
                request, lambda found: self._take_places(job, found), title="Where views are")
            self._locating = job
        self.changed.emit()

    def _take_places(self, job: Job, found: Places) -> None:
        if job is self._locating:
            self.places = found.views
            self.changed.emit()

    def _on_job(self, job: Job) -> None:
        """The worker could not, or a person stopped it."""
        if job is self._locating and not job.active and job.state != "finished":
            self._locating = None
            self.changed.emit()

    def _forget_places(self) -> None:
        """They are of other views, or of another run."""
        self.places, self._locating = (), None

    @property
    def steps(self) -> TrackSteps | None:
        """The steps of the run on show; None where it has none, and for a live layout."""
        run = self._cloud.run
        if run is None:
            return None
        if self._steps is None or self._steps[0] is not run:
            self._steps = (run, track_steps(run, self._session.project.side.values()))
        return self._steps[1] if len(self._steps[1]) else None

    def why_not(self) -> str:
        """Why there is nothing to draw, "" where there is."""
        return "" if self.steps is not None else NO_TRACK

    def read(self) -> None:
        """Actions, or the run, are others."""
        self._steps, self._asked, self._job = None, (), None
        self.motions, self.inverses, self.next, self.action = [], [], {}, ""
        self.start, self._way = -1, None
        self._forget_places()
        self._of = self._cloud.run
        self._follow()
        self.changed.emit()

    def choose(self, action: str) -> None:
        """Ask what an action would lead to from the chip; once more: nothing."""
        self.action = "" if action == self.action else action
        self._ask()
        self.changed.emit()

    # --- following

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("side"):
            self.read()

    def _on_selection(self) -> None:
        there = bool(self.places) or self.locating
        self._forget_places()
        self._follow()
        if there:
            self.changed.emit()

    def _on_focus(self, names: set[str]) -> None:
        if names & {"frame", "source"}:
            self._follow()

    def _on_cloud(self, what: str) -> None:
        if what == "points":
            self.read()

    def _on_layer(self, layer: str) -> None:
        if layer == TRACKS:
            self._follow()
            self.changed.emit()

    def _follow(self) -> None:
        """The chip is the selected one, else the one of the track on the frame on show."""
        run = self._cloud.run
        # Of a live layout, or with the layer off, nobody looks for steps
        if run is None or not self.on:
            return
        steps = self.steps
        if steps is None:
            return
        chosen = self._cloud.rows_of(self._session.selection.ids[:1])
        rows = np.unique(np.concatenate([steps.before, steps.after]))
        focus = self._session.focus
        here = rows[(run.frame[rows] == focus.frame) & (run.source[rows] == (focus.source or -1))]
        row = int(chosen[0]) if len(chosen) else int(here[0]) if len(here) else int(steps.before[0])
        if row != self.row:
            self.row, self.next, self._way = row, {}, None
        self._ask()

    def _ask(self) -> None:
        run, steps = self._cloud.run, self.steps
        if run is None or steps is None or not self.on or not (steps.action >= 0).any():
            return
        row = self.row if self.action and 0 <= self.row < len(run.ids) else None
        asked = (run, row, self._ends)
        if asked == self._asked:
            return
        self._asked = asked
        request = DescribeActions(Z=run.Z, steps=steps, model=track_model(run), row=row,
                                  ends=self._ends)
        job = self._session.jobs.ask(
            request, lambda found: self._take(job, found), title="Actions", silent=True
        )
        self._job = job

    def _take(self, job: Job, found: Motions) -> None:
        if job is not self._job:
            return
        self.motions, self.inverses = list(found.actions), list(found.inverses)
        self.next, self._way = {one.name: one for one in found.next}, found.way
        self.changed.emit()
