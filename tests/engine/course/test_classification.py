"""What was chosen inside the training folds, and how it is said."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.course.classification import (
    chosen_words,
    first_of_groups,
    fit_notes,
    most_often,
    size_auc,
)
from emberscope.evaluate.bag_validation import Validated


def bags_of(sizes, labels):
    return Bags.from_column(np.repeat(np.arange(len(sizes)), sizes), np.array(labels))


@pytest.mark.parametrize("labels", [[1, 1, -1, -1], [-1, -1, 1, 1]])
def test_bags_that_differ_in_size_are_told_apart_by_it_whichever_are_larger(labels):
    assert size_auc(bags_of([9, 8, 2, 1], labels)) == 1.0


def test_bags_of_one_size_are_not_told_apart_by_it():
    assert size_auc(bags_of([4, 4, 4, 4], [1, 1, -1, -1])) == 0.5


def test_bags_without_a_label_have_no_say_in_what_size_tells():
    assert size_auc(bags_of([4, 4, 9], [1, -1, 0])) == 0.5


def test_values_are_counted_by_folds():
    counts = {"n_citers": {"6": 4, "4": 1}, "distance": {"max": 5}}
    assert chosen_words("Citation-kNN", counts) == (
        "Citation-kNN, chosen inside the training folds: citers 6 in 4 of 5, 4 in 1; distance max "
        "in 5 of 5."
    )


def test_values_that_won_together_most_often_are_the_usual_ones():
    assert most_often([{"k": 3, "w": 1}, {"k": 5, "w": 1}, {"k": 3, "w": 1}]) == {"k": 3, "w": 1}


def test_where_nothing_is_chosen_nothing_is_usual():
    assert most_often([{}, {}]) == most_often([]) == {}


def noted(*folds):
    return Validated(
        np.empty(0), np.empty(0), np.empty(0, np.int64), [{} for _ in folds], list(folds)
    )


def test_a_note_of_every_fold_is_said_once_with_the_numbers_of_the_first():
    assert fit_notes([noted(["Of 3 bags 2."], ["Of 4 bags 2."]), noted(["Of 5 bags 1."])]) == [
        "Of 3 bags 2."
    ]


def test_a_note_of_some_folds_says_of_how_many():
    assert fit_notes([noted(["No box."], [], ["No box."])]) == ["No box. (In 2 of 3 folds.)"]


def test_the_best_bag_of_a_group_is_counted_where_it_holds_both_kinds():
    bags = replace(bags_of([1, 1, 1, 1, 1, 1, 1], [1, -1, 1, -1, -1, 1, 1]),
                   groups=np.array([0, 0, 1, 1, 1, 2, 2]))
    score = np.array([3.0, 1.0, 2.0, 5.0, np.nan, 0.0, 1.0])
    # group 0 is right, group 1 wrong, group 2 holds positive bags only
    assert first_of_groups(bags, score) == {"group_first": 0.5, "group_first_chance": 0.5}


def test_bags_that_score_the_same_share_the_first_place():
    bags = replace(bags_of([1, 1], [1, -1]), groups=np.zeros(2, np.int64))
    assert first_of_groups(bags, np.ones(2))["group_first"] == 0.5
