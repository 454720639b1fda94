"""Which bags are held out together."""

import numpy as np

from emberscope.bags import Bags, Instances
from emberscope.course.labels import Labels
from emberscope.course.split import Split

BAGS = Bags.from_column(np.arange(8), np.tile([1, -1], 4))
SIGNS = BAGS.instance_labels(8)


def test_bags_of_one_place_are_held_out_together():
    boxes = np.stack([np.arange(8)] * 4, axis=1)
    near = Instances.at(np.zeros(8, int), np.repeat([0, 1, 100, 101], 2), boxes)
    parts = Split().parts(Labels(SIGNS, BAGS, SIGNS, SIGNS, near))
    assert (parts.fold[0::2] == parts.fold[1::2]).all()


def test_bags_without_a_place_keep_their_groups():
    groups = np.repeat([0, 1], 4)
    parts = Split().parts(Labels(SIGNS, BAGS, SIGNS, SIGNS, groups=groups))
    assert len(np.unique(parts.fold)) == 2
    assert (parts.fold == parts.fold[groups * 4]).all()


def test_nothing_is_held_out_where_there_are_no_bags():
    assert Split().parts(Labels(SIGNS, None, SIGNS, SIGNS)) is None
