"""The target concepts of a run, one a row: name, how much of the positive bags it covers, and in how many it is."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope.findings.concept_looks import concept_color, concept_name
from emberscope.findings.concepts import RunConcepts, contrast_words
from emberscope.project import Project
from emberscope_app.guard import saved
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import concept_path
from emberscope_app.theme.look import current, look
from emberscope_app.theme.table import RIGHT, paint_bar, paint_words
from emberscope_app.words import counted, spaced


@dataclass(frozen=True, slots=True)
class ConceptRow:
    """number : from 0, of its color."""

    number: int
    name: str
    coverage: float
    contrast: float
    bags: int
    tells: bool

    @property
    def words(self) -> str:
        tells = "" if self.tells else ", tells nothing"
        return (f"{self.name}, coverage {self.coverage:.2f}, contrast {contrast_words(self.contrast)}, "
                f"{counted(self.bags, 'bag')}{tells}")


def concept_rows(project: Project, found: RunConcepts) -> list[ConceptRow]:
    """A row per concept, the strongest first."""
    return [ConceptRow(found.numbers[k], concept_name(project, found, k), float(found.coverage[k]),
                       float(found.contrast[k]), len(found.bags(k)),
                       bool(found.tells[k]))
            for k in range(len(found))]


class ConceptTable(QWidget):
    """Painted rows under their headings; `chosen(k)` on a click."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ConceptRow] = []
        self._over = -1
        self.setMouseTracking(True)
        look().changed.connect(self.update)

    def show_rows(self, rows: list[ConceptRow]) -> None:
        self.rows = rows
        self.setAccessibleName("; ".join(row.words for row in rows))
        self.setFixedHeight(tokens.ROW * (len(rows) + 1))
        self.update()

    def row_at(self, y: float) -> int:
        """The concept there, -1 for none."""
        k = int(y) // tokens.ROW - 1
        return k if 0 <= k < len(self.rows) else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self.row_at(event.position().y())
        if over != self._over:
            self._over = over
            self.setCursor(Qt.CursorShape.PointingHandCursor if over >= 0 else Qt.CursorShape.ArrowCursor)
            self.update()

    def leaveEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        self._over = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        k = self.row_at(event.position().y())
        if k >= 0:
            self.chosen.emit(k)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter, wide = current(), QPainter(self), self.width()
        columns = (QRect(wide - 60, 0, 60, tokens.ROW), QRect(wide - 130, 0, 62, tokens.ROW))
        head = QRect(130, 0, wide - 130 - 150, tokens.ROW)
        paint_words(painter, head, "Coverage", px=tokens.PX_SMALL, color="t2")
        for rect, title in zip(columns, ("Bags", "Contrast"), strict=True):
            paint_words(painter, rect, title, px=tokens.PX_SMALL, color="t2", align=RIGHT)
        for i, row in enumerate(self.rows):
            y = tokens.ROW * (i + 1)
            if i == self._over:
                painter.fillRect(0, y, wide, tokens.ROW, QColor(t.bg3))
            painter.fillRect(0, y, wide, 1, QColor(t.line))
            self._paint_row(painter, row, y)
            for rect, words in zip(columns, (spaced(row.bags), contrast_words(row.contrast)), strict=True):
                paint_words(painter, rect.translated(0, y), words, weight=500, align=RIGHT)

    def _paint_row(self, painter: QPainter, row: ConceptRow, y: int) -> None:
        color, middle = concept_color(row.number, current().name), tokens.ROW // 2
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(color))
            painter.drawPath(concept_path(QPointF(7, y + middle + 0.5), 7, tells=row.tells))
        paint_words(painter, QRect(20, y, 104, tokens.ROW), row.name, weight=500, whole_start=True)
        bar = self.width() - 130 - 190
        paint_bar(painter, QRect(130, y + middle - 2, max(bar, 12), 4), row.coverage, color=color)
        paint_words(painter, QRect(130 + max(bar, 12) + 8, y, 36, tokens.ROW), f"{row.coverage:.2f}")
