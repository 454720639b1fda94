"""The card of actions on the 2-D map: what motion each is, which undoes which, and what would be
seen next."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QPushButton, QVBoxLayout, QWidget

from emberscope.base.ids import instance_name
from emberscope_app.latent_view.plates import paint_plate
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.actions import action_color
from emberscope_app.state.points.cloud import Cloud
from emberscope_app.state.points.track import Motion, Track
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text
from emberscope_app.theme.look import current, font
from emberscope_app.words import counted, percent

WIDE, ROW = 268, 40
MOST = 5      # actions that have a row
_CHIP = 56
PLAN, STOP = "Plan a way from here", "Stop planning"
WHERE, HIDE, LOOKS = "Where is this view?", "Hide where it is", "Looking for the place"
_TURNS = 2.0  # degrees; less is drawn as an arrow


def motion_words(motion: Motion) -> str:
    """ "turns +22.5° · residual 3 % · 16 steps", "shifts · 1 step"; the residual is a share of a
    step."""
    what = f"turns {motion.degrees:+.3g}°" if abs(motion.degrees) > _TURNS else "shifts"
    what = "mirrors" if motion.mirrors else what
    known = math.isfinite(motion.residual) and motion.count > 1
    off = [f"residual {100 * motion.residual:.0f} %"] if known else []
    return " \u00b7 ".join([what, *off, counted(motion.count, "step")])


def period_words(motion: Motion) -> str:
    """ "Back where it began after 16 steps. "; "" of a shift."""
    if abs(motion.degrees) <= _TURNS or not math.isfinite(motion.period):
        return ""
    return f"Back where it began after {motion.period:.3g} steps. "


class MotionRow(QAbstractButton):
    """An action with its arrow or turn; a click asks what it would lead to."""

    def __init__(self, motion: Motion, color: str, track: Track) -> None:
        super().__init__()
        self.motion, self._color = motion, color
        self.setCheckable(True)
        self.setFixedHeight(ROW)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setText(motion.name)
        self.setAccessibleName(f"{motion.name}: {motion_words(motion)}")
        self.setToolTip(f"{period_words(motion)}Click: what would be seen next by this action.")
        self.clicked.connect(lambda: track.choose(motion.name))

    def sizeHint(self) -> QSize:
        return QSize(WIDE, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked() or self.underMouse() or self.hasFocus():
            painter.fillRect(self.rect(), QColor(t.bg4))
        if self.isChecked():
            painter.fillRect(0, 0, 2, self.height(), QColor(t.ink))
        paint_motion(painter, QRectF(10, (ROW - 24) / 2, 24, 24), self.motion, QColor(self._color))
        wide = self.width() - 44 - 8
        for words, top, weight, px, color in (
            (self.motion.name, 3, 600, tokens.PX_BODY, t.t1),
            (motion_words(self.motion), 20, 400, tokens.PX_SMALL, t.t2),
        ):
            painter.setFont(font(px, weight))
            painter.setPen(QColor(color))
            shown = QFontMetrics(painter.font()).elidedText(
                words, Qt.TextElideMode.ElideRight, wide
            )
            painter.drawText(QRectF(44, top, wide, 17), Qt.AlignmentFlag.AlignVCenter, shown)


class ActionCard(QWidget):
    """Bottom right on the map, while the way of a track is shown and its actions are known."""

    def __init__(self, session: Session, cloud: Cloud, track: Track, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._cloud, self._track = session, cloud, track
        self.rows: list[MotionRow] = []
        self.undoes = text("", "secondary")
        self.undoes.setWordWrap(True)
        self.undoes.setContentsMargins(10, 2, 10, 4)
        self.next = NextView(session, cloud, track)
        self.way, self.where = WayRow(track), WhereRow(cloud, track)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 4)
        self._column.setSpacing(0)
        self._column.addWidget(self.undoes)
        self._column.addWidget(self.next)
        self._column.addWidget(self.way)
        self._column.addWidget(self.where)
        self.setFixedWidth(WIDE)
        self.setAccessibleName("Actions on the map")
        self.hide()

    def read(self) -> None:
        """The actions as they are known now."""
        motions = self._track.motions[:MOST] if self._track.on else []
        if [row.motion for row in self.rows] != motions:
            for row in self.rows:
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
            project, names = self._session.project, [m.name for m in motions]
            self.rows = [
                MotionRow(m, action_color(m.name, project, names), self._track) for m in motions
            ]
            for at, row in enumerate(self.rows):
                self._column.insertWidget(at, row)
        for row in self.rows:
            row.setChecked(row.motion.name == self._track.action)
        pairs = [f"{second} undoes {first}" for first, second in self._track.inverses[:MOST]]
        self.undoes.setText("\n".join(pairs))
        self.undoes.setVisible(bool(pairs))
        self.next.read()
        self.way.read()
        self.where.read()
        self.setVisible(bool(motions) and self._cloud.at is None)
        self.resize(
            WIDE,
            self._column.totalSizeHint().height()
            if not self._column.hasHeightForWidth()
            else self._column.totalHeightForWidth(WIDE),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_plate(QPainter(self), QRectF(self.rect()), framed=True, radius=tokens.RADIUS_CARD)


class AskingRow(QWidget):
    """A button that asks something of the selected chips, and the answer in words below it."""

    def __init__(self, title: str, about: str) -> None:
        super().__init__()
        self.button = QPushButton(title)
        self.button.setCheckable(True)
        self.button.setToolTip(about)
        self.words = text("", "secondary")
        self.words.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 2, 10, 4)
        column.setSpacing(4)
        column.addWidget(self.button)
        column.addWidget(self.words)

    def say(self, words: str) -> None:
        self.words.setText(words)
        self.words.setVisible(bool(words))
        self.updateGeometry()  # the card asks for the new height in the same turn


class WayRow(AskingRow):
    """From which chip a way is planned, and the actions that lead to the one chosen then."""

    def __init__(self, track: Track) -> None:
        super().__init__(PLAN, "The fewest actions from this chip to the one you select next")
        self._track = track
        self.button.clicked.connect(lambda on: track.start_here(here=on))

    def read(self) -> None:
        track = self._track
        self.button.setChecked(track.start >= 0)
        self.button.setText(STOP if track.start >= 0 else PLAN)
        self.button.setEnabled(track.row >= 0)
        asked = "Select the chip to reach" if track.start >= 0 else ""
        self.say(track.way.words if track.way is not None else asked)


class WhereRow(AskingRow):
    """Where on the track the selected views are, by what is seen and the actions between them."""

    def __init__(self, cloud: Cloud, track: Track) -> None:
        super().__init__(
            WHERE,
            "The place on the track where the same is seen; of several selected chips, one after "
            "the other, the actions between them help. The chips themselves are left out.",
        )
        self._cloud, self._track = cloud, track
        self.button.clicked.connect(track.locate)

    def read(self) -> None:
        track, several = self._track, len(self._track.views) > 1
        places, run = track.places, self._cloud.run
        self.button.setChecked(bool(places) or track.locating)
        self.button.setText(HIDE if places else LOOKS if track.locating else
                            "Where are these views?" if several else WHERE)
        self.button.setEnabled(len(track.views) > 0 and not track.locating)
        words = ""
        if places and run is not None:
            last = places[-1]
            whose = "The last one where" if len(places) > 1 else "Where"
            words = (f"{whose} instance {instance_name(int(run.ids[last.row]))} is, frame "
                     f"{int(run.frame[last.row]) + 1}: {percent(last.sure)} sure")
        self.say(words)


class NextView(QWidget):
    """The chip, the chip that would be seen next, and how sure that is."""

    def __init__(self, session: Session, cloud: Cloud, track: Track) -> None:
        super().__init__()
        self._session, self._cloud, self._track = session, cloud, track
        self.setFixedHeight(_CHIP + 26)
        chip_cache(session).ready.connect(self.update)
        self.hide()

    @property
    def words(self) -> list[str]:
        """What is said beside the chips."""
        run, found = self._cloud.run, self._track.found
        if run is None or found is None:
            return []
        if found.row < 0:
            return ["No chip fits"]
        return [
            f"Instance {instance_name(int(run.ids[found.row]))}",
            f"Frame {int(run.frame[found.row]) + 1}",
            f"{found.miss:.2f} steps off",
        ]

    def read(self) -> None:
        self.setVisible(bool(self.words))
        self.setAccessibleName("What would be seen next: " + ", ".join(self.words))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        found = self._track.found
        if found is None:
            return
        painter.setFont(font(tokens.PX_SMALL, 600))
        painter.setPen(QColor(t.t2))
        painter.drawText(
            QRectF(10, 0, WIDE - 20, 20), Qt.AlignmentFlag.AlignVCenter, "What would be seen next"
        )
        for row, x in ((self._track.row, 10), (found.row, 10 + _CHIP + 20)):
            place = QRectF(x, 22, _CHIP, _CHIP)
            painter.fillRect(place, QColor(t.canvas))
            image = chip_image(self._session, self._cloud.run, row, _CHIP)
            if image is not None:
                painter.drawImage(place, image)
        _paint_arrow(
            painter,
            QPointF(10 + _CHIP + 4, 22 + _CHIP / 2),
            QPointF(10 + _CHIP + 17, 22 + _CHIP / 2),
            QColor(t.t2),
        )
        left = 10 + 2 * _CHIP + 20 + 10
        for at, words in enumerate(self.words):
            painter.setFont(font(tokens.PX_SMALL, 500 if at == 2 else 400))
            painter.setPen(QColor(t.t1 if at == 2 else t.t2))
            painter.drawText(
                QRectF(left, 24 + at * 18, WIDE - left - 6, 18),
                Qt.AlignmentFlag.AlignVCenter,
                words,
            )


def paint_motion(painter: QPainter, box: QRectF, motion: Motion, color: QColor) -> None:
    """An arrow as the action goes on the first two axes; of a turn an arc of its angle."""
    center, r = box.center(), box.width() / 2 - 2
    if abs(motion.degrees) <= _TURNS:
        dx, dy = (*motion.way, 0.0)[:2]
        size = math.hypot(dx, dy) or 1.0
        way = QPointF(dx / size * r, -dy / size * r)
        _paint_arrow(painter, center - way, center + way, color)
        return
    painter.setPen(QPen(color, 1.6))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    path, shown = (
        QPainterPath(),
        max(min(abs(motion.degrees), 330.0), 60.0) * (1 if motion.degrees > 0 else -1),
    )
    arc = box.adjusted(2, 2, -2, -2)
    path.arcMoveTo(arc, 0)
    path.arcTo(arc, 0, shown)
    painter.drawPath(path)
    angle = math.radians(shown)
    tip = center + QPointF(r * math.cos(angle), -r * math.sin(angle))
    along = QPointF(-math.sin(angle), -math.cos(angle)) * (1 if shown > 0 else -1)
    _paint_arrow(painter, tip - along * 2, tip + along * 3, color)
    painter.setPen(QPen(color, 1))
    painter.drawLine(center, center + QPointF(r, 0))


def _paint_arrow(painter: QPainter, start: QPointF, end: QPointF, color: QColor) -> None:
    painter.setPen(QPen(color, 1.8))
    painter.drawLine(start, end)
    size = math.hypot(end.x() - start.x(), end.y() - start.y()) or 1.0
    unit = (end - start) / size
    side = QPointF(-unit.y(), unit.x())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawPolygon(
        QPolygonF([end + unit * 3, end - unit * 4 + side * 3.5, end - unit * 4 - side * 3.5])
    )
