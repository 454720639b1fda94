"""The graph of neighbors over the maps."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from emberscope.tasks.neighbors import MeasureReach, Reach
from emberscope_app.latent_view.layers.neighbor_graph import alpha_of
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel


@pytest.fixture(params=[Map2DPanel, Map3DPanel])
def panel(request, map_session, qtbot):
    """60 points in a chain."""
    session = map_session(n=60)
    chain = np.minimum(np.arange(60) + 1, 59).astype(np.int32)[:, None]
    session.run.diagnostics["neighbors"] = chain
    found = request.param(session)
    qtbot.addWidget(found)
    found.resize(700, 560)
    found.show()
    return found


def test_it_is_painted_over_both_maps(panel):
    plain = panel.surface.canvas.grab().toImage()
    panel.session.layers.switch("neighbor_graph", True)
    assert panel.surface.canvas.grab().toImage() != plain


def test_the_flat_map_says_its_parts_and_how_far_two_selected_instances_are(panel, qtbot):
    panel.session.layers.switch("neighbor_graph", True)
    plate = panel.layers["neighbor_graph"].plate
    if isinstance(panel, Map3DPanel):
        assert plate is None  # one map says it
        return
    assert plate.words.text().startswith("1 part, the largest of 60; 59 edges")
    panel.session.selection.select(np.sort(panel.session.run.ids[[3, 10]]))
    qtbot.waitUntil(lambda: plate.words.text().endswith("; 7 steps apart"))


@pytest.fixture
def flat(map_session, qtbot):
    """The flat map of 60 points, each with 3 neighbors, the graph on it."""
    session = map_session(n=60)
    session.run.diagnostics["neighbors"] = (
        (np.arange(60)[:, None] + np.arange(1, 4)) % 60
    ).astype(np.int32)
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    session.layers.switch("neighbor_graph", True)
    return panel


def test_how_many_nearest_are_joined_is_chosen_on_the_plate(flat):
    plate = flat.layers["neighbor_graph"].plate
    assert (plate.count.value(), plate.count.maximum()) == (3, 3)
    assert "; 180 edges" in plate.words.text()
    plate.count.setValue(1)
    assert "; 60 edges" in plate.words.text()


def test_a_radius_is_asked_for_in_the_worker_and_joins_what_is_no_farther(flat, worker, qtbot):
    plate = flat.layers["neighbor_graph"].plate
    plate.kinds.button("r").click()
    assert plate.words.text() == "Measuring distances in the features."
    (asked,) = worker.asked(MeasureReach)
    far = np.tile(np.array([1, 2, 3], np.float32), (60, 1))
    worker.finish(asked.job, Reach(far))
    qtbot.waitUntil(lambda: not flat.layers["neighbor_graph"].graph.waits)
    assert "; 180 edges" in plate.words.text()
    plate.radius.setValue(1.5)
    assert "; 60 edges" in plate.words.text()


def test_two_clicks_on_the_map_find_the_way_between_two_points(flat):
    flat.set_tool("point")
    flat.surface.canvas.grab()
    for row, held in ((3, Qt.KeyboardModifier.NoModifier), (40, Qt.KeyboardModifier.ShiftModifier)):
        at = np.round(flat.surface.spots(np.array([row]))[0]).astype(int).tolist()
        QTest.mouseClick(flat.surface.canvas, Qt.MouseButton.LeftButton, held, QPoint(*at))
    assert len(flat.session.selection) == 2
    assert flat.layers["neighbor_graph"].plate.words.text().endswith("apart")


def test_a_graph_is_part_of_a_saved_map_as_it_was_chosen(flat):
    flat.layers["neighbor_graph"].plate.count.setValue(2)
    assert flat.figure()[1]["graph"] == "k 2"


def test_a_run_that_keeps_no_neighbors_says_so(map_session, qtbot):
    panel = Map2DPanel(map_session(n=30))
    qtbot.addWidget(panel)
    assert panel.layers["neighbor_graph"].why_not().startswith("This run keeps no neighbors")


def test_lines_are_fainter_where_there_are_very_many():
    assert alpha_of(10_000) < alpha_of(2_000) < alpha_of(100) == alpha_of(50)


def test_a_radius_that_nobody_knows_yet_is_no_zero(flat, worker, qtbot):
    plate = flat.layers["neighbor_graph"].plate
    plate.kinds.button("r").click()
    assert (plate.radius.text(), plate.radius.isEnabled()) == ("measuring", False)
    (asked,) = worker.asked(MeasureReach)
    worker.finish(asked.job, Reach(np.tile(np.array([1, 2, 3], np.float32), (60, 1))))
    qtbot.waitUntil(lambda: plate.radius.isEnabled())
    assert plate.radius.text() == "3.000"
