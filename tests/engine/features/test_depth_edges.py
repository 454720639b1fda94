"""Edge histograms of cubes: one edge at a time, in either direction."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.features.depth_edges import ARMS, NAMES, depth_edges

DEPTH, SCAN, CHANNEL = np.meshgrid(np.arange(60), np.arange(15), np.arange(15), indexing="ij")


def shares(echoes, what, **settings):
    """Shares (down-track, cross-track) by part, (2, 7)."""
    X = depth_edges(echoes, np.array([0]), 60, **settings)[0]
    own = [n for n, name in enumerate(NAMES) if name.endswith(f" {what}")]
    return X[own].reshape(2, 7)


def test_shares_of_a_part_add_up_to_one_and_a_flat_cube_has_no_edge():
    rng = np.random.default_rng(0)
    X = depth_edges(rng.normal(size=(90, 25, 21)), np.array([0, 15, 30]), 60)
    np.testing.assert_allclose(X.reshape(3, 14, 5).sum(axis=2), 1.0, rtol=1e-5)
    assert (shares(np.ones((60, 15, 15)), "none") == 1).all()


def test_a_layer_that_rises_with_the_scans_is_diagonal_down_track_alone():
    rising = 10.0 * (DEPTH < 40 - SCAN)
    found = shares(rising, "diagonal")
    assert (found[0] > 0.02).all()
    assert (found[1] == 0).all()
    assert (shares(rising, "antidiagonal") == 0).all()
    assert (shares(rising, "horizontal")[1] > 0.01).all()


def test_the_arms_of_a_hyperbola_are_diagonal_before_its_top_and_antidiagonal_after_it():
    arms = 10.0 * (20 + np.abs(SCAN - 7) < DEPTH)
    up, down = shares(arms, "diagonal")[0], shares(arms, "antidiagonal")[0]
    assert (up[:3] > 0.02).all()
    assert (up[5:] == 0).all()
    assert (down[5:] > 0.02).all()
    assert (down[:2] == 0).all()
    assert {NAMES[n].split()[-1] for n in ARMS} == {"diagonal", "antidiagonal"}


def test_scans_and_channels_exchanged_exchange_the_directions():
    echoes = np.random.default_rng(1).normal(size=(60, 15, 15))
    here = depth_edges(echoes, np.array([0]), 60)[0]
    there = depth_edges(echoes.transpose(0, 2, 1), np.array([0]), 60)[0]
    np.testing.assert_array_equal(here, np.roll(there, 35))


def test_a_cube_that_is_too_small_is_refused():
    with pytest.raises(DataError, match=r"\(60, 15, 14\)"):
        depth_edges(np.zeros((60, 15, 14)), np.array([0]), 60)
