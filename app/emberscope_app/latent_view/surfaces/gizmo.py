"""The axes gizmo of the 3-D map: which way the axes point; a click looks along one."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from emberscope_app.latent_view.surfaces.camera import Camera
from emberscope_app.theme.look import current, font

SIZE = 76
_ARM = 24.0


class Gizmo(QWidget):
    """Three numbered arms, turned like the camera."""

    chosen = Signal(int)  # axis 0, 1, 2

    def __init__(self, camera: Camera, parent: QWidget) -> None:
        super().__init__(parent)
        self._camera = camera
        self.resize(QSize(SIZE, SIZE))
        self.setAccessibleName("Axes: click one to look along it")
        self.setToolTip("Click an axis to look along it")

    def ends(self) -> list[QPointF]:
        """Where the arms end, logical px."""
        axes = self._camera.axes()
        middle = QPointF(SIZE / 2, SIZE / 2)
        return [
            middle + QPointF(float(axes[0, i]) * _ARM, -float(axes[1, i]) * _ARM) for i in range(3)
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(11, 600))
        middle = QPointF(SIZE / 2, SIZE / 2)
        away = self._camera.axes()[2]
        for i in np.argsort(-away):
            end = self.ends()[i]
            color = QColor(current().t2)
            color.setAlphaF(0.6 if away[i] > 0.2 else 1.0)
            painter.setPen(QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(middle, end)
            way = end - middle
            length = max(float(np.hypot(way.x(), way.y())), 6.0)
            at = middle + way * ((length + 8.0) / length)
            painter.drawText(
                QRectF(at.x() - 8, at.y() - 8, 16, 16), Qt.AlignmentFlag.AlignCenter, str(i + 1)
            )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        far = [(end - event.position()).manhattanLength() for end in self.ends()]
        if min(far) < 24:
            self.chosen.emit(int(np.argmin(far)))
