"""How far to believe this map: what a run measured about itself, as curves, numbers and colors of the maps."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from emberscope.findings.headline import NAMES, chance_words, held_out_words, made_from_words, with_interval
from emberscope.findings.score_words import in_order, score_title
from emberscope.project import Changes, Run
from emberscope_app.plain import menu_text
from emberscope_app.sheets.believe_plots import AgreementCurve, ShepardMap
from emberscope_app.sheets.measure_bar import MeasureBar
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Scrolling, line, text
from emberscope_app.theme.look import current, look
from emberscope_app.theme.table import RIGHT, paint_words
from emberscope_app.words import counted, method_title

TITLE, WIDTH, ROW = "How far to believe this map", 420, 40
_UNMEANT = ("score", "witness")  # say something of the target, not of the embedding
_COLUMNS = 4
_FIGURE = 140      # px of a number with its interval


@dataclass(frozen=True, slots=True)
class Number:
    """A metric of the run, and what it means in a line."""

    key: str
    means: str

    @property
    def title(self) -> str:
        return NAMES[self.key]


HEADLINE = (
    Number("method_bag_auc", "Bags the method was not fitted on, ranked by it; 0.5 is chance"),
    Number("witness_found", "Positive bags whose first instance is a target, by truth"),
    Number("knn_balanced", "Held-out bags, both classes counting alike; 0.5 is chance"),
)
NUMBERS = (
    Number("trustworthiness", "Neighbors on the map are neighbors in the features"),
    Number("continuity", "Neighbors in the features are neighbors on the map"),
    Number("r_nx_auc", "Neighbors kept above chance; small neighborhoods count more"),
    Number("q_nx", "Share of the 15 nearest that stay"),
    Number("spearman_global", "Order of the distances of random pairs; 1 is kept, 0 is chance"),
    Number("stress", "Relative error of distances; 0 is perfect"),
    Number("spread", "How far instances move between fits; 0 not at all, 1 anywhere"),
    Number("purity", "Equal labels among the nearest of other bags"),
    Number("intrinsic_dimension", "Of the data; a map of fewer folds or tears them"),
    Number("short_circuits", "Edges that seem to jump between folds of the data"),
)
_COUNTS = {"short_circuits": 0, "intrinsic_dimension": 1}  # decimals of what is no share


def figure(run: Run, key: str) -> str:
    """A metric with its interval, or its standard error where it is estimated; "" where the run has none."""
    value = run.metrics.get(key)
    if value is None or not np.isfinite(value):
        return ""
    if f"{key}_low" in run.metrics:
        return with_interval(run.metrics, key)
    error = run.metrics.get(f"{key}_error", 0.0)
    return f"{value:.{_COUNTS.get(key, 2)}f}" + (f" \u00b1 {error:.2f}" if error >= 0.005 else "")


def means(run: Run, number: Number) -> str:
    """What a number means in this run: what was held out, what chance gives, what it is made from."""
    beside = {"method_bag_auc": held_out_words(run.metrics), "witness_found": chance_words(run.metrics),
              "purity": made_from_words(run.metrics)}.get(number.key, "")
    if number.key == "method_bag_auc" and beside:
        return f"{beside[:1].upper()}{beside[1:]}; 0.5 is chance"
    if number.key == "witness_found" and beside:
        return f"First of its positive bag is a target; {beside}"
    return f"{number.means}; {beside}" if beside else number.means


class BelieveSheet(Sheet):
    """Follows the run on show."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(TITLE, parent, width=WIDTH)
        self._session = session
        self.about = text("", "secondary")
        self.curve, self.shepard = AgreementCurve(), ShepardMap()
        self.headline, self.numbers = _Numbers(HEADLINE), _Numbers(NUMBERS)
        self.measure = MeasureBar(session)
        self.colors = _Colors(session)
        self.notes = text("")
        self.notes.setWordWrap(True)
        self._curve_part = _part("Neighbors kept, above chance", self.curve)
        self._shepard_part = _part("Distances", self.shepard)
        self._notes_part = _part("Notes of this run", self.notes)
        self._lay_out()
        session.changed.connect(self._on_changed)
        session.focus.changed.connect(self._on_focus)
        self._read()

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(tokens.PAD, 4, tokens.PAD, tokens.PAD)
        column.setSpacing(tokens.PAD)
        column.addWidget(self.about)
        column.addWidget(self.headline)
        column.addWidget(self.measure)
        column.addWidget(_part("Color both maps by", self.colors))
        for part in (self._curve_part, self.numbers, self._shepard_part, self._notes_part):
            column.addWidget(part)
        column.addStretch(1)
        self.body.setContentsMargins(0, 4, 0, 0)
        self.body.addWidget(Scrolling(inside), 1)

    def _read(self) -> None:
        run = self._session.run
        if run is None:
            self.close_sheet()
            return
        words = f"Run {run.id}, {method_title(run.recipe.method)}, {counted(len(run.ids), 'instance')}"
        self.about.setText(words)
        for numbers in (self.headline, self.numbers):
            numbers.show_run(run)
        self.measure.setVisible(self.measure.show_run(run))
        self._curve_part.setVisible(self.curve.show_run(run))
        self._shepard_part.setVisible(self.shepard.show_run(run))
        self.notes.setText("\n".join(run.notes))
        self._notes_part.setVisible(bool(run.notes))
        self.colors.read()

    def _on_changed(self, changes: Changes) -> None:
        if changes.touch("runs"):
            self._read()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._read()
        elif "color_by" in names:
            self.colors.read()


class _Colors(QWidget):
    """A button for the class and one for every number of an instance that the run has."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.buttons: dict[str, QToolButton] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(6)

    def read(self) -> None:
        run = self._session.run
        wanted = ["class", *(n for n in in_order(run.point_scores if run is not None else ()) if n not in _UNMEANT)]
        if list(self.buttons) != wanted:
            for old in self.buttons.values():
                old.hide()
                old.deleteLater()
            self.buttons = {name: self._make(name, at) for at, name in enumerate(wanted)}
        for name, button in self.buttons.items():
            button.setChecked(name == self._session.focus.color_by)

    def _make(self, name: str, at: int) -> QToolButton:
        button, title = QToolButton(), score_title(name)
        button.setText(menu_text(title))
        button.setAccessibleName(f"Color by {title}")
        button.setCheckable(True)
        button.setProperty("role", "chip")
        button.setFixedHeight(24)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self._choose(name))
        self._grid.addWidget(button, at // _COLUMNS, at % _COLUMNS)
        return button

    def _choose(self, name: str) -> None:
        self._session.focus.set(color_by=name)
        self.read()  # a click on the chosen one leaves it chosen


class _Numbers(QWidget):
    """Rows: title and figure, below what it means."""

    def __init__(self, numbers: tuple[Number, ...]) -> None:
        super().__init__()
        self._numbers = numbers
        self.rows: list[tuple[str, str, str]] = []
        look().changed.connect(self.update)

    def show_run(self, run: Run) -> None:
        self.rows = [(n.title, value, means(run, n)) for n in self._numbers if (value := figure(run, n.key))]
        self.setAccessibleName(", ".join(f"{title} {value}" for title, value, _ in self.rows))
        self.setToolTip("In files and on the command line: " + ", ".join(
            f"{NAMES[n.key]} is {n.key}" for n in self._numbers if figure(run, n.key)
        ))
        self.setFixedHeight(max(ROW * len(self.rows), 1))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, ROW * len(self.rows))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        wide = self.width()
        for i, (title, value, means) in enumerate(self.rows):
            top = i * ROW
            painter.fillRect(0, top, wide, 1, QColor(current().line))
            paint_words(painter, QRect(0, top + 4, wide - _FIGURE, 17), title, weight=500)
            paint_words(painter, QRect(wide - _FIGURE, top + 4, _FIGURE, 17), value, align=RIGHT, weight=600)
            paint_words(painter, QRect(0, top + 20, wide, 16), means, px=tokens.PX_SMALL, color="t2")


def _part(title: str, inside: QWidget) -> QWidget:
    """A heading over something."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(6)
    column.addWidget(line())
    column.addWidget(text(title, "title"))
    column.addWidget(inside)
    return holder
