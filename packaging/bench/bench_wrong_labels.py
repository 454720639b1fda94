"""Wrong labels: how many of the first twenty in the list are, where 5 % were made wrong on purpose.

Labels of bags are turned over at random, target to background and back. Twenty wrong ones and more
are only in sets of 400 bags: of smaller ones as many are listed as are wrong. The error of the
probabilities is the mean gap, over ten parts of equal size, between what they say and what is
wrong.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from clips import DEVELOPMENT, ROOT, UNTOUCHED, inputs_of, scene_clips
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.datasets.benchmarks import read_benchmark
from emberscope.evaluate.doubts import bag_doubts
from emberscope.features.recipe import FeatureRecipe

SEEDS, SHARE, TOP = 3, 0.05, 20
NAMES = ("night 130 m, cars", "night 60 m, persons", "night 130 m steep, two classes")
TABLES = ROOT.parent / "shared" / "data" / "mil"


def rows() -> Iterator[tuple[str, float, str, str]]:
    with TemporaryDirectory() as folder:
        for name, X, bags in _sets(Path(folder)):
            found = [_precision(X, bags, seed) for seed in range(SEEDS)]
            values = [one[0] for one in found]
            what = f"{name}, {len(bags)} bags"
            yield what, float(np.mean(values)), "precision", f">= .8; least {min(values):.2f}"
            error = float(np.mean([one[1] for one in found]))
            yield f"{what}: error of the probabilities", error, "", ""


def _sets(folder: Path) -> Iterator[tuple[str, NDArray, Bags]]:
    clips = [clip for clip in (*DEVELOPMENT, *UNTOUCHED) if clip.name in NAMES and clip.there]
    for clip in (*clips, *scene_clips(folder)):
        found = inputs_of(clip, FeatureRecipe(kind="infrared"))
        yield clip.name, found.X, found.made.bags
    for name in ("corel_african", "elephant/elephant.csv"):
        if (TABLES / name).exists():
            points = read_benchmark(TABLES / name)
            assert points.bags is not None
            yield name, points.X, points.bags
    yield "digits, a 9 in positive bags", *digits_in_bags(600)


def digits_in_bags(n: int, *, size: int = 8, seed: int = 0) -> tuple[NDArray, Bags]:
    """n bags of handwritten digits; two of every other one are nines, and no others are."""
    from sklearn.datasets import load_digits

    known, rng = load_digits(), np.random.default_rng(seed)
    nines, others = (np.flatnonzero((known.target == 9) == yes) for yes in (True, False))
    labels = np.where(np.arange(n) % 2, 1, -1)
    drawn = rng.choice(others, (n, size))
    drawn[labels > 0, :2] = rng.choice(nines, (int((labels > 0).sum()), 2))
    X = known.data[drawn.ravel()].astype(np.float32)
    return X, Bags.from_column(np.repeat(np.arange(n), size), labels)


def _precision(X: NDArray, bags: Bags, seed: int) -> tuple[float, float]:
    """Share of wrong labels among the first, and the error of the probabilities."""
    rng, count = np.random.default_rng(seed), max(1, round(SHARE * len(bags)))
    wrong = np.zeros(len(bags), bool)
    wrong[rng.choice(len(bags), count, replace=False)] = True
    labels = np.where(wrong, -bags.labels, bags.labels)
    group = np.arange(len(bags)) if bags.groups is None else bags.groups
    found = bag_doubts(X, replace(bags, labels=labels), group, seed=seed).probability
    said = np.where(labels > 0, 1 - found, found)
    order = np.argsort(-said)
    parts = np.array_split(order, 10)
    gap = np.mean([abs(said[part].mean() - wrong[part].mean()) for part in parts])
    return float(wrong[order[: min(TOP, count)]].mean()), float(gap)
