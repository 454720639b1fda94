"""The strip of a run of one dimension."""

import numpy as np

from emberscope_app.latent_view.points.strip import strip_places


def test_a_point_of_a_strip_keeps_its_height_when_others_come():
    ids = np.array([17, 23, 99])
    places, group = np.zeros((3, 3), np.float32), np.array([1, 1, 2])
    fewer = strip_places(places[[0, 2]], group[[0, 2]], ids[[0, 2]])
    assert strip_places(places, group, ids)[0, 1] == fewer[0, 1]
