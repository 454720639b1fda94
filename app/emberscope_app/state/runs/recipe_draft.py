"""The recipe that would run next, while it is being chosen. What was set by hand stays, the rest
follows the labels."""

from collections.abc import Iterator
from typing import Any, Protocol

import msgspec
from PySide6.QtCore import QObject, Signal

from emberscope import catalogue
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.param import Param, defaults
from emberscope.catalogue.usual import labeled_kinds, usual_recipe
from emberscope.project import Project, Recipe
from emberscope.project.model.recipe import FEATURES, Distances, Reads
from emberscope_app.state.runs.method_choices import (
    Choice,
    choices,
    classifier_lacks,
    distances_lack,
    side_lacks,
    takes_no_distances,
)
from emberscope_app.state.runs.run_params import changed_values, metric_params, usual_values

# Of the recipe, each edited in a form of its own
PARTS = ("data", "params", "metric", "classifier", "split")
# Of hybrid: another method takes its neighbors from them
_DISTANCES_ALONE = {"strength": 0.0, "scale": "exact"}


class HasProject(Protocol):
    """Whose labels the recipe is for: the session."""

    project: Project


class RecipeDraft(QObject):
    """`recipe` is what would run; forms show and set its parts.

    given : the recipe as it was shown or edited, with values for what does not apply; `recipe` is
    without them.
    choices : all methods, those that fit the labels first. labeled : kinds of labels there are.
    suggested : id of the method that held-out bags chose, "" as long as they were not asked.
    params : specifications of every method by its id; empty until the worker has sent them.

    changed(set of str): what changed: "recipe" (all of it), "data" (a proposal for bags and
    features), "method", "choices", "params"; with "edited" where it was a person who set something.
    """

    changed = Signal(object)

    def __init__(self, session: HasProject) -> None:
        super().__init__()
        self._session = session
        self.given = Recipe()
        self.choices: list[Choice] = []
        self.labeled: set[str] = set()
        self.suggested = ""
        self.params: dict[str, tuple[Param, ...]] = {}
        # Method -> values, so that looking at another loses nothing
        self._values: dict[str, dict[str, Any]] = {}
        # Part of the recipe -> what is wrong in its form
        self._wrong: dict[str, str] = {}
        # It was chosen; until then it is the suggested one
        self._method_by_hand = False
        # Bags or features were; until then they fit the labels
        self._data_by_hand = False

    @property
    def method(self) -> str:
        return self.given.method

    @property
    def ready(self) -> bool:
        """The parameters of the chosen method are known."""
        return self.method in self.params

    @property
    def values(self) -> dict[str, Any]:
        """Name to value of the parameters of the chosen method; empty until they are known."""
        params, given = self.params.get(self.method, ()), self._values.get(self.method)
        return usual_values(self.method, params) if given is None else {**defaults(params), **given}

    @property
    def recipe(self) -> Recipe:
        """What would run now: of the parameters, those that apply and differ from their
        defaults."""
        params = changed_values(self.params.get(self.method, ()), self.values)
        return msgspec.structs.replace(
            self.given, params=params, metric_params=self._metric_values(),
            classifier_params=self._classifier_values(), seed=int(params.get("random_state") or 0))

    @property
    def measured(self) -> bool:
        """The method is to take distances of chips, and can."""
        given = self.given
        return (
            given.distances != "euclidean"
            and not given.ignore_side
            and not takes_no_distances(self.method)
        )

    @property
    def may_compare_chips(self) -> bool:
        """Method or metric can compare chips by their pixels, or its distances do: changes that do
        not matter are forgiven."""
        return self.measured or any(True for _ in self._comparing())

    @property
    def compares_chips(self) -> bool:
        """With these parameters, one of them does."""
        return self.measured or any(
            values.get(name) in ways for values, (name, *ways) in self._comparing()
        )

    @property
    def wrong(self) -> str:
        """What is wrong in a form, as a sentence; "" where every field holds a value."""
        return next((self._wrong[part] for part in PARTS if part in self._wrong), "")

    def why_not(self) -> str:
        """Why the recipe cannot run with the labels there are, as a sentence; "" where it can."""
        choice = next((choice for choice in self.choices if choice.method.id == self.method), None)
        if choice is not None and choice.missing:
            return f"{choice.missing}."
        return (self.wrong or side_lacks(self.given, self.labeled) or distances_lack(self.given)
                or classifier_lacks(self.given.classifier, self.labeled))

    # --- setting it

    def show_project(self) -> None:
        """The recipe the project keeps; in a project that never ran, the usual one of its labels,
        as a proposal."""
        self._values.clear()
        self.suggested = ""
        kept = self._session.project.kept_recipe
        self.show(kept or Recipe(), exact=kept is not None)

    def show(self, recipe: Recipe, *, exact: bool = True) -> None:
        """Take a recipe as it is; not `exact`: as a proposal, to be replaced by a better one when
        labels change. The file of a network is taken as it is now, not as a run had it."""
        features = msgspec.structs.replace(recipe.features, content="")
        self.given = msgspec.structs.replace(recipe, features=features)
        self._wrong.clear()
        if exact:
            self._values[recipe.method] = {
                **recipe.params,
                **({"random_state": recipe.seed} if recipe.seed else {}),
            }
        self._method_by_hand = self._data_by_hand = exact
        self._read_choices()
        self.changed.emit({"recipe", "choices"})

    def choose(self, method: str) -> None:
        """Take a method; values it was given before come back with it."""
        self._method_by_hand = True
        self._wrong.pop("params", None)
        self._take_method(method)
        self.changed.emit({"method", "edited"})

    def set_data(self, recipe: Recipe) -> None:
        """Take bags, features and reduction of a recipe; other bags may suit another method."""
        self._wrong.pop("data", None)
        self._data_by_hand = True
        self._take_data(recipe)
        self._read_choices()
        self.changed.emit({"choices", "edited"})

    def set_values(self, values: dict[str, Any]) -> None:
        """Give parameters of the chosen method values; those left out have their defaults."""
        self._wrong.pop("params", None)
        self._values[self.method] = values
        self.changed.emit({"edited"})

    def compare_chips(self) -> None:
        """Have method or metric compare chips, after the best of the changes that do not matter, by
        their pixels."""
        ways = catalogue.method(self.method).compares_chips
        if ways:
            self._values[self.method] = {**self.values, ways[0]: ways[-1]}
        else:
            ways = catalogue.method(self.given.metric).compares_chips
            values = {**self.given.metric_params, **_DISTANCES_ALONE, ways[0]: ways[-1]}
            self.given = msgspec.structs.replace(self.given, metric_params=values)
        self._wrong.clear()
        self._take_pixels()

    def set_distances(self, kind: Distances) -> None:
        """Have the method measure by distances of chips, whose pixels are the features then, or by
        features again."""
        self.given = msgspec.structs.replace(self.given, distances=kind)
        if self.measured and not self.given.features.is_chip:
            self._take_pixels()
        self.changed.emit({"edited"})

    def set_classifier(
        self, method: str, values: dict[str, Any], *, choose: bool, reads: Reads = FEATURES,
        choose_map: bool = False,
    ) -> None:
        """Take a bag classifier, "" for none. choose : values are chosen inside the training
        folds. reads : features, or the map. choose_map : so are values of the map."""
        self._wrong.pop("classifier", None)
        self.given = msgspec.structs.replace(
            self.given, classifier=method, classifier_params=values, classifier_choose=choose,
            classifier_reads=reads, map_choose=choose_map,
        )
        self.changed.emit({"edited"})

    def set_metric(self, metric: str, values: dict[str, Any], *, ignore_side: bool) -> None:
        """Take a metric that is learned before the method, "" for none. ignore_side : without any
        side information."""
        self._wrong.pop("metric", None)
        self.given = msgspec.structs.replace(
            self.given, metric=metric, metric_params=values, ignore_side=ignore_side
        )
        self.changed.emit({"edited"})

    def set_split(self, split: SplitRecipe) -> None:
        """Take what is held out where the run is judged."""
        self._wrong.pop("split", None)
        self.given = msgspec.structs.replace(self.given, split=split)
        self.changed.emit({"edited"})

    def refuse(self, part: str, why: str) -> None:
        """A form holds something that is no value: nothing runs until that part is set. part : one
        of PARTS."""
        self._data_by_hand |= part == "data"
        self._wrong[part] = why
        self.changed.emit({"edited"})

    def take_params(self, params: dict[str, tuple[Param, ...]]) -> None:
        """The specifications of every method by its id."""
        self.params = params
        self.changed.emit({"params"})

    def follow_labels(self) -> None:
        """Read which methods fit the labels; what was not set by hand follows them."""
        self._read_choices()
        self.changed.emit({"choices"} if self.by_hand else {"choices", "data"})

    # --- parts

    @property
    def by_hand(self) -> bool:
        """Method or data were set, or the recipe was taken as it is."""
        return self._method_by_hand or self._data_by_hand

    def _read_choices(self) -> None:
        project = self._session.project
        self.labeled = labeled_kinds(project)
        if not self.by_hand:
            self._take_data(usual_recipe(project)[0])
        self.choices = choices(self.labeled, level=self.given.bags.level, chosen=self.suggested)
        fitting = [choice for choice in self.choices if not choice.missing]
        if not self._method_by_hand or self.method not in {choice.method.id for choice in fitting}:
            self._take_method(next(choice.method.id for choice in fitting if choice.suggested))

    def _take_method(self, method: str) -> None:
        if method != self.method:
            self._wrong.pop("params", None)
            self.given = msgspec.structs.replace(self.given, method=method)

    def _take_data(self, recipe: Recipe) -> None:
        self.given = msgspec.structs.replace(self.given, bags=recipe.bags, features=recipe.features,
                                             reduce=recipe.reduce)

    def _take_pixels(self) -> None:
        features = msgspec.structs.replace(self.given.features, kind="pixels", bands=0)
        self.set_data(msgspec.structs.replace(self.given, features=features))
        self.changed.emit({"recipe", "params", "edited"})

    def _comparing(self) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
        """Values of the method and of the metric, and `compares_chips` of their rows: those that
        can."""
        for id, values in (
            (self.method, self.values),
            (self.given.metric, self.given.metric_params),
        ):
            ways = catalogue.method(id).compares_chips if id else ()
            if ways:
                yield values, ways

    def _metric_values(self) -> dict[str, Any]:
        params = self.params.get(self.given.metric)
        return (
            self.given.metric_params
            if params is None
            else changed_values(metric_params(params), self.given.metric_params)
        )

    def _classifier_values(self) -> dict[str, Any]:
        """Without those that are chosen inside the folds: nobody sets them."""
        given = self.given
        params = self.params.get(given.classifier)
        if params is None:
            return given.classifier_params
        return changed_values(
            [p for p in params if not (p.grid and given.classifier_choose)], given.classifier_params
        )
