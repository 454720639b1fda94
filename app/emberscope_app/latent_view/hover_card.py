"""The hover card: a chip, and what is known about the instance pointed at. A child of the map, not
a tooltip."""

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope.base.ids import bag_name, instance_name
from emberscope.project import Run
from emberscope.project.model.witness import witness_scores
from emberscope.project.nouns import nouns_of
from emberscope_app.guard import saved
from emberscope_app.latent_view.plates import beside, paint_plate
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.points import top_words
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font
from emberscope_app.words import spaced

CHIP = 72
_PAD = 8


def facts(session: Session, run: Run, row: int) -> tuple[str, list[str]]:
    """Title and lines of an instance: bag and role, score, frame."""
    lines = []
    bag = run.bags.first_of(row)
    if bag >= 0:
        sign = {1: "positive", -1: "negative"}.get(int(run.bag_labels[bag]), "unlabeled")
        lines.append(
            f"Bag {bag_name(int(run.bag_ids[bag]))}, "
            f"{top_words(session.project, run, row, bag) or sign}"
        )
    name = "witness" if "witness" in run.point_scores else "score"
    scores = witness_scores(session.project, run, np.array([row]))
    if scores is not None and np.isfinite(scores[0]):
        lines.append(f"{name.capitalize()} {float(scores[0]):.2f}")
    source = session.project.sources.get(int(run.source[row]))
    where = f", {source.name}" if source is not None else ""
    frame = nouns_of(session.project).say("Frame")
    lines.append(f"{frame} {spaced(int(run.frame[row]) + 1)}{where}")
    return f"Instance {instance_name(int(run.ids[row]))}", lines


class HoverCard(QWidget):
    """Shows one instance; placed so that neither the pointer nor other plates are covered. also :
    further lines of a row of a run."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._ground = session, parent
        self._title, self._lines = "", [""]
        self.row = -1
        self._run: Run | None = None  # of the row
        self.also: Callable[[Run, int], list[str]] = lambda run, row: []
        chip_cache(session).ready.connect(self.update)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_row(
        self, run: Run, row: int, at: QPoint, avoid: list[QRect], points: Sequence[QPoint] = ()
    ) -> None:
        """Show a row of a run next to a place of the parent; `points` are what its lines lead
        to."""
        if row != self.row or run is not self._run:
            self.row, self._run = row, run
            self._title, self._lines = facts(self._session, run, row)
            self._lines += self.also(run, row)
            self.setAccessibleName(", ".join([self._title, *self._lines]))
        size = self._size()
        self.resize(size)
        anchor = QRect(at - QPoint(8, 8), QSize(17, 17))
        self.move(beside(size, anchor, self._ground.rect(), avoid, points))
        self.show()
        self.raise_()
        self.update()

    def forget(self) -> None:
        """Hide, and read afresh the next time."""
        self.row, self._run = -1, None
        self.hide()

    def _size(self) -> QSize:
        title, body = QFontMetrics(font(12, 600)), QFontMetrics(font(12))
        wide = max(
            [
                title.horizontalAdvance(self._title),
                *(body.horizontalAdvance(line) for line in self._lines),
            ]
        )
        return QSize(
            _PAD + CHIP + 10 + min(wide, 240) + 12,
            max(CHIP, 18 * (1 + len(self._lines))) + 2 * _PAD,
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_plate(painter, QRectF(self.rect()), framed=True, radius=tokens.RADIUS_CARD)
        self._paint_chip(painter)
        x, wide = _PAD + CHIP + 10, self.width() - _PAD - CHIP - 10 - 8
        step = 18
        top = (self.height() - step * (1 + len(self._lines))) / 2
        for i, (words, weight, color) in enumerate(
            [(self._title, 600, t.t1), *((line, 400, t.t2) for line in self._lines)]
        ):
            painter.setFont(font(12, weight))
            painter.setPen(QColor(color))
            words = QFontMetrics(painter.font()).elidedText(
                words, Qt.TextElideMode.ElideMiddle, int(wide)
            )
            painter.drawText(
                QRectF(x, top + i * step, wide, step), Qt.AlignmentFlag.AlignVCenter, words
            )

    def _paint_chip(self, painter: QPainter) -> None:
        rect = QRectF(_PAD, _PAD, CHIP, CHIP)
        with saved(painter):
            path = QPainterPath()
            path.addRoundedRect(rect, tokens.RADIUS_IMAGE, tokens.RADIUS_IMAGE)
            painter.setClipPath(path)
            painter.fillRect(rect, QColor(current().canvas))
            image = chip_image(self._session, self._run, self.row, CHIP)
            if image is not None:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(rect, image)

