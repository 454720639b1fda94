"""The rows of the history: the finished runs, those that are pinned and then the newest first."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject

from emberscope.catalogue.classifier_title import classifier_title
from emberscope.findings.comparison.run_differences import differs, same_data_words
from emberscope.findings.concept_counts import counts_of
from emberscope.findings.concepts import concepts_of
from emberscope.findings.headline import doubt_words, headline, split_said, with_interval
from emberscope.findings.notes import beside, notes_of, without_number
from emberscope.project import Project, Recipe, Run
from emberscope.project.model.run_notes import RunNote, run_note
from emberscope.project.model.witness import marks_since
from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Blank,
    Check,
    Ground,
    Icon,
    Interval,
    Line,
    Row,
    Spot,
    Words,
    line,
)
from emberscope_app.lists.layout import words_width
from emberscope_app.lists.model import Column, RowModel
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.checked_runs import checked_runs
from emberscope_app.state.runs.measuring import lacking
from emberscope_app.theme import tokens
from emberscope_app.words import counted, grouped, method_title, moment, percent

WIDTHS = (64, 118, 122)   # px, where the headline stands alone
# Px, where what truth says stands beside it: intervals are lines below figures
_NARROW = (52, 78, 61, 46, 40)
_END = tokens.PAD - 4  # px more of the last one
_NAME, _AROUND_NAME = 140, 12  # px of a name that is whole at most, and beside it
_PIN = 14
_APART = "  ·  "  # between words about a run
_WHISKER = 34  # px, from 0 to 1
ROW = 41   # px, two lines: which run, and what tells it from the one before
DOUBT = 16  # px, of a third one: what spoils its numbers
CHECK_WIDE = 22  # px
CHECK = "check"  # what a click on its cell asks for


class Figure(NamedTuple):
    """A column of numbers. alone : its heading where no other stands beside it."""

    key: str
    title: str
    alone: str
    about: str


FIGURES = (
    Figure(
        "method_bag_auc",
        "Bag AUC",
        "Held-out bag AUC",
        "How well the method tells bags of a clip apart that it was not fitted on, mean of the "
        "clips, with its 95 % interval; 0.5 is chance",
    ),
    Figure(
        "inside_auc",
        "Inside",
        "",
        "AUC inside positive bags: how well scores tell targets from the ground around "
        "them, by truth, mean of the clips; 0.5 is chance",
    ),
    Figure(
        "map_accuracy",
        "Map",
        "",
        "Map accuracy: how well neighbors on the map tell targets from ground, by truth, "
        "mean of the clips; 0.5 is chance",
    ),
)
_UNSAID = {"n_components", "random_state"}


def key_parameter(recipe: Recipe) -> str:
    """The first parameter that was set, e.g. "gamma 0.5"."""
    chosen = [
        (name, value)
        for name, value in recipe.params.items()
        if name not in _UNSAID and value is not None
    ]
    if not chosen:
        return ""
    name, value = chosen[0]
    value_text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{name.removeprefix('n_').replace('_', ' ')} {value_text}"


def clock(run: Run) -> str:
    """When the run was made, in local time: "10:41" today, else with the day."""
    try:
        made = datetime.fromisoformat(run.created).astimezone()
    except ValueError:
        return run.created
    return moment(made)


def about(project: Project, run: Run) -> str:
    """All that is known of a run, line by line."""
    recipe = run.recipe
    lines = [
        f"Run {run.id}, {method_title(recipe.method)}, labels as of {clock(run)}",
        f"{counted(len(run.ids), 'instance')} in {counted(len(run.bag_ids), 'bag')}, "
        f"{recipe.features.kind}",
    ]
    if recipe.params:
        lines.append(", ".join(f"{name} {value}" for name, value in recipe.params.items()))
    for found in headline(project, run):
        spoiling = (note.short for note in beside(run, found.key))
        lines.append(
            ", ".join(filter(None, (f"{found.title} {found.value}", found.beside, *spoiling)))
        )
    if recipe.classifier:
        lines.append(classified_words(run))
    return "\n".join([*lines, *(grouped(note.text) for note in notes_of(run))])


def classified_words(run: Run) -> str:
    """"Citation-kNN: 87 % of bags right (80 - 92), always the same answer 51 %, AUC 0.91 (0.85 -
    0.97), held out by blocks of frames".

    Intervals are 95 %; what failed is in notes.
    """
    title, found = classifier_title(run.recipe), run.metrics
    parts = [
        found.get(name, np.nan)
        for name in (
            "bag_accuracy",
            "bag_accuracy_low",
            "bag_accuracy_high",
            "bag_majority",
            "bag_auc",
        )
    ]
    if not np.isfinite(parts).all():
        return f"{title}: no result"
    share, low, high, majority, auc = parts
    least, most = (found.get(f"bag_auc_{end}", np.nan) for end in ("low", "high"))
    interval = f" ({least:.2f} – {most:.2f})" if np.isfinite(least + most) else ""
    numbers = f", R² {found['bag_r2']:.2f}" if "bag_r2" in found else ""
    return (
        f"{title}: {percent(share)} of bags right ({100 * low:.0f} – {100 * high:.0f}), always the "
        f"same answer {percent(majority)}, AUC {auc:.2f}{interval}{numbers}, "
        f"{split_said(run, 'bag_auc')}"
    )


class HistoryModel(RowModel[int]):
    """Runs of the project by their place in the list, the newest first."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.runs: list[Run] = []
        self.written: dict[int, RunNote] = {}
        self.figures: tuple[Figure, ...] = FIGURES[:1]
        self._known: tuple[Figure, ...] = FIGURES[:1]  # that any run has
        self._room = 300  # px of all columns
        self._beside: dict[int, str] = {}  # by row, until runs or marks change
        self._before: dict[int, str] = {}  # until then, what it was
        self._wanted: dict[int, None] = {}  # rows that were asked for, in order
        self._asking = False

    def read(self) -> None:
        self._forget()
        self._before = {}
        project = self._session.project
        written = {number: run_note(project, number) for number in project.runs}
        runs = sorted(
            project.runs.values(), key=lambda run: (not written[run.id].pinned, -run.id)
        )
        if runs != self.runs or written != self.written:
            self.runs, self.written = runs, written
            self._known = tuple(figure for at, figure in enumerate(FIGURES)
                                if not at or any(figure.key in run.metrics for run in runs))
            self.show_rows(range(len(runs)))
            self.fit(self._room)

    def fit(self, room: int) -> None:
        """Show as many figures as leave the names of runs whole in so many px."""
        self._room = room
        if (figures := self._fitting()) != self.figures:
            self.beginResetModel()
            self.figures = figures
            self.endResetModel()

    def _fitting(self) -> tuple[Figure, ...]:
        """The figures, without the last ones where names need their room."""
        names = [words_width(self._named(run)[0]) for run in self.runs]
        wanted = min(max(names, default=0), _NAME) + _AROUND_NAME
        figures = self._known
        while len(figures) > 1 and self._room - sum(self._wide(len(figures))) < wanted:
            figures = figures[:-1]
        return figures

    def _wide(self, count: int) -> tuple[int, ...]:
        """Px of the columns with so many figures, but that of names."""
        pin = _PIN if any(note.pinned for note in self.written.values()) else 0
        if not self.narrow:
            return (WIDTHS[0] + pin, WIDTHS[2])
        *others, last = _NARROW[2 : 2 + count]
        return (_NARROW[0] + pin, *others, last + _END)

    @property
    def narrow(self) -> bool:
        """Whether several figures share the width: then intervals come below them."""
        return len(self._known) > 1

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        titles = (
            Column("Run" if self.narrow else "History"),
            Column(counted(len(self.runs), "run")),
        )
        return titles + tuple(
            Column(figure.title if self.narrow else figure.alone, numbers=True, about=figure.about)
            for figure in self.figures
        )

    @property
    def widths(self) -> tuple[int, ...]:
        """Px of the columns; the second takes what is left."""
        first, *others = self._wide(len(self.figures))
        return (first, (_NARROW if self.narrow else WIDTHS)[1], *others)

    def words(self, row: int, column: int) -> str:
        words = self.spoken(row, column)
        return words.partition(" (")[0] if column > 1 and self.narrow else words

    def spoken(self, row: int, column: int) -> str:
        run = self.runs[row]
        if column == 0:
            return str(run.id)
        if column == 1:
            return " ".join(filter(None, self._named(run)))
        return self._figure(run, self.figures[column - 2].key)

    def _named(self, run: Run) -> tuple[str, str]:
        """The name that somebody gave a run; else its method, and the first parameter set."""
        name = self.written[run.id].name
        return (name, "") if name else (
            method_title(run.recipe.method), key_parameter(run.recipe))

    def tip(self, row: int, column: int) -> str:
        project = self._session.project
        found = concepts_of(self.runs[row], project)
        concepts = counts_of(found).sentence if found is not None else ""
        written = self.written[self.runs[row].id]
        known = about(project, self.runs[row])
        return "\n".join(filter(None, (written.name, written.note, known, concepts)))

    def height(self, row: int, width: int) -> int:
        return ROW + (DOUBT if self.doubts(row) else 0)

    def row(self, row: int, spot: Spot) -> Row:
        """Which run, its figures; below, through all columns, what tells it from the one before."""
        shown = self._session.run is self.runs[row]
        said, split = self.beside(row), split_said(self.runs[row], "method_bag_auc")
        said = said.removesuffix(f"{_APART}{split}")
        beside = Words(said, px=tokens.PX_SMALL, color="t2", whole_start=True)
        end = Words(self.beside(row).removeprefix(said), px=tokens.PX_SMALL, color="t2",
                    gives_way=1)  # whole, or not there
        left, lines = self.widths[0] + 6, self._lines(row, spot.column, shown=shown)
        lines.append(line(beside, end, top=21, high=17, left=left, across=True))
        if doubt := self.doubts(row):
            words = Words(
                doubt, px=tokens.PX_SMALL, color="warn", whole_start=True, wide=REST, before=4
            )
            lines.append(
                line(Icon("warn", "warn", side=12), words, top=38, high=16, left=left, across=True)
            )
        return Row(tuple(lines), Ground(active=shown, rule=0))

    def _lines(self, row: int, column: int, *, shown: bool) -> list[Line]:
        """The number of a figure; a line for its interval below where there is no room for words
        beside it."""
        words = self.words(row, column)
        if column == 0:
            run = self.runs[row].id
            check = Check(run in checked_runs(self._session).ids, wide=CHECK_WIDE, does=CHECK)
            number = Words(words, weight=600, wide=REST)
            pin = (Icon("pin", "t2", side=12),) if self.written[run].pinned else ()
            return [line(check, number, *pin, top=3, high=17, right=0)]
        if column == 1:
            color, (title, more) = "t1" if shown else "t2", self._named(self.runs[row])
            name = Words(title, color=color, whole_start=True)
            set_to = Words(more, color=color, before=4, gives_way=1)  # whole, or not there
            return [line(name, set_to, top=3, high=17, left=6, right=4)]
        known, right = words[:1].isdigit(), tokens.PAD if column == len(self.columns) - 1 else 4
        number = Words(
            words,
            weight=500 if known else 400,
            color="t1" if known else "t2",
            align=RIGHT,
            wide=REST,
        )
        found = [line(number, top=3, high=17, left=0, right=right)]
        if ends := self.interval(row, column):
            found.append(
                line(Blank(), Interval(ends, wide=_WHISKER), top=19, high=3, left=0, right=right)
            )
        return found

    def interval(self, row: int, column: int) -> tuple[float, float] | None:
        """That of a figure, for a line below it; None where it stands beside it in words, or there
        is none."""
        run, key = self.runs[row], self.figures[column - 2].key
        ends = [run.metrics.get(f"{key}_{end}", np.nan) for end in ("low", "high")]
        known = self.narrow and self._figure(run, key)[:1].isdigit() and np.isfinite(ends).all()
        return (ends[0], ends[1]) if known else None

    def _figure(self, run: Run, key: str) -> str:
        missing = (
            "not measured" if key == "method_bag_auc" and lacking(run) and not self.narrow else "–"
        )
        words = with_interval(run.metrics, key) or missing
        # Of too few bags the tool tip says so
        return words if words[:1].isdigit() or not self.narrow else "–"

    def doubts(self, row: int) -> str:
        """What spoils the first figure that something spoils: notes, the clip far below a mean.
        Before it what is decisive about a number that is not among the figures."""
        first, *others = self.figures
        has = {figure.key for figure in self.figures if figure.key in self.runs[row].metrics}
        found = [note.short for note in without_number(self.runs[row], has)]
        found += filter(None, [doubt_words(self.runs[row], first.key)])
        if found:
            return ", ".join(found)
        each = ((figure.title, doubt_words(self.runs[row], figure.key)) for figure in others)
        return next((f"{title}: {words}" for title, words in each if words), "")

    def beside(self, row: int) -> str:
        """What tells a run from the one before it: its concepts, what differs, marks made since,
        then its data.

        Where marks of very many instances have to be compared for it, it comes a turn of the event
        loop later.
        """
        if row not in self._beside:
            self._wanted[row] = None
            self._asking = True
            self._session.turns.aside(self._begin_telling, self._show_told)
            self._asking = False
        return self._beside.get(row, self._before.get(row, ""))

    def forget_marks(self) -> None:
        """Marks, classes or what was made of concepts changed."""
        self._before |= self._beside
        self._forget()

    def _forget(self) -> None:
        self._beside, self._wanted = {}, {}

    def _begin_telling(self) -> Callable[[], tuple[dict[int, str], dict[int, str]]]:
        """What a thread finds out about one more run."""
        rows, runs, known, project = (
            [*self._wanted][:1],
            self.runs,
            self._beside,
            self._session.project,
        )
        for row in rows:
            del self._wanted[row]
        project = project.frozen(labels=False)
        return lambda: (known, {row: _beside(project, runs[row]) for row in rows})

    def _show_told(self, found: tuple[dict[int, str], dict[int, str]]) -> None:
        known, told = found
        if known is self._beside:  # else runs or marks changed meanwhile
            known |= told
            for row in told if not self._asking else ():
                self.tell(row)
        if self._wanted:
            self._session.turns.aside(self._begin_telling, self._show_told)


def _beside(project: Project, run: Run) -> str:
    """What was written beside a run, else what tells it from the one that was made before."""
    if note := run_note(project, run.id).note:
        return note
    earlier = [number for number in project.runs if number < run.id]
    before = project.runs[max(earlier)] if earlier else None
    since = marks_since(project, run)
    marks = [f"{counted(since, 'mark')} since"] if since else []
    found = concepts_of(run, project)
    concepts = [f"{counted(counts_of(found).shown, 'concept')} shown"] if found is not None else []
    parts = ", ".join([*concepts, *map(grouped, differs(run, before)), *marks])
    split = split_said(run, "method_bag_auc")
    return _APART.join(filter(None, (parts, same_data_words(run, before), split)))
