"""How target-like a run takes each place of a frame for, as a heat map, and what it found there."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from emberscope.base.grouping import score_text
from emberscope.findings.coloring import ramp
from emberscope.tasks.scoring import HeatOfFrame
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.layer import FrameLayer
from emberscope_app.frame_view.layers.strokes import MUTED, WHITE, cased, frame_color, ground, pen
from emberscope_app.guard import saved
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.frame_instances import FrameInstances
from emberscope_app.state.runs.scored import HEAT, Scored
from emberscope_app.theme import tokens
from emberscope_app.theme.look import font

_BAR, _HIGH, _GAP = 168.0, 8.0, 12.0  # px of the scale
_MOST_WORDS = 40  # boxes that say their score
_ROOMY = 40.0     # px: height from which on a box holds words


class HeatOnFrame(FrameLayer):
    """The heat map below the labels, boxes with scores, and the scale."""

    def __init__(self, session: Session, instances: FrameInstances) -> None:
        super().__init__(session, instances)
        self.scored = session.only(Scored)
        self.image: QImage | None = None
        self._heat: HeatOfFrame | None = None

    def read(self) -> None:
        focus, on = self.session.focus, self.session.layers.is_on(HEAT)
        there = on and self.scored.of(focus.source) is not None and focus.source is not None
        self._heat = self.scored.heat(focus.source or 0, focus.frame) if there else None
        self.image = None if self._heat is None else _image(self._heat, self.scored)

    def paint(self, painter: QPainter, view: Viewport) -> None:
        if not self.session.layers.is_on(HEAT):
            return
        if self.image is not None and self._heat is not None:
            rows, cols = self._heat.values.shape
            with saved(painter):
                painter.setClipRect(view.target)
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                area = view.rect(0, 0, cols * self._heat.step, rows * self._heat.step)
                painter.drawImage(area, self.image)
        self._paint_hits(painter, view)

    def _paint_hits(self, painter: QPainter, view: Viewport) -> None:
        focus, classes = self.session.focus, self.session.project.classes
        found, rows = self.scored.of(focus.source), self.scored.hits(focus.source, focus.frame)
        if found is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(font(tokens.PX_SMALL, 600))
        spoken: list[tuple[QRectF, QRectF, str]] = []
        for at, row in enumerate(rows.tolist()):
            info = classes.get(int(found.kind[row]))
            color = frame_color(info.slot if info else 0)
            box = QRectF(view.rect(*found.box[row].tolist()).toRect())
            cased(painter, pen(color, 1.5, (2, 2)), lambda box=box: painter.drawRect(box))  # type: ignore[misc]
            words = hit_words(found.score[row], found.probability, row)
            plate = _plate(box, painter.fontMetrics().horizontalAdvance(words) + 6)
            # The rows come best first: of boxes that overlap, on one target, the best one speaks
            silent = any(box.intersects(other) or plate.intersects(said)
                         for other, said, _ in spoken)
            if at < _MOST_WORDS and not silent:
                spoken.append((box, plate, words))
        for _, plate, words in spoken:  # over all boxes: none is drawn through them
            _paint_words(painter, plate, words)

    def legend(self, room: QRectF) -> QRectF:
        if self.image is None:
            return QRectF()
        high = _HIGH + 26
        return QRectF(_GAP, room.bottom() - _GAP - high, _BAR + 2 * 10, high)

    def paint_legend(self, painter: QPainter, room: QRectF) -> None:
        box = self.legend(room)
        if box.isEmpty():
            return
        ground(painter, box, radius=tokens.RADIUS_FIELD)
        bar = QRectF(box.left() + 10, box.top() + 6, _BAR, _HIGH)
        painter.drawImage(bar, _image(_scale(), self.scored))
        at = bar.left() + min(max(self.scored.threshold, 0.0), 1.0) * bar.width()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        cased(painter, pen(WHITE, 1.5),
              lambda: painter.drawLine(round(at), round(bar.top() - 2), round(at),
                                       round(bar.bottom() + 2)))
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(MUTED)
        words = QRectF(bar.left(), bar.bottom() + 2, bar.width(), 16)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(words, Qt.AlignmentFlag.AlignRight, "1")
        painter.setPen(WHITE)
        painter.drawText(words, Qt.AlignmentFlag.AlignHCenter,
                         f"score, hits from {score_text(self.scored.threshold)}")


def hit_words(score: float, probability: np.ndarray, row: int) -> str:
    """"0.81, p 0.64", or the score alone."""
    likely = f", p {probability[row, 0]:.2f}" if len(probability) > row else ""
    return f"{score:.2f}{likely}"


def _image(heat: HeatOfFrame, scored: Scored) -> QImage:
    """The colors of heat, the fainter the lower it is; none below what is painted."""
    rgb = ramp(heat.values.ravel(), 0.0, 1.0).reshape(*heat.values.shape, 3)
    alpha = np.clip(heat.values, 0, 1) * (255 * scored.opacity) * (heat.values >= scored.floor)
    argb = np.concatenate([rgb, alpha[..., None].astype(np.uint8)], axis=-1)
    argb = np.ascontiguousarray(argb)
    rows, cols = heat.values.shape
    return QImage(argb.data, cols, rows, 4 * cols, QImage.Format.Format_RGBA8888).copy()


def _scale() -> HeatOfFrame:
    return HeatOfFrame(np.linspace(0, 1, 64, dtype=np.float32)[None], 1.0)


def _plate(box: QRectF, wide: float) -> QRectF:
    """Where words stand: in the box where that has room, else below it."""
    inside = box.width() >= wide + 4 and box.height() >= _ROOMY
    return QRectF(box.left() + 2 * inside, box.bottom() + (-16 if inside else 2), wide, 14)


def _paint_words(painter: QPainter, plate: QRectF, words: str) -> None:
    painter.fillRect(plate, QColor(12, 14, 16, 170))
    painter.setPen(WHITE)
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, words)
