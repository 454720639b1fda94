"""Which labels judge and which teach, where the values of a column decide."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import LEARNED, NO_PART
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.base.ids import BAG_ORDINAL_BITS
from emberscope.labels.columns import NEAR, NUMBER, TEXT, Column, near_groups, value_of
from emberscope.project.columns import columns_of_bags, wordings
from emberscope.project.model.project import Project

_SIDES = (0, LEARNED)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSides:
    """Of L labels by their ids, ascending (L,) int64: group, (L,) int64, -1 where the column has no
    value; and side, (L,) int64, 0 of those that judge, -2 of those that teach, -1 of others, or
    None where groups are dealt into folds."""

    ids: NDArray[np.int64]
    group: NDArray[np.int64]
    side: NDArray[np.int64] | None

    def of_bags(self, bag_ids: NDArray[np.int64]) -> tuple[NDArray, NDArray | None]:
        """(K,) group and side of bags by their ids; -1 where the label is gone."""
        labels = np.asarray(bag_ids, np.int64) >> BAG_ORDINAL_BITS
        there = np.isin(labels, self.ids)
        at = np.searchsorted(self.ids, labels[there])

        def known(value: NDArray[np.int64]) -> NDArray[np.int64]:
            out = np.full(len(labels), NO_PART, np.int64)
            out[there] = value[at]
            return out

        return known(self.group), None if self.side is None else known(self.side)


def column_sides(recipe: SplitRecipe, project: Project) -> ColumnSides:
    """The sides of the labels of a project.

    Raises ParamError for a column that is not there and for a value that no label has; and
    MissingLabels where no label has a value, a side is empty or of one class, or frames of a clip
    would lie on both sides and the recipe does not say `shared`.
    """
    if recipe.column not in (known := wordings(project)):
        hint = f"Columns: {', '.join(known)}." if known else "The project has no column."
        raise ParamError(f"the split is by {recipe.column}, which is no column", hint=hint)
    table = project.labels.table()
    column = columns_of_bags(project, table.ids << BAG_ORDINAL_BITS, filled=True)[recipe.column]
    if not column.known.any():
        raise MissingLabels(f"the split is by {recipe.column}, of which no label has a value",
                            hint="Give labels a value of it, or split by another column.")
    group = _groups(column)
    if not recipe.test:
        return ColumnSides(table.ids, group, None)
    tested = _having(column, recipe.test)
    learned = _having(column, recipe.train) if recipe.train else column.known
    if recipe.train and (tested & learned).any():
        value = column.words(float(column.values[np.flatnonzero(tested & learned)[0]]))
        raise ParamError(f"{column.name} {value} is named to judge and to teach",
                         hint="Name each value on one side.")
    side = np.where(tested, 0, np.where(learned, LEARNED, NO_PART))
    signs = np.array([project.role(key) for key in table.classes.tolist()], np.int64)
    _check_sides(recipe, side, signs)
    if not recipe.shared:
        _check_clips(recipe, project, side, table.sources, signs)
    return ColumnSides(table.ids, np.where(side == NO_PART, NO_PART, group), side)


def _groups(column: Column) -> NDArray[np.int64]:
    """(L,) number of the value of each, -1 for none: numbers that lie close in a row are one."""
    if column.kind == NUMBER:
        return near_groups(column.values)
    group = np.full(len(column.values), NO_PART, np.int64)
    group[column.known] = np.unique(column.values[column.known], return_inverse=True)[1].reshape(-1)
    return group


def _having(column: Column, wanted: tuple[str, ...]) -> NDArray[np.bool_]:
    """(L,) True for those that have one of the values. Raises ParamError for a value that none
    has."""
    found = np.zeros(len(column.values), bool)
    for text in wanted:
        mine = _is(column, text)
        if not mine.any():
            levels = column.levels()[1]
            there = f"Values: {', '.join(levels)}." if levels else "No label has a value."
            raise ParamError(f"no label has {column.name} {text}", hint=there)
        found |= mine
    return found


def _is(column: Column, text: str) -> NDArray[np.bool_]:
    """(L,) True for those that have a value: a number, a range of numbers, a text, yes or no."""
    nothing = np.zeros(len(column.values), bool)
    if column.kind == TEXT:
        match = [k for k, known in enumerate(column.texts) if known.casefold() == text.casefold()]
        return np.isin(column.values, match)
    low, to, high = text.partition("..")
    ends = [value_of(end) for end in ((low, high) if to else (text, text))]
    if any(not isinstance(end, float | int) for end in ends):
        return nothing
    first, last = (float(end) for end in ends if isinstance(end, float | int))
    with np.errstate(invalid="ignore"):
        if to:
            return (column.values >= first) & (column.values <= last)
        wide = NEAR * abs(first) if column.kind == NUMBER else 0.0
        return np.abs(column.values - first) <= wide


def _check_sides(recipe: SplitRecipe, side: NDArray[np.int64], signs: NDArray[np.int64]) -> None:
    judges, teaches = (" or ".join(values) for values in (recipe.test, recipe.train))
    named = (f"{recipe.column} {judges}, which judges",
             f"{recipe.column} {teaches}, which teaches" if teaches else
             f"another {recipe.column} than {judges}, which judges")
    for number, words in zip(_SIDES, named, strict=True):
        for sign, kind in ((1, "target"), (-1, "background")):
            if not ((side == number) & (signs == sign)).any():
                which = f"label of {kind}" if ((side == number) & (signs != 0)).any() else "label"
                raise MissingLabels(f"no {which} has {words}",
                                    hint=f"Label {kind} there, or choose other values.")


def _check_clips(
    recipe: SplitRecipe, project: Project, side: NDArray[np.int64], sources: NDArray[np.int64],
    signs: NDArray[np.int64],
) -> None:
    held, taught = (set(sources[(side == number) & (signs != 0)].tolist()) for number in _SIDES)
    both = [project.sources[key].name for key in sorted(held & taught) if key in project.sources]
    if both:
        more = f" and of {len(both) - 1} more clips" if len(both) > 1 else ""
        what = f"frames of {both[0]}{more} would lie on both sides of the split"
        raise MissingLabels(what, hint="Choose other values, or allow it with `shared`.")
