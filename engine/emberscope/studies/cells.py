"""The cells of a study: every combination of the values of its axes, as far as they differ."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import msgspec

from emberscope.base.errors import EmberscopeError, ParamError
from emberscope.base.misfit import misfit_words
from emberscope.base.plain_text import meant
from emberscope.catalogue.usual import usual_recipe
from emberscope.course.inputs import content_of
from emberscope.course.plan import plan_of
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.findings.studied.grid import words_of
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.study import Study
from emberscope.studies.axes import AXES, recipe_at
from emberscope.studies.weakened import Change

_PARAMETERS = "`emberscope methods ID` lists those of a method."


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a study. key : a hash of all that its result depends on. values : of every axis,
    None of one that says nothing to its method. error : why its recipe can be no run, else "": a
    value that one method takes may be too much for another.
    """

    key: str
    values: dict[str, Any]
    recipe: Recipe
    change: Change
    error: str = ""

    @property
    def words(self) -> str:
        """ "method pca, d 2"."""
        return words_of(self.values)


def cells_of(study: Study, project: Project) -> list[Cell]:
    """The cells, those that share bags, features and components beside each other.

    Raises ParamError for an axis or a value that is none, for a parameter that no method of the
    study has, and where no cell can be a run, before anything is computed.
    """
    usual, content = usual_recipe(project)[0], content_key(project)
    found = dict[str, Cell]()
    said = set[str]()
    for values in product(*study.axes.values()):
        cell = _cell(study, dict(zip(study.axes, values, strict=True)), usual, content, project)
        said |= {axis for axis, value in cell.values.items() if value is not None}
        found.setdefault(cell.key, cell)
    for axis in study.axes:
        if axis not in said:
            raise ParamError(f"no method of the study has a parameter {axis}",
                             hint=meant(axis, AXES) or _PARAMETERS)
    if found and all(cell.error for cell in found.values()):
        raise ParamError(next(iter(found.values())).error, where="every cell of the study")
    return sorted(found.values(), key=_order)


def _cell(
    study: Study, values: dict[str, Any], usual: Recipe, content: str, project: Project
) -> Cell:
    try:
        recipe, change, silent = recipe_at(study.recipe, values, usual)
    except (msgspec.MsgspecError, EmberscopeError) as error:
        what = error.what if isinstance(error, EmberscopeError) else misfit_words(error, Recipe)
        hint = error.hint if isinstance(error, EmberscopeError) else ""
        place = ", ".join(f"{axis} {value}" for axis, value in values.items())
        raise ParamError(what, where=f"the cell of {place}" if place else "the study",
                         hint=hint) from error
    shown = {axis: None if axis in silent else value for axis, value in values.items()}
    why = ""
    try:
        recipe = plan_of(recipe, project).recipe  # with the hash of its network
    except EmberscopeError as error:
        why = str(error)
    return Cell(digest([recipe, change, content, code_version()]), shown, recipe, change, why)


def _order(cell: Cell) -> tuple[str, ...]:
    """Cells that share the first stages of a course follow each other, and those of one seed."""
    recipe = cell.recipe
    parts = (cell.change, recipe.bags, recipe.features, recipe.reduce, recipe.metric,
             recipe.metric_params, recipe.seed, recipe.method)
    return (*(digest(part) for part in parts[:-2]), f"{recipe.seed:012d}", recipe.method, cell.key)


def content_key(project: Project) -> str:
    """What labels and frames hold, wherever the files lie. Reads each file's fingerprint."""
    sources = [msgspec.structs.replace(ref, path="", within="", withheld=False,
                                       fingerprint=content_of(ref))
               for ref in project.sources.values()]
    return digest([sources, list(project.classes.values()), list(project.labels),
                   *project.marks.columns(), list(project.side.values())])


def judging_labels(recipe: Recipe, project: Project) -> frozenset[int]:
    """Ids of the labels that judge and never teach: of the sources, or the values of a column, that
    the split of a recipe names; none where bags are dealt into folds."""
    split = plan_of(recipe, project).split
    if split.sides is not None and split.sides.side is not None:
        return frozenset(split.sides.ids[split.sides.side == 0].tolist())
    return frozenset(label.id for source in split.tested
                     for label in project.labels.in_source(source))
