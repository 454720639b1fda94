"""The Embedding quality card: neighbors kept by the checked runs, and three numbers of the active
one."""

import math
from typing import NamedTuple

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope.findings.judged.plots import kept_plot
from emberscope.findings.shown_axes import FIRST, Axes, is_part, of_axes
from emberscope.project import Run
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.state.core.figures import Shown, ask_for_plot
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.shown_axes import shown_axes
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import line as rule
from emberscope_app.theme.look import font, look
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.theme.words_and_bars import paint_words
from emberscope_app.words import listed

_BIG = (("trustworthiness", "Trust", 1), ("continuity", "Continuity", 1),
        ("spread", "Seed spread", -1))  # fmt: skip
_SAME, _HIGH = 0.005, 64
_MORE = 32  # px that a difference takes
NONE = "The checked runs keep no curve of neighbors. Run one again."


class Whose(NamedTuple):
    """Of which dimensions a number is, and what two of them have: for much room and for little."""

    whole: str
    short: str


def _whose(run: Run, axes: Axes, own: float) -> Whose:
    """own : the number of the two axes on show, NaN where it is not known."""
    all_of, two = f"all {run.Z.shape[1]}", f"{axes[0] + 1}, {axes[1] + 1}"
    if not math.isfinite(own):
        return Whose(f"of {all_of} axes", f"of {all_of}")
    return Whose(f"of {all_of}; axes {two}: {own:.2f}", f"axes {two}: {own:.2f}")


class Numbers(QWidget):
    """Three large numbers beside each other, each with how much it differs from the run before; of
    a run of more than two dimensions also what the two axes on show have."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[tuple[str, str, str, str]] = []  # title, value, difference, its color
        self.whose: list[Whose | None] = []  # of what each of them is, None of all there is
        self.setFixedHeight(_HIGH)
        look().changed.connect(self.update)

    def show_runs(self, run: Run | None, other: Run | None, axes: Axes = FIRST) -> None:
        """run : whose numbers. other : to compare them with; None for none. axes : on show."""
        self.shown, self.whose = [], []
        for key, title, sign in _BIG:
            value = run.metrics.get(key, math.nan) if run is not None else math.nan
            before = other.metrics.get(key, math.nan) if other is not None else math.nan
            more, color = "", "t2"
            if math.isfinite(value - before):
                more = f"{value - before:+.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00")
                if abs(value - before) >= _SAME:
                    color = "ok" if (value - before) * sign > 0 else "err"
            words = f"{value:.2f}" if math.isfinite(value) else "–"
            self.shown.append((title, words, more, color))
            part = run is not None and is_part(run, axes) and key != "spread"
            own = run.metrics.get(of_axes(key, axes), math.nan) if run is not None else math.nan
            self.whose.append(_whose(run, axes, own) if part and run is not None else None)
        self.setFixedHeight(_HIGH + (16 if any(self.whose) else 0))
        self.setAccessibleName(", ".join(
            " ".join((*one[:3], whose.whole if whose is not None else "")).strip()
            for one, whose in zip(self.shown, self.whose, strict=True)))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        wide = (self.width() - 2 * tokens.PAD) // max(len(self.shown), 1)
        for at, (title, value, more, color) in enumerate(self.shown):
            x = tokens.PAD + at * wide
            paint_words(painter, QRect(x, 8, wide - 8, 16), title, px=tokens.PX_SMALL, color="t2")
            paint_words(painter, QRect(x, 26, 56, 28), value, px=tokens.PX_BIG, weight=600)
            if (whose := self.whose[at]) is not None:
                room = QFontMetrics(font(tokens.PX_SMALL))
                words = whose.whole if room.horizontalAdvance(whose.whole) < wide - 8 else (
                    whose.short)
                paint_words(painter, QRect(x, 58, wide - 8, 16), words, px=tokens.PX_SMALL,
                            color="t2", whole_start=True)
            if wide - 60 >= _MORE:
                paint_words(painter, QRect(x + 58, 28, wide - 60, 26), more, px=tokens.PX_SMALL,
                            weight=500, color=color)


class QualityPanel(Card):
    """Nothing here says that scores are right: it is about the map."""

    needs_judgment = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.plot, self.numbers = PlotView(0), Numbers()
        self.plot.setMinimumHeight(100)
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(6, 8, 6, 6)
        inside.addWidget(self.plot)
        self.body.addWidget(holder, 1)
        self.body.addWidget(rule())
        self.body.addWidget(self.numbers)
        self.show_all()

    def why_not(self) -> str:
        found = self.evaluation
        if not self.session.project.runs or not found.checked:
            return found.why_not()
        return "" if kept_plot(self._runs()) is not None else NONE

    def _runs(self) -> list[tuple[Run, int]]:
        """Those that are checked, each with the place of its color."""
        return [(run, self.evaluation.checked[run.id]) for run in self.runs_shown()]

    def read(self) -> None:
        self.plot.show_plot(kept_plot(self._runs()))
        active, pair = self.evaluation.active, self.evaluation.compared
        other = self.session.project.runs.get(pair.first) if pair is not None else None
        axes = shown_axes(self.session).axes(active) if active is not None else FIRST
        self.numbers.show_runs(active, other, axes)
        runs = sorted(self.evaluation.checked)
        self.set_count(f"{listed(runs)}, neighbors kept" if runs else "")

    is_figure = True

    def save(self, forms: tuple[str, ...]) -> None:
        shown = Shown(self.plot.plot, "neighbors", self.runs_shown())
        ask_for_plot(self.session, shown, forms)

    def data(self) -> str:
        rows: list[list[object]] = [["run", "K", "Q_NX"]]
        for run, _ in self._runs():
            k, q = (run.diagnostics.get(name, ()) for name in ("curve_k", "q_nx"))
            rows += [[run.id, float(at), float(value)] for at, value in zip(k, q, strict=False)]
        return table(rows)
