"""A canvas of 800 x 640 over frames of 200 x 160: zoom 4, so frame px (x, y) is at widget px (4 x,
4 y)."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas

ZOOM = 4
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def at(x: float, y: float) -> QPoint:
    return QPoint(round(x * ZOOM), round(y * ZOOM))


class Hand:
    """Drags and clicks in frame px, types keys."""

    def __init__(self, canvas: FrameCanvas) -> None:
        self.canvas = canvas

    def press(
        self, x: float, y: float, *, keys: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
    ) -> None:
        QTest.mousePress(self.canvas, button, keys, at(x, y))

    def move(self, x: float, y: float) -> None:
        QTest.mouseMove(self.canvas, at(x, y))

    def release(
        self, x: float, y: float, *, keys: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
    ) -> None:
        QTest.mouseRelease(self.canvas, button, keys, at(x, y))

    def drag(
        self,
        *points: tuple[float, float],
        keys: Qt.KeyboardModifier = NONE,
        button: Qt.MouseButton = LEFT,
    ) -> None:
        self.press(*points[0], keys=keys, button=button)
        for point in points[1:]:
            self.move(*point)
        self.release(*points[-1], keys=keys, button=button)

    def click(self, x: float, y: float, *, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.mouseClick(self.canvas, LEFT, keys, at(x, y))

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.canvas, key, keys)


@pytest.fixture
def canvas(session, qtbot) -> FrameCanvas:
    """The small project, frame 6 of it: 200 x 160 px, one background box of class 2 and two targets
    of class 1."""
    found = FrameCanvas(session)
    qtbot.addWidget(found)
    found.resize(200 * ZOOM, 160 * ZOOM)
    found.show()
    found.setFocus()
    return found


@pytest.fixture
def hand(canvas) -> Hand:
    return Hand(canvas)


@pytest.fixture
def new_labels(session) -> Callable[[], list]:
    """`new_labels()`: labels drawn since the test began, oldest first."""
    old = {label.id for label in session.project.labels}
    return lambda: [label for label in session.project.labels if label.id not in old]
