"""Concepts on a map."""

import numpy as np

from emberscope.mil.concepts.projection import ellipses, estimated_stars, outline, rings, shadows


def test_an_ellipse_is_the_outline_of_what_fills_it_evenly_around_its_star():
    Z = np.random.default_rng(0).uniform(-1, 1, (40_000, 2))
    Z = Z[np.square(Z).sum(axis=1) < 1] * [2.0, 0.5]
    found = ellipses(np.ones((len(Z), 1)), Z, np.zeros((1, 2)))
    np.testing.assert_allclose(found[0], np.diag([4.0, 0.25]), atol=0.1)


def test_unlikely_instances_do_not_widen_an_ellipse():
    Z = np.array([[1.0], [-1.0], [9.0]])
    found = ellipses(np.array([[0.6], [0.6], [0.4]]), Z, np.zeros((1, 1)))
    np.testing.assert_allclose(found[0], [[3.0]])


def test_without_likely_instances_all_count_by_their_probability():
    Z = np.array([[1.0], [2.0]])
    found = ellipses(np.array([[0.3], [0.1]]), Z, np.zeros((1, 1)))
    np.testing.assert_allclose(found[0], [[3 * (0.75 * 1 + 0.25 * 4)]])


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
    found = estimated_stars(np.array([[0.3, 0.0], [0.1, 0.0]]), np.array([[0.0, 4.0], [4.0, 0.0]]))
    np.testing.assert_allclose(found[0], [1.0, 3.0])
    assert np.isnan(found[1]).all()


def test_likely_instances_alone_make_an_estimated_star():
    found = estimated_stars(np.array([[0.9], [0.9], [0.4]]), np.array([[0.0], [2.0], [50.0]]))
    np.testing.assert_allclose(found, [[1.0]])
