"""Which neighbors of an instance the embedding invented, and which it lost."""

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from emberscope_app.latent_view.layers.false_neighbors import (
    false_and_missing,
    kept_words,
    neighbors_of,
)
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


def test_a_neighbor_only_in_the_picture_is_false_and_one_only_in_the_features_is_missing():
    Z = np.array([[0.0, 0], [1, 0], [2, 0], [9, 0]])
    false, missing = false_and_missing(Z, np.array([[1, 3], [0, 2], [1, 3], [2, 1]]), 0)
    assert false.tolist() == [2]
    assert missing.tolist() == [3]


def test_a_faithful_place_has_neither():
    Z = np.array([[0.0], [1], [2], [9]])
    false, missing = false_and_missing(Z, np.array([[1, 2], [0, 2], [1, 0], [2, 1]]), 0)
    assert len(false) == len(missing) == 0


def test_an_instance_without_a_place_is_near_nobody():
    Z = np.array([[0.0], [np.nan], [2]])
    false, missing = false_and_missing(Z, np.array([[1], [0], [0]]), 0)
    assert false.tolist() == [2]
    assert missing.tolist() == [1]


def test_a_run_of_an_older_version_has_no_neighbors(map_session):
    session = map_session(n=30)
    assert neighbors_of(session.run) is None
    assert neighbors_of(None) is None


def test_the_marks_appear_around_the_instance_pointed_at(map_session, qtbot):
    session = map_session(n=60)
    session.run.diagnostics["neighbors"] = np.tile(np.arange(5, dtype=np.int32), (60, 1))
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    at = np.round(panel.surface.positions()[20, :2] / panel.surface.ratio).astype(int)

    def arrived():
        QTest.mouseMove(panel.surface.canvas, QPoint(*at.tolist()))
        return session.selection.hover >= 0

    qtbot.waitUntil(arrived)
    plain = panel.surface.canvas.grab().toImage()
    panel.toggles["false_neighbors"].click()
    assert panel.surface.canvas.grab().toImage() != plain


def test_the_card_counts_the_neighbors_that_stayed(map_session):
    session = map_session(n=60)
    everybody = np.tile(np.arange(60, dtype=np.int32), (60, 1))
    others = everybody[~np.eye(60, dtype=bool)].reshape(60, 59)
    assert kept_words(session.run, 7) == []
    session.run.diagnostics["neighbors"] = others
    assert kept_words(session.run, 7) == ["59 of 59 neighbors kept"]


def test_without_neighbors_the_toggle_says_why(map_session, qtbot):
    session = map_session(n=30)
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    assert not panel.toggles["false_neighbors"].isEnabled()
    assert "Run it again" in panel.toggles["false_neighbors"].toolTip()
