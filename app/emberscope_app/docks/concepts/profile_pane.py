"""What a concept is made of: its center as a chip, where in a chip it looks, and the features that
weigh most in it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from emberscope.findings.concepts import RunConcepts, Weighed
from emberscope_app.docks.concepts.gains import HEIGHT
from emberscope_app.guard import saved
from emberscope_app.state.knowledge.learned_facts import (
    edge_strokes,
    pixel_values,
    short_names,
    strokes,
)
from emberscope_app.theme import tokens
from emberscope_app.theme.feature_glyph import paint_strokes, signed_image
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.words_and_bars import RIGHT, paint_words
from emberscope_app.words import counted, percent

_HEAD, _FOOT = 28, 22
_ROW = 18            # px of a feature
# Px of chip and glyph, of the chip in little room, and of the words below
_SIDE, _SMALL, _CAPTION = 68, 42, 30
_LEFT = _SIDE + 14   # px of the column of chip and glyph
_WEIGHT = 38         # px of a share
# Standard deviations at the ends of a row, where centers do not lie farther out
_LEAST_REACH = 3.0
MOST, FEWER = 9, 4   # features in the pane, and where there is little room


@dataclass(frozen=True, slots=True)
class Profile:
    """features : the heaviest. every : how many there are. glyph : (rows, columns, angles), or
    (rows, columns) of pixels, how far above the mean of all instances the center is, as much as
    each feature weighs; None for features without a place in the chip. exact : as of
    `paint_strokes`."""

    features: list[Weighed]
    every: int
    glyph: NDArray[np.float64] | None
    exact: bool

    @property
    def share(self) -> float:
        """Of the weight, what the features shown have."""
        return float(sum(feature.weight for feature in self.features))

    @property
    def reach(self) -> float:
        """Standard deviations at the ends of a row."""
        return max(
            [_LEAST_REACH, *(float(np.ceil(abs(feature.center))) for feature in self.features)]
        )

    @property
    def counted(self) -> str:
        """"9 of 281 features: 43 %"."""
        few = f"{len(self.features)} of " if self.every > len(self.features) else ""
        return f"{few}{counted(self.every, 'feature')}: {percent(self.share)}"


def profile_of(found: RunConcepts, k: int, n: int = MOST) -> Profile | None:
    """What concept k is made of; None where its run keeps no profile."""
    features, kept = found.profile(k, n), found.profile_of(k)
    if not features:
        return None
    names = [str(name) for name in found.source.state["feature_names"]]
    values = np.nan_to_num(kept["profile"] * kept["weights"]).astype(np.float64)
    edges = edge_strokes(names, values)
    glyph = next(
        (
            one
            for one in (strokes(names, values), edges, pixel_values(names, values))
            if one is not None
        ),
        None,
    )
    return Profile(features, len(names), glyph, exact=edges is not None)


def feature_words(feature: Weighed) -> str:
    """"mean: center 1.2 sd above the mean of all instances, width 0.30 sd, weight 12 %"."""
    side = "above" if feature.center >= 0 else "below"
    width = f", width {feature.width:.2f} sd" if np.isfinite(feature.width) else ""
    return (
        f"{feature.name}: center {abs(feature.center):.1f} sd {side} the mean of all "
        f"instances{width}, weight {percent(feature.weight)}"
    )


class ProfilePane(QWidget):
    """Painted; a row of a feature says more under the pointer."""

    def __init__(self) -> None:
        super().__init__()
        self.profile: Profile | None = None
        self._title, self._caption, self._color = "", "", ""
        self._chip: QImage | None = None
        self._roomy = True
        self.hide()
        look().changed.connect(self.update)

    def show_profile(
        self, title: str, profile: Profile | None, color: str, chip: QImage | None, caption: str
    ) -> None:
        """Of a concept of that name and color; `caption` says what the chip is."""
        self._title, self._color, self._caption = title, color, caption
        self.profile, self._chip = profile, chip
        self._fit()
        if profile is not None:
            features = "; ".join(feature_words(feature) for feature in self.rows)
            what = f" {caption}." if caption else ""
            self.setAccessibleName(f"Profile of {title}, {profile.counted}.{what} {features}")
        self.update()

    def set_room(self, roomy: bool) -> None:
        """Whether there is room for all of it; else it is as high as the gain curve."""
        self._roomy = roomy
        self._fit()

    @property
    def rows(self) -> list[Weighed]:
        """The features shown."""
        return self.profile.features[: self._most] if self.profile is not None else []

    @property
    def _most(self) -> int:
        return (MOST if self._drawn is not None else FEWER + 1) if self._roomy else FEWER

    @property
    def _drawn(self) -> NDArray | None:
        return self.profile.glyph if self.profile is not None and self._roomy else None

    def _fit(self) -> None:
        left = (_SIDE + _CAPTION) * (2 if self._drawn is not None else 1)
        high = _HEAD + max(left, _ROW * len(self.rows) + _FOOT) + 4
        # Then it takes the place of the gain curve
        self.setFixedHeight(high if self._roomy else HEIGHT)

    def row_place(self, i: int) -> QRect:
        """Where the feature of row i is painted."""
        left = tokens.PAD + _LEFT
        return QRect(left, _HEAD + i * _ROW, self.width() - tokens.PAD - left, _ROW)

    def _axis(self) -> tuple[float, float]:
        """Left and right end of the axis of all rows."""
        place = self.row_place(0)
        name = round((place.width() - _WEIGHT) * 0.45)
        return float(place.x() + name + 8), float(place.right() - _WEIGHT - 6)

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, profile = QPainter(self), self.profile
        if profile is None:
            return
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(current().line))
        head = QRect(tokens.PAD, 4, self.width() - 2 * tokens.PAD, 20)
        shown = Profile(self.rows, profile.every, None, exact=False)
        wide = round(head.width() * 0.5)
        paint_words(
            painter, head.adjusted(0, 0, -wide, 0), self._title, weight=600, whole_start=True
        )
        paint_words(painter, head, shown.counted, px=tokens.PX_SMALL, color="t2", align=RIGHT)
        self._paint_chip(painter)
        if self._drawn is not None:
            self._paint_glyph(painter, self._drawn, exact=profile.exact)
        self._paint_axis(painter, shown.reach)
        names = short_names([feature.name for feature in self.rows])
        for i, (name, feature) in enumerate(zip(names, self.rows, strict=True)):
            self._paint_row(painter, self.row_place(i), name, feature, shown.reach)

    def _paint_chip(self, painter: QPainter) -> None:
        side = _SIDE if self._roomy else _SMALL
        place = QRect(tokens.PAD, _HEAD, side, side)
        painter.fillRect(place, QColor(current().bg3))
        if self._chip is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(
                _within(QRectF(place), self._chip.width(), self._chip.height()), self._chip
            )
        self._below(painter, place, self._caption)

    def _paint_glyph(self, painter: QPainter, glyph: NDArray, *, exact: bool) -> None:
        place = QRect(tokens.PAD, _HEAD + _SIDE + _CAPTION, _SIDE, _SIDE)
        frame = _within(QRectF(place), glyph.shape[1], glyph.shape[0])
        painter.fillRect(frame, QColor(current().plot))
        if glyph.ndim == 3:
            paint_strokes(painter, frame, glyph, exact=exact)
        else:
            painter.drawImage(frame, signed_image(glyph))
        painter.setPen(QPen(QColor(current().line2), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame.adjusted(0, 0, -1, -1))
        self._below(painter, place, "Edges that weigh" if glyph.ndim == 3 else "Pixels that weigh")

    def _below(self, painter: QPainter, place: QRect, words: str) -> None:
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(current().t2))
        below = QRect(place.x(), place.bottom() + 2, _LEFT - 2, _CAPTION - 2)
        painter.drawText(below, Qt.TextFlag.TextWordWrap.value, words)

    def _paint_axis(self, painter: QPainter, reach: float) -> None:
        """The spread of all instances as a band, their mean as a line, and the ends in standard
        deviations."""
        t, (x0, x1) = current(), self._axis()
        top, bottom = _HEAD, _HEAD + _ROW * len(self.rows)
        middle, unit = (x0 + x1) / 2, (x1 - x0) / 2 / reach
        painter.fillRect(QRectF(middle - unit, top, 2 * unit, bottom - top), QColor(t.bg3))
        painter.fillRect(QRectF(round(middle), top, 1, bottom - top), QColor(t.edge))
        if not self._roomy:
            return
        foot = QRect(round(x0) - 30, bottom + 3, round(x1 - x0) + 60, 14)
        for words, align in (
            (f"\u2212{reach:.0f}", Qt.AlignmentFlag.AlignLeft),
            (f"+{reach:.0f}", RIGHT),
        ):
            paint_words(
                painter,
                foot.adjusted(22, 0, -22, 0),
                words,
                px=tokens.PX_SMALL,
                color="t2",
                align=align,
            )
        paint_words(
            painter, foot, "sd", px=tokens.PX_SMALL, color="t2", align=Qt.AlignmentFlag.AlignCenter
        )

    def _paint_row(
        self, painter: QPainter, place: QRect, name: str, feature: Weighed, reach: float
    ) -> None:
        """Name, center and width against all instances, share."""
        t, (x0, x1) = current(), self._axis()
        left = QRect(place.x(), place.y(), round(x0) - place.x() - 8, _ROW)
        paint_words(painter, left, name, px=tokens.PX_SMALL, color="t2")
        paint_words(
            painter, place, percent(feature.weight), px=tokens.PX_SMALL, weight=600, align=RIGHT
        )
        y, middle, unit = place.y() + _ROW / 2, (x0 + x1) / 2, (x1 - x0) / 2 / reach
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            width = min(float(feature.width), 4 * reach)
            if np.isfinite(width):
                low, high = max(feature.center - width, -reach), min(feature.center + width, reach)
                painter.setPen(QPen(QColor(t.t2), 2))
                painter.drawLine(QPointF(middle + low * unit, y), QPointF(middle + high * unit, y))
            painter.setPen(QPen(QColor(t.bg1), 1))
            painter.setBrush(QColor(self._color or t.t1))
            painter.drawEllipse(QPointF(middle + feature.center * unit, y), 4, 4)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = next(
                (i for i in range(len(self.rows)) if self.row_place(i).contains(event.pos())), -1
            )
            if row >= 0:
                QToolTip.showText(event.globalPos(), feature_words(self.rows[row]), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


def _within(place: QRectF, columns: int, rows: int) -> QRectF:
    """The largest part of a square at these proportions, at its top left."""
    scale = min(place.width() / max(columns, 1), place.height() / max(rows, 1))
    return QRectF(place.x(), place.y(), scale * columns, scale * rows)
