"""Bags of chips: in each positive bag one chip has a bright square among the stripes that all
have."""

import numpy as np

from emberscope.bags.model import Bags

PER_BAG = 5


def spots(n_bags, *, side=16, seed=0):
    """Chips (N, side, side), bags (K,) of five, and which chip of a positive bag has the spot."""
    rng = np.random.default_rng(seed)
    chips = rng.normal(0.4, 0.05, (n_bags * PER_BAG, side, side)).astype(np.float32)
    for chip in chips:
        chip[rng.integers(side)] += 0.15
    labels = np.where(np.arange(n_bags) % 2, 1, -1).astype(np.int8)
    shown = rng.integers(PER_BAG, size=n_bags)
    for k in np.flatnonzero(labels > 0):
        y, x = rng.integers(2, side - 6, 2)
        chips[k * PER_BAG + shown[k], y : y + 4, x : x + 4] += 0.4
    everyone = np.arange(n_bags)
    bags = Bags(np.arange(0, n_bags * PER_BAG + 1, PER_BAG), np.arange(n_bags * PER_BAG), labels,
                everyone, np.zeros(n_bags, np.int64))
    return np.clip(chips, 0, 1), bags, shown
