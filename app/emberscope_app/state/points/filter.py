"""Which instances and clips are on show by what is known of them: one filter for all views."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.labels.columns import NUMBER, Column
from emberscope.project import Changes, Run
from emberscope.project.columns import CLIP, columns_of_sources, wordings
from emberscope.project.run_columns import NOVELTY, columns_of_run, novelty_column
from emberscope_app.state.core.session import Session
from emberscope_app.when.timers import Later

NOTHING_KNOWN = "none"  # in place of a value, of what has none
_SETTLE_MS = 250  # after the last edit, before columns are read anew
Conditions = Mapping[str, frozenset[str]]


class Level(NamedTuple):
    """One value of a column, or a range of numbers: in words, and how many instances have it."""

    words: str
    number: int


class _Found(NamedTuple):
    """Columns of the instances of a run, and of the clips with these ids; anywhere : the names of
    those that clips, frames or labels have a value of."""

    run: Run | None
    columns: dict[str, Column]
    clips: dict[str, Column]
    sources: list[int]
    anywhere: list[str]


def filter_of(session: Session) -> "Filter":
    """The one filter of a session."""
    return session.only(Filter)


class Filter(QObject):
    """What is known of the instances of the run on show, and which values are let through.

    conditions : by column the values that are let through, in the words of `levels`; an instance
    passes where it passes each of them. read : the columns are others. changed : so is what passes.
    """

    read = Signal()
    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.conditions: dict[str, frozenset[str]] = {}
        self._found = _Found(None, {}, {}, [], [])
        self._rows: NDArray[np.bool_] | None = None
        self._sources: frozenset[int] | None = None
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        self._later = Later(self, self._read, _SETTLE_MS)
        self._read()

    # --- what passes

    @property
    def on(self) -> bool:
        """Whether anything is kept out."""
        return bool(self.conditions)

    def rows(self, run: Run | None) -> NDArray[np.bool_] | None:
        """(N,) which instances of a run pass; None where all do, and of a run that is not on show
        yet."""
        return self._rows if run is not None and run is self._found.run else None

    def passes(self, source: int) -> bool:
        """Whether a clip has anything that passes."""
        return self._sources is None or source in self._sources

    def left_out(self, source: int, n_frames: int) -> NDArray[np.int64]:
        """Frames of a clip all of whose instances are kept out, ascending; all frames of a clip
        that has nothing that passes."""
        if not self.passes(source):
            return np.arange(n_frames)
        run = self._found.run
        if self._rows is None or run is None:
            return np.empty(0, np.int64)
        here, frame = run.source == source, run.frame.astype(np.int64)
        return np.setdiff1d(frame[here & ~self._rows], frame[here & self._rows])

    @property
    def counts(self) -> tuple[int, int]:
        """How many instances of the run on show pass, of how many."""
        n = len(self._found.run.ids) if self._found.run is not None else 0
        return (n if self._rows is None else int(self._rows.sum())), n

    # --- what is known

    @property
    def columns(self) -> dict[str, Column]:
        """The columns of the instances of the run on show, without a run those of clips."""
        return self._found.columns or self._found.clips

    def of_clips(self, name: str) -> dict[int, float]:
        """What clips have in a column, by their ids: numbers that put them in order. Clips without
        a value are left out."""
        column = self._found.clips.get(name)
        if column is None:
            return {}
        pairs = zip(self._found.sources, column.values.tolist(), strict=True)
        return {source: value for source, value in pairs if np.isfinite(value)}

    @property
    def of_clips_known(self) -> list[str]:
        """The columns that clips have a value of."""
        return color_columns(self._found.clips)

    @property
    def of_labels(self) -> list[str]:
        """The columns that labels can have a value of, be it from their frames or clips: with a run
        on show or without."""
        return [name for name in self._found.anywhere if name != CLIP]

    @property
    def run(self) -> Run | None:
        """The run that the columns are of."""
        return self._found.run

    def levels(self, name: str) -> list[Level]:
        """The values of a column with their counts, numbers in ranges where there are many; last
        what has none."""
        column = self.columns[name]
        group, words = column.levels()
        counts = np.bincount(group[group >= 0], minlength=len(words)).tolist()
        found = [Level(*pair) for pair in zip(words, counts, strict=True)]
        missing = int((group < 0).sum())
        return [*found, *([Level(NOTHING_KNOWN, missing)] if missing else [])]

    # --- what a person says

    def choose(self, name: str, values: frozenset[str]) -> None:
        """Let through these values of a column alone; all of them where there are none."""
        rest = {key: kept for key, kept in self.conditions.items() if key != name}
        self._put(rest | ({name: values} if values else {}))

    def toggle(self, name: str, value: str) -> None:
        """Let a value through as well, or no more."""
        self.choose(name, self.conditions.get(name, frozenset()) ^ {value})

    def clear(self) -> None:
        """Let everything through."""
        self._put({})

    def words(self, name: str) -> str:
        """"light: night", "range: 1000, 1500"."""
        order = [level.words for level in self.levels(name)] if name in self.columns else []
        kept = self.conditions[name]
        named = [words for words in order if words in kept] or sorted(kept)
        more = f" and {len(named) - 2} more" if len(named) > 3 else ""
        return f"{name}: {', '.join(named[:2] if more else named)}{more}"

    # --- following the session

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self._put({})
            self._read()
        elif changes.touch("labels", "sources"):
            self._later.start()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and self._session.run is not self._found.run:
            self._read()

    def _read(self) -> None:
        self._session.turns.aside(self._gather, self._show)

    def _gather(self) -> Callable[[], _Found]:
        """What a thread makes of the project."""
        project, run = self._session.project.frozen(), self._session.run

        def found() -> _Found:
            columns = columns_of_run(project, run, filled=True) if run is not None else {}
            if run is not None and NOVELTY in run.point_scores:
                columns.setdefault(NOVELTY, novelty_column(run))
            clips = {name: column for name, column in columns_of_sources(project).items()
                     if column.known.any()}
            return _Found(run, columns, clips, list(project.sources), list(wordings(project)))

        return found

    def _show(self, found: _Found) -> None:
        if found.run is not self._session.run:
            return
        self._found = found
        kept = {name: values for name, values in self.conditions.items() if name in self.columns}
        self.read.emit()
        self._put(kept)

    def _put(self, conditions: dict[str, frozenset[str]]) -> None:
        was_on = self.on
        self.conditions = conditions
        found = self._found
        self._rows = _passing(found.columns, conditions) if conditions else None
        self._sources = None
        if conditions:
            clips = _passing(found.clips, conditions)
            kept = {source for source, passes in zip(found.sources, clips, strict=True) if passes}
            if self._rows is not None and found.run is not None:
                kept -= set(np.unique(found.run.source).tolist())
                kept |= set(np.unique(found.run.source[self._rows]).tolist())
            self._sources = frozenset(kept)
        if was_on or self.on:
            self.changed.emit()


def _passing(columns: Mapping[str, Column], conditions: Conditions) -> NDArray[np.bool_]:
    """(n,) what passes every condition; a column that is not there has no value."""
    n = max((len(column.values) for column in columns.values()), default=0)
    passes = np.ones(n, bool)
    for name, values in conditions.items():
        if name not in columns:
            passes &= NOTHING_KNOWN in values
            continue
        group, words = columns[name].levels()
        let = np.array([*(word in values for word in words), NOTHING_KNOWN in values], bool)
        passes &= let[group]
    return passes


def color_columns(columns: Mapping[str, Column]) -> list[str]:
    """Those that are worth a color of their own: clip, patch and novelty are colorings already."""
    return [name for name in columns if name not in (CLIP, "patch", NOVELTY)]


def group_columns(columns: Mapping[str, Column]) -> list[str]:
    """Those that chips can be grouped by."""
    return [*color_columns(columns), *([NOVELTY] if NOVELTY in columns else [])]


def sort_columns(columns: Mapping[str, Column]) -> list[str]:
    """Those that things can be put in order by: numbers."""
    return [name for name in color_columns(columns) if columns[name].kind == NUMBER]
