"""Ranking: the instances, or the bags, of the run on show in the order of their scores, with a
threshold to drag."""

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from emberscope.base.grouping import score_text
from emberscope.findings.judged.levels import BAG, INSTANCE
from emberscope.findings.maps.ranking import (
    NO_BAGS,
    NO_SCORES,
    Ranking,
    rank_bags,
    rank_instances,
    ranking_plot,
)
from emberscope.findings.plot import Dots, Mark, Note, Plot, Rug
from emberscope.project import Changes
from emberscope.tasks.figures import RankingCut
from emberscope_app.docks.ranking.chip_row import ChipRow
from emberscope_app.state.core.figures import figure_actions
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.state.runs.map_figures import ask_for_map
from emberscope_app.theme.controls import Empty, Segmented, Strip, quiet, text, trigger
from emberscope_app.theme.fit_strip import fit_strip
from emberscope_app.theme.panel import Panel
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.words import counted

_NAME = "RankingPanel"
_NO_RUN = "No run yet. A run ranks its instances here."
_LEAST = 56   # px of the strip of scores
_LOW = 172    # px of the dock, below which there is no room for chips
_WAITING = "Judging the run on bags it has not seen."


class RankingPanel(Panel):
    """The threshold is that of the Evaluate workspace: what is dragged in one moves in the other.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.evaluation = session, evaluation_of(session)
        self.ranking: Ranking | None = None
        self.level = INSTANCE
        self._plot: Plot | None = None  # without what is selected and pointed at
        self.levels = Segmented(((INSTANCE, "Instances"), (BAG, "Bags")))
        self.levels.setAccessibleName("What is ranked")
        self.said = text("", "secondary")
        self.select = quiet("Select those above")
        self.select.clicked.connect(self._select_above)
        self.strip = Strip(self)
        for part in (self.levels, self.said):
            self.strip.row.addWidget(part)
        self.strip.row.addStretch(1)
        self.strip.row.addWidget(self.select)
        self.strip.setMinimumWidth(220)
        self.plot = PlotView(0, clicks=True)
        self.plot.setFocusPolicy(self.plot.focusPolicy().StrongFocus)
        self.plot.setToolTip("Drag the threshold, or press Left and Right")
        self.plot.setMinimumHeight(_LEAST)
        self.chips = ChipRow(session, self._rank_at)
        self.empty = Empty("", action="Run", on_action=lambda: trigger(self, "run.run"))
        self._lay_out()
        self.levels.chosen.connect(self._on_level)
        self.plot.chosen.connect(lambda x: self._cut(round(x - 0.5)))
        self.plot.stepped.connect(lambda by: self._cut(self._above + by))
        self.chips.pointed.connect(self._point)
        self.chips.clicked.connect(self._click)
        self.chips.double_clicked.connect(self._open)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(lambda _origin: self._mark())
        session.selection.hovered.connect(lambda _origin: self._mark())
        self.evaluation.changed.connect(self._read_if_seen)
        self.evaluation.moved.connect(partial(self.in_sight, self._follow))
        self._read()

    def _lay_out(self) -> None:
        page = QWidget()
        body = QVBoxLayout(page)
        body.setContentsMargins(6, 6, 6, 4)
        body.setSpacing(2)
        body.addWidget(self.plot, 1)
        body.addWidget(self.chips)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.strip)
        whole.addWidget(self._pages, 1)
        self.plot.setContextMenuPolicy(self.plot.contextMenuPolicy().ActionsContextMenu)
        self.plot.addActions(figure_actions(self.plot, self._save))
        self.setFocusProxy(self.plot)

    # --- reading

    def _read_if_seen(self) -> None:
        self.in_sight(self._read)

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("runs", "marks", "classes", "labels"):
            self._read_if_seen()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._read_if_seen()

    def _read(self) -> None:
        """Rank the run on show anew."""
        run, project = self.session.run, self.session.project
        self.levels.set_value(self.level)
        self.ranking = None
        why, waiting = _NO_RUN, False
        if run is not None:
            if self.isVisible():
                self.evaluation.look(_NAME, True, also=run.id)
            judged = self.evaluation.judged(run.id)
            if self.level == INSTANCE:
                self.ranking = rank_instances(project, run, by=self.evaluation.by)
                why = NO_SCORES.format(run.id)
            elif judged is not None:
                self.ranking = rank_bags(project, run, judged.level(BAG))
                why = judged.level(BAG).why_not or NO_BAGS.format(run.id)
            else:
                why, waiting = _WAITING, True
        there = self.ranking is not None and len(self.ranking.ids) > 0
        if not there:
            self.ranking = None
            self.empty.wait(waiting, why)
        self._pages.setCurrentIndex(1 if there else 0)
        self.strip.setEnabled(run is not None)
        self._follow()

    @property
    def threshold(self) -> float:
        """Of the run on show, at the level on show."""
        run = self.session.run
        if run is None or self.ranking is None:
            return 0.0
        return self.evaluation.ranked_at(run.id, self.level, self.ranking.start)

    @property
    def _above(self) -> int:
        return self.ranking.above(self.threshold) if self.ranking is not None else 0

    def _follow(self) -> None:
        """Another threshold."""
        ranking, run = self.ranking, self.session.run
        self._plot = None
        self.select.setEnabled(self._above > 0)
        if ranking is not None:
            plot = ranking_plot(self.session.project, ranking, self.threshold)
            # The strip says it: in a low dock it would stand in the legend
            marks = tuple(mark for mark in plot.marks if not isinstance(mark, Note))
            self._plot = replace(plot, marks=marks)
        what = "instance" if self.level == INSTANCE else "bag"
        self.set_count(counted(len(ranking.ids), what) if ranking is not None else "")
        above = f"{counted(self._above, what)} above {score_text(self.threshold)}"
        self.said.setText(above if ranking is not None else "")
        self._fit_strip()
        self.chips.show_ranking(run, ranking, self._above)
        self._mark()

    def _mark(self) -> None:
        """Show what is selected, and what is pointed at."""
        ranking, run, plot = self.ranking, self.session.run, self._plot
        if ranking is None or run is None or plot is None:
            self.plot.show_plot(None)
            return
        if not self.isVisible():
            return
        marks: list[Mark] = []
        selection, ids = self.session.selection, run.ids[ranking.rows]
        if len(selection.ids):
            ranks = np.flatnonzero(np.isin(ids, selection.ids)) + np.float64(1)
            top = plot.y.high
            marks.append(Rug(ranks, top - 0.06 * (top - plot.y.low), top, "ink", "Selected"))
        if selection.hover is not None:
            at = np.flatnonzero(ids == selection.hover)[:1]
            marks.append(Dots(at + np.float64(1), np.maximum(ranking.score[at], plot.y.low), now=0))
        self.plot.show_plot(replace(plot, marks=(*plot.marks, *marks)))

    # --- acts

    def _on_level(self, level: str) -> None:
        self.level = level
        self._read()

    def _rank_at(self, x: float) -> float:
        return self.plot.plot.x.value(self.plot.share_at(x))

    def _cut(self, above: int) -> None:
        run = self.session.run
        if run is not None and self.ranking is not None:
            self.evaluation.set_threshold(
                self.ranking.threshold_at(above), run=run.id, level=self.level
            )

    def _instance(self, rank: int) -> int | None:
        run, ranking = self.session.run, self.ranking
        if run is None or ranking is None or not 0 <= rank < len(ranking.rows):
            return None
        return int(run.ids[ranking.rows[rank]])

    def _point(self, rank: int) -> None:
        self.session.selection.set_hover(self._instance(rank), origin=self)

    def _click(self, rank: int) -> None:
        instance = self._instance(rank)
        if instance is not None:
            self.session.selection.select(np.array([instance]), origin=self)
            self.session.go_to_instance(instance)

    def _open(self, rank: int) -> None:
        instance = self._instance(rank)
        if instance is not None:
            self.session.show_instance(instance)

    def _select_above(self) -> None:
        run, ranking = self.session.run, self.ranking
        if run is not None and ranking is not None:
            rows = ranking.rows[: self._above]
            self.session.selection.select(np.sort(run.ids[rows]), origin=self)

    def _save(self, forms: tuple[str, ...]) -> None:
        if self.ranking is None:
            self.session.say("There is nothing to save here yet.")
            return
        cut = RankingCut(self.level, self.threshold, self.evaluation.by)
        ask_for_map(self.session, "ranking", forms, look={"cut": cut})

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.chips.setVisible(self.height() >= _LOW)
        self._fit_strip()

    def _fit_strip(self) -> None:
        fit_strip(self.strip, self.width(), ([self.said], [self.select]))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        run = self.session.run
        self.evaluation.look(_NAME, True, also=run.id if run is not None else None)
        self._read()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not self.session.closed and isValid(self.evaluation):
            self.evaluation.look(_NAME, False)
