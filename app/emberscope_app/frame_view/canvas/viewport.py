"""Where the frame lies in the widget: zoom and pan, frame pixels to widget pixels and back."""

from PySide6.QtCore import QPointF, QRectF, QSizeF

LEVELS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # zoom snaps to these
NEAREST_FROM = 2.0  # nearest neighbor from 200 %
GRID_FROM = 16.0  # a 1 px grid from 1600 %
_STEP, _SNAP = 1.25, 0.06
_KEEP = 64.0  # px of the frame that stay in view


class Viewport:
    """Zoom (widget px per frame px) and the widget position of the frame's top left corner.

    `fitted` : the frame follows the widget's size until the user zooms or pans.
    """

    def __init__(self) -> None:
        self.size = QSizeF(1, 1)
        self.frame = (1, 1)  # rows, cols
        self.zoom = 1.0
        self.origin = QPointF(0, 0)
        self.fitted = True

    def to_screen(self, x: float, y: float) -> QPointF:
        return QPointF(self.origin.x() + x * self.zoom, self.origin.y() + y * self.zoom)

    def to_frame(self, point: QPointF) -> tuple[float, float]:
        return (point.x() - self.origin.x()) / self.zoom, (point.y() - self.origin.y()) / self.zoom

    def rect(self, x0: float, y0: float, x1: float, y1: float) -> QRectF:
        """A frame box in widget px."""
        return QRectF(self.to_screen(x0, y0), self.to_screen(x1, y1))

    @property
    def target(self) -> QRectF:
        """The whole frame in widget px."""
        return self.rect(0, 0, self.frame[1], self.frame[0])

    @property
    def visible(self) -> QRectF:
        """The part of the frame in view, in frame px."""
        x0, y0 = self.to_frame(QPointF(0, 0))
        x1, y1 = self.to_frame(QPointF(self.size.width(), self.size.height()))
        return QRectF(QPointF(x0, y0), QPointF(x1, y1)).intersected(
            QRectF(0, 0, self.frame[1], self.frame[0])
        )

    @property
    def everything_visible(self) -> bool:
        return QRectF(-0.5, -0.5, self.size.width() + 1, self.size.height() + 1).contains(
            self.target
        )

    def resize(self, width: float, height: float) -> None:
        self.size = QSizeF(max(width, 1), max(height, 1))
        self._settle()

    def show(self, rows: int, cols: int) -> None:
        """A frame of this shape; another shape is fitted anew."""
        if (rows, cols) != self.frame:
            self.frame = (max(rows, 1), max(cols, 1))
            self.fitted = True
        self._settle()

    def fit(self) -> None:
        rows, cols = self.frame
        self.zoom = min(self.size.width() / cols, self.size.height() / rows)
        self.origin = QPointF(
            (self.size.width() - cols * self.zoom) / 2, (self.size.height() - rows * self.zoom) / 2
        )
        self.fitted = True

    def zoom_to(self, zoom: float, at: QPointF | None = None) -> None:
        """Set the zoom; the frame point under `at` (default: the middle) stays where it is."""
        at = QPointF(self.size.width() / 2, self.size.height() / 2) if at is None else at
        x, y = self.to_frame(at)
        self.zoom = min(max(zoom, self._smallest), LEVELS[-1])
        self.origin = QPointF(at.x() - x * self.zoom, at.y() - y * self.zoom)
        self.fitted = False
        self._settle()

    def zoom_by(self, steps: float, at: QPointF) -> None:
        """Zoom by wheel steps; stops at the snap levels on the way."""
        wanted = self.zoom * _STEP**steps
        low, high = sorted((self.zoom, wanted))
        between = [
            level
            for level in LEVELS
            if low * 1.001 < level < high * 0.999 or abs(wanted / level - 1) < _SNAP
        ]
        between = [
            level for level in between if (level > self.zoom) == (steps > 0) and level != self.zoom
        ]
        if between:
            wanted = min(between, key=lambda level: abs(level - self.zoom))
        self.zoom_to(wanted, at)

    def pan(self, delta: QPointF) -> None:
        self.origin = self.origin + delta
        self.fitted = False
        self._settle()

    def center_on(self, x: float, y: float) -> None:
        """Bring a frame point to the middle."""
        self.pan(QPointF(self.size.width() / 2, self.size.height() / 2) - self.to_screen(x, y))

    @property
    def _smallest(self) -> float:
        fit = min(self.size.width() / self.frame[1], self.size.height() / self.frame[0])
        return min(fit, LEVELS[0])

    def _settle(self) -> None:
        if self.fitted:
            self.fit()
            return
        width, height = self.frame[1] * self.zoom, self.frame[0] * self.zoom
        self.origin = QPointF(
            _kept(self.origin.x(), width, self.size.width()),
            _kept(self.origin.y(), height, self.size.height()),
        )


def _kept(start: float, length: float, room: float) -> float:
    """Start of a span that stays in the middle where it fits, and in sight where it does not."""
    if length <= room:
        return (room - length) / 2
    return min(max(start, _KEEP - length), room - _KEEP)
