"""Which bags are held out together: what a recipe says of it, for labels that are there."""

from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import NO_PART, bag_groups, grouped_folds, joined
from emberscope.bags.model import Bags, Instances
from emberscope.bags.split_recipe import CLIP, COLUMN, DEFAULT, HOLD_OUT, SplitRecipe
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.course.column_sides import ColumnSides, column_sides
from emberscope.course.labels import Labels
from emberscope.evaluate.held_out import (
    N_FOLDS,
    Parts,
    bag_blocks,
    bag_clips,
    clip_groups,
    labeled_bags,
    parts_by,
    parts_held,
    parts_of,
    placed,
)
from emberscope.project.model.project import Project

_SIGNS = ((1, "positive"), (-1, "negative"))


@dataclass(frozen=True, slots=True)
class HeldBags:
    """What K labeled bags are held out with, for what is learned from bags alone.

    group : (K,) int64, bags that are held out together. block, clip : (K,) int64, bags that depend
    on each other, and inside which scores are compared. fold : (K,) int64, their folds where these
    are dealt already, -2 for a bag that is only learned from; None: `folds` deals them.
    """

    group: NDArray[np.int64]
    block: NDArray[np.int64]
    clip: NDArray[np.int64]
    fold: NDArray[np.int64] | None = None
    seed: int = 0

    def take(self, rows: NDArray) -> "HeldBags":
        """Those of some of the bags."""
        fold = None if self.fold is None else self.fold[rows]
        return HeldBags(self.group[rows], self.block[rows], self.clip[rows], fold, self.seed)

    def folds(self, labels: NDArray) -> NDArray[np.int64] | None:
        """(K,) folds that share out the labels (K,); None where nothing can be held out."""
        if self.fold is not None:
            return self.fold
        n_groups = len(np.unique(self.group))
        if n_groups < 2:
            return None
        return grouped_folds(self.group, labels, n_folds=min(N_FOLDS, n_groups), seed=self.seed)


@dataclass(frozen=True, slots=True)
class Split:
    """A `SplitRecipe` for the sources of a project.

    tested : ids of the sources that are held out by name. seed : of the folds. sides : of the
    labels of the project, where a column decides.
    """

    recipe: SplitRecipe = field(default_factory=SplitRecipe)
    tested: tuple[int, ...] = ()
    seed: int = 0
    sides: ColumnSides | None = None

    @classmethod
    def of(cls, recipe: SplitRecipe, project: Project | None, seed: int) -> "Split":
        """The split of a project; None: of points, which have neither sources nor columns.

        Raises ParamError for a source that is held out and not there, and as `column_sides`.
        """
        sources = {} if project is None else project.sources
        names = [ref.name for ref in sources.values()]
        for name in recipe.sources:
            if name not in names:
                there = f"Sources: {', '.join(names)}." if names else "There is no source."
                raise ParamError(f"the split holds out {name}, which is no source", hint=there)
        if project is not None and project.of_points and len(names) == 1:
            # a file of points alone is no clip whose bags look alike
            recipe = msgspec.structs.replace(recipe, shared=recipe.kind == COLUMN)
        tested = [key for key, ref in sources.items() if ref.name in recipe.sources]
        sides = column_sides(recipe, project or Project()) if recipe.kind == COLUMN else None
        return cls(recipe, tuple(sorted(tested)), seed, sides)

    @property
    def usual(self) -> bool:
        """Whether it is the one of a recipe that says nothing of it."""
        return self.recipe.kind == DEFAULT

    @property
    def n_folds(self) -> int:
        """How many times something is fitted without what is held out, at most."""
        return 1 if self.recipe.names_judges else self.recipe.folds or N_FOLDS

    def parts(self, labels: Labels) -> Parts | None:
        """Folds of the labeled bags; None where there are not bags of both kinds, or the default
        rule finds nothing to hold out. Bags without a place keep the groups that they have.

        Raises MissingLabels for a split that these labels do not allow: too few clips or bags, an
        empty side, a side without positive or negative bags.
        """
        bags, instances = labels.bags, labels.instances
        if bags is None:
            return None
        if instances is None:
            groups = np.arange(len(bags)) if labels.groups is None else labels.groups
            return parts_by(groups, bags, len(labels.y), seed=self.seed)
        if self.usual:
            return parts_of(instances, bags, seed=self.seed)
        if len(np.unique(bags.labels[labeled_bags(bags)])) < 2:
            return None
        if self.sides is not None:
            parts = self._by_column(self.sides, instances, bags)
        elif self.recipe.kind == HOLD_OUT:
            parts = self._named(instances, bags)
        else:
            parts = self._dealt(instances, bags)
        return placed(parts, instances, bags, bag_blocks(instances, bags))

    def of_bags(self, instances: Instances, bags: Bags, parts: Parts | None) -> HeldBags:
        """Of all bags, for what is learned from bags alone: by default blocks of frames, dealt
        anew among the bags that take part; else as in `parts`."""
        block, clip = bag_blocks(instances, bags), bag_clips(instances, bags)
        if self.usual or parts is None:
            return HeldBags(block, block, clip, seed=self.seed)
        return HeldBags(parts.group, block, clip, parts.fold, self.seed)

    def _dealt(self, instances: Instances, bags: Bags) -> Parts:
        """Folds of whole clips, or of bags."""
        by_clip, n = self.recipe.kind == CLIP, len(instances)
        group = clip_groups(instances, bags) if by_clip else _sharing(bags, n)
        what = "clips" if by_clip else "bags that share no instance"
        return self._in_folds(group, bags, n, what, by_clip=by_clip)

    def _in_folds(
        self, group: NDArray[np.int64], bags: Bags, n: int, what: str, *, by_clip: bool
    ) -> Parts:
        there = len(np.unique(group[labeled_bags(bags)]))
        folds = self.recipe.folds or max(min(N_FOLDS, there), 2)
        if there < folds:
            hint = f"Give {there} folds or fewer." if there > 1 else "Choose another split."
            raise MissingLabels(f"{folds} folds of {what} need {folds} with labeled bags, "
                                f"there {'is' if there == 1 else 'are'} {there}", hint=hint)
        parts = parts_by(group, bags, n, folds=folds, by_clip=by_clip, seed=self.seed)
        if parts is None:
            raise _one_sided(group, bags, "clip" if by_clip else "bag")
        return parts

    def _by_column(self, sides: ColumnSides, instances: Instances, bags: Bags) -> Parts:
        """Values of a column: those that are named against others, or all of them in folds. Whole
        clips stay together, unless the recipe says that they need not."""
        value, side = sides.of_bags(bags.ids)
        n, shared = len(instances), self.recipe.shared
        together = _sharing(bags, n) if shared else clip_groups(instances, bags)
        known = labeled_bags(bags) & (value != NO_PART)
        if side is None:
            group = joined_groups(np.where(known, value, -1 - np.arange(len(bags))), together)
            return self._in_folds(group, replace(bags, labels=np.where(known, bags.labels, 0)), n,
                                  f"values of {self.recipe.column}", by_clip=not shared)
        held = np.isin(together, together[known & (side == 0)])
        known &= (side == 0) | ~held  # what shares an instance with what judges teaches nothing
        _check_both_sides(side == 0, known, bags)
        return parts_held(side == 0, together, bags, n, known=known, by_clip=not shared)

    def _named(self, instances: Instances, bags: Bags) -> Parts:
        """The sources that are named, against all others."""
        tested = np.isin(bag_clips(instances, bags), self.tested)
        _check_both_sides(tested, labeled_bags(bags), bags)
        return parts_held(tested, clip_groups(instances, bags), bags, len(instances))


def _check_both_sides(
    tested: NDArray[np.bool_], known: NDArray[np.bool_], bags: Bags
) -> None:
    """Raise MissingLabels for a side without positive or negative bags."""
    for side, own in (("held out", tested), ("learned from", ~tested)):
        for sign, kind in _SIGNS:
            if not (known & own & (bags.labels == sign)).any():
                which = f"{kind} bag" if (known & own).any() else "labeled bag"
                raise MissingLabels(
                    f"no {which} is on the clips that are {side}",
                    hint=f"Label {kind} bags there, or hold out others.",
                )


def joined_groups(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """(K,) groups of things (K,) that share a value of `a` or of `b`, directly or through
    others."""
    first, second = (np.unique(each, return_inverse=True)[1].reshape(-1) for each in (a, b))
    size = len(first) + int(first.max(initial=-1)) + int(second.max(initial=-1)) + 2
    hubs = np.concatenate([len(first) + first, len(first) + first.max(initial=-1) + 1 + second])
    rows = np.tile(np.arange(len(first)), 2)
    return joined(rows, hubs, size)[: len(first)]


def _sharing(bags: Bags, n: int) -> NDArray[np.int64]:
    """(K,) group of every bag: those that share an instance, wherever they lie."""
    return bag_groups(replace(bags, groups=None), n)


def _one_sided(group: NDArray, bags: Bags, unit: str) -> MissingLabels:
    """The error for a fold that has all positive, or all negative, bags."""
    known = labeled_bags(bags)
    alone = [kind for sign, kind in _SIGNS
             if len(np.unique(group[known & (bags.labels == sign)])) < 2]
    kind = (alone or ["positive or negative"])[0]
    return MissingLabels(
        f"all {kind} bags are held out together, so nothing is left to learn them from",
        hint=f"Label {kind} bags on another {unit}, or choose another split.",
    )
