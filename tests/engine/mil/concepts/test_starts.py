"""Concepts that start at clusters of the instances of positive bags."""

import numpy as np
import pytest

from emberscope.datasets.planted_concepts import TWO, disk_concepts
from emberscope.mil.concepts.clustering import FCMI
from emberscope.mil.concepts.model import StandardBags
from emberscope.mil.concepts.starts import clustered_start


@pytest.mark.parametrize("seed", range(3))
def test_from_more_clusters_than_there_are_concepts_both_are_found_in_noise(seed):
    planted = disk_concepts(TWO, seed=seed)
    est = FCMI(start="clusters", n_concepts=4).fit(planted.X, bags=planted.bags)
    apart = np.linalg.norm(est.centers_[None] - planted.centers[:, None], axis=2)
    assert (apart.min(axis=1) < 0.1).all()


def test_a_start_has_as_many_concepts_as_are_asked_for_and_is_drawn_with_the_seed():
    planted = disk_concepts(TWO, seed=0)
    bags = StandardBags.of(planted.X, planted.bags)
    one, again = (clustered_start(bags, 5, np.random.default_rng(3)) for _ in range(2))
    assert one.centers.shape == (5, 2)
    np.testing.assert_array_equal(one.centers, again.centers)
    assert (one.scales > 0).all()
