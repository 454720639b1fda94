"""The plan of a course: what a recipe says, resolved once. Rows of the catalogue, classes,
parameters, the split."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from emberscope import catalogue
from emberscope.base.errors import ParamError
from emberscope.base.param import Param, check_params
from emberscope.course.components import FoldComponents
from emberscope.course.metric_before_method import ChipDistancesThenMethod, MetricThenMethod
from emberscope.course.split import Split
from emberscope.evaluate.bag_validation import Model
from emberscope.evaluate.stability import variations
from emberscope.features.backbone import as_in_file
from emberscope.features.extract import chip_shape
from emberscope.labels.side_info import SideInfo
from emberscope.metric.chip_distances import ChipDistances
from emberscope.metric.dissimilarities import USUAL
from emberscope.neighbors.distances import Distances
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import MAP, Recipe
from emberscope.project.store.own_sources import check_network

GRAPH_NEIGHBORS = 12  # where the method finds its own number


@dataclass(frozen=True, slots=True)
class Chosen:
    """A row of the catalogue, its class, and the parameters that are given, the seed among them."""

    row: catalogue.Method
    kind: Any
    values: Mapping[str, Any]

    @property
    def declared(self) -> dict[str, Param]:
        """The parameters that the class has, by name."""
        return {param.name: param for param in self.kind.params}

    def make(self, **values: Any) -> Any:
        """An unfitted one; values : in place of those that are given."""
        return self.kind(**{**self.values, **values})

    def tried(self, given: Collection[str]) -> dict[str, tuple[Any, ...]]:
        """What may be tried of each parameter that is not given."""
        return {name: param.grid for name, param in self.declared.items()
                if param.grid and name not in given}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that stages need to know of a recipe.

    metric : None where the recipe has none, or ignores side information. measured : the method
    takes distances of chips in place of those between features. model : the classifier beside the
    embedding, or None. split : which bags are held out together. reads_chips : chips are compared,
    by the method, the metric before it or for it. reads_labels : the method, or the metric, looks
    at labels or side information, with these parameters. reads_side : the method itself gets side
    information. at_any_cost : also what takes long and is else left out.
    """

    recipe: Recipe
    method: Chosen
    metric: Chosen | None
    measured: bool
    model: Model | None
    split: Split
    reads_chips: bool
    reads_labels: bool
    reads_side: bool
    at_any_cost: bool = False

    @property
    def rows(self) -> list[catalogue.Method]:
        """Of the method, and of the metric before it."""
        return [chosen.row for chosen in (self.method, self.metric) if chosen is not None]

    @property
    def fits(self) -> list[dict[str, Any]]:
        """Parameters of fits whose embeddings ought to be the same, those of the recipe first;
        empty where there is nothing to vary.

        Another seed, for methods that are lucky or not; else some neighbors more and fewer, for
        those that take a number.
        """
        declared, values = self.method.declared, dict(self.method.values)
        lucky = "random_state" in declared and not self.method.row.convex
        usual = declared["n_neighbors"].default if "n_neighbors" in declared else None
        k = values.get("n_neighbors", usual)
        k = k if isinstance(k, int) else None
        return variations(values, seed=self.recipe.seed, reseeded=lucky, n_neighbors=k)

    @property
    def graph_neighbors(self) -> int:
        """Neighbors of the graph that the method works on; 0 where it takes none, so that a person
        has no say in it."""
        declared = self.method.declared
        if "n_neighbors" not in declared:
            return 0
        k = self.recipe.params.get("n_neighbors", declared["n_neighbors"].default)
        return k if isinstance(k, int) else GRAPH_NEIGHBORS

    def rule(self, side: SideInfo | None) -> ChipDistances:
        """How chips are compared: after the changes that do not matter, else small shifts."""
        assert self.recipe.distances != "euclidean"
        given = () if side is None else side.invariances
        columns = chip_shape(self.recipe.features).cols
        return ChipDistances(self.recipe.distances, given or USUAL, columns)

    def refitted(self, number: int, distances: Distances | None) -> Any:
        """The unfitted method with parameters of `fits`, to be fitted once more on the same
        instances."""
        found = self.method.kind(**self.fits[number])
        return found if distances is None else found.measured_by(distances)

    def whole(self, components: int = 0, **values: Any) -> Any:
        """The unfitted method with the metric or the distances before it, where there are such: for
        fits on a part of the instances.

        components : of the features, found before anything else on the same part; 0: none are.
        values : parameters of the method in place of those of the recipe.
        """
        if components:
            return MetricThenMethod(
                FoldComponents(components), self.whole(**values), reads_side=True
            )
        if self.measured:
            return ChipDistancesThenMethod(self.rule, self.method.make(**values))
        if self.metric is None:
            return self.method.make(**values)
        return MetricThenMethod(
            self.metric.make(), self.method.make(**values), reads_side=self.reads_side
        )


def plan_of(
    recipe: Recipe, project: Project | None = None, *, at_any_cost: bool = False
) -> Plan:
    """The plan of a recipe. Imports the classes it names.

    project : whose sources and columns a split may name. Raises ParamError for an id that is not
    known or of another kind, for a parameter that is out of range, for a source that is held out
    and not there, and for parts that do not go together; FormatError for a network that may not be
    read; MissingLabels for a split by a column that leaves a side empty or of one class: before
    anything is computed.
    """
    if project is not None:
        check_network(project, recipe.features)
    recipe = msgspec.structs.replace(recipe, features=as_in_file(recipe.features))
    split = Split.of(recipe.split, project, recipe.seed)
    method = _method(recipe)
    model = classifier(recipe) if recipe.classifier else None
    if model is not None and recipe.map_choose and recipe.classifier_reads == MAP:
        open_ones = {name: values for name, values in method.tried(recipe.params).items()
                     if not method.declared[name].advanced}
        model = replace(model, reduction_grid=open_ones)
    metric = _metric(recipe) if recipe.metric and not recipe.ignore_side else None
    measured = recipe.distances != "euclidean" and not recipe.ignore_side
    if measured:
        _check_measured(recipe, method.row, metric)
    unfitted = method.make()
    compares = bool(unfitted.reads_chips)
    reads_chips = measured or compares or (metric is not None and bool(metric.make().reads_chips))
    if reads_chips and not recipe.features.is_chip:
        who = method if compares or metric is None else metric
        raise _no_pixels(recipe, who, measured=measured)
    read = catalogue.side_read(method.row) if metric is None else catalogue.side_needed(method.row)
    return Plan(
        recipe, method, metric, measured, model, split, reads_chips,
        reads_labels=metric is not None or bool(unfitted.reads_labels),
        reads_side=compares or bool(read), at_any_cost=at_any_cost,
    )


def chosen(id: str, params: Mapping[str, Any], seed: int) -> Chosen:
    """A row of the catalogue with these parameters, and the seed where it draws random numbers and
    none was given.

    Raises ParamError for an unknown id, and for parameters that it does not take.
    """
    row, kind = catalogue.method(id), catalogue.load(id)
    check_params(kind.params, params)
    drawn = {param.name: seed for param in kind.params if param.name == "random_state"}
    return Chosen(row, kind, {**drawn, **params})


def parsed(id: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a method from texts, "k=v". Raises ParamError for one that it does not have, or
    a text that is no value of it."""
    declared = {param.name: param for param in catalogue.load(id).params}
    for name in settings:
        if name not in declared:
            hint = f"It has: {', '.join(declared) or 'none'}."
            raise ParamError(f"{id} has no parameter {name}", hint=hint)
    return {name: declared[name].parse(str(text)) for name, text in settings.items()}


def _method(recipe: Recipe) -> Chosen:
    check_embeds(recipe.method)
    return chosen(recipe.method, recipe.params, recipe.seed)


def check_embeds(method: str) -> None:
    """Raise ParamError for a method that gives no coordinates."""
    if catalogue.method(method).kind == "classifier":
        hint = "Name it as the classifier of a recipe."
        raise ParamError(f"{method} is a classifier and makes no embedding", hint=hint)


def _metric(recipe: Recipe) -> Chosen:
    """The metric of a recipe, of all its dimensions where it can say so. Raises ParamError."""
    check_is_metric(recipe.metric)
    found = chosen(recipe.metric, recipe.metric_params, recipe.seed)
    usual = {name: None for name, param in found.declared.items()
             if name == "n_components" and param.auto}
    return Chosen(found.row, found.kind, {**usual, **found.values})


def check_is_metric(id: str) -> None:
    """Raise ParamError for a method that does not change distances for others."""
    if id not in [row.id for row in catalogue.METRICS]:
        hint = f"Known metrics: {_ids(catalogue.METRICS)}."
        raise ParamError(f"{id or 'nothing'} is no metric", hint=hint)


def _check_measured(recipe: Recipe, row: catalogue.Method, metric: Chosen | None) -> None:
    """Raise ParamError for distances of chips where the method takes none, or a metric is to change
    distances too."""
    check_takes(row, "distances of chips")
    if metric is not None:
        what = f"{recipe.distances} distances compare chips"
        raise ParamError(f"{metric.row.short} changes features, and {what}",
                         hint="Choose one of them.")


def check_takes(row: catalogue.Method, distances: str) -> None:
    """Raise ParamError for a method that takes no distances in place of those of features;
    `distances` in words."""
    if not row.measured:
        known = _ids(row for row in catalogue.METHODS if row.measured)
        own = " beside its own" if row.compares_chips else ""
        what = f"{row.short} takes no {distances}{own}"
        raise ParamError(what, hint=f"Methods that do: {known}.")


def _no_pixels(recipe: Recipe, who: Chosen, *, measured: bool) -> ParamError:
    what = f"{who.row.title} compares chips"
    if measured:
        what = f"{recipe.distances} distances compare chips"
    of_bands = f" of {recipe.features.bands} bands" if recipe.features.bands > 1 else ""
    return ParamError(f"{what}, and the features are {recipe.features.kind}{of_bands}",
                      hint="Choose pixels of one band as features, or distances of features.")


def classifier(recipe: Recipe) -> Model:
    """The classifier of a recipe, ready for validation. Raises ParamError."""
    check_classifies(recipe.classifier)
    found = chosen(recipe.classifier, recipe.classifier_params, recipe.seed)
    tried = found.tried(recipe.classifier_params)
    return Model(found.kind, found.values, tried if recipe.classifier_choose else {})


def check_classifies(method: str) -> None:
    """Raise ParamError for a method that gives bags no scores."""
    if not catalogue.method(method).space:
        hint = f"Known classifiers: {_ids(catalogue.CLASSIFIERS)}."
        raise ParamError(f"{method} is no classifier", hint=hint)


def _ids(rows: Iterable[catalogue.Method]) -> str:
    return ", ".join(row.id for row in rows)
