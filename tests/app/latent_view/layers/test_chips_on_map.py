"""Which chips have room on the map."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from emberscope_app.latent_view.layers.chips_on_map import places_without_overlap
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.state.core.layers_on import CHIPS_ON_MAP
from emberscope_app.theme.look import current


def test_chips_never_overlap_and_the_best_is_always_there():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 400, 300), rng.uniform(0, 300, 300)
    order = rng.permutation(300)
    rows = places_without_overlap(x, y, order, 40, 400, 300)
    far = np.maximum(np.abs(x[rows, None] - x[rows]), np.abs(y[rows, None] - y[rows]))
    np.fill_diagonal(far, np.inf)
    assert rows[0] == order[0]
    assert far.min() >= 40


def test_chips_stand_side_by_side_where_they_just_fit():
    x, y = np.array([39.0, 80.0, 121.0]), np.zeros(3)
    assert places_without_overlap(x, y, np.arange(3), 40, 400, 300) == [0, 1, 2]


@pytest.fixture
def panel(map_session, qtbot, monkeypatch):
    found = Map2DPanel(map_session(n=600, d=2))
    qtbot.addWidget(found)
    found.resize(900, 700)
    with qtbot.waitExposed(found):
        found.show()
    chip = QImage(32, 32, QImage.Format.Format_RGB32)
    chip.fill(Qt.GlobalColor.magenta)
    layer = found.layers[CHIPS_ON_MAP]
    monkeypatch.setattr(layer._chips, "get", lambda _run, _row, _size: chip)
    found.toggles[CHIPS_ON_MAP].setChecked(True)
    qtbot.waitUntil(lambda: bool(layer.shown()))
    return found


def seen(panel, x, y):
    image = panel.surface.canvas.grab().toImage()
    return image.pixelColor(
        round(x * image.devicePixelRatio()), round(y * image.devicePixelRatio())
    )


def select(panel, row, qtbot):
    panel.session.selection.select(panel.session.run.ids[[row]])
    qtbot.waitUntil(lambda: bool(panel.cloud.selected[row]))


def test_a_selected_point_is_seen_where_a_chip_covers_it(panel, qtbot):
    at, rows = (
        panel.surface.positions()[:, :2] / panel.surface.ratio,
        panel.layers[CHIPS_ON_MAP].shown(),
    )
    covered = next(
        row
        for row in range(len(at))
        if row not in rows and abs(at[rows] - at[row]).max(axis=1).min() < 10
    )
    assert seen(panel, *at[covered]) == QColor(Qt.GlobalColor.magenta)
    select(panel, covered, qtbot)
    assert seen(panel, *at[covered]) != QColor(Qt.GlobalColor.magenta)


def test_the_chip_of_a_selected_point_has_a_frame_of_ink(panel, qtbot):
    layer = panel.layers[CHIPS_ON_MAP]
    row = layer.shown()[0]
    x, y = (panel.surface.positions()[row, :2] / panel.surface.ratio - layer.size / 2).tolist()
    select(panel, row, qtbot)
    assert seen(panel, x, y + layer.size / 2) == QColor(current().ink)
