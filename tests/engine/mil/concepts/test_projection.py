"""Concepts on a map."""

import numpy as np

from emberscope.mil.concepts.model import Concepts
from emberscope.mil.concepts.projection import outline, rings, through_instances, through_linear

ROUND = Concepts(np.array([[1.0, 2.0]]), np.full((1, 2), 0.5))  # standard deviation 1


def test_through_the_identity_the_star_is_the_center_and_the_ellipse_the_contour():
    found = through_linear(ROUND, np.zeros(2), np.eye(2))
    assert found.center.tolist() == [[1.0, 2.0]]
    edge = outline(found.center[0], found.shape[0], 8)
    np.testing.assert_allclose(np.exp(-ROUND.distance2(edge)[:, 0]), 0.5)


def test_a_linear_map_casts_the_shadow_of_the_ellipsoid():
    found = through_linear(ROUND, np.zeros(2), np.array([[2.0], [0.0]]))
    np.testing.assert_allclose(found.shape[0], [[4 * 2 * np.log(2)]])


def test_without_a_map_star_and_ellipse_come_from_weighted_instances():
    Z = np.random.default_rng(0).normal(size=(20_000, 2)) * [1.0, 3.0] + 5
    found = through_instances(np.ones((len(Z), 1)), Z)
    np.testing.assert_allclose(found.center[0], [5, 5], atol=4 * 3 / np.sqrt(len(Z)))  # four standard errors
    assert not found.exact
    assert found.shape[0, 1, 1] > 8 * found.shape[0, 0, 0]


def test_a_concept_without_an_instance_is_nowhere():
    assert np.isnan(through_instances(np.zeros((3, 1)), np.zeros((3, 2))).center).all()


def test_every_ring_of_a_wireframe_lies_on_the_ellipsoid():
    A = np.array([[2.0, 0.3, 0], [0.3, 1, 0.2], [0, 0.2, 0.5]])
    off = rings(np.ones(3), A) - 1
    np.testing.assert_allclose(np.einsum("rni,ij,rnj->rn", off, np.linalg.inv(A), off), 1.0)
