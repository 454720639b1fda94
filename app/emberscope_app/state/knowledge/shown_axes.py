"""Which two axes the flat map shows of a run of more, and how faithful these are; measured when
nobody knows it yet."""

import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.findings.point_looks import COLUMN, color_title
from emberscope.findings.shown_axes import (
    FAITH,
    FIRST,
    NUMBERS,
    Axes,
    axes_words,
    dimensions,
    is_measured,
    is_part,
    of_axes,
    plain,
)
from emberscope.project import Changes, Run, to_snapshot
from emberscope.project.nouns import Nouns
from emberscope.tasks.measures import MeasureAxes
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job

WHOLE = "_all_axes"  # after the name of a score: as the run has it of all its axes


class Shown(NamedTuple):
    """A score of every instance as maps show it. values : (N,), NaN where it has none. of : the
    axes that it speaks of, "" where it speaks of the run."""

    name: str
    values: NDArray
    of: str = ""


def shown_axes(session: Session) -> "ShownAxes":
    """The one of a session."""
    return session.only(ShownAxes)


def axes_on_show(run: Run | None, axes: Axes) -> Axes:
    """Those that were chosen, where the run has them; the first two elsewhere."""
    return axes if run is not None and max(axes) < dimensions(run) else FIRST


@dataclass(slots=True)
class _Asked:
    """Of the run with these coordinates. found : it with what was measured, once it is there."""

    of: weakref.ref[NDArray]
    job: Job
    found: Run | None = None


class ShownAxes(QObject):
    """`ready` says that the numbers of other axes are known now. What is measured of a run is kept
    with the session."""

    ready = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._asked: dict[Axes, _Asked] = {}
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)

    def axes(self, run: Run | None) -> Axes:
        """The two axes on show."""
        return axes_on_show(run, self._session.focus.axes)

    def source(self, run: Run) -> Run | None:
        """The run with the faithfulness of its axes on show; None until it is measured. That is
        asked for as soon as other axes than the first two are chosen: a run knows these, or is of a
        version that did not measure them."""
        axes = self.axes(run)
        if not is_part(run, axes) or is_measured(run, axes):
            return run
        if axes == FIRST:
            return None
        asked = self._asked.get(axes)
        if asked is None or asked.of() is not run.Z:
            self._ask(run, axes)
            return None
        return asked.found

    def numbers(self, run: Run) -> Mapping[str, float]:
        """The metrics of a run, those that are about the map as they are of the axes on show;
        without those nobody knows yet."""
        axes = self.axes(run)
        if not is_part(run, axes):
            return run.metrics
        own, found = dict(run.metrics), self.source(run)
        for name in NUMBERS:
            for end in ("", "_low", "_high", "_error"):
                own.pop(name + end, None)
                if found is not None and of_axes(name, axes) + end in found.metrics:
                    own[name + end] = found.metrics[of_axes(name, axes) + end]
        return own

    def score(self, run: Run, name: str) -> Shown | None:
        """A score of the instances of a run as maps show it, one about the map of the axes on show;
        None where the run has no such score. A name with `WHOLE` is that of all axes."""
        own, axes = name.removesuffix(WHOLE), self.axes(run)
        values = run.point_scores.get(own)
        if values is None:
            return None
        if own != name:
            return Shown(own, values, f"all {dimensions(run)} axes" if is_part(run, axes) else "")
        if own not in FAITH or not is_part(run, axes):
            return Shown(own, values)
        found, of = self.source(run), axes_words(axes)
        measured = found.point_scores.get(of_axes(own, axes)) if found is not None else None
        if measured is None:
            return Shown(own, np.full(len(run.ids), np.nan), f"{of}, not measured yet")
        return Shown(own, measured, of)

    def _ask(self, run: Run, axes: Axes) -> None:
        request = MeasureAxes(snapshot=to_snapshot(self._session.project), run=run, axes=axes)
        title = f"Faithfulness of {axes_words(axes)}"
        job = self._session.jobs.ask(request, lambda found: self._take(asked, found), title=title)
        asked = self._asked[axes] = _Asked(weakref.ref(run.Z), job)

    def _take(self, asked: "_Asked", found: Run) -> None:
        asked.found = found
        self.ready.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self._asked = {}

    def _on_focus(self, names: set[str]) -> None:
        """What failed or was canceled is asked for once more when it is chosen once more."""
        run = self._session.run
        if names & {"axes", "run"} and run is not None:
            kept = (
                (axes, asked)
                for axes, asked in self._asked.items()
                if asked.found is not None or asked.job.active
            )
            self._asked = dict(kept)
            self.source(run)


def title_on_show(name: str, nouns: Nouns) -> str:
    """How a coloring is called in lists: "trust" of the axes on show, "trust, all" of all axes of
    the run. nouns : the words for what the project holds, which stand for those of frames."""
    title = color_title(name.removesuffix(WHOLE))
    said = title if name.startswith(COLUMN) else nouns.say(title)
    return said + (", all" if name.endswith(WHOLE) else "")


def color_names(run: Run | None, names: list[str]) -> list[str]:
    """Scores that a map can be colored by: of a run of more axes than are on show also what is of
    all of them."""
    own = [name for name in names if plain(name) == name]
    if run is None or dimensions(run) <= 2:
        return own
    return [each for name in own for each in ((name, name + WHOLE) if name in FAITH else (name,))]
