"""Documents as bags of paragraphs."""

import numpy as np
import pytest

from emberscope.bags.reduce import bag_mean
from emberscope.datasets.topics import topic_bags


@pytest.mark.parametrize("noise", ["isotropic", "subspace"])
def test_fifty_bags_of_5_to_19_instances_per_topic(noise):
    X, bags, topic = topic_bags(noise=noise)
    assert X.shape == (len(bags.members), 300)
    assert np.bincount(topic).tolist() == [50] * 5
    assert (bags.sizes.min(), bags.sizes.max()) == (5, 19)
    assert not bags.labels.any()
    assert (bags.classes == topic + 1).all()


@pytest.mark.parametrize("noise", ["isotropic", "subspace"])
def test_the_means_of_bags_without_outliers_lie_about_the_center_of_their_topic(noise):
    X, bags, topic = topic_bags(20, noise=noise, outliers=0.0)
    means = bag_mean(X, bags)
    centers = np.stack([means[topic == t].mean(axis=0) for t in range(5)])
    nearest = np.square(means[:, None] - centers).sum(axis=2).argmin(axis=1)
    assert (nearest == topic).mean() > 0.95  # six other draws: 0.99 to 1.0


def test_in_the_kind_set_a_bag_varies_in_three_directions_of_its_topic():
    X, bags, topic = topic_bags(20, noise="subspace", outliers=0.0)
    rows = np.concatenate([bags.of(k) for k in np.flatnonzero(topic == 2)])
    spread = np.linalg.svd(X[rows] - X[rows].mean(axis=0), compute_uv=False) ** 2
    assert spread[:3].sum() > 0.9 * spread.sum()


def test_one_in_ten_instances_is_a_gross_outlier():
    X, _, _ = topic_bags()
    assert (np.linalg.norm(X, axis=1) > 65).mean() == pytest.approx(0.1, abs=0.03)
