"""What methods are fitted with."""

import numpy as np

from emberscope import catalogue
from emberscope.bags import Bags
from emberscope.course.labels import Labels, labeled

EVERY, CERTAIN = np.array([-1, 1, 1]), np.array([-1, 0, 1])
LABELS = Labels(EVERY, Bags.from_column([0, 1, 1], [-1, 1]), EVERY, CERTAIN)


def test_a_method_that_reads_bags_gets_what_is_certain_and_others_all():
    assert LABELS.known_to(catalogue.method("mi-le")) is CERTAIN
    assert LABELS.known_to(catalogue.method("s-le")) is EVERY


def test_kinds_of_labels_are_those_of_the_signs_that_are_asked_about():
    assert labeled(np.array([0, -1]), None) == {catalogue.BACKGROUND}
    assert labeled(LABELS.bags.labels, LABELS.bags) == {catalogue.BACKGROUND, catalogue.TARGET}
