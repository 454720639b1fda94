"""What the mouse does on a map, the same in 2-D and 3-D: tools, hover, click, lasso, and what is
drawn of them."""

from collections.abc import Callable
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QWidget

from emberscope.project import Changes, Run
from emberscope_app.latent_view.hover_card import HoverCard
from emberscope_app.latent_view.plates import MapPlate, beside
from emberscope_app.latent_view.points.lasso import along, inside
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.points_on_show import PointsOnShow
from emberscope_app.theme.glyphs import paint_on_ink
from emberscope_app.theme.look import current
from emberscope_app.when.timers import Later
from emberscope_app.words import counted, in_sentence, percent

CARD_MS = 120
_MEMBERS = 200       # of a bag that the card keeps clear of
_CLICK = 4           # px a press may move and still be a click
_LIVE_COUNT = 300_000  # points up to which the lasso counts while it is drawn


class _Drawn(NamedTuple):
    """A lasso, rectangle or way of the brush: which points of a run are to be selected, and how."""

    run: Run | None
    covered: Callable[[], NDArray[np.int64]]
    mode: str
    outline: NDArray
    kept: NDArray | None
    meant: Callable[[NDArray], NDArray[np.int64]]


class _Selected(NamedTuple):
    drawn: _Drawn
    rows: NDArray[np.int64]
    ids: NDArray[np.int64]  # ascending


def _look_up(drawn: _Drawn) -> _Selected:
    rows = drawn.covered()
    return _Selected(
        drawn,
        rows,
        drawn.meant(rows) if drawn.run is not None else np.empty(0, np.int64),
    )


class Pointer(QObject):
    """Turns mouse and a few keys into selection, hover and camera moves; paints what is being
    drawn."""

    clicked = Signal(int, object)       # row or -1, modifiers
    double_clicked = Signal(int)
    menu_wanted = Signal(QPoint, int)   # global place, row or -1

    def __init__(self, surface: Surface, session: Session, cloud: PointsOnShow) -> None:
        super().__init__(surface.canvas)
        self._surface, self._session, self._cloud = surface, session, cloud
        self.tool = "lasso"
        self.brush = 24.0
        self._path: list[tuple[float, float]] = []
        self._button = Qt.MouseButton.NoButton
        self._at = self._start = QPointF()
        self._moved = self._panning = self._space = self._selecting = False
        self._swept: NDArray[np.bool_] | None = None
        # The last outline in map units, while its selection stands
        self._kept: NDArray | None = None
        self._drawn: list[_Drawn] = []          # what was drawn, and is not selected yet
        self.label = MapPlate(surface.canvas, framed=True, weight=600)
        self.card = HoverCard(session, surface.canvas)
        self._card_timer = Later(self, self._show_card, CARD_MS)
        session.selection.changed.connect(self._on_selection)
        session.changed.connect(self._on_project)
        canvas = surface.canvas
        canvas.setMouseTracking(True)
        canvas.installEventFilter(self)

    def set_tool(self, tool: str) -> None:
        self.cancel()
        self.tool = tool
        self._surface.canvas.setCursor(
            Qt.CursorShape.ArrowCursor if tool == "point" else Qt.CursorShape.CrossCursor
        )

    def cancel(self) -> bool:
        """Give up what is being drawn; whether there was something."""
        was = self._selecting
        self._selecting, self._path, self._swept = False, [], None
        if was:
            self.label.say("")
            self._surface.canvas.update()
        return was

    def view_moved(self) -> None:
        """The camera moved: what hangs on the map follows or goes."""
        self.card.forget()
        if self._kept is not None and self._surface.to_map(self._outline_kept()) is None:
            self._forget_outline()
        self._place_label()

    def refresh(self) -> None:
        """Other points: nothing drawn or pointed at stands any more."""
        self.cancel()
        self._forget_outline()
        self.card.forget()

    # --- events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            return self._press(event)
        if kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            return self._move(event)
        if kind == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            return self._release(event)
        if kind == QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
            if event.button() == Qt.MouseButton.LeftButton:
                self.double_clicked.emit(self._pick(event.position()))
            return True
        if kind == QEvent.Type.Wheel and isinstance(event, QWheelEvent):
            turn = event.angleDelta().y() or event.angleDelta().x()
            self._surface.zoom(event.position(), 1.0015**turn)
            return True
        if kind == QEvent.Type.Leave:
            self._leave()
        return False

    def key(self, event: QKeyEvent, *, down: bool) -> bool:
        """Space and the brush size; whether the key was one of ours."""
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._space = down
            return True
        if down and event.key() in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight):
            factor = 1.25 if event.key() == Qt.Key.Key_BracketRight else 0.8
            self.brush = min(max(self.brush * factor, 4.0), 200.0)
            self._surface.canvas.update()
            return True
        return False

    def _press(self, event: QMouseEvent) -> bool:
        self._surface.canvas.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._button != Qt.MouseButton.NoButton:
            return True
        self._button, self._at, self._start, self._moved = (
            event.button(),
            event.position(),
            event.position(),
            False,
        )
        self._panning = (
            event.button() in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton)
            or self._space
        )
        self._hide_card()
        draws = (
            event.button() == Qt.MouseButton.LeftButton
            and not self._panning
            and self.tool != "point"
        )
        if draws and self._cloud.pickable:
            self._selecting = True
            self._path = [(event.position().x(), event.position().y())]
            self._swept = np.zeros(len(self._cloud), bool) if self.tool == "brush" else None
        return True

    def _move(self, event: QMouseEvent) -> bool:
        step, self._at = event.position() - self._at, event.position()
        if self._button == Qt.MouseButton.NoButton:
            self._hover(event.position())
            return True
        off = event.position() - self._start
        if not self._moved and abs(off.x()) + abs(off.y()) < _CLICK:
            self._at = self._start
            return True
        if not self._moved:
            step, self._moved = off, True
            if self._selecting:
                self._forget_outline()
        if self._selecting:
            self._draw_on(event.position())
        else:
            self._surface.drag(step, pan=self._panning)
        return True

    def _release(self, event: QMouseEvent) -> bool:
        if event.button() != self._button:
            return True
        self._button = Qt.MouseButton.NoButton
        selecting, self._selecting = self._selecting, False
        if self._moved:
            if selecting:
                self._select(mode_of(event.modifiers()))
        elif event.button() == Qt.MouseButton.RightButton:
            self.menu_wanted.emit(event.globalPosition().toPoint(), self._pick(event.position()))
        elif event.button() == Qt.MouseButton.LeftButton and not self._panning:
            self.clicked.emit(self._pick(event.position()), event.modifiers())
        self._path, self._swept = [], None
        self._surface.canvas.update()
        return True

    # --- drawing a selection

    def _draw_on(self, at: QPointF) -> None:
        last, point = self._path[-1], (at.x(), at.y())
        if self.tool == "rect":
            self._path = [self._path[0], point]
        else:
            self._path.append(point)
        if self._swept is not None:
            ratio, (x, y) = self._surface.ratio, self._surface.positions().T[:2]
            ends = ((last[0] * ratio, last[1] * ratio), (point[0] * ratio, point[1] * ratio))
            self._swept = self._swept | along(x, y, *ends, self.brush * ratio)
        if len(self._cloud) <= _LIVE_COUNT:
            self._tell(self._find_covered()(), self._outline())
        self._surface.canvas.update()

    def _outline(self) -> NDArray:
        """Corners (C, 2) of what is being drawn, logical px."""
        path = np.array(self._path, float).reshape(-1, 2)
        if self.tool == "rect" and len(path) == 2:
            (x0, y0), (x1, y1) = path
            return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
        return path

    def _find_covered(self) -> Callable[[], NDArray[np.int64]]:
        """What finds the rows under what is being drawn; hidden points are not there."""
        visible, swept = self._cloud.visible, self._swept
        if swept is not None:
            return lambda: np.flatnonzero(swept & visible)
        outline, find = self._outline() * self._surface.ratio, self._surface.find_positions()

        def covered() -> NDArray[np.int64]:
            x, y = find().T[:2]
            return np.flatnonzero(inside(x, y, outline) & visible)

        return covered

    def _select(self, mode: str) -> None:
        kept = self._surface.to_map(self._outline()) if self.tool in ("lasso", "rect") else None
        self._drawn.append(
            _Drawn(self._cloud.run, self._find_covered(), mode, self._outline(), kept,
                   self._cloud.ids_meant)
        )
        self._cloud.turns.aside(self._begin_select, self._end_select)

    def _begin_select(self) -> Callable[[], list[_Selected]]:
        """What a thread looks up."""
        drawn, self._drawn = self._drawn, []
        return lambda: [_look_up(one) for one in drawn]

    def _end_select(self, found: list[_Selected]) -> None:
        for drawn, rows, ids in found:
            if drawn.run is self._cloud.run:
                self._session.selection.select(ids, mode=drawn.mode, origin=self)
                self._kept = drawn.kept
                self._tell(rows, drawn.outline)

    def _tell(self, rows: NDArray, outline: NDArray) -> None:
        self.label.say(_count_words(self._cloud, rows))
        self._place_label(outline)

    def _place_label(self, outline: NDArray | None = None) -> None:
        if self.label.isHidden():
            return
        if outline is None:
            if self._kept is None:
                return
            outline = self._outline_kept()
        (x0, y0), (x1, y1) = (
            np.rint(end(axis=0)).astype(int).tolist() for end in (outline.min, outline.max)
        )
        anchor = QRect(x0, y0, x1 - x0, y1 - y0)
        self.label.move(
            beside(self.label.size(), anchor, self._surface.canvas.rect(), self._plates(self.label))
        )
        self.label.raise_()

    def _plates(self, moving: QWidget) -> list[QRect]:
        """What stands on the map - plates, legend, slider, cards - and must not be covered by what
        is being placed."""
        found = self._surface.canvas.findChildren(
            QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly
        )
        passing = (moving, self.card)  # the card gives way itself
        return [plate.geometry() for plate in found if plate not in passing and plate.isVisible()]

    def _outline_kept(self) -> NDArray:
        return self._surface.from_map(self._kept) if self._kept is not None else np.zeros((1, 2))

    def _forget_outline(self) -> None:
        self._kept = None
        self.label.say("")

    def _on_selection(self, origin: object) -> None:
        if origin is not self:
            self._forget_outline()
            self._surface.canvas.update()

    def _on_project(self, changes: Changes) -> None:
        """What the lasso caught was marked, or is of another run: its count is no longer true."""
        if changes.touch("marks", "runs"):
            self._forget_outline()
            self._surface.canvas.update()

    # --- pointing

    def _pick(self, at: QPointF) -> int:
        return self._surface.pick(at) if self._cloud.pickable else -1

    def _hover(self, at: QPointF) -> None:
        row = self._pick(at)
        instance = int(self._cloud.ids_of(np.array([row]))[0]) if row >= 0 else None
        self._session.selection.set_hover(instance, origin=self)
        if row < 0:
            self._hide_card()
        elif self.card.isVisible():
            self._show_card()
        else:
            self._card_timer.start()

    def _show_card(self) -> None:
        row, run = self._cloud.hover_row, self._cloud.run
        if row >= 0 and run is not None and self._button == Qt.MouseButton.NoButton:
            self.card.show_row(run, row, self._at.toPoint(), self._plates(self.card),
                               _members_at(self._surface, self._cloud, run, row))

    def _hide_card(self) -> None:
        self._card_timer.stop()
        self.card.forget()

    def _leave(self) -> None:
        self._hide_card()
        if self._cloud.hover_row >= 0:
            self._session.selection.set_hover(None, origin=self)

    # --- painting, in logical px over the points

    def paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._selecting and self._moved:
            if self.tool == "brush":
                _paint_trail(painter, self._outline(), self.brush)
            else:
                _paint_outline(painter, self._outline())
        elif self._kept is not None:
            _paint_outline(painter, self._outline_kept())
        if self.tool == "brush" and not self._panning:
            painter.setPen(QPen(QColor(current().ink), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(self._at, self.brush, self.brush)
        self._paint_hover(painter)

    def _paint_hover(self, painter: QPainter) -> None:
        row = self._cloud.hover_row
        if row < 0:
            return
        (x, y), = self._surface.spots(np.array([row])).tolist()
        if isfinite(x):  # it is in sight
            slot, color = int(self._cloud.slots[row]), int(self._cloud.rgb[row])
            paint_on_ink(painter, QPointF(x, y), slot, color, 6.0)


def _members_at(surface: Surface, cloud: PointsOnShow, run: Run, row: int) -> list[QPoint]:
    """Where the other members of the bag of a row are, logical px: lines lead there."""
    bag = cloud.bag_of(row)
    rows = run.bags.of(bag)[:_MEMBERS] if bag >= 0 else np.empty(0, np.int64)
    rows = rows[cloud.visible[rows]]
    at = surface.spots(rows)
    return [QPoint(round(x), round(y)) for x, y in at[np.isfinite(at).all(axis=1)].tolist()]


def _polygon(outline: NDArray) -> QPolygonF:
    return QPolygonF([QPointF(float(x), float(y)) for x, y in outline])


def _paint_trail(painter: QPainter, outline: NDArray, radius: float) -> None:
    trail = QColor(current().ink)
    trail.setAlpha(36)
    round_ = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    painter.setPen(QPen(trail, 2 * radius, Qt.PenStyle.SolidLine, *round_))
    painter.drawPolyline(_polygon(outline))


def _paint_outline(painter: QPainter, outline: NDArray) -> None:
    ink = QColor(current().ink)
    fill = QColor(ink)
    fill.setAlpha(20)
    painter.setPen(QPen(ink, 1.6, Qt.PenStyle.CustomDashLine))
    pen = painter.pen()
    pen.setDashPattern([5 / 1.6, 4 / 1.6])
    painter.setPen(pen)
    painter.setBrush(fill)
    painter.drawPolygon(_polygon(outline), Qt.FillRule.WindingFill)


def _count_words(cloud: PointsOnShow, rows: NDArray) -> str:
    """ "137 instances, 64 % background" """
    words = counted(len(rows), "instance" if cloud.units is None else "bag")
    if not len(rows) or not cloud.legend:
        return words
    keys, counts = np.unique(cloud.style.group[rows], return_counts=True)
    most = next(
        (entry for entry in cloud.legend if entry.key == int(keys[np.argmax(counts)])), None
    )
    if most is None:
        return words
    # A class that bags have: most of their instances may be ground
    of = "in bags of " if most.says else ""
    return f"{words}, {percent(int(counts.max()) / len(rows))} {of}{in_sentence(most.title)}"

