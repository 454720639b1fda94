"""Bags as explicit graphs."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Silent
from emberscope.evaluate.scores import auc
from emberscope.mil.classifiers.mi_graph_edit import MIGraphEdit, edges_of
from emberscope.mil.classifiers.mi_kernel import MIKernel

COMPARE = pytest.mark.parametrize("compare", ["edges", "edit"])


def pairs(seed, *, n_bags=60, irrelevant=2):
    """Six instances in a plane: of a positive bag three pairs near each other, of a negative one
    each by itself. Single instances look the same; noise, and features that say nothing."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n_bags) % 2, -1, 1)
    X = rng.normal(size=(n_bags, 6, 2))
    X[labels > 0, 3:] = X[labels > 0, :3]
    X += 0.05 * rng.normal(size=X.shape)
    X = np.concatenate([X, 0.1 * rng.normal(size=(n_bags, 6, irrelevant))], axis=2)
    return (X.reshape(n_bags * 6, -1),
            Bags.from_column(np.repeat(np.arange(n_bags), 6), labels))


def held_out(make, seed):
    X, bags = pairs(seed)
    new, of = pairs(seed + 100)
    return auc(of.labels, make.fit(X, bags=bags).score_bags(new, of))


@COMPARE
@pytest.mark.parametrize("seed", range(3))
def test_how_instances_lie_to_each_other_is_seen(compare, seed):
    est = MIGraphEdit(compare=compare, reach=0.3, width=1.0, standardize=False)
    assert held_out(est, seed) > 0.95


def test_a_sum_over_instances_does_not_see_it():
    assert max(held_out(MIKernel(width=1.0, standardize=False), seed) for seed in range(3)) < 0.95


def test_edges_join_what_is_near_and_say_how():
    edges, degrees = edges_of(np.array([[0.0], [1.0], [10.0]]), 0.5)
    # the mean distance is 20 / 3: only 0 and 1 are joined
    assert degrees.tolist() == [1, 1, 0]
    np.testing.assert_allclose(edges, [[1, 1, 1, 1]])


def test_an_edge_is_the_same_from_both_ends():
    A = np.random.default_rng(0).normal(size=(7, 3))
    edges, degrees = edges_of(A, 1.0)
    again, turned = edges_of(A[::-1].copy(), 1.0)
    np.testing.assert_allclose(np.sort(edges, axis=0), np.sort(again, axis=0))
    assert degrees.tolist() == turned[::-1].tolist()


def test_a_graph_is_like_itself_and_a_node_more_costs_half_the_squared_width():
    X = np.array([[0.0], [3.0], [3.0], [-9.0]])
    bags = Bags.from_lists([[0, 1], [0, 1, 3], [2]], [1, 1, -1])
    est = MIGraphEdit(compare="edit", reach=0.0, width=0.8).fit(X, bags=bags)
    graphs = est._graphs(est.X_, est._kept, Silent())
    sizes = graphs.sizes.tolist()
    two, three = sizes.index(2), sizes.index(3)
    assert est._edit(graphs, two, graphs, two) == 0
    assert est._edit(graphs, two, graphs, three) == pytest.approx(0.8**2 / 2 / 3)


@COMPARE
def test_large_bags_are_refused_with_the_alternative(compare):
    X = np.random.default_rng(0).normal(size=(80, 2))
    bags = Bags.from_lists([range(61), range(61, 80)], [1, -1])
    with pytest.raises(TooLarge, match=r"61 instances, where 60 are the most\. Take mi-graph"):
        MIGraphEdit(compare=compare).fit(X, bags=bags)


def test_too_many_edges_together_are_refused(monkeypatch):
    monkeypatch.setattr("emberscope.mil.classifiers.mi_graph_edit._MOST_EDGES", 20)
    X, bags = pairs(0)
    with pytest.raises(TooLarge, match=r"edges of all graphs together, where 20 are the most"):
        MIGraphEdit().fit(X, bags=bags)


def test_too_many_pairs_to_match_are_refused(monkeypatch):
    monkeypatch.setattr("emberscope.mil.classifiers.mi_graph_edit._MOST_MATCHES", 100)
    X, bags = pairs(0)
    with pytest.raises(TooLarge, match=r"3600 pairs of graphs to match\. Compare edges"):
        MIGraphEdit(compare="edit").fit(X, bags=bags)
