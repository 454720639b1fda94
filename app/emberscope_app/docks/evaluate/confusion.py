"""The Confusion card: what is said of targets and ground at the threshold, with figures below."""

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from emberscope.base.grouping import score_text
from emberscope.findings.headline import class_name, telling, witnesses_said
from emberscope.findings.judged.levels import BAG, GROUND, Tally
from emberscope.findings.judged.tiles import Heading, confusion_tiles
from emberscope.findings.judged.words import estimate_words
from emberscope.labels.model import BACKGROUND
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.lists.cells import REST, RIGHT, Ground, Row, Words, line
from emberscope_app.lists.stack import RowStack
from emberscope_app.state.core.figures import Shown, ask_for_tiles
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.measuring import CEILING, start_measuring
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import line as rule
from emberscope_app.theme.tile_view import TileView
from emberscope_app.words import counted

_AROUND, _TILE = 58, 30  # px beside the tiles, and of one with a number
Figure = tuple[str, str, str]  # title, value, what stands beside it


class Figures(RowStack):
    """Rows of title, number, interval."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Figure] = []

    def show_rows(self, rows: list[Figure]) -> None:
        self.rows = rows
        self.setAccessibleName(", ".join(" ".join(row).strip() for row in rows))
        self.fit()

    def rows_of(self, width: int) -> list[tuple[Row, int]]:
        return [(Row((line(
            Words(title, wide=REST), Words(value, weight=600, align=RIGHT),
            Words(beside, px=tokens.PX_SMALL, color="t2", align=RIGHT, wide=86),
        ),), Ground(rule=0 if at < len(self.rows) - 1 else None)), tokens.ROW)
            for at, (title, value, beside) in enumerate(self.rows)]  # fmt: skip


class ConfusionPanel(Card):
    """A click on a tile selects its instances; the Chips dock shows them."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.view = TileView("Confusion", square=True)
        self.figures = Figures()
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(tokens.PAD, 6, tokens.PAD, 6)
        inside.addWidget(self.view)
        self.body.addWidget(holder, 1)
        self.body.addWidget(rule())
        self.body.addWidget(self.figures)
        self.setFocusProxy(self.view)
        self.view.wanted.connect(self._select)
        self.show_all()

    def read(self) -> None:
        self.follow()

    def follow(self) -> None:
        evaluation, run = self.evaluation, self.evaluation.active
        tally = evaluation.tally()
        if tally is None or run is None:
            self.view.show_tiles(None)
            self.set_count("")
            return
        threshold = evaluation.threshold()
        self.set_count(f"run {run.id}, threshold {score_text(threshold)}")
        self.view.show_tiles(confusion_tiles(tally, threshold, self._headings(tally)))
        self._show_figures(tally)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        tally = self.evaluation.tally()
        if tally is not None:
            self._show_figures(tally)

    def _show_figures(self, tally: Tally) -> None:
        """As many as leave room to tiles with numbers; the tooltip has all."""
        rows = self._rows()
        room = self.height() - _AROUND - _TILE * (len(tally.kinds) + 1)
        self.figures.show_rows(rows[: max(room // tokens.ROW, 0)])
        self.figures.setToolTip("\n".join(" ".join(row).strip() for row in rows))

    def offers(self, menu: QMenu) -> None:
        run = self.evaluation.active
        lacks = run is not None and bool(CEILING.words(run))
        action = menu.addAction("Measure the ceiling", self._measure_ceiling)
        action.setToolTip("What the same features reach where every target is known")
        action.setEnabled(lacks)

    def _measure_ceiling(self) -> None:
        run = self.evaluation.active
        if run is not None:
            start_measuring(self.session, run, CEILING)

    def _headings(self, tally: Tally) -> list[Heading]:
        project = self.session.project
        classes = [(class_name(project, kind), project.classes[kind].slot
                    if kind in project.classes else 0) for kind in tally.kinds]
        ground = project.classes.get(BACKGROUND)
        slot = ground.slot if ground is not None else 2
        return [*(Heading(*one) for one in classes), Heading("Background", slot)]

    def _rows(self) -> list[Figure]:
        evaluation, run = self.evaluation, self.evaluation.active
        assert run is not None
        out: list[Figure] = []
        tally, at = evaluation.tally(), evaluation.at(BAG)
        if tally is not None:
            out.append(_figure("Average precision", estimate_words(tally.level.average_precision)))
        if at is not None:
            out.append(_figure("Bag accuracy", estimate_words(at.right)))
        found = telling(run.metrics, "witness_found")
        if math.isfinite(found):
            ends = (run.metrics.get(f"witness_found_{end}", math.nan) for end in ("low", "high"))
            low, high = (100 * end for end in ends)
            said = ", ".join(filter(None, ("Witness found", witnesses_said(run))))
            out.append((said, f"{100 * found:.0f} %", f"{low:.0f} – {high:.0f} %"))
        out += _references(run.metrics)
        judged = evaluation.judged(run.id)
        if judged is not None:
            bags = counted(judged.conflict_bags, "bag")
            bags_words = f"in {bags}" if judged.conflicts else ""
            out.append(("Label conflicts", str(judged.conflicts), bags_words))
        return out

    def _select(self, row: int, column: int, keys: Qt.KeyboardModifier) -> None:
        tally = self.evaluation.tally()
        if tally is not None:
            kinds = [*tally.kinds, GROUND]
            rows = tally.rows(kinds[row], kinds[column], self.evaluation.threshold())
            self.evaluation.select(rows, mode=mode_of(keys))

    is_figure = True

    def save(self, forms: tuple[str, ...]) -> None:
        shown = Shown(None, "confusion", self.runs_shown()[:1])
        ask_for_tiles(self.session, self.view.tiles, shown, forms)

    def data(self) -> str:
        tiles = self.view.tiles
        rows: list[list[object]] = [["truth", *(heading.words for heading in tiles.columns)]]
        rows += [[heading.words, *(tile.small for tile in row)]
                 for heading, row in zip(tiles.rows, tiles.tiles, strict=True)]
        rows += [[*row] for row in self._rows()]
        return table(rows)


def _figure(title: str, words: str) -> Figure:
    """"0.86 (0.82 - 0.89)" as a number and what stands beside it."""
    value, _, ends = words.partition(" (")
    return title, value or "–", ends.removesuffix(")")


def _references(metrics: dict[str, float]) -> list[Figure]:
    """What others reach: trees on labels of bags, and every target known."""
    out: list[Figure] = []
    trees = metrics.get("bag_auc_trees", math.nan)
    if math.isfinite(trees):
        out.append(("Bag AUC by trees alone", f"{trees:.2f}", "baseline"))
    best = metrics.get("inside_auc_ceiling", math.nan)
    if math.isfinite(best):
        out.append(("AUC inside bags, ceiling", f"{best:.2f}", "truth known"))
    return out
