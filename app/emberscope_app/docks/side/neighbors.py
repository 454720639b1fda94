"""Who is near whom: neighbors of the selected chip before and after the metric, and the triplets it gets most wrong."""

import numpy as np
from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QHideEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from emberscope.base.ids import instance_name
from emberscope.findings.coloring import class_slots, instance_classes
from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.project import Run
from emberscope.tasks.neighbors import CompareNeighbors
from emberscope_app.docks.side.pointed import PointedChips
from emberscope_app.docks.side.triplets import TripletModel, TripletTable
from emberscope_app.lists.paint import paint_chip, paint_ring
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.neighborhoods import impostor_words, is_impostor, strip_titles
from emberscope_app.state.runs.asked_of_run import OfRun
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Empty, line, text
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.look import look
from emberscope_app.theme.table import RIGHT, paint_words

OFFER = "The chips nearest to a chip in the features and by the metric, and the triplets that it gets most wrong."
NO_RUN = "Neighbors are those of a run. Run first."
WAITING = "Comparing neighbors."
POINT = "Select a chip to see its neighbors before and after."
NO_TRIPLETS = "No triplets: they need chips known to be targets and chips known to be background."
_GAP, _APART, _CAPTION, _UNDER = 4, 16, 20, 16  # px
_FEWEST = 4  # chips of each list


class NeighborsPage(QWidget):
    """Starts, follows the selection, lists triplets."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.made = OfRun(session, CompareNeighbors, "Neighbors of", self)
        self.empty = Empty(OFFER, action="Compare", on_action=self.start)
        self.strips = Strips(session)
        self.model = TripletModel(session, self)
        self.table = TripletTable(session, self.model)
        self.none = Empty(NO_TRIPLETS)
        self.counts = text(role="secondary")
        self._lists, self._pages = QStackedWidget(), QStackedWidget(self)
        self._lay_out()
        self.made.changed.connect(self.read)
        session.selection.changed.connect(self._on_selection)
        session.focus.changed.connect(lambda names: self.read() if "run" in names else None)
        self.read()

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.setContentsMargins(tokens.PAD, 6, tokens.PAD, 6)
        heading.addWidget(text("Triplets", "title"))
        heading.addStretch(1)
        heading.addWidget(self.counts)
        self._lists.addWidget(self.table)
        self._lists.addWidget(self.none)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strips)
        column.addWidget(line())
        column.addLayout(heading)
        column.addWidget(line())
        column.addWidget(self._lists, 1)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(body)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def start(self) -> None:
        """Have the neighbors of the run on show compared."""
        self.made.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.made.set_in_sight(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.made.set_in_sight(False)

    def read(self) -> None:
        """What was found of the run on show."""
        found: Neighborhoods | None = self.made.result
        self._pages.setCurrentIndex(0 if found is None else 1)
        why = self.made.error or (WAITING if self.made.waiting else OFFER if self._session.run is not None else NO_RUN)
        self.empty.wait(not self.made.may_start, why)
        self.strips.show_found(found)
        self.model.show_found(found, self._session.run)
        self._lists.setCurrentIndex(0 if self.model.rowCount() else 1)
        self.counts.setText(self.model.counts)
        if self.hasFocus() and self.model.rowCount():
            self.table.setFocus()  # it was not there yet

    def _on_selection(self, origin: object) -> None:
        chosen = self.table.rows_chosen() if origin is self.table else []
        if chosen and self.made.result is not None:
            self.strips.show_row(int(self.made.result.triplets.rows[chosen[0], 0]))
            return
        self.strips.read()
        if origin is not self.table:
            self.table.forget_chosen()


class Strips(PointedChips):
    """Two lists of chips: the nearest to the first selected one in the features, and by the metric.

    A click selects a chip everywhere, a double click goes to its frame.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._found: Neighborhoods | None = None
        self._run: Run | None = None  # of which that was found
        self.row = -1
        self._slots = np.empty(0, np.uint8)
        self.spots: list[tuple[QRect, int]] = []
        chip_cache(session).ready.connect(self.update)
        look().changed.connect(self.update)

    def show_found(self, found: Neighborhoods | None) -> None:
        """Neighbors of another run, or none."""
        self._found, self._run = found, self._session.run
        run, project = self._run, self._session.project
        self._slots = class_slots(project, instance_classes(project, run)) if run is not None else np.empty(0, np.uint8)
        self.read()

    def read(self) -> None:
        """Follow the selection; where nothing is selected, stay."""
        rows = RowIndex(self._run).rows(self._session.selection.ids[:1])
        if self._found is None:
            self.show_row(-1)
        else:
            self.show_row(int(rows[0]) if len(rows) else min(self.row, len(self._slots) - 1))

    def show_row(self, row: int) -> None:
        """The neighbors of a row of the run; -1 for none."""
        self.row, self._over = row, -1
        self._place()
        self.setAccessibleName(self._words())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._height())

    def _half(self) -> int:
        """px of each of the two lists."""
        return (self.width() - 2 * tokens.PAD - _APART) // 2

    def _side(self) -> int:
        return max(min((self._half() + _GAP) // _FEWEST - _GAP, 44), 16)

    def _height(self) -> int:
        return 6 + 2 * _CAPTION + self._side() + _UNDER + 4

    def _place(self) -> None:
        self.spots = []
        found, side = self._found, self._side()
        if found is not None and self.row >= 0:
            fits = (self._half() + _GAP) // (side + _GAP)
            for at, near in enumerate((found.before, found.after)):
                left = tokens.PAD + at * (self._half() + _APART)
                self.spots += [(QRect(left + k * (side + _GAP), 6 + 2 * _CAPTION, side, side), int(row))
                               for k, row in enumerate(near[self.row][:fits])]
        self.setFixedHeight(self._height())

    def resizeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        found, run, painter = self._found, self._run, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        wide = self.width() - 2 * tokens.PAD
        if found is None or run is None:
            return
        if self.row < 0:
            paint_words(painter, QRect(tokens.PAD, 0, wide, self.height()), POINT, color="t2")
            return
        first = QRect(tokens.PAD, 6, wide, _CAPTION)
        paint_words(painter, first, f"Chip {instance_name(int(run.ids[self.row]))}", weight=600)
        paint_words(painter, first, impostor_words(found, self.row), px=tokens.PX_SMALL, color="t2", align=RIGHT)
        for at, title in enumerate(strip_titles(found)):
            left = tokens.PAD + at * (self._half() + _APART)
            place = QRect(left, 6 + _CAPTION, self._half(), _CAPTION)
            paint_words(painter, place, title, px=tokens.PX_SMALL, color="t2")
        for at, (rect, row) in enumerate(self.spots):
            paint_chip(painter, rect, chip_image(self._session, run, row, rect.width()))
            paint_ring(painter, rect, selected=False, hovered=at == self._over, cursor=False)
            paint_glyph(painter, int(self._slots[row]), QPointF(rect.x() + 5, rect.bottom() + 9), 3.5)
            if is_impostor(found, self.row, row):
                paint_words(painter, QRect(rect.x() + 12, rect.bottom() + 1, rect.width() - 12, _UNDER), "\u00d7",
                            weight=600, color="err")

    def _words(self) -> str:
        found, run = self._found, self._run
        if found is None or run is None or self.row < 0:
            return POINT
        wrong = [sum(is_impostor(found, self.row, int(row)) for row in near[self.row])
                 for near in (found.before, found.after)]
        return (f"Chip {instance_name(int(run.ids[self.row]))}: {wrong[0]} of {found.before.shape[1]} nearest in the "
                f"features are of the other kind, {wrong[1]} by {found.space}")

    def chip_at(self, at: QPointF) -> int:
        return next((k for k, (rect, _) in enumerate(self.spots) if rect.contains(at.toPoint())), -1)

    def instance_of(self, chip: int) -> int | None:
        run = self._run
        return int(run.ids[self.spots[chip][1]]) if run is not None else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at, run = self.chip_at(event.position()), self._run
        if event.button() == Qt.MouseButton.LeftButton and at >= 0 and run is not None:
            row = self.spots[at][1]
            self._over = -1
            self._session.selection.select(run.ids[row : row + 1], origin=self)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        run = self._run
        if event.button() == Qt.MouseButton.LeftButton and run is not None and self.row >= 0:
            self._session.show_instance(int(run.ids[self.row]))  # the first click chose it
