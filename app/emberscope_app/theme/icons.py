"""Icons: SVG strokes of the resources, tinted from tokens at the size and pixel ratio asked for."""

from functools import lru_cache
from importlib import resources

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from emberscope_app.theme.look import current


@lru_cache(maxsize=512)
def _shape(name: str, size: int, ratio: float) -> QImage:
    """The icon in black. Reading and drawing it costs ten times as much as coloring it: it is done
    once, whatever the colors and themes it is then shown in."""
    svg = (resources.files("emberscope_resources") / "icons" / f"{name}.svg").read_bytes()
    drawn = QImage(
        QSize(round(size * ratio), round(size * ratio)), QImage.Format.Format_ARGB32_Premultiplied
    )
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        QSvgRenderer(QByteArray(svg.replace(b"currentColor", b"#000000"))).render(
            painter, QRectF(drawn.rect())
        )
    return drawn


def pixmap(name: str, color: QColor | str, size: int = 16, ratio: float = 1.0) -> QPixmap:
    """The icon `name` drawn in one color; drawn once, for lists paint it on every row."""
    key = f"{name} {QColor(color).name()} {size} {ratio}"
    found = QPixmap()
    if QPixmapCache.find(key, found):
        return found
    tinted = _shape(name, size, ratio).copy()  # pixmaps of one image are the same to Qt's own cache
    with QPainter(tinted) as painter:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(tinted.rect(), QColor(QColor(color).name()))
    drawn = QPixmap.fromImage(tinted)
    drawn.setDevicePixelRatio(ratio)
    QPixmapCache.insert(key, drawn)
    return drawn


def icon(name: str, *, checked: str = "ink", size: int = 16) -> QIcon:
    """A themed icon: secondary text color, ink when checked, hint when disabled."""
    t = current()
    found = QIcon()
    for ratio in (1.0, 2.0):
        found.addPixmap(pixmap(name, t.t2, size, ratio), QIcon.Mode.Normal, QIcon.State.Off)
        found.addPixmap(
            pixmap(name, getattr(t, checked), size, ratio), QIcon.Mode.Normal, QIcon.State.On
        )
        found.addPixmap(pixmap(name, t.t3, size, ratio), QIcon.Mode.Disabled, QIcon.State.Off)
    return found
