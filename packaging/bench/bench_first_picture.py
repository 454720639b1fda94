"""The first picture of loosely labeled clips: pointing, ranking inside positive bags and the map,
beside the ceiling.

Patches fit the labels, as in a run without a recipe, whose method and features are among the rows
of each clip. Means of EMBERSCOPE_SEEDS draws of the labels, 1 by default, with the lowest and the
highest. Maps of siamese networks score no instance and are judged as maps alone; features of a
network are those of random filters, see `small_network`. Development clips by default;
EMBERSCOPE_BENCH="untouched" judges those that nothing was chosen on, and names of clips, with
semicolons between, these. Where classes are several, each has rows of its own: there the right
instance of a bag shows a target of the bag's class.
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
from small_network import write_network

from emberscope import catalogue
from emberscope.bags.folds import grouped_folds
from emberscope.embedding.linear.pca import PCA
from emberscope.features.recipe import FeatureRecipe

# Features, components, method
RECIPES = (
    ("hog", 50, "mida"), ("infrared", 0, "mi-le"), ("infrared", 0, "mi-umap"),
    ("infrared", 0, "siamese"), ("infrared", 0, "siamese-triplet"), ("cnn", 0, "mi-umap"),
)  # fmt: skip
# Features, classifier: it scores instances and has no map
CLASSIFIERS = (("infrared", "attention-mil"), ("cnn", "attention-mil"))
Row = tuple[str, float, str, str]


def rows() -> Iterator[Row]:
    asked = os.environ.get("EMBERSCOPE_BENCH", "")
    seeds = range(int(os.environ.get("EMBERSCOPE_SEEDS", "1")))
    with TemporaryDirectory() as folder:
        network = write_network(Path(folder) / "random.onnx")
        clips = UNTOUCHED if asked == "untouched" else (*DEVELOPMENT, *scene_clips(Path(folder)))
        if asked not in ("", "untouched"):
            named = {name.strip() for name in asked.split(";")}
            clips = tuple(clip for clip in (*clips, *UNTOUCHED) if clip.name in named)
        for clip in clips:
            if clip.there and len(seeds) == 1:
                for what, value in judged(clip, network):
                    yield f"{clip.name}: {what}", value, "", ""
            elif clip.there:
                found: dict[str, list[float]] = {}
                for seed in seeds:
                    for what, value in judged(clip, network, seed=seed):
                        found.setdefault(what, []).append(value)
                for what, values in found.items():
                    spread = f"{min(values):.3f} - {max(values):.3f}"
                    yield f"{clip.name}: {what}", float(np.mean(values)), "", spread


def judged(clip: Clip, network: Path, *, seed: int = 0) -> Iterator[tuple[str, float]]:
    """Ceiling, trees on labels of bags, and every recipe, on one clip."""
    seen: dict[str, Inputs] = {}
    for kind in dict.fromkeys(kind for kind, *_ in RECIPES):
        file = str(network) if kind == "cnn" else ""
        found = seen[kind] = inputs_of(clip, FeatureRecipe(kind=kind, file=file), seed=seed)
        truth = np.where(found.target, 1, -1)
        score = held_out(found, lambda X, rows, Q, truth=truth: trees(X, truth[rows], Q))
        balanced = np.mean(
            [((score > 0.5) == found.target)[found.target == side].mean() for side in (True, False)]
        )
        yield from measured(f"ceiling, {kind}", found, score, float(balanced))
        score = held_out(
            found,
            lambda X, rows, Q, y=found.made.y: trees(X[y[rows] != 0], y[rows][y[rows] != 0], Q),
        )
        yield from measured(f"trees on labels of bags, {kind}", found, score)
    yield "instances", float(len(found.X))
    for kind, components, method in RECIPES:
        found = seen[kind]
        X = PCA(n_components=components).fit(found.X).embedding_ if components else found.X
        made = found.made
        made_of = catalogue.load(method)()
        drawn = {"random_state": seed} if "random_state" in made_of.get_params() else {}
        fitted = made_of.set_params(**drawn).fit(
            X, np.where(made.certain, made.y, 0), bags=made.bags
        )
        on_map = map_accuracy(fitted.embedding_, found.target, blocks(made))
        if hasattr(fitted, "score_"):
            yield from measured(f"{method}, {kind}", found, fitted.score_, on_map)
        else:
            yield f"{method}, {kind}, map, balanced", on_map
    for kind, method in CLASSIFIERS:
        found = seen[kind]
        scorer = catalogue.load(method)(random_state=seed)
        made = found.made
        scored = scorer.fit(found.X, np.where(made.certain, made.y, 0), bags=made.bags)
        yield from measured(f"{method}, {kind}", found, scored.score_)


def measured(
    name: str, found: Inputs, score: NDArray, on_map: float | None = None
) -> Iterator[tuple[str, float]]:
    hit, _ = pointing(score, found.made, found.target)
    yield f"{name}, pointing", hit
    yield f"{name}, AUC inside positive bags", inside_auc(score, found.made, found.target)
    kinds = np.unique(found.made.bags.classes[found.made.bags.labels > 0]).tolist()
    for kind in kinds if len(kinds) > 1 else ():
        own, of = found.only(kind), found.project.classes[kind].name
        yield f"{name}, {of}, pointing", pointing(score, own.made, own.target)[0]
        yield f"{name}, {of}, AUC inside positive bags", inside_auc(score, own.made, own.target)
    if on_map is not None:
        yield f"{name}, map, balanced", on_map


def held_out(
    found: Inputs, fit: Callable[[NDArray, NDArray, NDArray], NDArray]
) -> NDArray[np.float64]:
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

    made = ExtraTreesClassifier(
        200, min_samples_leaf=2, class_weight="balanced", random_state=0, n_jobs=-1
    ).fit(X, y)
    return made.predict_proba(Q)[:, int(np.argmax(made.classes_))]
