"""What every weakly supervised method keeps: an instance known to be background is no candidate of
its positive bag."""

from functools import cache

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.catalogue import METHODS, load

pytestmark = pytest.mark.usefixtures("few_trees")

FAMILIES = ("weakly supervised reduction", "multiple-instance classifiers", "rankers and detectors")
WITHOUT_LABELS = {"pole-nonnegative"}  # stands beside pOLE, and reads neither labels nor bags
IDS = [row.id for row in METHODS if row.family in FAMILIES and row.id not in WITHOUT_LABELS]
MORE = {"pole": {"supervision": 0.5},  # looks at no label by default
        "mi-forest": {"n_trees": 10, "n_rounds": 3}}  # does not need to be the best


@pytest.fixture(scope="module")
def data():
    """24 bags of 4 in 5-D. Positive ones hold a target, +3 in the first feature, and a decoy, +9 in
    the second, which no negative bag has; y says of every decoy that it is background. Also the
    bags without the decoys."""
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(24) % 2, 1, -1)
    bag = np.repeat(np.arange(24), 4)
    X, positive = rng.normal(size=(96, 5)), labels[bag] > 0
    target, decoy = positive & (np.arange(96) % 4 == 1), positive & (np.arange(96) % 4 == 2)
    X[target, 0] += 3
    X[decoy, 1] += 9
    bags = Bags.from_column(bag, labels)
    bags = Bags(
        bags.indptr,
        bags.members,
        bags.labels,
        bags.ids,
        np.where(labels > 0, 1 + np.arange(24) % 4 // 2, 9),
    )
    without = Bags.from_column(np.where(decoy, -1, bag), labels)
    without = Bags(without.indptr, without.members, without.labels, without.ids, bags.classes)
    return X, np.where(decoy, -1, 0), bags, without, decoy


def make(id):
    return load(id)(**MORE.get(id, {}))


@pytest.fixture(scope="module")
def with_marks(data):
    """Fits of `data` by method, each made once and only read."""
    X, y, bags, _, _ = data
    return cache(lambda id: make(id).fit(X, y, bags=bags))


def outcome(est, X):
    return est.score_instances(X) if hasattr(est, "score_instances") else est.embedding_


@pytest.mark.parametrize("id", IDS)
def test_a_marked_instance_teaches_no_more_in_a_positive_bag_than_outside_it(id, data, with_marks):
    X, y, _, without, _ = data
    expected = make(id).fit(X, y, bags=without)
    np.testing.assert_allclose(outcome(with_marks(id), X), outcome(expected, X), atol=1e-9)


@pytest.mark.parametrize("id", IDS)
def test_the_mark_is_what_makes_the_difference(id, data, with_marks):
    X, y, bags, _, _ = data
    unmarked = make(id).fit(X, 0 * y, bags=bags)
    assert not np.allclose(outcome(with_marks(id), X), outcome(unmarked, X), atol=1e-6)


@pytest.mark.parametrize("id", IDS)
def test_no_marked_instance_stands_for_its_bag_or_is_called_a_target(id, data, with_marks):
    decoy, est = data[4], with_marks(id)
    chosen = np.asarray(getattr(est, "prototype_", np.empty(0, np.int64)))
    assert not decoy[chosen[chosen >= 0]].any()
    if hasattr(est, "labels_") and np.shape(est.labels_) == (96,):
        assert not (est.labels_[decoy] > 0).any()
