"""What a classifier says of bags that it has not seen."""

import numpy as np

from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.course.split import HeldBags
from emberscope.course.stages.classified import Read, classified
from emberscope.evaluate.bag_validation import Model


class ByColumn:
    """Scores by one feature; names classes 1 and 2 by the same."""

    calibrated = True

    def __init__(self, column=0):
        self.column, self.notes_ = column, []

    def fit(self, X, bags=None, monitor=None):
        return self

    fit_classes = fit

    def score_instances(self, X):
        return X[:, self.column]

    def score_bags(self, X, bags):
        return X[bags.members, self.column]

    def say_classes(self, X, bags):
        return np.full(len(bags), self.column + 1)


def test_classes_of_a_fold_are_named_by_what_was_chosen_without_it():
    signs = np.tile([1, -1], 12)
    n, fold = len(signs), np.repeat([0, 1], 12)
    X = np.zeros((n, 2))
    X[np.arange(n), fold] = signs  # the first half is told by one feature, the other by the other
    classes = np.where(signs > 0, 1 + np.arange(n) // 2 % 2, 9)
    bags = Bags.from_lists([[row] for row in range(n)], signs, classes=classes)
    boxes = np.tile([0.0, 0, 1, 1], (n, 1))
    made = MadeBags(Instances.at(np.ones(n), np.arange(n), boxes), bags, bags.labels,
                    np.empty(0, np.int64), [], np.zeros(n, bool))
    block = np.arange(n) // 2
    read = Read(X, Model(ByColumn, {}, {"column": (0, 1)}), X)
    found = classified(read, made, HeldBags(block, block, np.zeros(n, int), fold), title="")
    assert found.arrays["class_said"].tolist() == np.where(fold == 0, 2, 1).tolist()
