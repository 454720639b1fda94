"""Bags as points and as outlines on the maps."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.findings.maps.bag_points import MEANS, OUTLINED, OUTLINES, WITNESSES
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


@pytest.fixture
def panel(map_session, qtbot):
    """400 instances in 20 bags of 20."""
    session = map_session(n=400)
    session.focus.set(color_by="class")
    found = Map2DPanel(session)
    qtbot.addWidget(found)
    found.resize(900, 560)
    found.show()
    found.surface.canvas.grab()
    return found


def choose(panel, name):
    at = panel.points_box.findData(name)
    panel.points_box.setCurrentIndex(at)
    panel.points_box.activated.emit(at)
    panel.surface.canvas.grab()


def test_a_bag_is_a_point_at_the_mean_of_its_instances(panel):
    choose(panel, MEANS)
    cloud, run = panel.cloud, panel.session.run
    assert cloud.shown_count == 20
    row = int(cloud.units.rows[0])
    mean = cloud.members[run.bags.of(int(cloud.units.bags[0]))].mean(axis=0)
    assert cloud.plane.places[row] == pytest.approx(mean, abs=1e-5)


def test_a_bag_is_a_point_where_its_witness_is(panel):
    before = panel.cloud.plane.places
    choose(panel, WITNESSES)
    rows = panel.cloud.units.rows
    assert panel.cloud.plane.places[rows].tolist() == before[rows].tolist()


def test_the_legend_counts_bags_and_says_what_points_are(panel):
    choose(panel, MEANS)
    assert sum(entry.count for entry in panel.cloud.legend) == 20
    assert panel.cloud.style.note == "one point a bag, at the mean of its instances"


def test_a_click_on_the_point_of_a_bag_selects_its_instances(panel):
    choose(panel, MEANS)
    panel.set_tool("point")
    row = int(panel.cloud.units.rows[0])
    at = np.round(panel.surface.spots(np.array([row]))[0]).astype(int).tolist()
    QTest.mouseClick(panel.surface.canvas, Qt.MouseButton.LeftButton, pos=QPoint(*at))
    picked = panel.session.run.ids[panel.session.run.bags.of(int(panel.cloud.units.bags[0]))]
    assert set(picked.tolist()) <= set(panel.session.selection.ids.tolist())


def test_the_point_of_a_bag_stands_for_an_instance_pointed_at_elsewhere(panel):
    choose(panel, MEANS)
    run, units = panel.session.run, panel.cloud.units
    other = next(row for row in run.bags.of(0).tolist() if row != units.stands[row])
    panel.session.selection.set_hover(int(run.ids[other]))
    assert panel.cloud.hover_row == units.stands[other]


def test_a_bag_is_selected_where_one_of_its_instances_is(panel):
    choose(panel, MEANS)
    run, units = panel.session.run, panel.cloud.units
    other = next(row for row in run.bags.of(0).tolist() if row != units.stands[row])
    panel.session.selection.select(run.ids[[other]])
    assert panel.cloud.selected[units.stands[other]]


@pytest.mark.parametrize(("name", "count"), [(OUTLINED, 400), (OUTLINES, 20)])
def test_outlines_lie_around_the_instances_of_each_bag(panel, name, count):
    choose(panel, name)
    made = panel.layers["bag_outlines"].outlines()
    assert (len(made), panel.cloud.shown_count) == (20, count)
    places = panel.cloud.members[panel.session.run.bags.of(0)]
    box = made[0].boundingRect()
    assert (box.left(), box.right()) == pytest.approx((places[:, 0].min(), places[:, 0].max()))


def test_instances_have_no_outlines(panel):
    assert panel.layers["bag_outlines"].outlines() == {}


def test_instances_come_back(panel):
    choose(panel, MEANS)
    choose(panel, "instances")
    assert (panel.cloud.shown_count, panel.cloud.units) == (400, None)


def test_a_saved_map_has_what_is_on_show(panel):
    choose(panel, OUTLINES)
    assert panel.figure() == ("map-2d", {"axes": (0, 1), "points": OUTLINES})


def test_screenshots(panel, screenshot):
    choose(panel, OUTLINES)
    screenshot(panel, "map2d-outlines")
