"""Bags to learn from, in an order that their values and labels decide."""

import numpy as np
import pytest

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.mil.training_bags import (
    in_order_of_values,
    renumbered,
    thinned,
    thinned_note,
    training_bags,
)


def usable(lists, labels, n):
    return training_bags(None, Bags.from_lists(lists, np.array(labels)), n)


def test_negative_bags_come_first_then_small_ones_then_by_values():
    X = np.array([5.0, 4, 3, 2, 1, 0])[:, None]
    found = in_order_of_values(X, usable([[0, 1], [2], [3], [4, 5]], [1, 1, 1, -1], 6))
    assert [found.bags.of(k).tolist() for k in range(4)] == [[5, 4], [3], [2], [1, 0]]
    assert found.rows.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("seed", range(5))
def test_values_in_order_are_the_same_whatever_the_order_of_rows_and_bags(seed):
    rng = np.random.default_rng(seed)
    # Many rows are tied in the first features, some in all
    X = rng.integers(0, 3, (40, 3)).astype(float)
    lists, labels = (
        [np.arange(4 * k, 4 * k + 4) for k in range(10)],
        np.where(np.arange(10) % 3, -1, 1),
    )
    rows, order = rng.permutation(40), rng.permutation(10)
    moved = [np.argsort(rows)[rng.permutation(lists[k])] for k in order]
    one = in_order_of_values(X, usable(lists, labels, 40))
    two = in_order_of_values(X[rows], usable(moved, labels[order], 40))
    np.testing.assert_array_equal(X[one.bags.members], X[rows][two.bags.members])
    np.testing.assert_array_equal(one.bags.labels, two.bags.labels)


def shared(X, lists, labels):
    return training_bags(
        None, Bags.from_lists(lists, np.array(labels)), len(X), X=np.array(X)
    ).notes


def test_vectors_of_positive_bags_that_a_negative_bag_holds_too_are_counted():
    X = [[1.0, 2.0], [1.0, 3.0], [4.0, 2.0], [1.0, 2.0], [4.0, 2.0], [1.0, 2.0]]
    message = (
        "instances of positive bags equal one of a negative bag in every feature, and may "
        "still be taken for "
    )
    assert shared(X, [[0, 1, 2, 3], [4, 5]], [1, -1]) == [f"3 {message}targets."]
    assert shared(X, [[0, 1], [2, 4]], [1, -1]) == []


def test_a_row_that_lies_in_both_bags_is_background_and_no_shared_vector():
    assert shared([[1.0], [2.0], [1.0]], [[0, 1], [0]], [1, -1]) == []
    assert len(shared([[1.0], [2.0], [1.0]], [[1, 2], [0]], [1, -1])) == 1


def test_a_signed_zero_is_the_same_value():
    assert len(shared([[0.0, 1.0], [-0.0, 1.0]], [[0], [1]], [1, -1])) == 1


@pytest.mark.parametrize(
    "id", ["mida", "m-mida", "midr", "clfda", "mi-svm-bag", "citation-knn", "mil-boost"]
)
def test_methods_of_bags_say_that_a_vector_lies_on_both_sides(id):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X[0] = X[39]
    est = catalogue.load(id)()
    est.fit(X, bags=Bags.from_column(np.arange(40) // 4, np.repeat([1, -1], 5)))
    assert any(note.startswith("1 instance of positive bags equals") for note in est.notes_)


def test_rows_are_numbered_in_the_order_bags_name_them():
    rows, bags = renumbered(Bags.from_lists([[7, 3], [3, 9]], np.array([-1, 1])))
    assert rows.tolist() == [7, 3, 9]
    assert bags.members.tolist() == [0, 1, 1, 2]


def test_of_a_large_bag_instances_evenly_spaced_in_order_of_values_are_kept():
    X = np.array([7.0, 6, 5, 4, 3, 2, 1, 0, 9, 8])[:, None]
    found = thinned(X, Bags.from_lists([[8, 9], range(8)], np.array([1, -1])), 4)
    assert found.of(0).tolist() == [8, 9]
    assert X[found.of(1), 0].tolist() == [0, 2, 4, 6]


def test_what_is_kept_of_a_large_bag_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    X, order = rng.integers(0, 2, (30, 4)).astype(float), rng.permutation(30)
    bags = Bags.from_lists([range(30)], np.array([1]))
    np.testing.assert_array_equal(
        X[thinned(X, bags, 7).members], X[order][thinned(X[order], bags, 7).members]
    )


def test_small_bags_are_left_as_they_are():
    bags = Bags.from_lists([[1, 0], [2]], np.array([1, -1]))
    assert thinned(np.arange(3.0)[:, None], bags, 2) is bags


@pytest.mark.parametrize(("sizes", "message"), [
    ([1, 2], []), ([9, 1], ["Of 1 bag with more than 5 instances 5 are compared."]),
    ([9, 9], ["Of 2 bags with more than 5 instances 5 each are compared."]),
])
def test_bags_that_were_sampled_are_noted(sizes, message):
    assert (
        thinned_note(
            Bags.from_lists([range(n) for n in sizes], np.array([1, -1])), 5, "are compared"
        )
        == message
    )
