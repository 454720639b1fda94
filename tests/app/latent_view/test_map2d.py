"""The 2-D map, driven with a real mouse."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope_app.latent_view.map2d import Map2DPanel
from emberscope_app.theme.look import look


@pytest.fixture
def panel(map_session, qtbot):
    """A map of 300 points, 700 x 560."""
    found = Map2DPanel(map_session(n=300))
    qtbot.addWidget(found)
    found.resize(700, 560)
    found.show()
    qtbot.waitExposed(found)
    return found


def drag(widget, places, *, button=Qt.MouseButton.LeftButton, modifiers=Qt.KeyboardModifier.NoModifier):
    """Press at the first place, move over the rest, release."""
    points = [QPoint(int(x), int(y)) for x, y in places]
    QTest.mousePress(widget, button, modifiers, points[0])
    for point in points[1:]:
        QTest.mouseMove(widget, point)
    QTest.mouseRelease(widget, button, modifiers, points[-1])


def test_pictures(map_session, qtbot, screenshot):
    session = map_session()
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    panel.resize(610, 560)
    panel.show()
    qtbot.waitExposed(panel)
    canvas = panel.surface.canvas
    angle = np.linspace(0, 2 * np.pi, 60)
    drag(canvas, np.column_stack([260 + 60 * np.cos(angle), 250 + 40 * np.sin(angle)]))
    row = int(np.argmax(session.run.point_scores["score"]))
    at = panel.surface.screen()[row, :2]
    QTest.mouseMove(canvas, QPoint(*at.astype(int).tolist()))
    qtbot.waitUntil(panel.pointer.card.isVisible)
    for theme in ("dark", "light"):
        look().apply(theme)
        screenshot(panel, "map2d")
