"""Polylines on the screen, as many corners as a person can tell apart."""

import struct

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QByteArray, QDataStream
from PySide6.QtGui import QPainterPath

from emberscope.labels.lines import SHORT, line_of
from emberscope_app.frame_view.canvas.viewport import Viewport

_MOST = 3000  # corners of a line: to stroke more takes longer than painting a frame may
# Of a QPainterPath in a QDataStream
_ELEMENT = np.dtype([("kind", ">i4"), ("x", ">f8"), ("y", ">f8")])


def line_on_screen(view: Viewport, points: tuple[tuple[float, float], ...]) -> NDArray[np.float64]:
    """(k, 2) widget px of a line. Of a long one, points that fall on the same pixel are one, and of
    more than 3000 corners only each n-th is left. 10 ms for 400 000 points."""
    at = line_of(points).points * view.zoom + (view.origin.x(), view.origin.y())
    if len(at) <= SHORT:
        return at
    at = np.rint(at)
    at = at[np.append(True, (at[1:] != at[:-1]).any(axis=1))]
    return at if len(at) <= _MOST else at[np.linspace(0, len(at) - 1, _MOST).astype(np.int64)]


def path_of(lines: NDArray[np.float64]) -> QPainterPath:
    """One path of many lines (n, k, 2). 0.5 us per line: through the form in which Qt stores a
    path."""
    n, k = lines.shape[:2]
    path = QPainterPath()
    if not n:
        return path
    elements = np.empty((n, k), _ELEMENT)
    elements["kind"], elements["x"], elements["y"] = 1, lines[..., 0], lines[..., 1]
    elements["kind"][:, 0] = 0
    # Start, fill rule
    stored = struct.pack(">i", n * k) + elements.tobytes() + struct.pack(">ii", 0, 0)
    QDataStream(QByteArray(stored)) >> path
    return path
