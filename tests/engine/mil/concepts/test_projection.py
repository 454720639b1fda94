"""Concepts on a map."""

import numpy as np

from emberscope.mil.concepts.projection import ellipses, estimated_stars, outline, rings, shadows


def test_an_ellipse_is_the_half_contour_of_the_spread_around_its_star():
    Z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [0.0, -3.0]]) + 5
    found = ellipses(np.ones((4, 1)), Z, np.array([[5.0, 5.0]]))
    np.testing.assert_allclose(found[0], 2 * np.log(2) * np.diag([0.5, 4.5]))


def test_an_instance_counts_by_its_probability():
    Z = np.array([[1.0], [2.0]])
    found = ellipses(np.array([[1.0], [0.0]]), Z, np.zeros((1, 1)))
    np.testing.assert_allclose(found[0], [[2 * np.log(2)]])


def test_a_concept_without_an_instance_has_no_ellipse():
    assert np.isnan(ellipses(np.zeros((3, 1)), np.zeros((3, 2)), np.zeros((1, 2)))).all()


def test_an_outline_lies_on_the_contour():
    S = np.array([[4.0, 1.0], [1.0, 2.0]])
    off = outline(np.ones(2), S) - 1
    np.testing.assert_allclose(np.einsum("ni,ij,nj->n", off, np.linalg.inv(S), off), 1.0)


def test_every_ring_of_a_wireframe_lies_on_the_ellipsoid():
    A = np.array([[2.0, 0.3, 0], [0.3, 1, 0.2], [0, 0.2, 0.5]])
    off = rings(np.ones(3), A) - 1
    np.testing.assert_allclose(np.einsum("rni,ij,rnj->rn", off, np.linalg.inv(A), off), 1.0)


def test_a_shadow_is_the_half_contour_of_the_projected_gaussian():
    W, s = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), np.array([[0.5, 0.25, 2.0]])
    np.testing.assert_allclose(shadows(s, W)[0], 2 * np.log(2) * np.diag([1 + 2, 4 / 4]))


def test_a_feature_that_does_not_count_casts_no_shadow():
    assert (shadows(np.zeros((1, 3)), np.ones((3, 2))) == 0).all()


def test_an_estimated_star_is_the_weighted_mean_of_instances():
    found = estimated_stars(np.array([[0.75, 0.0], [0.25, 0.0]]), np.array([[0.0, 4.0], [4.0, 0.0]]))
    np.testing.assert_allclose(found[0], [1.0, 3.0])
    assert np.isnan(found[1]).all()
