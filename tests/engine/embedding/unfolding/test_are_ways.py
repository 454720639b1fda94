"""ARE on a walk that turns, seen with noise: what actions are together, ways, and where new views
are."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.datasets.imagebot import texture, walk
from emberscope.embedding.unfolding.are import ARE


@pytest.fixture(scope="module")
def turning():
    """16 turns to the right and 8 to the left; each frame with noise of its own."""
    walked = walk("turn", texture(2.2, shape=(512, 1280)))
    noise = 0.05 * walked.X.std() * np.random.default_rng(0).normal(size=walked.X.shape)
    return walked, ARE().fit(walked.X + noise, side=walked.side)


def test_sixteen_turns_are_none_and_four_are_a_right_angle(turning):
    est = turning[1]
    step = np.linalg.norm(np.diff(est.embedding_, axis=0), axis=1).mean()
    whole = est.composed(*["turn right"] * 16)
    assert np.linalg.norm(whole(est.embedding_) - est.embedding_, axis=1).max() < step
    np.testing.assert_allclose(est.composed(*["turn right"] * 4).angles, [90], atol=6)


def test_the_way_reaches_the_wanted_view_by_the_shorter_side(turning):
    walked, est = turning
    found = est.way(0, 12)
    assert found.actions == ("turn left",) * 4
    assert walked.places[found.row] == walked.places[12]
    np.testing.assert_allclose(found.places[0], est.embedding_[0], atol=1e-6)


def test_new_views_with_noise_are_found_again(turning):
    walked, est = turning
    noise = 0.05 * walked.X.std() * np.random.default_rng(1).normal(size=(4, walked.X.shape[1]))
    found = est.locate(walked.X[[5, 6, 7, 6]] + noise, ["turn right", "", "turn left"])
    np.testing.assert_array_equal(walked.places[found.rows], walked.places[[5, 6, 7, 6]])
    assert found.Z.shape == (4, 2)


def test_an_action_that_no_track_has_is_refused(turning):
    with pytest.raises(DataError, match=r"'jump'\. Choose turn left, turn right"):
        turning[1].locate(turning[0].X[:2], ["jump"])
