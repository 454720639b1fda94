"""Where concepts went while they were searched for."""

import numpy as np
import pytest

from emberscope.datasets.planted_concepts import TWO, disk_concepts
from emberscope.mil.concepts.clustering import FCMI, PCMI


@pytest.fixture(scope="module")
def found():
    planted = disk_concepts(TWO, seed=0)
    return PCMI(n_concepts=4, start="random", restarts=10).fit(planted.X, bags=planted.bags)


def test_a_path_has_a_place_for_the_start_and_for_every_round(found):
    assert found.paths_.shape == (len(found.objectives_) + 1, 4, 2)


def test_the_paths_of_the_concepts_come_first_and_end_at_their_stars(found):
    stars = found.transform(found.centers_)
    np.testing.assert_allclose(found.paths_[-1, :2], stars, atol=1e-9)


def test_a_run_of_a_version_that_kept_no_paths_is_read():
    planted = disk_concepts(TWO, seed=0)
    state = FCMI(n_concepts=2).fit(planted.X, bags=planted.bags).to_state()
    del state["paths_"]
    assert not hasattr(FCMI.from_state(state), "paths_")
