"""Density curves on a strip of one axis."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetrics

from emberscope.findings.maps.strip import silverman
from emberscope_app.latent_view.layers.strip_bands import place_of_name
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.theme import tokens
from emberscope_app.theme.look import font


@pytest.fixture
def panel(map_session, qtbot):
    session = map_session(n=400)
    session.focus.set(color_by="class", axes=(1, 1))
    found = Map2DPanel(session)
    qtbot.addWidget(found)
    found.resize(700, 560)
    found.show()
    found.surface.canvas.grab()
    return found


def test_each_class_has_a_curve_on_its_band(panel):
    assert [band.name for band in panel.layers["strip_bands"].bands] == [
        "Vehicle", "Background", "Person"]  # fmt: skip


def test_the_bandwidth_is_said_in_the_units_of_the_axis(panel):
    layer, Z = panel.layers["strip_bands"], panel.session.run.Z[:, 1]
    assert layer.width == pytest.approx(silverman(Z, panel.cloud.style.group), rel=1e-3)
    assert layer.said.text() == f"Axis 2, density bandwidth {layer.width:.3g}"


def test_the_points_of_one_axis_lie_along_it(panel):
    along = panel.surface.places[:, 0]
    assert np.corrcoef(along, panel.session.run.Z[:, 1])[0, 1] == pytest.approx(1)


def test_a_hidden_class_has_no_curve(panel):
    panel.cloud.hide(frozenset({2}))
    assert [band.name for band in panel.layers["strip_bands"].bands] == ["Vehicle", "Person"]


def test_all_of_a_strip_is_in_view(panel):
    transform = panel.surface.transform()
    tops = [transform.map(band.line).boundingRect().top()
            for band in panel.layers["strip_bands"].bands]
    assert min(tops) > 0


def test_a_map_of_two_axes_has_no_bands(panel):
    panel.session.focus.set(axes=(0, 1))
    assert not panel.layers["strip_bands"].said.isVisible()


def test_a_strip_is_saved_as_one(panel):
    assert panel.figure() == ("strip", {"axes": (1, 1)})


def test_screenshots(panel, screenshot):
    screenshot(panel, "map2d-axis")


def test_the_name_of_a_band_stands_before_its_curve():
    start = QPointF(150, 200)
    place = place_of_name("Vehicle", start)
    assert place.left() + QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance("Vehicle") < 150


def test_the_name_of_a_band_stays_on_the_map():
    assert place_of_name("Vehicle", QPointF(20, 200)).left() >= 12
