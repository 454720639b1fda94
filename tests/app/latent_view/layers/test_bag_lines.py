"""Hulls about bags."""

import numpy as np
import pytest

from emberscope_app.latent_view.layers.bag_lines import convex_hull
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


def naive_hull(points):
    """Points that some straight line through them leaves alone on one side."""
    out = []
    for i, p in enumerate(points):
        angles = np.sort([np.arctan2(*(q - p)) for j, q in enumerate(points) if j != i])
        gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
        if gaps.max() > np.pi:
            out.append(tuple(p))
    return set(out)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_hull_is_that_of_the_naive_twin(seed):
    points = np.random.default_rng(seed).normal(size=(40, 2))
    assert set(map(tuple, convex_hull(points))) == naive_hull(points)


def test_the_hull_of_two_places_is_these_two():
    assert convex_hull(np.array([(1.0, 2.0), (0.0, 0.0), (1.0, 2.0)])).tolist() == [[0, 0], [1, 2]]


@pytest.mark.parametrize("missing", [False, True])
def test_there_are_no_lines_from_the_witness_beside_those_to_missing_neighbors(
    map_session, qtbot, missing
):
    session = map_session(n=60)
    session.run.diagnostics["neighbors"] = np.tile(np.arange(5, dtype=np.int32), (60, 1))
    panel = Map2DPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    session.selection.set_hover(int(session.run.ids[7]))
    session.layers.switch("false_neighbors", missing)
    with_lines = panel.surface.canvas.grab().toImage()
    session.layers.switch("bag_lines", False)
    assert (panel.surface.canvas.grab().toImage() == with_lines) == missing
