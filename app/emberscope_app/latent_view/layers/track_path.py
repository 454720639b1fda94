"""The way of a track over the maps: a line from frame to frame in the colors of its actions, and what comes next."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from emberscope.findings.motions import Motion, Motions, Next
from emberscope.findings.track_steps import TrackSteps, track_steps
from emberscope.project import Changes, Run
from emberscope.tasks.motions import DescribeActions
from emberscope_app.latent_view.points.cloud import TRACKS, cloud_of
from emberscope_app.latent_view.points.placing import frame_of
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.actions import action_colors
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.look import current

NO_TRACK = "No track among these instances: paint actions on the timeline, or embed one chip per frame"
_ARROW = 7.0      # px
_LONG = 22.0      # px, from which a step has an arrow
_RING = 8.0
ToCanvas = Callable[[NDArray], NDArray]


def track_of(session: Session) -> "Track":
    """The one track of a session, for both maps."""
    return session.only(Track)


class Track(QObject):
    """The steps of the run on show, and what the worker says of its actions. `changed`: any of it is new.

    row : the instance that what comes next is asked for. action : the action that is asked about, "" for none.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._cloud = session, cloud_of(session)
        self._steps: tuple[object, TrackSteps] | None = None
        self.motions: list[Motion] = []
        self.inverses: list[tuple[str, str]] = []
        self.next: dict[str, Next] = {}
        self._of: Run | None = None  # the run that all of it is of
        self.row, self.action = -1, ""
        self._job: Job | None = None
        self._asked: tuple[object, ...] = ()
        session.changed.connect(self._on_project)
        session.selection.changed.connect(lambda _origin: self._follow())
        session.focus.changed.connect(self._on_focus)
        self._cloud.changed.connect(self._on_cloud)

    @property
    def on(self) -> bool:
        return TRACKS in self._cloud.layers and self._cloud.pickable

    @property
    def found(self) -> Next | None:
        """What the chosen action leads to, never of another run."""
        return self.next.get(self.action) if self._of is self._cloud.run else None

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

    def _on_focus(self, names: set[str]) -> None:
        if names & {"frame", "source"}:
            self._follow()

    def _on_cloud(self, what: str) -> None:
        if what == "points":
            self.read()
        elif what == "hover":
            self._follow()  # a layer was switched

    def _follow(self) -> None:
        """The chip is the selected one, else the one of the track on the frame on show."""
        run = self._cloud.run
        if run is None or not self.on:  # of a live layout, or with the layer off, nobody looks for steps
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
            self.row, self.next = row, {}
        self._ask()

    def _ask(self) -> None:
        run, steps = self._cloud.run, self.steps
        if run is None or steps is None or not self.on or not (steps.action >= 0).any():
            return
        row = self.row if self.action and 0 <= self.row < len(run.ids) else None
        asked = (run, row)
        if asked == self._asked:
            return
        self._asked = asked
        request = DescribeActions(Z=run.Z, steps=steps, row=row)
        job = self._session.jobs.ask(request, lambda found: self._take(job, found), title="Actions", silent=True)
        self._job = job

    def _take(self, job: Job, found: Motions) -> None:
        if job is not self._job:
            return
        self.motions, self.inverses = list(found.actions), list(found.inverses)
        self.next = {one.name: one for one in found.next}
        self.changed.emit()

    # --- painting

    def paint(self, painter: QPainter, at: NDArray, to_canvas: ToCanvas) -> None:
        """at : (N, 2) places of all instances, logical px. to_canvas : places of the cloud (P, 3) to logical px."""
        steps = self.steps
        if steps is None or not self.on:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self._cloud.visible[steps.before] & self._cloud.visible[steps.after]
        project, t = self._session.project, current()
        colors = [*action_colors(steps.names, project, steps.names), ""]  # the last one, -1, is not known
        hues = list(dict.fromkeys(reversed(colors)))  # many actions share few colors
        hue = np.array([hues.index(color) for color in colors], np.int64)[steps.action]
        for at_hue, name in enumerate(hues):
            mine = shown & (hue == at_hue)
            color = QColor(name or t.t3)
            painter.setPen(QPen(color, 2.0 if name else 1.2))
            ends = np.hstack([at[steps.before[mine]], at[steps.after[mine]]])
            painter.drawLines([QLineF(*line) for line in ends.tolist()])
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            for line in ends.tolist():
                _paint_head(painter, QLineF(*line))
        self._paint_next(painter, at, to_canvas)

    def _paint_next(self, painter: QPainter, at: NDArray, to_canvas: ToCanvas) -> None:
        """From the chip to where the chosen action leads, and a ring around the instance that fits."""
        run, found = self._cloud.run, self.found
        frame = frame_of(run.Z[:, :3]) if run is not None else None
        if run is None or found is None or frame is None or self._cloud.at is not None or self.row >= len(at):
            return
        place = np.zeros((1, 3))
        place[0, : len(frame[0])] = (np.array(found.Z)[: len(frame[0])] - frame[0]) / frame[1]
        end = to_canvas(place)[0]
        if not np.isfinite(end).all():
            return
        ink = QColor(current().ink)
        painter.setPen(QPen(ink, 1.6, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawLine(QPointF(*at[self.row].tolist()), QPointF(*end.tolist()))
        painter.setPen(QPen(ink, 1.6))
        painter.drawEllipse(QPointF(*at[self.row].tolist()), _RING, _RING)
        for dx, dy in ((6, 0), (0, 6)):
            painter.drawLine(QPointF(end[0] - dx, end[1] - dy), QPointF(end[0] + dx, end[1] + dy))
        if found.row >= 0:
            painter.drawEllipse(QPointF(*at[found.row].tolist()), _RING, _RING)


def _paint_head(painter: QPainter, line: QLineF) -> None:
    """An arrow in the middle of a step that is long enough."""
    if line.length() < _LONG:
        return
    unit = QPointF(line.dx(), line.dy()) / line.length()
    tip = line.center() + unit * (_ARROW / 2)
    side = QPointF(-unit.y(), unit.x()) * (_ARROW / 2.4)
    painter.drawPolygon(QPolygonF([tip, tip - unit * _ARROW + side, tip - unit * _ARROW - side]))
