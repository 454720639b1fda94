"""Which chips have room on the map."""

import numpy as np

from emberscope_app.latent_view.layers.chips_on_map import places_without_overlap


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
