"""The two synthetic sets of the MIDA paper."""

import numpy as np

from emberscope.datasets.planted import planted_bags, planted_classes


def test_every_positive_bag_holds_exactly_one_target_at_a_random_place():
    X, bags, truth = planted_bags(40)
    assert X.shape == (320, 32)
    per_bag = [truth[bags.of(k)].sum() for k in range(40)]
    assert per_bag == [1] * 20 + [0] * 20
    assert len(set(np.flatnonzero(truth) % 8)) > 3  # a fixed place would fake the prototype rate


def test_centers_and_variances_are_those_of_the_paper():
    X, _, truth = planted_bags(4000, bag_size=2)
    np.testing.assert_allclose(X[truth, :2].mean(axis=0), [-4, 4], atol=0.15)
    np.testing.assert_allclose(X[~truth, :2].mean(axis=0), [4, -4], atol=0.1)
    np.testing.assert_allclose(X[~truth, :2].var(axis=0), 2, rtol=0.1)
    np.testing.assert_allclose(X[:, 2:].var(axis=0), 9, rtol=0.1)


def test_every_bag_of_a_class_holds_exactly_one_target_at_a_random_place():
    X, bags, truth = planted_classes(60)
    assert X.shape == (480, 32)
    assert (bags.labels == 1).all()
    assert np.bincount(bags.classes).tolist() == [0, 20, 20, 20]
    assert [truth[bags.of(k)].sum() for k in range(60)] == [1] * 60
    assert len(set(np.flatnonzero(truth) % 8)) > 3


def test_classes_differ_in_their_targets_and_share_their_background():
    X, bags, truth = planted_classes(6000, bag_size=2)
    of = bags.classes[bags.first_bag(len(X))]
    for c, center in ((1, (-4, 4)), (2, (4, -4)), (3, (8, 8))):
        np.testing.assert_allclose(X[truth & (of == c), :2].mean(axis=0), center, atol=0.15)
        np.testing.assert_allclose(X[~truth & (of == c), :2].mean(axis=0), [-2, 15], atol=0.2)
    np.testing.assert_allclose(X[truth & (of == 1), :2].var(axis=0), 2, rtol=0.1)
    np.testing.assert_allclose(X[~truth, :2].var(axis=0), 4, rtol=0.1)
    np.testing.assert_allclose(X[:, 2:].var(axis=0), 9, rtol=0.1)
