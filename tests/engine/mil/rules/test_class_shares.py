"""How instances divide between classes of targets."""

from dataclasses import replace

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch
from emberscope.mil.rules.class_shares import class_shares


def test_classes_are_learned_across_blocks_where_a_group_of_clips_shows_one():
    X = np.random.default_rng(0).normal(size=(120, 4))
    labels, clip = np.tile([1, -1], 20), np.repeat(np.arange(4), 10)
    X[:, 0] += 6 * np.repeat(clip % 2, 3)
    classes = np.where(labels > 0, 1 + clip % 2, 9)
    plain = Bags.from_column(np.repeat(np.arange(40), 3), labels)
    bags = replace(plain, classes=classes, groups=clip % 2, blocks=np.arange(40))
    shares = class_shares(X, bags, np.ones(120))[1]
    own = shares[np.arange(120), np.repeat(clip % 2, 3)]
    assert own[bags.instance_labels(120) > 0].mean() > 0.8  # six other draws: 0.84 to 0.89


def test_shares_of_classes_can_be_canceled():
    X, labels = np.random.default_rng(0).normal(size=(120, 4)), np.tile([1, -1], 20)
    kinds = np.where(labels > 0, np.arange(40) % 4, 9)
    bags = replace(Bags.from_column(np.repeat(np.arange(40), 3), labels), classes=kinds)
    with pytest.raises(Cancelled):
        class_shares(X, bags, np.ones(120), Watch(stop=lambda: True))


def test_bags_without_a_label_teach_no_class():
    X = np.random.default_rng(0).normal(size=(120, 4))
    labels = np.tile([1, -1, 0, 1], 10)
    plain = Bags.from_column(np.repeat(np.arange(40), 3), labels)
    given = np.tile([1, 9, 0, 2], 10)
    bags = [replace(plain, classes=np.where(labels == 0, of, given)) for of in (1, 2, 7)]
    found = [class_shares(X, one, np.ones(120)) for one in bags]
    for kinds, shares in found:
        assert kinds.tolist() == [1, 2]
        assert np.array_equal(shares, found[0][1])
    assert len(np.unique(found[0][1])) > 1  # something was learned
