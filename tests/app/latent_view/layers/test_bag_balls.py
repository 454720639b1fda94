"""Bags as balls over the maps."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope_app.latent_view.layers.bag_balls import balls, chosen
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel

BAGS = Bags.from_lists([[0, 1], [2]], np.array([1, -1]))
PLACES = np.array([[0.0, 0, 0], [2, 0, 0], [5, 5, 5]])
ALL = np.array([0, 1])


def test_a_ball_is_around_the_middle_and_as_wide_as_the_mean_squared_distance():
    middles, radii, kept = balls(PLACES, BAGS, ALL, np.ones(3, bool))
    assert middles.tolist() == [[1, 0, 0], [5, 5, 5]]
    assert radii.tolist() == [1, 0]
    assert kept.tolist() == [0, 1]


def test_a_bag_without_a_member_in_sight_has_no_ball():
    assert balls(PLACES, BAGS, ALL, np.array([True, True, False]))[2].tolist() == [0]


def test_selected_bags_are_drawn_alone():
    assert chosen(np.arange(9), np.array([3, 4]), 5).tolist() == [3, 4]


def test_of_many_bags_some_are_drawn_evenly():
    assert chosen(np.arange(9), np.empty(0, np.int64), 3).tolist() == [0, 4, 8]


@pytest.mark.parametrize("kind", [Map2DPanel, Map3DPanel])
def test_they_are_painted_over_both_maps(full_window, qtbot, kind):
    session = full_window.session
    panel = kind(session)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    qtbot.waitUntil(lambda: len(panel.cloud.places) > 0)
    plain = panel.surface.canvas.grab().toImage()
    session.layers.switch("bag_balls", True)
    assert panel.surface.canvas.grab().toImage() != plain
