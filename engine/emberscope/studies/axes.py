"""What the axes of a study change: fields of the recipe, or how the labels are."""

from collections.abc import Mapping
from typing import Any

import msgspec

from emberscope import catalogue
from emberscope.base.errors import ParamError
from emberscope.project.model.recipe import ROWS, Recipe, of_fields
from emberscope.studies.weakened import Change

# Names that are shorter than the field of a recipe they stand for.
SHORT = {
    "d": "params.n_components", "dimension": "params.n_components", "features": "features.kind",
    "patch": "bags.patch", "stride": "bags.stride", "level": "bags.level",
    "reads": "classifier_reads", "choose": "classifier_choose",
}  # fmt: skip
OF_LABELS = ("u", "r", "share", "noise", "drawn", "minutes")
_FIELDS = ("method", "metric", "classifier", "reduce", "distances", "seed", "split", "bag_pairs",
           "ignore_side", "classifier_reads", "classifier_choose", "map_choose")  # fmt: skip
AXES = (*OF_LABELS, *SHORT, *_FIELDS)  # besides the parameters of methods
_TABLES = ("params", "metric_params", "classifier_params", "features", "bags")


def place_of(axis: str) -> str:
    """Where an axis lies: "method", "bags.patch", "params.alpha", "labels.u". Raises ParamError for
    one that names no field."""
    if axis in OF_LABELS:
        return f"labels.{axis}"
    place = SHORT.get(axis, axis)
    if place in _FIELDS or (place.partition(".")[0] in _TABLES and "." in place):
        return place
    if "." in place:
        known = ", ".join(AXES)
        raise ParamError(f"no recipe has a field {axis}",
                         hint=f"Axes: {known}, or a parameter of the method.")
    return f"params.{place}"


def recipe_at(
    given: Mapping[str, Any], values: Mapping[str, Any], usual: Recipe
) -> tuple[Recipe, Change, tuple[str, ...]]:
    """The recipe of a cell, how its labels are changed, and which axes say nothing there: those of
    parameters that its method does not have.

    given : the recipe of the study, as a file holds it. values : of each axis. usual : what suits
    the project. Raises ParamError for an axis that is not known, msgspec.ValidationError for a
    value that does not fit its field.
    """
    of_fields(dict(given))
    fields = {name: dict(value) if isinstance(value, Mapping) else value
              for name, value in given.items()}
    places = {axis: place_of(axis) for axis in values}
    if usual.bags.level == ROWS:
        _refuse_frames(places)
    for axis, place in places.items():
        if "." not in place:
            fields[place] = values[axis]
    if "method" in given and fields["method"] != given["method"]:
        fields.pop("params", None)  # they are those of another method
    silent, changed = list[str](), dict[str, Any]()
    takes = _parameters(str(fields.get("method", usual.method)))
    for axis, place in places.items():
        table, _, name = place.partition(".")
        if table == "labels":
            changed[name] = values[axis]
        elif table == "params" and name not in takes:
            silent.append(axis)
        elif name:
            fields.setdefault(table, {})[name] = values[axis]
    recipe = of_fields(fields, usual)
    return recipe, msgspec.convert({**changed, "seed": recipe.seed}, type=Change), tuple(silent)


def _refuse_frames(places: Mapping[str, str]) -> None:
    """Raise ParamError for an axis that says nothing of rows of point sets."""
    for axis, place in places.items():
        table = place.partition(".")[0]
        if place in ("labels.u", "labels.r", "labels.drawn") or table in ("bags", "features"):
            raise ParamError(f"the axis {axis} is of frames, and this project has points",
                             hint="Points have the axes method, dimension, reduce, metric, "
                                  "classifier, reads, split, share, noise, minutes and parameters "
                                  "of the method.")


def _parameters(method: str) -> set[str]:
    return {param.name for param in catalogue.load(catalogue.method(method).id).params}
