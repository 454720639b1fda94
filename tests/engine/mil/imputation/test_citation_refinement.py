"""Citation refinement against a table and its safety rule."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.datasets.bags_of_points import random_bags
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.mil.imputation.citation_refinement import citation_refinement

from ..rules.test_citation import blobs


def test_a_positive_instance_turns_where_the_ratio_reaches_tau():
    X, bags = blobs()
    labels, ratio = citation_refinement(X, bags, tau=0.5)
    positive = bags.instance_labels(60) > 0
    kept = np.array([(labels[bags.of(k)] > 0).sum() for k in range(len(bags))])
    assert (kept[bags.labels > 0] >= 1).all()
    assert (labels[~positive] == -1).all()
    assert (labels[positive & (ratio < 0.5)] == 1).all()


def test_a_bag_left_without_a_positive_gets_back_its_instance_of_lowest_ratio():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [0.4], [9.0], [9.1]])
    bags = Bags.from_column(np.array([0, 1, 1, 1, 1, 0, 0]), np.array([1, -1]))
    labels, _ = citation_refinement(X, bags, n_references=1, n_citers=1, tau=0.0)
    assert labels.tolist() == [-1, -1, -1, -1, -1, 1, -1]


def test_a_known_label_stays():
    X, bags = blobs()
    y = np.zeros(60, int)
    y[bags.of(int(np.flatnonzero(bags.labels > 0)[0]))[:1]] = 1
    assert citation_refinement(X, bags, tau=0.0, y=y)[0][y > 0].tolist() == [1]


def test_instances_of_no_labeled_bag_stay_unknown():
    X, _ = blobs()
    bags = Bags.from_lists([[0, 1], [40, 41], [50]], [1, -1, 0])
    assert (citation_refinement(X, bags)[0] != 0).sum() == 4


@pytest.mark.parametrize(("kind", "least"), [("separable", 0.98), ("crossing", 0.93)])
def test_it_tells_nearly_all_instances_of_random_bags_on_the_surfaces(kind, least):
    X, y = quadratic_surfaces(1000, kind=kind)
    bags = random_bags(y, witness_rate=0.69)
    assert (bags.instance_labels(2000) == y).mean() < 0.79  # six other draws: 0.775 to 0.778
    # Six other draws: 0.992 and more; 0.940 and more
    assert (citation_refinement(X, bags)[0] == y).mean() >= least


def test_the_order_of_instances_does_not_matter():
    X, bags = blobs()
    order = np.random.default_rng(1).permutation(60)
    there = np.argsort(order)
    moved = Bags(bags.indptr, there[bags.members], bags.labels, bags.ids, bags.classes)
    assert np.array_equal(
        citation_refinement(X[order], moved)[0], citation_refinement(X, bags)[0][order]
    )


def test_a_single_instance_is_refused():
    with pytest.raises(DataError, match="single instance"):
        citation_refinement(np.ones((1, 2)), Bags.from_lists([[0]], [1]))
