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

import msgspec
import numpy as np
from clips import DEVELOPMENT, ROOT, UNTOUCHED, inputs_of, labeled, scene_clips
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.catalogue.usual import usual_recipe
from emberscope.datasets.benchmarks import read_benchmark
from emberscope.evaluate.doubts import bag_doubts, wrong_labels
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels import Box
from emberscope.pipeline.doubtful import doubtful_labels
from emberscope.project import PutLabels

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
    yield from _moved()


def _moved() -> Iterator[tuple[str, float, str, str]]:
    """Boxes that were moved one side away, and how many are found and moved back."""
    clip = DEVELOPMENT[0]
    if not clip.there:
        return
    project = labeled(clip)
    boxes = [label for label in project.labels
             if isinstance(label, Box) and project.role(label.class_id) > 0]
    rng = np.random.default_rng(0)
    wrong = [boxes[at] for at in rng.choice(len(boxes), len(boxes) // 20, replace=False)]
    project.apply(PutLabels(before=wrong, after=[_aside(label) for label in wrong]))
    recipe = usual_recipe(project)[0]
    rows = doubtful_labels(project, recipe).rows
    old = {label.id: label for label in wrong}
    first = [row for row in rows[: len(wrong)] if row.label in old]
    yield f"{clip.name}: boxes moved aside that are first", len(first) / len(wrong), "", ""
    back = [row for row in rows if row.label in old and row.box is not None
            and abs(row.box[0] - old[row.label].x0) <= (old[row.label].x1 - old[row.label].x0) / 2]
    yield f"{clip.name}: of them moved back to half a side", len(back) / len(wrong), "", ""


def _aside(label: Box) -> Box:
    wide = label.x1 - label.x0
    return msgspec.structs.replace(label, x0=label.x0 + wide, x1=label.x1 + wide, core=None)


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
    share = (labels > 0).mean()
    said = wrong_labels(np.where(labels > 0, found, 1 - found),
                        np.where(labels > 0, share, 1 - share))
    order = np.argsort(-said)
    parts = np.array_split(order, 10)
    gap = np.mean([abs(said[part].mean() - wrong[part].mean()) for part in parts])
    return float(wrong[order[: min(TOP, count)]].mean()), float(gap)
