"""The inspector's page: painted from facts, with places that stand for instances."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope.base.ids import instance_name
from emberscope.findings.concept_looks import concept_color
from emberscope.project import Run
from emberscope_app.docks.inspector.facts import Facts, Held, Ranking, Summary
from emberscope_app.guard import saved
from emberscope_app.lists.paint import paint_chip, paint_ring
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph, star_path
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.table import RIGHT, paint_bar, paint_words
from emberscope_app.words import counted, distance_words, spaced

SMALL, LINE, _TIGHT = 24, 25, 20
_CHIPS = (128, 96)  # px of the large chip where there is room, and elsewhere
_ROOMY, _NEIGHBOR = 340, 42  # px of width from which there is; least px of a neighbor, whose distance stands below
_MEAN_OF = 100  # chips in the mean chip
_MEAN = 64      # px


class Card(QWidget):
    """Shows facts of one instance, or a summary of many. `pointed(row)`, -1 for none; `taken(row)` on a click."""

    pointed = Signal(int)
    taken = Signal(int)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.run: Run | None = None  # whose rows are shown
        self.facts: Facts | None = None
        self.summary: Summary | None = None
        self.spots: list[tuple[QRect, int]] = []  # places that stand for a row
        self._slots = np.zeros(0, np.uint8)
        self._over = -1
        self.setMouseTracking(True)
        chip_cache(session).ready.connect(self.update)
        look().changed.connect(self.update)

    def show_facts(
        self, run: Run | None, facts: Facts | None, summary: Summary | None, slots: NDArray[np.uint8]
    ) -> None:
        """Another instance, or many. `slots`: glyphs of the rows of the run."""
        self.run = run
        self.facts, self.summary, self._slots = facts, summary, slots
        self._over = -1
        self._place()
        self._say()
        self.update()

    def spot_at(self, at: QPointF) -> int:
        """The row a place stands for, -1 where none."""
        return next((row for rect, row in self.spots if rect.contains(at.toPoint())), -1)

    @property
    def chip_side(self) -> int:
        """px of the large chip."""
        return _CHIPS[0] if self.width() >= _ROOMY else _CHIPS[1]

    @property
    def _head(self) -> int:
        """px of what stands beside the large chip, or of the chip."""
        lines = len(self.facts.lines) if self.facts is not None else 0
        return max(self.chip_side, 22 + _TIGHT * lines)

    # --- places, top down

    def _place(self) -> None:
        self.spots = []
        chip = self.chip_side
        y = tokens.PAD + self._head + tokens.PAD
        if self.facts is not None:
            self.spots.append((QRect(tokens.PAD, tokens.PAD, chip, chip), self.facts.row))
            if self.facts.ranking is not None:
                y = self._place_ranking(self.facts.ranking, y)
            if self.facts.held:
                y = self._place_held(self.facts.held, y)
            if len(self.facts.neighbors):
                y = self._place_neighbors(self.facts, y)
        elif self.summary is not None:
            y = tokens.PAD + chip + tokens.PAD + 36 + 28 * len(self.summary.classes) + 110
        self.setMinimumHeight(y)

    def _place_ranking(self, ranking: Ranking, y: int) -> int:
        y += 36
        for row in ranking.rows.tolist():
            self.spots.append((QRect(0, y, self.width(), 32), int(row)))
            y += 32
        return y + (24 if ranking.more else 8)

    def _place_held(self, held: Sequence[Held], y: int) -> int:
        y += 36
        for one in held:
            self.spots.append((QRect(0, y, self.width(), 32), one.row))
            y += 32
        return y + 8

    def _place_neighbors(self, facts: Facts, y: int) -> int:
        y += 36
        inner, gap = self.width() - 2 * tokens.PAD, 5
        fits = max(min((inner + gap) // (_NEIGHBOR + gap), 7), 1)
        count = min(len(facts.neighbors), fits)
        side = min((inner + gap) // fits - gap, 56)
        for i in range(count):
            self.spots.append((QRect(tokens.PAD + i * (side + gap), y, side, side), int(facts.neighbors[i])))
        return y + side + 28

    def resizeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().resizeEvent(event)
        self._place()

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self.run is None:
            return
        if self.facts is not None:
            self._paint_facts(painter, self.facts)
        elif self.summary is not None:
            self._paint_summary(painter, self.summary)

    def _paint_facts(self, painter: QPainter, facts: Facts) -> None:
        spots = list(self.spots)
        chip, row = spots.pop(0)
        self._paint_chip(painter, chip, row)
        left = chip.right() + 16
        wide = self.width() - left - tokens.PAD
        paint_glyph(painter, facts.slot, QPointF(left + 5, chip.y() + 10), 4.5)
        paint_words(painter, QRect(left + 16, chip.y(), wide - 16, 20), facts.verdict, weight=600)
        step = min(LINE, max(self._head - 22, 0) // max(len(facts.lines), 1))
        self._paint_lines(painter, facts.lines, QRect(left, chip.y() + 22, wide, step))
        y = chip.y() + self._head + tokens.PAD
        if facts.ranking is not None:
            y = self._paint_ranking(painter, facts.ranking, spots[: len(facts.ranking.rows)], y)
            spots = spots[len(facts.ranking.rows) :]
        if facts.held:
            y = self._paint_held(painter, facts, spots[: len(facts.held)], y)
            spots = spots[len(facts.held) :]
        if spots:
            self._paint_neighbors(painter, facts, spots, y)

    def _paint_lines(self, painter: QPainter, lines: Sequence[tuple[str, str]], first: QRect) -> None:
        """Names and values in two columns, as wide as the widest name asks for; `first` is the place of line one."""
        metrics = QFontMetrics(font(tokens.PX_BODY))
        column = max(48, *(metrics.horizontalAdvance(name) for name, _ in lines)) + 8
        for i, (name, value) in enumerate(lines):
            y = first.y() + i * first.height()
            paint_words(painter, QRect(first.x(), y, column, 18), name, color="t2")
            paint_words(painter, QRect(first.x() + column, y, first.width() - column, 18), value, weight=500)

    def _paint_heading(self, painter: QPainter, y: int, title: str, right: str, *, badge: bool = False) -> None:
        t = current()
        painter.fillRect(0, y, self.width(), 1, QColor(t.line))
        rect = QRect(tokens.PAD, y + 1, self.width() - 2 * tokens.PAD, 35)
        paint_words(painter, rect, title, weight=600)
        if badge:
            wide = QFontMetrics(font(tokens.PX_SMALL, 600)).horizontalAdvance(right) + 12
            plate = QRect(rect.right() - wide + 1, rect.y() + 9, wide, 18)
            with saved(painter):
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(t.bg4))
                painter.drawRoundedRect(plate, tokens.RADIUS_TAG, tokens.RADIUS_TAG)
            rect = rect.adjusted(0, 0, -6, 0)
        paint_words(painter, rect, right, px=tokens.PX_SMALL, color="t1" if badge else "t2", align=RIGHT,
                    weight=600 if badge else 400)

    def _paint_ranking(self, painter: QPainter, ranking: Ranking, spots: list[tuple[QRect, int]], y: int) -> int:
        t = current()
        self._paint_heading(painter, y, ranking.title, ranking.unit)
        assert self.facts is not None
        run = self.run
        for (rect, row), value in zip(spots, ranking.values.tolist(), strict=True):
            if row == self.facts.row or row == self._over:
                painter.fillRect(rect, QColor(t.bg3 if row == self.facts.row else t.bg2))
            if row == self.facts.row:
                painter.fillRect(0, rect.y(), 2, rect.height(), QColor(t.ink))
            thumb = QRect(tokens.PAD, rect.y() + (32 - SMALL) // 2, SMALL, SMALL)
            self._paint_chip(painter, thumb, row, ring=False)
            name = instance_name(int(run.ids[row])) if run is not None else ""
            paint_words(painter, QRect(thumb.right() + 10, rect.y(), 64, 32), name, weight=500)
            bar = QRect(thumb.right() + 78, rect.y() + 15, self.width() - thumb.right() - 78 - 56, 4)
            color = t.class_color(int(self._slots[row]) if self._slots[row] < 8 else 0).name()
            paint_bar(painter, bar, value, color=color)
            paint_words(painter, QRect(self.width() - 52, rect.y(), 40, 32), f"{value:.2f}", align=RIGHT, weight=500)
        bottom = spots[-1][0].bottom() + 1 if spots else y + 36
        if ranking.more:
            words = QRect(tokens.PAD, bottom, self.width(), 20)
            paint_words(painter, words, ranking.more, px=tokens.PX_SMALL, color="t2")
        return bottom + (24 if ranking.more else 8)

    def _paint_held(self, painter: QPainter, facts: Facts, spots: list[tuple[QRect, int]], y: int) -> int:
        """Concepts of the bag: each with the instance that is likeliest the cause, and how likely the bag holds it."""
        t = current()
        self._paint_heading(painter, y, f"Concepts of bag {facts.bag}", facts.several or "probability",
                            badge=bool(facts.several))
        for (rect, row), one in zip(spots, facts.held, strict=True):
            if row == facts.row or row == self._over:
                painter.fillRect(rect, QColor(t.bg3 if row == facts.row else t.bg2))
            color = concept_color(one.number, t.name)
            with saved(painter):
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(color))
                painter.drawPath(star_path(QPointF(tokens.PAD + 7, rect.y() + 16.5), 7))
            chip = QRect(tokens.PAD + 22, rect.y() + (32 - SMALL) // 2, SMALL, SMALL)
            self._paint_chip(painter, chip, row, ring=False)
            left = chip.right() + 10
            name = min(max((self.width() - left) // 2 - 40, 70), 130)
            paint_words(painter, QRect(left, rect.y(), name, 32), one.name, weight=500, whole_start=True)
            bar = QRect(left + name + 8, rect.y() + 15, self.width() - left - name - 8 - 56, 4)
            paint_bar(painter, bar, one.probability, color=color)
            paint_words(painter, QRect(self.width() - 52, rect.y(), 40, 32), f"{one.probability:.2f}", align=RIGHT,
                        weight=500)
        return (spots[-1][0].bottom() + 1 if spots else y + 36) + 8

    def _paint_neighbors(self, painter: QPainter, facts: Facts, spots: list[tuple[QRect, int]], y: int) -> None:
        self._paint_heading(painter, y, "Nearest neighbors", "distance in the map")
        for (rect, row), distance in zip(spots, facts.distances.tolist(), strict=False):  # the nearest that fit
            self._paint_chip(painter, rect, row)
            slot = int(self._slots[row])
            paint_glyph(painter, slot, QPointF(rect.x() + 5, rect.bottom() + 13), 3.5)
            words = QRect(rect.x() + 12, rect.bottom() + 4, rect.width() - 12, 18)
            paint_words(painter, words, distance_words(distance), px=tokens.PX_SMALL, color="t2")

    def _paint_chip(self, painter: QPainter, rect: QRect, row: int, *, ring: bool = True) -> None:
        paint_chip(painter, rect, chip_image(self._session, self.run, row, rect.width()))
        if ring and row == self._over and self.facts is not None and row != self.facts.row:
            paint_ring(painter, rect, selected=False, hovered=True, cursor=False)

    def _paint_summary(self, painter: QPainter, found: Summary) -> None:
        chip = QRect(tokens.PAD, tokens.PAD, self.chip_side, self.chip_side)
        image, count = self._mean(found)
        paint_chip(painter, chip, image)
        left = chip.right() + 16
        lines = [("Bags", spaced(found.bags)), ("Frames", spaced(found.frames)), ("Chip", f"mean of {count}")]
        wide = self.width() - left - tokens.PAD
        paint_words(painter, QRect(left, chip.y(), wide, 20), counted(len(found.rows), "instance"), weight=600)
        self._paint_lines(painter, lines, QRect(left, chip.y() + 26, wide, LINE))
        y = chip.bottom() + 1 + tokens.PAD
        self._paint_heading(painter, y, "Classes", "instances")
        y = self._paint_classes(painter, found, y + 36)
        if found.scores is not None and found.scores.any():
            self._paint_histogram(painter, found.scores, found.unit, y + 4)

    def _paint_classes(self, painter: QPainter, found: Summary, y: int) -> int:
        t = current()
        for title, slot, count in found.classes:
            paint_glyph(painter, slot, QPointF(tokens.PAD + 6, y + 14), 4.5)
            paint_words(painter, QRect(tokens.PAD + 20, y, 96, 28), title, weight=500)
            bar = QRect(tokens.PAD + 122, y + 13, self.width() - tokens.PAD - 122 - 60, 4)
            paint_bar(painter, bar, count / len(found.rows), color=t.class_color(slot if slot < 8 else 0).name())
            paint_words(painter, QRect(self.width() - 60, y, 48, 28), spaced(count), align=RIGHT, weight=500)
            y += 28
        return y

    def _paint_histogram(self, painter: QPainter, counts: np.ndarray, unit: str, y: int) -> None:
        t = current()
        self._paint_heading(painter, y, f"{unit.capitalize()} of {counted(int(counts.sum()), 'instance')}", "0 to 1")
        wide, high, base = self.width() - 2 * tokens.PAD, 44, y + 36 + 44
        step = wide / len(counts)
        for i, count in enumerate(counts.tolist()):
            tall = round(high * count / counts.max())
            x = tokens.PAD + round(i * step)
            painter.fillRect(QRect(x, base - tall, max(round(step) - 1, 1), tall), QColor(t.t2))
        painter.fillRect(tokens.PAD, base, wide, 1, QColor(t.line2))

    def _mean(self, found: Summary) -> tuple[QImage | None, int]:
        """The mean of the chips that are cut already, evenly spread over the selection."""
        total, count = np.zeros((_MEAN, _MEAN)), 0
        ratio, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
        for row in found.rows[:: max(len(found.rows) // _MEAN_OF, 1)][:_MEAN_OF].tolist():
            image = chip_image(self._session, self.run, row, _MEAN)
            if image is None:
                continue
            small = image.scaled(_MEAN, _MEAN, ratio, smooth).convertToFormat(QImage.Format.Format_Grayscale8)
            total += np.frombuffer(small.constBits(), np.uint8).reshape(_MEAN, -1)[:, :_MEAN]
            count += 1
        if not count:
            return None, 0
        gray = np.ascontiguousarray(np.rint(total / count).astype(np.uint8))
        return QImage(gray.tobytes(), _MEAN, _MEAN, _MEAN, QImage.Format.Format_Grayscale8).copy(), count

    # --- mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.spot_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.spot_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and row >= 0:
            self.taken.emit(row)

    def _point_at(self, row: int) -> None:
        if row != self._over:
            self._over = row
            self.setCursor(Qt.CursorShape.PointingHandCursor if row >= 0 else Qt.CursorShape.ArrowCursor)
            self.pointed.emit(row)
            self.update()

    def _say(self) -> None:
        if self.facts is not None:
            lines = ", ".join(f"{name} {value}" for name, value in self.facts.lines)
            held = [f"{one.name} {one.probability:.2f}" for one in self.facts.held]
            concepts = f", bag {self.facts.bag} holds {', '.join(held)}" if held else ""
            self.setAccessibleName(f"Instance {self.facts.name}, {self.facts.verdict}, {lines}{concepts}")
        elif self.summary is not None:
            classes = ", ".join(f"{count} {title}" for title, _, count in self.summary.classes)
            self.setAccessibleName(f"{counted(len(self.summary.rows), 'instance')}: {classes}")
