"""The graph of neighbors over the maps."""

import numpy as np
import pytest

from emberscope_app.latent_view.layers.neighbor_graph import edges_of, parts_of, way_between
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel

CHAIN = np.array([[0, 1], [1, 2], [2, 3], [5, 6]])


def test_a_pair_is_joined_once_where_one_is_near_the_other():
    assert edges_of(np.array([[1, 2], [0, 2], [1, 0]]), 1).tolist() == [[0, 1], [1, 2]]


def test_the_parts_of_a_graph_are_counted():
    assert parts_of(CHAIN, 7) == (3, 4)


def test_the_way_of_fewest_steps_has_both_ends():
    assert way_between(CHAIN, 7, 3, 0).tolist() == [3, 2, 1, 0]


def test_there_is_no_way_between_two_parts():
    assert way_between(CHAIN, 7, 0, 6).tolist() == []


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
    assert plate.text() == "5 neighbors, 1 part, the largest of 60"
    panel.session.selection.select(np.sort(panel.session.run.ids[[3, 10]]))
    qtbot.waitUntil(lambda: plate.text().endswith("; 7 steps apart"))


def test_a_run_that_keeps_no_neighbors_says_so(map_session, qtbot):
    panel = Map2DPanel(map_session(n=30))
    qtbot.addWidget(panel)
    assert panel.layers["neighbor_graph"].why_not().startswith("This run keeps no neighbors")
