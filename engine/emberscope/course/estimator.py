"""The estimator of a recipe, and variations of it that should give the same embedding."""

from collections.abc import Iterable, Mapping
from typing import Any

from emberscope import catalogue
from emberscope.base.errors import ParamError
from emberscope.base.param import Param, check_params
from emberscope.course.informed import Informed, OfChips
from emberscope.evaluate.bag_validation import Model
from emberscope.evaluate.stability import variations
from emberscope.features.extract import chip_shape
from emberscope.labels.side_info import SideInfo
from emberscope.metric.chip_distances import ChipDistances
from emberscope.metric.dissimilarities import USUAL
from emberscope.neighbors.distances import Distances
from emberscope.project.model.recipe import Recipe

GRAPH_NEIGHBORS = 12  # where the method finds its own number


def check_embeds(method: str) -> None:
    """Raise ParamError for a method that gives no coordinates."""
    if catalogue.method(method).kind == "classifier":
        hint = "Name it as the classifier of a recipe."
        raise ParamError(f"{method} is a classifier and makes no embedding", hint=hint)


def parameters(recipe: Recipe) -> dict[str, Any]:
    """The recipe's parameters; its seed where the method draws random numbers and no seed was given."""
    names = {param.name for param in catalogue.load(recipe.method).params}
    seed = {"random_state": recipe.seed} if "random_state" in names else {}
    return {**seed, **recipe.params}


def make(recipe: Recipe) -> Any:
    """The unfitted method."""
    return catalogue.load(recipe.method)(**parameters(recipe))


def is_informed(recipe: Recipe) -> bool:
    """Whether a metric stands before the method."""
    return bool(recipe.metric) and not recipe.ignore_side


def is_measured(recipe: Recipe) -> bool:
    """Whether the method takes distances of chips in place of those between features."""
    return recipe.distances != "euclidean" and not recipe.ignore_side


def rule_of(recipe: Recipe, side: SideInfo | None) -> ChipDistances:
    """How a recipe with such distances compares chips: after the changes that do not matter, else small shifts."""
    assert recipe.distances != "euclidean"
    given = () if side is None else side.invariances
    return ChipDistances(recipe.distances, given or USUAL, chip_shape(recipe.features).cols)


def check_distances(recipe: Recipe) -> None:
    """Raise ParamError for distances of chips where the method takes none, or a metric is to change distances too."""
    if not is_measured(recipe):
        return
    check_takes(recipe.method, "distances of chips")
    if is_informed(recipe):
        raise ParamError(f"{catalogue.method(recipe.metric).short} changes features, and {recipe.distances} distances "
                         "compare chips", hint="Choose one of them.")


def check_takes(method: str, distances: str) -> None:
    """Raise ParamError for a method that takes no distances in place of those of features; `distances` in words."""
    row = catalogue.method(method)
    if not row.measured:
        known = ", ".join(row.id for row in catalogue.METHODS if row.measured)
        own = " beside its own" if row.compares_chips else ""
        raise ParamError(f"{row.short} takes no {distances}{own}", hint=f"Methods that do: {known}.")


def reads_side(recipe: Recipe) -> bool:
    """Whether the method itself gets side information: after a metric, which has read it, only where it needs it."""
    row = catalogue.method(recipe.method)
    read = catalogue.side_needed(row) if is_informed(recipe) else catalogue.side_read(row)
    return bool(make(recipe).reads_chips) or bool(read)


def reads_chips(recipe: Recipe) -> bool:
    """Whether chips are compared, by the method, the metric before it or for it, so that all their pixels are needed.

    Raises ParamError for parameters that they do not take.
    """
    check_params(catalogue.load(recipe.method).params, recipe.params)
    if is_measured(recipe) or bool(make(recipe).reads_chips):
        return True
    return is_informed(recipe) and bool(make_metric(recipe).reads_chips)


def check_chips(recipe: Recipe) -> None:
    """Raise ParamError where chips are compared and the features are no pixels."""
    if recipe.features.kind != "pixels" and reads_chips(recipe):
        title = catalogue.method(recipe.method if make(recipe).reads_chips else recipe.metric or recipe.method).title
        what = f"{title} compares chips"
        if is_measured(recipe):
            what = f"{recipe.distances} distances compare chips"
        raise ParamError(f"{what}, and the features are {recipe.features.kind}",
                         hint="Choose pixels as features, or distances of features.")


def make_metric(recipe: Recipe) -> Any:
    """The unfitted metric of a recipe, of all its dimensions where it can say so. Raises ParamError."""
    row = catalogue.method(recipe.metric)
    if row not in catalogue.METRICS:
        known = ", ".join(row.id for row in catalogue.METRICS)
        raise ParamError(f"{recipe.metric} is no metric", hint=f"Known metrics: {known}.")
    kind = catalogue.load(row.id)
    check_params(kind.params, recipe.metric_params)
    usual = all_directions(kind.params)
    seed = {param.name: recipe.seed for param in kind.params if param.name == "random_state"}
    return kind(**{**usual, **seed, **recipe.metric_params})


def all_directions(params: Iterable[Param]) -> dict[str, None]:
    """What makes a metric keep all its directions: n_components None, for those that know it."""
    return {param.name: None for param in params if param.name == "n_components" and param.auto}


def refitted(method: str, values: Mapping[str, Any], distances: Distances | None) -> Any:
    """The unfitted method with these parameters, to be fitted once more on the same instances."""
    found = catalogue.load(method)(**values)
    return found if distances is None else found.measured_by(distances)


def make_whole(recipe: Recipe) -> Any:
    """The unfitted method with the metric or the distances before it, where there are such: for fits on a part of the
    instances."""
    if is_measured(recipe):
        return OfChips(lambda side: rule_of(recipe, side), make(recipe))
    if not is_informed(recipe):
        return make(recipe)
    return Informed(make_metric(recipe), make(recipe), reads_side=reads_side(recipe))


def classifier(recipe: Recipe) -> Model:
    """The classifier of a recipe, ready for validation. Raises ParamError."""
    row = catalogue.method(recipe.classifier)
    if not row.space:
        known = ", ".join(row.id for row in catalogue.CLASSIFIERS)
        raise ParamError(f"{recipe.classifier} is no classifier", hint=f"Known classifiers: {known}.")
    kind = catalogue.load(row.id)
    check_params(kind.params, recipe.classifier_params)
    seed = {"random_state": recipe.seed} if any(param.name == "random_state" for param in kind.params) else {}
    given, grids = recipe.classifier_params, {param.name: param.grid for param in kind.params if param.grid}
    tried = {name: grid for name, grid in grids.items() if name not in given} if recipe.classifier_choose else {}
    return Model(kind, {**seed, **given}, tried)


def reads_labels(recipe: Recipe) -> bool:
    """Whether the method, or a metric before it, looks at labels or side information, with these parameters.

    Raises ParamError for parameters it does not take.
    """
    check_params(catalogue.load(recipe.method).params, recipe.params)
    return is_informed(recipe) or bool(make(recipe).reads_labels)


def graph_neighbors(recipe: Recipe) -> int:
    """Neighbors of the graph that the method works on; 0 where it takes none, so that a person has no say in it."""
    params = {param.name: param for param in catalogue.load(recipe.method).params}
    if "n_neighbors" not in params:
        return 0
    k = recipe.params.get("n_neighbors", params["n_neighbors"].default)
    return k if isinstance(k, int) else GRAPH_NEIGHBORS


def variations_of(method: str, values: Mapping[str, Any], *, seed: int) -> list[dict[str, Any]]:
    """Parameters of fits whose embeddings ought to be the same, `values` first; empty where there is nothing to vary.

    Another seed, for methods that are lucky or not; else some neighbors more and fewer, for those that take a number.
    """
    params = {param.name: param for param in catalogue.load(method).params}
    lucky = "random_state" in params and not catalogue.method(method).convex
    k = values.get("n_neighbors", params["n_neighbors"].default) if "n_neighbors" in params else None
    return variations(dict(values), seed=seed, reseeded=lucky, n_neighbors=k if isinstance(k, int) else None)
