"""The rule of kernel regression."""

import numpy as np

from emberscope.datasets.bags_of_points import random_bags
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.evaluate.scores import auc
from emberscope.mil.rules.table import select


def test_the_kernel_finds_rare_targets_on_a_surface_that_crosses_the_background():
    X, y = quadratic_surfaces(400, kind="crossing", seed=0)
    rows = np.concatenate([np.flatnonzero(y > 0)[:50], np.flatnonzero(y < 0)])
    bags = random_bags(y[rows], witness_rate=1 / 8, seed=0)
    inside = bags.instance_labels(len(rows)) > 0
    area = {
        name: auc(y[rows][inside], select(name, X[rows], bags)[inside])
        for name in ("kernel", "trees")
    }
    assert area["kernel"] > max(0.8, area["trees"])
