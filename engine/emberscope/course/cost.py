"""Estimate of a run before it starts: seconds, memory, and whether it fits."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from emberscope import catalogue
from emberscope.base.errors import TooLarge
from emberscope.base.folders import cache_folder
from emberscope.course.advice import kept_advice
from emberscope.course.estimator import (
    classifier,
    graph_neighbors,
    is_informed,
    is_measured,
    parameters,
    reads_labels,
    rule_of,
    variations_of,
)
from emberscope.course.inputs import Inputs, components_wanted, prepare, reduced_key
from emberscope.course.side import marked_side
from emberscope.evaluate.bag_validation import INNER_FOLDS
from emberscope.evaluate.held_out import N_FOLDS
from emberscope.features.extract import chip_shape, n_features
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.side_info import SideInfo
from emberscope.metric.dissimilarities import MOST
from emberscope.metric.transforms import changes
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe

# Seconds on two ordinary cores, measured; only their proportion matters to the progress bar.
_PER_FRAME = 6e-3
_PER_CHANGES = {"infrared": 3e-2}  # a labeled frame beside up to six others, those read too: .030 to .035
_CLASSES = 1.2  # times the fit of a method that holds back: what its rules take that learn each of several classes
_PER_CHIP = 1e-5  # to cut it
_PER_PIXEL = {"hog": 3e-8, "statistics": 1.2e-7, "pixels": 3e-8, "hog-seed": 1.2e-8,
              "infrared": 1.5e-7, "ehd": 1.6e-8}  # of a chip, to describe it
_PER_PRODUCT = 5e-11  # of the principal components
_WIDEST = 2000  # directions that principal components are sought among
# Of distances between chips, per change: to move a pixel, to compare it with one of another chip; shortest ways.
_PER_MOVED, _PER_COMPARED, _PER_WAY = 1.2e-7, 8e-11, 4e-10
_TANGENTS = 4  # squared directions of a usual chip
_SCORES = 0.2
_MEMORY_SHARE = 0.8  # of what is free
REFIT_SECONDS = 3.0  # estimated, for the fits per fold that an honest accuracy of a method that reads labels takes
SPREAD_SECONDS = 1.0  # estimated, for the fits that show how far instances move


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what a run takes. `stages`: seconds of features, reduction, metric or distances of chips, graph, embedding,
    scores.

    advice : sentences about the data, where an earlier run has left them.
    """

    instances: int
    bags: int
    new_instances: int  # whose features are not kept yet
    features: int
    stages: tuple[float, float, float, float, float, float]
    bytes: int
    advice: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Of all stages."""
        return sum(self.stages)


def estimate(project: Project, recipe: Recipe, *, cache: str | Path | None = None) -> Estimate:
    """The cost of a run of these labels. Makes the bags, reads no frame. Raises MissingLabels, TooLarge."""
    folder = Path(cache) if cache is not None else cache_folder()
    inputs = prepare(project, recipe, folder)
    marked = marked_side(project, inputs.made, recipe) if is_measured(recipe) else None
    found = cost_of(inputs, recipe, marked)
    refuse_too_large(found, recipe)
    other = is_informed(recipe) or is_measured(recipe)  # their graph is none of the features
    known = not inputs.missing.any() and not other
    kept = kept_advice(reduced_key(inputs, recipe), graph_neighbors(recipe), folder) if known else []
    return replace(found, advice=tuple(kept))


def cost_of(inputs: Inputs, recipe: Recipe, marked: SideInfo | None = None) -> Estimate:
    """The cost of the stages that come after the bags. marked : the changes of chips that do not matter."""
    instances = inputs.made.instances
    n, wide = len(instances), n_features(recipe.features)
    narrow = components_wanted(n, recipe)
    missing = np.flatnonzero(inputs.missing)
    frames = len(np.unique(np.stack([instances.source[missing], instances.frame[missing]]), axis=1).T)
    embed_seconds, embed_bytes = catalogue.estimate(recipe.method, n, narrow)
    bags = inputs.made.bags
    if len(np.unique(bags.classes[bags.labels > 0])) > 1 and catalogue.load(recipe.method).holds_back:
        embed_seconds *= 1 + _CLASSES
    metric_seconds, metric_bytes = metric_cost(recipe, n, narrow)
    if is_measured(recipe):
        metric_seconds, metric_bytes = distances_cost(recipe, n, narrow, marked)
    m, per_frame = min(n, wide, _WIDEST), _PER_FRAME + _PER_CHANGES.get(recipe.features.kind, 0.0)
    refits, moves = refit_seconds(recipe, n, narrow), spread_seconds(recipe, n, narrow)
    stages = (
        len(missing) * seconds_per_instance(recipe.features) + frames * per_frame,
        _PER_PRODUCT * (n * wide * m + m**3) if narrow < wide else 0.0,
        metric_seconds,
        6e-9 * n**2 + 4e-11 * n**2 * narrow,
        embed_seconds,
        _SCORES + 1e-10 * n * min(n, 1500) * narrow + 2e-5 * n + 4e-5 * min(n, 30_000)
        + (refits if refits <= REFIT_SECONDS else 0.0) + (moves if moves <= SPREAD_SECONDS else 0.0)
        + classify_seconds(recipe, n, narrow),
    )
    held = 4 * n * (2 * wide + 3 * narrow) + 64 * n * 8
    return Estimate(n, len(inputs.made.bags), len(missing), wide, stages, int(held + max(embed_bytes, metric_bytes)))


def seconds_per_instance(features: FeatureRecipe) -> float:
    """What the features of one instance take, once its frame is there."""
    shape = chip_shape(features)
    return _PER_CHIP + shape.rows * shape.cols * sum(_PER_PIXEL[part] for part in features.kind.split("+"))


def metric_cost(recipe: Recipe, n: int, d: int) -> tuple[float, float]:
    """Seconds and bytes that the metric takes; 0 without one."""
    return catalogue.estimate(recipe.metric, n, d) if is_informed(recipe) else (0.0, 0.0)


def distances_cost(recipe: Recipe, n: int, d: int, marked: SideInfo | None) -> tuple[float, float]:
    """Seconds and bytes that distances between n chips of d pixels take; marked : None for the usual changes."""
    rule, shape = rule_of(recipe, marked), chip_shape(recipe.features)
    count = _TANGENTS
    if rule.kind != "tangent-correction":
        count = 1 + sum(len(changes(one, (shape.rows, shape.cols))) for one in rule.invariances)
    ways = _PER_WAY * n**3 if rule.kind == "reconstruction" else 0.0
    return count * d * (n * _PER_MOVED + n * n * _PER_COMPARED) + ways, 16.0 * n * n


def refit_seconds(recipe: Recipe, n: int, d: int) -> float:
    """What the fits on all folds but one take; 0 for a method that reads no labels, which needs none."""
    if not reads_labels(recipe):
        return 0.0
    part = n * (N_FOLDS - 1) // N_FOLDS
    before = distances_cost(recipe, part, d, None) if is_measured(recipe) else metric_cost(recipe, part, d)
    return N_FOLDS * (catalogue.estimate(recipe.method, part, d)[0] + before[0])


def classify_seconds(recipe: Recipe, n: int, d: int) -> float:
    """What the fits of the classifier take; each fold splits its training bags again where a threshold is missing, or
    values are chosen."""
    if not recipe.classifier:
        return 0.0
    candidates = len(classifier(recipe).candidates)
    inner = candidates > 1 or not catalogue.load(recipe.classifier).calibrated
    fits = 1 + INNER_FOLDS * candidates if inner else 1
    return N_FOLDS * fits * catalogue.estimate(recipe.classifier, n, d)[0]


def spread_seconds(recipe: Recipe, n: int, d: int) -> float:
    """What the fits that show how far instances move take; 0 for a method that has nothing to vary."""
    fits = len(variations_of(recipe.method, parameters(recipe), seed=recipe.seed))
    return max(fits - 1, 0) * catalogue.estimate(recipe.method, n, d)[0]


def refuse_too_large(cost: Estimate, recipe: Recipe) -> None:
    """Raise TooLarge, with the alternative, for what the method or the memory cannot hold."""
    for id, hint in (
        (recipe.method, "Choose PCA, or a larger stride."), (recipe.classifier, "Choose another one."),
        (recipe.metric if is_informed(recipe) else "", "Choose another metric, or a larger stride."),
    ):
        row = catalogue.method(id) if id else None
        if row is not None and row.max_n is not None and cost.instances > row.max_n:
            raise TooLarge(f"{row.title} takes up to {row.max_n} instances, there are {cost.instances}", hint=hint)
    if is_measured(recipe) and cost.instances > MOST:
        raise TooLarge(f"{recipe.distances} distances compare up to {MOST} chips, there are {cost.instances}",
                       hint="Choose a larger stride, or distances of features.")
    free = _free_memory() * _MEMORY_SHARE
    if cost.bytes > free:
        what = f"this run needs about {cost.bytes / 2**30:.1f} GB of memory, {free / 2**30:.1f} GB may be used"
        raise TooLarge(what, hint="Choose smaller features, a larger stride or PCA.")


def _free_memory() -> float:
    import psutil

    return float(psutil.virtual_memory().available)
