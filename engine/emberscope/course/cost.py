"""Estimate of a run before it starts: seconds, memory, and whether it fits."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from emberscope import catalogue
from emberscope.bags.clip_sides import ClipSides
from emberscope.bags.folds import LEARNED, NO_PART
from emberscope.base.errors import TooLarge
from emberscope.base.folders import cache_folder
from emberscope.course.estimate import Estimate
from emberscope.course.inputs import Inputs, components_wanted, features_key, prepare, reduced_key
from emberscope.course.labels import Labels
from emberscope.course.of_project import STAGES
from emberscope.course.plan import Plan, plan_of
from emberscope.course.side import marked_side
from emberscope.course.stage import Size
from emberscope.course.stages.advice import kept_advice
from emberscope.evaluate.held_out import Parts
from emberscope.features.extract import n_features
from emberscope.labels.side_info import SideInfo
from emberscope.metric.dissimilarities import MOST
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe

_MEMORY_SHARE = 0.8  # of what is free


def estimate(
    project: Project, recipe: Recipe, *, cache: str | Path | None = None, at_any_cost: bool = False
) -> Estimate:
    """The cost of a run of these labels. Makes the bags, reads no frame. at_any_cost : also of what
    takes long and is else left out. Raises ParamError, MissingLabels, TooLarge."""
    folder = Path(cache) if cache is not None else cache_folder()
    plan = plan_of(recipe, project, at_any_cost=at_any_cost)
    inputs = prepare(project, recipe, folder)
    size = size_of(plan, inputs, marked_side(project, inputs.made, plan) if plan.measured else None)
    kept: list[str] = []
    if not size.new and plan.metric is None and not plan.measured:  # else of other neighbors
        kept = kept_advice(reduced_key(features_key(inputs), size.n, plan), plan, folder)
    found = cost_of(plan, size, len(inputs.made.bags), tuple(kept))
    refuse_too_large(found, plan)
    parts = plan.split.parts(Labels.of(inputs.made))
    return found if parts is None else replace(found, sides=clip_sides(project, parts))


def clip_sides(project: Project, parts: Parts) -> tuple[ClipSides, ...]:
    """On which side of a split the clips of a project lie, in the order of the project."""
    assert parts.clip is not None  # of a project
    found = []
    for key, ref in project.sources.items():
        fold = parts.fold[parts.clip == key]
        if len(fold):
            held = fold[fold >= 0]
            found.append(ClipSides(
                ref.name, len(held), int((fold == LEARNED).sum()), int((fold == NO_PART).sum()),
                tuple(np.unique(held).tolist()),
            ))  # fmt: skip
    return tuple(found)


def size_of(plan: Plan, inputs: Inputs, marked: SideInfo | None = None) -> Size:
    """How much there is to do after the bags. marked : the changes of chips that do not matter."""
    instances, bags = inputs.made.instances, inputs.made.bags
    missing = np.flatnonzero(inputs.missing)
    places = np.stack([instances.source[missing], instances.frame[missing]])
    frames = len(np.unique(places, axis=1).T)
    several = len(np.unique(bags.classes[bags.labels > 0])) > 1
    n, wide = len(instances), n_features(plan.recipe.features)
    return Size(n, wide, components_wanted(n, plan), len(missing), frames, several, marked)


def cost_of(plan: Plan, size: Size, bags: int, advice: tuple[str, ...] = ()) -> Estimate:
    """The cost of the stages that come after the bags."""
    costs = {stage.name: stage.cost(plan, size) for stage in STAGES}
    held = 4 * size.n * (2 * size.wide + 3 * size.narrow) + 64 * size.n * 8
    seconds = {name: cost.seconds for name, cost in costs.items()}
    most = max(cost.bytes for cost in costs.values())
    return Estimate(size.n, bags, size.new, size.wide, seconds, int(held + most), advice)


def refuse_too_large(cost: Estimate, plan: Plan) -> None:
    """Raise TooLarge, with the alternative, for what the method or the memory cannot hold."""
    recipe = plan.recipe
    for id, hint in (
        (recipe.method, "Choose PCA, or a larger stride."),
        (recipe.classifier, "Choose another one."),
        (plan.metric.row.id if plan.metric else "", "Choose another metric, or a larger stride."),
    ):
        row = catalogue.method(id) if id else None
        if row is not None and row.max_n is not None and cost.instances > row.max_n:
            raise TooLarge(f"{row.title} takes up to {row.max_n} instances, there are "
                           f"{cost.instances}", hint=hint)
    if plan.measured and cost.instances > MOST:
        raise TooLarge(f"{recipe.distances} distances compare up to {MOST} chips, there are "
                       f"{cost.instances}",
                       hint="Choose a larger stride, or distances of features.")
    free = _free_memory() * _MEMORY_SHARE
    if cost.bytes > free:
        what = (
            f"this run needs about {cost.bytes / 2**30:.1f} GB of memory, {free / 2**30:.1f} GB "
            "may be used"
        )
        raise TooLarge(what, hint="Choose smaller features, a larger stride or PCA.")


def _free_memory() -> float:
    import psutil

    return float(psutil.virtual_memory().available)
