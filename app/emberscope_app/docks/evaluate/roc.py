"""The ROC card: curves of the checked runs, a band around the active one, a threshold to drag."""

import math
from functools import partial

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from emberscope.findings.headline import clips_words
from emberscope.findings.judged.levels import BAG, CLASSIFIER, DETECTION, INSTANCE, METHOD, Level
from emberscope.findings.judged.plots import FOUND, PRECISION, judged_plot, title_of
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.docks.evaluate.split_line import SplitLine
from emberscope_app.state.core.figures import Shown, ask_for_plot
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import Segmented, Strip, text
from emberscope_app.theme.fit_strip import fit_strip
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.words import listed, plural, spaced

LEVELS = ((INSTANCE, "Instances"), (BAG, "Bags"), (DETECTION, "Detections"))
_NARROWEST = 264  # px of the strip: the levels alone
_WHAT = {INSTANCE: "instances", BAG: "bags", DETECTION: "targets and false alarms"}


class RocPanel(Card):
    """A click or a drag sets the threshold of the active run; so do the arrow keys."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.levels = Segmented(LEVELS)
        self.kinds = Segmented(((FOUND, "ROC"), (PRECISION, "Precision")))
        self.levels.setAccessibleName("What is judged")
        self.kinds.setAccessibleName("Which curve")
        self.strip = Strip(self)
        self.strip.setMinimumWidth(_NARROWEST)
        self.strip.row.addWidget(self.levels)
        self.strip.row.addStretch(1)
        self.strip.row.addWidget(self.kinds)
        self.plot = PlotView(0, clicks=True)
        self.plot.setFocusPolicy(self.plot.focusPolicy().StrongFocus)
        self.plot.setToolTip("Drag, or press Left and Right: the threshold of the active run")
        self.plot.setMinimumHeight(120)
        self.layout().insertWidget(0, self.strip)  # type: ignore[union-attr]
        self.split = SplitLine()
        self.layout().insertWidget(1, self.split)  # type: ignore[union-attr]
        self.note = text("", "hint")  # what detections are
        self.note.setWordWrap(True)
        self.note.hide()
        self.body.addWidget(self.plot, 1)
        self.body.addWidget(self.note)
        self.body.setContentsMargins(6, 8, 6, 6)
        self.setFocusProxy(self.plot)
        self.levels.chosen.connect(lambda level: self.evaluation.show(level=level))
        self.kinds.chosen.connect(lambda kind: self.evaluation.show(kind=kind))
        self.plot.chosen.connect(self._drag)
        self.plot.stepped.connect(self.evaluation.step)
        self.show_all()

    def read(self) -> None:
        evaluation = self.evaluation
        self.levels.set_value(evaluation.level)
        self.levels.button(DETECTION).setVisible(not self.session.project.of_points)
        self.kinds.set_value(evaluation.kind)
        first = self.kinds.button(FOUND)
        first.setText("Per frame" if evaluation.level == DETECTION else "ROC")
        self._fit_strip()
        self.follow()
        tally, run = evaluation.tally(), evaluation.active
        self.note.setText("" if tally is None else self._note(tally.level))
        self.note.setVisible(bool(self.note.text()))
        self.say_split(self.split)
        if tally is None or run is None:
            self.set_count("")
            return
        level = tally.level
        by = ", classifier" * (evaluation.by == CLASSIFIER)
        self.set_count(f"{spaced(len(level.ids))} {_WHAT[level.name]}, "
                       f"{'unseen clips' if level.scored else 'held out'}{by}")
        self.plot.setToolTip(f"{level.rests_on}. Drag, or press Left and Right: the threshold of "
                             f"run {run.id}.")

    def offers(self, menu: QMenu) -> None:
        for kind, words in ((FOUND, self.kinds.button(FOUND).text()), (PRECISION, "Precision")):
            action = menu.addAction(words, partial(self.evaluation.show, kind=kind))
            action.setCheckable(True)
            action.setChecked(kind == self.evaluation.kind)
        menu.addSeparator()

    def _mean_words(self) -> str:
        """How the area of bags goes with that in the list of runs, which is another one."""
        found, run = self.evaluation, self.evaluation.active
        if found.level != BAG or found.by != METHOD or run is None:
            return ""
        mean = clips_words(run.metrics)
        area = run.metrics.get("method_bag_auc", math.nan)
        if not mean.startswith("mean of") or not math.isfinite(area):
            return ""
        return (f"Bags of all clips together; held-out bag AUC {area:.2f} in the list of runs is "
                f"the {mean}.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_strip()

    def _fit_strip(self) -> None:
        """The menu has the kinds of curves, too."""
        fit_strip(self.strip, self.width(), ([self.kinds],))

    def _note(self, level: Level) -> str:
        """What detections are, and which checked runs have no curve."""
        runs = self.evaluation.left_out
        if not runs:
            return f"{level.note} {self._mean_words()}".strip()
        whose = f"{plural('run') if len(runs) > 1 else 'run'} {listed(runs)}"
        return f"{level.note} No curve of {whose}: the tooltip in the list says why.".strip()

    def follow(self) -> None:
        evaluation, run = self.evaluation, self.evaluation.active
        number = run.id if run is not None else -1
        self.plot.show_plot(judged_plot(evaluation.shown(), evaluation.kind, number,
                                        evaluation.at()))

    def _drag(self, x: float) -> None:
        tally = self.evaluation.tally()
        if tally is not None:
            at = self.evaluation.kind == PRECISION
            self.evaluation.set_threshold(
                tally.threshold_finding(x) if at else tally.threshold_at(x)
            )

    is_figure = True

    def save(self, forms: tuple[str, ...]) -> None:
        found = self.evaluation
        there = [one.level for one in found.shown() if not one.level.why_not]
        # as the command line calls it, whatever level is on show
        name = title_of(there[0], found.kind).lower().replace(" ", "-") if there else "roc"
        known = found.level != BAG and found.by == METHOD and len(found.checked) == 1
        shown = Shown(self.plot.plot, name, self.runs_shown(), by_command=known)
        ask_for_plot(self.session, shown, forms)

    def data(self) -> str:
        rows: list[list[object]] = [["run", "x", "y", "low", "high"]]
        for one in self.evaluation.shown():
            band = one.level.found if self.evaluation.kind == FOUND else one.level.precision
            rows += [[one.run, *place] for place in zip(band.x.tolist(), band.y.tolist(),
                                                        band.low.tolist(), band.high.tolist(),
                                                        strict=True)]  # fmt: skip
        return table(rows)
