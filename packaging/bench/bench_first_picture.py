"""The first picture of loosely labeled clips: pointing, ranking inside positive bags and the map, beside the ceiling.

Development clips by default; EMBERSCOPE_BENCH="untouched" judges those that nothing was chosen on.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from clips import (
    DEVELOPMENT,
    UNTOUCHED,
    Clip,
    Inputs,
    blocks,
    inputs_of,
    inside_auc,
    map_accuracy,
    pointing,
    scene_clips,
)
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.folds import grouped_folds
from emberscope.embedding.linear.pca import PCA
from emberscope.features.recipe import FeatureRecipe
from emberscope.mil.imputation.selectors import select

RECIPES = (  # features, components (0 = all), method
    ("hog", 50, "s-le"), ("hog", 50, "mida"), ("hog", 50, "mi-le"), ("infrared", 0, "mida"), ("infrared", 0, "mi-le"),
    ("infrared", 0, "mi-umap"),
)
Row = tuple[str, float, str, str]


def rows() -> Iterator[Row]:
    asked = os.environ.get("EMBERSCOPE_BENCH", "")
    with TemporaryDirectory() as folder:
        clips = UNTOUCHED if asked == "untouched" else (*DEVELOPMENT, *scene_clips(Path(folder)))
        for clip in clips:
            if clip.there:
                yield from judged(clip)


def judged(clip: Clip, *, patch: int = 32, stride: int = 16, seed: int = 0) -> Iterator[Row]:
    """Ceiling, trees on labels of bags, and every recipe, on one clip."""
    seen: dict[str, Inputs] = {}
    for kind in dict.fromkeys(kind for kind, *_ in RECIPES):
        found = seen[kind] = inputs_of(clip, FeatureRecipe(kind=kind), patch=patch, stride=stride, seed=seed)
        truth = np.where(found.target, 1, -1)
        score = held_out(found, lambda X, rows, Q, truth=truth: trees(X, truth[rows], Q))
        balanced = np.mean([((score > 0.5) == found.target)[found.target == side].mean() for side in (True, False)])
        yield from said(f"{clip.name}: ceiling, {kind}", found, score, float(balanced))
        score = held_out(found, lambda X, rows, Q, y=found.made.y: trees(X[y[rows] != 0], y[rows][y[rows] != 0], Q))
        yield from said(f"{clip.name}: trees on labels of bags, {kind}", found, score, float("nan"))
    yield from said(f"{clip.name}: ensemble, infrared", seen["infrared"], select(
        "ensemble", seen["infrared"].X, seen["infrared"].made.bags), float("nan"))
    for kind, components, method in RECIPES:
        found = seen[kind]
        X = PCA(n_components=components).fit(found.X).embedding_ if components else found.X
        made = found.made
        told = made.y if method == "s-le" else np.where(made.certain, made.y, 0)
        fitted = catalogue.load(method)().fit(X, told, bags=made.bags)
        own = getattr(fitted, "score_", np.full(len(X), np.nan))
        Z = fitted.embedding_
        yield from said(f"{clip.name}: {method}, {kind}", found, own, map_accuracy(Z, found.target, blocks(made)))


def said(name: str, found: Inputs, score: NDArray, on_map: float) -> Iterator[Row]:
    if np.isfinite(score).all():
        hit, chance = pointing(score, found.made, found.target)
        yield f"{name}, pointing", hit, "", f"chance {chance:.2f}"
        yield f"{name}, AUC inside positive bags", inside_auc(score, found.made, found.target), "", ""
    if np.isfinite(on_map):
        yield f"{name}, map", on_map, "balanced", f"{len(found.X)} instances"


def held_out(found: Inputs, fit: Callable[[NDArray, NDArray, NDArray], NDArray]) -> NDArray[np.float64]:
    """Scores (N,) of instances by fits of the other folds of frame blocks."""
    group = blocks(found.made)
    fold = grouped_folds(group, found.made.y, n_folds=min(5, len(np.unique(group))))
    score = np.empty(len(found.X))
    for number in np.unique(fold):
        rows, others = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        score[rows] = fit(found.X[others], others, found.X[rows])
    return score


def trees(X: NDArray, y: NDArray, Q: NDArray) -> NDArray[np.float64]:
    from sklearn.ensemble import ExtraTreesClassifier

    made = ExtraTreesClassifier(200, min_samples_leaf=2, class_weight="balanced", random_state=0, n_jobs=-1).fit(X, y)
    return made.predict_proba(Q)[:, int(np.argmax(made.classes_))]
