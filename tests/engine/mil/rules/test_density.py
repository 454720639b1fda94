"""The rule of density."""

import pytest

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.datasets.planted import planted_bags
from emberscope.mil.rules.table import select


def test_density_finds_most_planted_targets_among_30_dimensions_of_noise():
    X, bags, truth = planted_bags(40)
    score = select("density", X, bags)
    best = [bags.of(k)[score[bags.of(k)].argmax()] for k in range(20)]
    assert truth[best].mean() >= 0.6  # six other draws: 0.85 to 1.0


def test_density_without_negative_bags_asks_for_them(clouds):
    X, _, _ = clouds
    with pytest.raises(MissingLabels, match="positive and negative"):
        select("density", X, Bags.from_lists([[0, 1]], [1]))
