"""The 3-D map, driven with a real mouse, with the software canvas and with forced OpenGL."""

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope_app.latent_view.map3d import Map3DPanel
from emberscope_app.theme.look import look


def test_pictures(map_session, qtbot, screenshot):
    session = map_session()
    panel = Map3DPanel(session)
    qtbot.addWidget(panel)
    panel.resize(326, 560)
    panel.show()
    qtbot.waitExposed(panel)
    session.selection.select(session.run.ids[session.run.Z[:, 1] > 1.8])
    for theme in ("dark", "light"):
        look().apply(theme)
        screenshot(panel, "map3d")
    panel.resize(900, 700)
    screenshot(panel, "map3d-wide")


def test_opengl_pictures(map_session, qtbot, screenshot, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_MAP3D", "opengl")
    session = map_session()
    panel = Map3DPanel(session)
    qtbot.addWidget(panel)
    panel.resize(326, 560)
    panel.show()
    qtbot.waitExposed(panel)
    session.selection.select(session.run.ids[session.run.Z[:, 1] > 1.8])
    print(panel.surface.renderer.words)
    for theme in ("dark", "light"):
        look().apply(theme)
        screenshot(panel, "map3d-opengl")
