"""Which features weigh in a concept."""

import numpy as np

from emberscope.mil.concepts.model import Concepts
from emberscope.mil.concepts.profile import feature_weights, feature_widths, in_features


def test_a_feature_weighs_as_much_as_it_keeps_background_away():
    concepts = Concepts(np.array([[3.0, 1.0, 0.0]]), np.array([[1.0, 1.0, 5.0]]))
    background = np.array([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    np.testing.assert_allclose(feature_weights(concepts, background), [[0.9, 0.1, 0.0]])


def test_weights_of_principal_components_are_of_the_features_behind_them():
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    background, mean = np.random.default_rng(1).normal(size=(50, 3)), np.ones(3)
    center = np.array([[5.0, 0.0, 0.0]])
    same = Concepts(center, np.full((1, 3), 2.0))
    turned = Concepts((center - mean) @ turn, same.scales)  # round, so that turning changes nothing
    np.testing.assert_allclose(
        feature_weights(turned, background, axes=turn, mean=mean),
        feature_weights(same, background),
        atol=1e-12,
    )
    np.testing.assert_allclose(in_features(turned.centers, turn, mean), center, atol=1e-12)


def test_background_that_nothing_tells_apart_gives_no_weights():
    assert (feature_weights(Concepts(np.ones((1, 2)), np.ones((1, 2))), np.ones((4, 2))) == 0).all()


def test_a_concept_is_as_wide_as_its_gaussian_and_without_end_where_a_feature_does_not_count():
    np.testing.assert_allclose(
        feature_widths(Concepts(np.zeros((1, 2)), np.array([[2.0, 0.0]]))), [[0.5, np.inf]]
    )


def test_a_round_concept_of_principal_components_is_as_wide_in_the_features_behind_them():
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    round_one = Concepts(np.zeros((1, 3)), np.full((1, 3), 2.0))
    np.testing.assert_allclose(feature_widths(round_one, axes=turn), np.full((1, 3), 0.5))


def test_a_feature_is_as_wide_as_all_space_only_where_an_axis_without_scale_reaches_it():
    one = Concepts(np.zeros((1, 2)), np.array([[2.0, 0.0]]))
    axes = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(feature_widths(one, axes=axes), [[0.5, np.inf, 0.0]])
