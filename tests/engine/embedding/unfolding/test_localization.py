"""Where a new track is: places that look alike, and noise."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError
from emberscope.embedding.unfolding.localization import locate
from emberscope.embedding.unfolding.operators import operators
from emberscope.embedding.unfolding.tracks import Steps

PLACES = np.arange(12.0)[:, None]  # along a line, by "ahead" and "back"
STEPS = Steps(np.r_[0:11, 11:0:-1], np.r_[1:12, 10:-1:-1], np.repeat([0, 1], 11))
VIEWS = np.eye(6)[np.r_[0, 1, 2, 3, 4, 2, 1, 5, 2, 3, 0, 4]]  # 2 is seen from three places


def located(views, actions, noise=0.1):
    motions = operators(PLACES, STEPS, ["ahead", "back"])
    rng = np.random.default_rng(0)
    seen = cdist(VIEWS[views] + noise * rng.normal(size=(len(views), 6)), VIEWS, "sqeuclidean")
    return locate(PLACES, motions, seen, np.array(actions, np.int64), step=1.0, change=2.0)


def test_a_single_view_of_several_places_leaves_all_of_them():
    found = located([2], [])
    np.testing.assert_array_equal(np.sort(np.argsort(found.belief[0])[-3:]), [2, 5, 8])
    assert found.sure[0] < 0.5


@pytest.mark.parametrize(("views", "actions", "end"), [
    ([2, 3, 4], [0, 0], 4), ([5, 6, 7], [0, 0], 7), ([8, 9, 10], [0, 0], 10), ([9, 8, 7], [1, 1], 7)
])  # fmt: skip
def test_the_actions_tell_places_apart_that_look_alike(views, actions, end):
    found = located(views, actions)
    assert found.rows[-1] == end
    assert found.sure[-1] > 0.8
    np.testing.assert_allclose(found.belief.sum(axis=1), 1.0)


def test_a_view_that_tells_nothing_is_placed_by_the_action():
    motions = operators(PLACES, STEPS, ["ahead", "back"])
    seen = np.array([9.0 * (np.arange(12) != 4), np.ones(12)])
    found = locate(PLACES, motions, seen, np.array([0]), step=1.0, change=1.0)
    assert found.rows[1] == 5
    assert found.Z[1, 0] == pytest.approx(5, abs=0.1)


def test_an_unknown_action_may_be_any_of_them():
    found = located([4, 2], [-1])
    assert found.rows[1] == 5


def test_views_and_actions_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="2 views with 2 actions"):
        located([0, 1], [0, 0])
    with pytest.raises(DataError, match="number 2, there are 2"):
        located([0, 1], [2])
