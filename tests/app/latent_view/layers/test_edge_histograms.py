"""Histograms along the edges of a map."""

import pytest

from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


@pytest.fixture
def panel(map_session, qtbot):
    session = map_session(n=400)
    session.focus.set(color_by="class")
    found = Map2DPanel(session)
    qtbot.addWidget(found)
    found.resize(700, 560)
    found.show()
    return found


def test_its_button_paints_them_and_takes_them_away(panel):
    plain = panel.surface.canvas.grab().toImage()
    panel.toggles["edge_histograms"].setChecked(True)
    assert panel.surface.canvas.grab().toImage() != plain
    panel.toggles["edge_histograms"].setChecked(False)
    assert panel.surface.canvas.grab().toImage() == plain


def test_points_are_not_fitted_under_them(panel):
    before = panel.surface.free_below
    panel.session.layers.switch("edge_histograms", True)
    assert panel.surface.free_below == before + 44


def test_one_axis_has_a_strip_in_place_of_them(panel):
    panel.session.focus.set(axes=(0, 0))
    assert panel.layers["edge_histograms"].why_not() == "One axis is on show"


def test_they_are_part_of_a_saved_map(panel):
    panel.session.layers.switch("edge_histograms", True)
    assert panel.figure()[1]["histograms"] is True


def test_screenshots(panel, screenshot):
    panel.session.layers.switch("edge_histograms", True)
    screenshot(panel, "map2d-histograms")
