"""Where on the tracks of a run views are."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.findings.track_steps import TrackSteps
from emberscope.pipeline import locating, run
from emberscope.pipeline.locating import locate_views

from .conftest import RECIPE

N = 30


def steps_of(rows, names=("on",)):
    count = len(rows) - 1
    return TrackSteps(np.array(rows[:-1]), np.array(rows[1:]), np.zeros(count, np.int64), names)


@pytest.fixture
def seen(project, cache, monkeypatch):
    """A run with 20 instances on a track along a line, and 10 that see again what is seen at places
    5 to 14, elsewhere on the map."""
    made = run(project, RECIPE, cache=cache)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 6)).cumsum(axis=0)
    X = np.vstack([X, X[5:15] + 0.05 * rng.normal(size=(10, 6))])
    monkeypatch.setattr(locating, "features_seen", lambda *_: X)
    Z = np.stack([np.arange(N), np.where(np.arange(N) < 20, 0, 9)], axis=1).astype(np.float32)
    return msgspec.structs.replace(made, Z=Z, ids=np.arange(N))


def test_a_view_is_where_the_same_is_seen(project, seen):
    (found,) = locate_views(project, seen, steps_of(range(20)), np.array([23]))
    assert (found.view, found.row) == (23, 8)
    assert found.sure > 0.9


def test_actions_between_views_tell_places_that_look_alike(project, seen):
    X = locating.features_seen()
    X[15] = X[8]  # the same is seen at two places
    alone = locate_views(project, seen, steps_of(range(20)), np.array([23]))[0]
    steps = steps_of([*range(20), *range(22, 25)])
    found = locate_views(project, seen, steps, np.array([22, 23]))[1]
    assert found.row == 8
    assert found.sure > alone.sure


def test_where_all_instances_of_the_tracks_are_asked_about_no_place_is_left(project, seen):
    with pytest.raises(DataError, match="all instances of the tracks"):
        locate_views(project, seen, steps_of(range(3)), np.arange(3))
