"""The instances of a frame in the colors of their concepts, where colors stand for concepts; and
what these mean."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from emberscope.findings.concept_looks import concept_color, concept_colors, concept_name
from emberscope.findings.point_looks import CONCEPT
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.layer import FrameLayer
from emberscope_app.frame_view.layers.strokes import MUTED, WHITE, cased, ground, pen
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import concept_path
from emberscope_app.theme.look import font

_SURE = 0.5       # probability from which an instance bears the number of its concept
_MOST = 2000      # outlines of one frame; of more the likeliest
_ROW, _EDGE, _GAP = 20.0, 10.0, 12.0  # px of the legend
# Of the legend: number from 1, name, how many here, whether the concept tells anything
Entry = tuple[int, str, int, bool]
ToWidget = Callable[[float, float, float, float], QRectF]


@dataclass(frozen=True, slots=True)
class ConceptMarks:
    """n instances of a frame that are of a concept, the likeliest last. boxes : (n, 4). rgb : (n,
    3) uint8.

    numbers : (n,) of their concepts, from 1; 0 where the instance is not likely enough to bear it.
    legend : of the concepts on the frame.
    """

    boxes: NDArray[np.float32]
    rgb: NDArray[np.uint8]
    numbers: NDArray[np.int64]
    legend: tuple[Entry, ...]


class ConceptsOnFrame(FrameLayer):
    """Those of the frame on show, with their legend."""

    marks: ConceptMarks | None = None

    def read(self) -> None:
        self.marks = concept_marks(self.session, self.instances.rows)

    def paint(self, painter: QPainter, view: Viewport) -> None:
        if self.marks is not None:
            paint_concepts(painter, view.rect, self.marks)

    def legend(self, room: QRectF) -> QRectF:
        return legend_box(room, self.marks) if self.marks is not None else QRectF()

    def paint_legend(self, painter: QPainter, room: QRectF) -> None:
        if self.marks is not None:
            paint_legend(painter, room, self.marks)


def concept_marks(session: Session, rows: NDArray[np.int64]) -> ConceptMarks | None:
    """Those of rows of the run on show; None where colors do not stand for concepts, or none is
    there. O(rows)."""
    run = session.run
    found = run_concepts(session.project, run) if session.focus.color_by == CONCEPT else None
    if found is None or run is None:
        return None
    rows = rows[found.concept[rows] >= 0]
    rows = rows[np.argsort(found.probability[rows], kind="stable")][-_MOST:]
    if not len(rows):
        return None
    concept = found.concept[rows]
    number = np.array(found.numbers)[concept] + 1
    counts = np.bincount(concept, minlength=len(found))
    legend = tuple(
        (
            found.numbers[k] + 1,
            concept_name(session.project, found, k),
            int(counts[k]),
            bool(found.tells[k]),
        )
        for k in np.flatnonzero(counts).tolist()
    )
    return ConceptMarks(run.box[rows], concept_colors(found, tokens.DARK.name, rows),
                        np.where(found.probability[rows] > _SURE, number, 0), legend)


def paint_concepts(painter: QPainter, to_widget: ToWidget, marks: ConceptMarks) -> None:
    """Outlines in the colors, the likeliest above the others, and numbers where there is room."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    numbered: list[tuple[QRectF, int, QColor]] = []
    for corners, color, number in zip(
        marks.boxes.tolist(), marks.rgb.tolist(), marks.numbers.tolist(), strict=True
    ):
        box, tone = QRectF(to_widget(*corners).toRect()), QColor(*color)
        cased(painter, pen(tone, 1.5), lambda box=box: painter.drawRect(box))  # type: ignore[misc]
        if number:
            numbered.append((box, number, tone))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    taken: list[QRectF] = []
    for box, number, tone in numbered[::-1]:
        plate = QRectF(box.right() - 12 + 1, box.top(), 12, 13)
        if box.width() >= 16 and not any(plate.intersects(other) for other in taken):
            taken.append(plate)
            _paint_number(painter, plate, number, tone)


def paint_legend(painter: QPainter, room: QRectF, marks: ConceptMarks) -> QRectF:
    """Stars, names and counts at the bottom right of a room, in as many rows as it takes; returns
    where."""
    box = legend_box(room, marks)
    ground(painter, box, radius=tokens.RADIUS_FIELD)
    y = box.top() + 4
    for row in _rows(room.width() - 2 * _GAP, marks):
        x = box.left() + _EDGE
        for number, name, count, tells in row:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(concept_color(number - 1, tokens.DARK.name)))
            at = QPointF(x + 6, y + _ROW / 2 + 0.5)
            painter.drawPath(concept_path(at, 6.5, tells=tells))
            x += 17
            for words, color, weight in ((name, WHITE, 600), (str(count), MUTED, 400)):
                painter.setFont(font(tokens.PX_SMALL, weight))
                painter.setPen(color)
                wide = _advance(words, weight)
                painter.drawText(QRectF(x, y, wide + 2, _ROW), Qt.AlignmentFlag.AlignVCenter, words)
                x += wide + 5
            x += _GAP - 5
        y += _ROW
    return box


def legend_box(room: QRectF, marks: ConceptMarks) -> QRectF:
    """Where the legend stands."""
    rows = _rows(room.width() - 2 * _GAP, marks)
    wide = max(sum(_wide(entry) for entry in row) - _GAP for row in rows) + 2 * _EDGE
    high = _ROW * len(rows) + 8
    return QRectF(room.right() - _GAP - wide, room.bottom() - _GAP - high, wide, high)


def _rows(width: float, marks: ConceptMarks) -> list[list[Entry]]:
    rows: list[list[Entry]] = [[]]
    for entry in marks.legend:
        if rows[-1] and sum(map(_wide, rows[-1])) + _wide(entry) - _GAP + 2 * _EDGE > width:
            rows.append([])
        rows[-1].append(entry)
    return rows


def _wide(entry: Entry) -> float:
    """px of one entry, with the gap behind it."""
    return 17 + _advance(entry[1], 600) + 5 + _advance(str(entry[2]), 400) + _GAP


def _advance(words: str, weight: int) -> float:
    return QFontMetricsF(font(tokens.PX_SMALL, weight)).horizontalAdvance(words)


def _paint_number(painter: QPainter, plate: QRectF, number: int, tone: QColor) -> None:
    """The number tells concepts apart where colors do not."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tone)
    painter.drawRect(plate)
    painter.setFont(font(tokens.PX_SMALL, 700))
    painter.setPen(QColor(12, 14, 16))
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, str(number))
