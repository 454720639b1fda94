"""Labels over a frame, painted in widget pixels."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from emberscope.labels import (
    Box,
    Ellipse,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    TargetClass,
)
from emberscope.labels.geometry import bounds
from emberscope.labels.model import is_sampled
from emberscope_app.frame_view.canvas.screen_lines import line_on_screen, path_of
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers import strokes
from emberscope_app.frame_view.layers.handles import handles_of
from emberscope_app.frame_view.layers.looseness import R_MAX, core_of, rail
from emberscope_app.frame_view.layers.many_labels import FROM, Crowd
from emberscope_app.frame_view.layers.strokes import GRAY, WHITE, cased, frame_color, pen
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current

_PLATE_FROM = 40.0  # px: smaller boxes show their plate only while hovered or selected
_DASHES = (10.0, 6.0)
_THIN = 1.2  # px: the outline of background that the program drew


@dataclass(slots=True)
class Scene:
    """What to paint besides the frame itself. Ids of drafts may be negative."""

    labels: Sequence[Label] = ()
    classes: dict[int, TargetClass] = field(default_factory=dict)
    selected: frozenset[int] = frozenset()
    hover: int | None = None
    conflicts: frozenset[int] = frozenset()
    rail_on_tight: bool = False  # the relaxed box tool is in hand: tight boxes show their rail, too
    rail_held: bool = False  # the diamond is being dragged: it glows
    taken: Sequence[QRectF] = ()     # widget px where other plates are
    # (n, 2) frame px, instance centers of the selected relaxed box
    dots: NDArray[np.float32] | None = None
    crowd: Crowd | None = None  # labels that are painted below these, as thin outlines
    handles_act: bool = True  # else they are hollow


def paint_labels(painter: QPainter, view: Viewport, scene: Scene) -> None:
    """All labels of a frame: strokes first, then plates, then what belongs to the selected ones."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for label in scene.labels:
        _paint_shape(painter, view, scene, label)
    taken = list(scene.taken)
    small = _small(view, scene)
    for label, count in sorted(_plated(view, scene), key=lambda pair: not _marked(scene, pair[0])):
        others = [box for key, box in small if key != label.id]
        _paint_plate(painter, view, scene, label, count, taken, others)
    chosen = [label for label in scene.labels if label.id in scene.selected][:FROM]
    if scene.dots is not None and len(scene.dots):
        _paint_dots(painter, view, scene.dots)
    for label in chosen:
        _paint_grips(painter, view, scene, label, lone=len(chosen) == 1)


def slot_of(scene: Scene, label: Label) -> int:
    found = scene.classes.get(label.class_id)
    return found.slot if found else 0


def _paint_shape(painter: QPainter, view: Viewport, scene: Scene, label: Label) -> None:
    color = frame_color(slot_of(scene, label))
    strong = 0.5 if label.id == scene.hover else 0.0
    chosen = label.id in scene.selected
    if isinstance(label, Box):
        _paint_box(painter, view, label, color, strong, chosen)
    elif isinstance(label, Spot):
        _paint_spot(painter, view, label, color, strong)
    elif isinstance(label, Scribble):
        _paint_scribble(painter, view, label, color, strong)
    elif isinstance(label, Polygon | Ellipse):
        _paint_outline(painter, view, label, color, strong, chosen)
    elif isinstance(label, Polyline):
        _paint_line(painter, view, label, color, strong)
    elif isinstance(label, Ignore):
        _paint_ignore(painter, view, label, strong)
    corner = _corner(view, label)
    if label.id in scene.conflicts and corner is not None:
        _paint_conflict(painter, corner)


def _crisp(box: QRectF) -> QRectF:
    """On whole pixels, so that straight strokes are sharp."""
    return QRectF(box.toRect())


def _paint_box(
    painter: QPainter, view: Viewport, box: Box, color: QColor, strong: float, chosen: bool
) -> None:
    outer = _crisp(view.rect(box.x0, box.y0, box.x1, box.y1))
    relaxed, width = box.looseness > 0, _THIN if is_sampled(box) else 2.0
    if relaxed and chosen:
        painter.fillRect(outer, strokes.soft(color, 0.10))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    stroke = pen(color, 2.5 + strong, _DASHES) if relaxed else pen(color, width + strong)
    cased(painter, stroke, lambda: painter.drawRect(outer))
    if relaxed and (chosen or box.core is not None):
        core = _crisp(view.rect(*core_of(box))).translated(0.5, 0.5)
        painter.setPen(pen(QColor(0, 0, 0, 170), 1.0))
        painter.drawRect(core)
        painter.setPen(pen(WHITE, 1.0, (1.5, 2.5)))
        painter.drawRect(core)


def _paint_spot(
    painter: QPainter, view: Viewport, spot: Spot, color: QColor, strong: float
) -> None:
    at, radius = view.to_screen(spot.x, spot.y), spot.rho * view.zoom
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if radius > 5:
        painter.setBrush(strokes.soft(color, 0.10))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(at, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        cased(
            painter,
            pen(color, 1.6 + strong, (5, 3)),
            lambda: painter.drawEllipse(at, radius, radius),
        )
    painter.setPen(QPen(QColor(0, 0, 0, 200), 1.5))
    painter.setBrush(color)
    painter.drawEllipse(at, 3.5 + strong, 3.5 + strong)


def _paint_scribble(
    painter: QPainter, view: Viewport, scribble: Scribble, color: QColor, strong: float
) -> None:
    points = line_on_screen(view, scribble.points)
    if len(points) == 1:
        points = points + np.array([(0.0, 0.0), (0.01, 0.0)])  # a dot
    path = path_of(points[None])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    band = pen(
        QColor(color.red(), color.green(), color.blue(), 71), max(2 * scribble.rho * view.zoom, 8.0)
    )
    painter.setPen(band)
    painter.drawPath(path)
    cased(painter, pen(color, 2.5 + strong), lambda: painter.drawPath(path))


def _paint_outline(
    painter: QPainter,
    view: Viewport,
    label: Polygon | Ellipse,
    color: QColor,
    strong: float,
    chosen: bool,
) -> None:
    path = QPainterPath()
    if isinstance(label, Ellipse):
        path.addEllipse(view.rect(label.x0, label.y0, label.x1, label.y1))
    else:
        path = path_of(line_on_screen(view, (*label.points, label.points[0]))[None])
    if chosen:
        painter.fillPath(path, strokes.soft(color, 0.10))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    cased(painter, pen(color, 2.0 + strong), lambda: painter.drawPath(path))


def _paint_line(
    painter: QPainter, view: Viewport, label: Polyline, color: QColor, strong: float
) -> None:
    path = path_of(line_on_screen(view, label.points)[None])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    band = pen(QColor(color.red(), color.green(), color.blue(), 71), label.width * view.zoom)
    band.setCapStyle(Qt.PenCapStyle.FlatCap)
    if label.width * view.zoom > 3:
        painter.setPen(band)
        painter.drawPath(path)
    cased(painter, pen(color, 2.0 + strong), lambda: painter.drawPath(path))


def _paint_ignore(painter: QPainter, view: Viewport, label: Ignore, strong: float) -> None:
    corners = bounds(label)
    box = _crisp(view.target if corners is None else view.rect(*corners))
    strokes.hatch(
        painter,
        box.intersected(QRectF(0, 0, view.size.width(), view.size.height())),
        alpha=80 if label.x0 is None else 150,
    )
    if label.x0 is not None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        cased(painter, pen(GRAY, 1.6 + strong), lambda: painter.drawRect(box))


def _paint_conflict(painter: QPainter, corner: QPointF) -> None:
    """An amber triangle at the top right corner: some pixels are said to be both."""
    x, y = corner.x(), corner.y()
    painter.setPen(QPen(QColor(12, 14, 16), 1))
    painter.setBrush(QColor(tokens.DARK.warn))
    painter.drawPolygon(
        QPolygonF([QPointF(x, y - 9), QPointF(x + 8, y + 5), QPointF(x - 8, y + 5)])
    )
    painter.setPen(QPen(QColor(12, 14, 16), 1.8))
    painter.drawLine(QPointF(x, y - 3.5), QPointF(x, y))
    painter.drawPoint(QPointF(x, y + 2.8))


def _corner(view: Viewport, label: Label) -> QPointF | None:
    if isinstance(label, Box):
        return view.to_screen(label.x1, label.y0)
    if isinstance(label, Spot):
        return view.to_screen(label.x, label.y) + QPointF(10, -10)
    if isinstance(label, Scribble | Polyline):
        return view.to_screen(*label.points[-1])
    corners = bounds(label) if isinstance(label, Polygon | Ellipse) else None
    return view.to_screen(corners[2], corners[1]) if corners is not None else None


def _plated(view: Viewport, scene: Scene) -> list[tuple[Label, int]]:
    """Labels that show a plate, with how many they speak for: spots of a class that stand together
    share one.

    Background that the program drew, dozens of boxes in a frame, shows none until it is pointed at.
    """
    found: list[tuple[Label, int]] = []
    spots: list[Spot] = []
    for label in scene.labels:
        marked = _marked(scene, label)
        if isinstance(label, Spot):
            spots.append(label)
        elif isinstance(label, Scribble):
            found.append((label, 1))
        elif isinstance(label, Box | Polygon | Ellipse | Polyline | Ignore):
            corners = bounds(label)
            if corners is None:
                continue
            large = max(corners[2] - corners[0], corners[3] - corners[1]) * view.zoom >= _PLATE_FROM
            if marked or (large and not is_sampled(label)):
                found.append((label, 1))
    return found + _spot_groups(view, spots)


def _small(view: Viewport, scene: Scene) -> list[tuple[int, QRectF]]:
    """Labels so small that a plate could hide them: id, widget px."""
    found = [
        (label.id, view.rect(*corners))
        for label in scene.labels
        if (corners := bounds(label)) is not None
    ]
    return [(key, box) for key, box in found if max(box.width(), box.height()) < _PLATE_FROM]


def _spot_groups(view: Viewport, spots: Sequence[Spot]) -> list[tuple[Label, int]]:
    groups: list[list[Spot]] = []
    for spot in spots:
        at = view.to_screen(spot.x, spot.y)
        near = [
            g
            for g in groups
            if g[0].class_id == spot.class_id
            and any((view.to_screen(s.x, s.y) - at).manhattanLength() < 90 for s in g)
        ]
        if near:
            near[0].append(spot)
        else:
            groups.append([spot])
    return [(min(group, key=lambda s: s.y - s.rho), len(group)) for group in groups]


def _marked(scene: Scene, label: Label) -> bool:
    """Hovered, selected or being drawn: its plate shows in any case."""
    return label.id == scene.hover or label.id in scene.selected or label.id < 0


def _paint_plate(
    painter: QPainter, view: Viewport, scene: Scene, label: Label, count: int, taken: list[QRectF],
    others: Sequence[QRectF],
) -> None:
    room, shown = QRectF(0, 0, view.size.width(), view.size.height()), bounds(label)
    if isinstance(label, Spot):
        corner = view.to_screen(label.x, label.y) - QPointF(22, max(label.rho * view.zoom, 6))
    elif isinstance(label, Scribble):
        corner = view.to_screen(*label.points[0]) - QPointF(8, 8)
    elif shown is not None:
        corner = view.to_screen(*shown[:2])
    if shown is None or not view.rect(*shown).adjusted(-8, -8, 8, 8).intersects(room):
        return
    info, ignored = scene.classes.get(label.class_id), isinstance(label, Ignore)
    words = "Ignore" if ignored else info.name if info else "Unknown"
    slot = None if ignored else info.slot if info else 0
    suffix = f"×{count}" if count > 1 else ""
    box = _free_place(corner, strokes.name_width(words, suffix=suffix), room, [*taken, *others])
    if box is None and not _marked(scene, label):
        return
    box = box or _above(corner, strokes.name_width(words, suffix=suffix), room)
    taken.append(box)
    strokes.name_plate(
        painter, box, words, slot=slot, icon="ignore" if ignored else "", suffix=suffix
    )


def _above(corner: QPointF, width: float, room: QRectF) -> QRectF:
    """The usual place: above left, inside the canvas."""
    left = min(max(corner.x(), room.left() + 4), max(room.right() - width - 4, room.left() + 4))
    return QRectF(
        round(left),
        round(max(corner.y() - strokes.PLATE_H - 4, room.top() + 4)),
        width,
        strokes.PLATE_H,
    )


def _free_place(
    corner: QPointF, width: float, room: QRectF, taken: Sequence[QRectF]
) -> QRectF | None:
    """Above left, inside the corner, or further up: the first place that covers no other plate."""
    usual = _above(corner, width, room)
    inside = QRectF(usual)
    inside.moveTop(round(max(corner.y() + 5, room.top() + 4)))
    for box in (usual, inside, usual.translated(0, -strokes.PLATE_H - 2)):
        if room.contains(box) and not any(box.intersects(other) for other in taken):
            return box
    return None


def _paint_dots(painter: QPainter, view: Viewport, dots: NDArray[np.float32]) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(255, 255, 255, 120))
    for x, y in dots[:2000].tolist():
        painter.drawEllipse(view.to_screen(x, y), 1.2, 1.2)


def _paint_grips(
    painter: QPainter, view: Viewport, scene: Scene, label: Label, *, lone: bool
) -> None:
    """Handles, cross and r rail of a selected label."""
    handles = handles_of(label, cols=view.frame[1], tight_rail=scene.rail_on_tight)
    for name, x, y in reversed(handles):
        at = view.to_screen(x, y)
        if name == "cross":
            strokes.cross(painter, at)
        elif name == "rail":
            if lone and isinstance(label, Box):
                _paint_rail(painter, view, label, acts=scene.handles_act, held=scene.rail_held)
        elif name == "dot":
            strokes.grip(painter, acts=scene.handles_act)
            painter.drawEllipse(at, 4, 4)
        else:
            # of a corner, and of an edge that one can be made of
            size = {"p": 6.0, "m": 4.0}.get(name[0], strokes.HANDLE)
            strokes.handle(painter, at, size=size, acts=scene.handles_act)


def _paint_rail(painter: QPainter, view: Viewport, box: Box, *, acts: bool, held: bool) -> None:
    """From the tight edge outward, ticks at r = 0..3, the diamond on the edge it moves."""
    y, start, step = rail(box, cols=view.frame[1])
    ends = [view.to_screen(start + r * step, y) for r in range(int(R_MAX) + 1)]
    path = QPainterPath(ends[0])
    path.lineTo(ends[-1])
    for end in ends:
        path.moveTo(end - QPointF(0, 4))
        path.lineTo(end + QPointF(0, 4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    cased(painter, pen(WHITE, 1.6), lambda: painter.drawPath(path))
    at = view.to_screen(start + box.looseness * step, y)
    strokes.diamond(painter, at, acts=acts, held=QColor(current().acc) if held else None)
    parts = ((f"r {box.looseness:.2f}", WHITE, 600), ("0 – 3", strokes.MUTED, 400))
    width = strokes.row_width(parts)
    left = at.x() - width - 6 if step < 0 else at.x() + 6
    left = min(max(left, 4), view.size.width() - width - 4)
    strokes.row_plate(painter, QRectF(left, at.y() - 38, width, 24), parts)
