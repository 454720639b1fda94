"""The order of rows, bags and pairs says nothing: what learns from labels finds the same in another
order, also where instances that are held back decide what is learned, as most features say nothing.
"""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.catalogue import EMBEDDERS, load, method
from emberscope.labels.side_info import SideInfo

N = 120
# What they draw at random they draw by number of row, from their start or in each step.
DRAWN = ("contrastive", "triplet", "siamese", "siamese-triplet", "mi-le", "mi-isomap", "mi-umap",
         "partial-distance-metric")
STOPPED = {"smds": 1e-2, "midr": 1e-2}  # stop before the last digits are settled
READ = [row.id for row in EMBEDDERS
        if row.needs in ("instance", "bag", "classes", "pairs") and row.id not in DRAWN]


@pytest.fixture(scope="module")
def given():
    """Rows of 18 features of which two part the classes, labels, bags of four, and 40 pairs."""
    rng = np.random.default_rng(1)
    y = np.where(rng.random(N) < 0.3, 1, -1)
    X = rng.normal(size=(N, 18))
    X[:, :2] += 0.8 * y[:, None]
    bags = Bags.from_column(np.arange(N) // 4, y.reshape(-1, 4).max(axis=1))
    return X, y, bags, rng.permutation(N).reshape(-1, 2)[:40]


@pytest.fixture(scope="module")
def turned(given):
    """The same, rows, bags and pairs in another order each, and which row is which."""
    X, y, bags, pairs = given
    rng = np.random.default_rng(5)
    order, of_bags = rng.permutation(N), rng.permutation(len(bags))
    place = np.argsort(order)
    other = Bags.from_lists([place[bags.of(int(k))[::-1]] for k in of_bags], bags.labels[of_bags])
    return (X[order], y[order], other, place[rng.permutation(pairs)][:, ::-1]), order


def fitted(id, X, y, bags, pairs):
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    needs = method(id).needs
    return load(id)().fit(X, **(
        {"side": SideInfo.of_pairs(pairs[same], pairs[~same])} if needs == "pairs"
        else {"bags": bags} if needs == "bag" else {"y": y}))


def up_to_sign(Z):
    return Z * np.sign(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])])


@pytest.mark.parametrize("id", READ)
def test_rows_in_another_order_have_the_same_map(id, given, turned):
    other, order = turned
    Z = up_to_sign(fitted(id, *given).embedding_)
    np.testing.assert_allclose(
        up_to_sign(fitted(id, *other).embedding_), Z[order],
        atol=STOPPED.get(id, 1e-6) * np.abs(Z).max())


def planted(seed):
    """80 bags of 2 to 8; each second one has an instance far out in two of 18 features."""
    rng = np.random.default_rng(seed)
    sizes, positive = rng.integers(2, 9, 80), np.arange(80) % 2 == 0
    X = rng.normal(size=(sizes.sum(), 18))
    X[(np.cumsum(sizes) - sizes)[positive], :2] = 2.2
    return X, Bags.from_column(np.repeat(np.arange(80), sizes), np.where(positive, 1, -1))


@pytest.mark.parametrize("seed", range(3))
def test_bags_in_another_order_choose_the_same_features(seed):
    X, bags = planted(seed)
    rng = np.random.default_rng(seed)
    order, of_bags = rng.permutation(len(X)), rng.permutation(len(bags))
    place = np.argsort(order)
    other = Bags.from_lists([place[bags.of(int(k))] for k in of_bags], bags.labels[of_bags])
    first = load("mi-svm-instance")().fit(X, bags=bags)
    again = load("mi-svm-instance")().fit(X[order], bags=other)
    assert again.counting_.tolist() == first.counting_.tolist()
    np.testing.assert_allclose(again.score_, first.score_[order], atol=1e-9)
