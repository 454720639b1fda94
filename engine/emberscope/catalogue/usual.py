"""What fits the labels of a project before anything was tried: the recipe that ranked and drew best
on known clips."""

from collections.abc import Iterable

import numpy as np

from emberscope.bags.recipe import BagRecipe
from emberscope.bags.sizes import FittingSizes, fitting_sizes
from emberscope.catalogue.needs import ACTIONS, BACKGROUND, DISTANCES, PAIRS, SECOND_CLASS, TARGET
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.side_info import Actions, Distance, Pair, SideRecord
from emberscope.labels.table import FRAME, IGNORE
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe, of_rows

FROM_BAGS = "mi-umap"  # for patches inside loose labels
FROM_LABELS = "s-le"   # for one chip per label, which the label describes
WITHOUT = "pca"        # for labels that tell no two things apart
_WHY = {
    FROM_BAGS: "Loose labels of targets and background: MI-UMAP ranks instances and draws "
               "targets apart.",
    WITHOUT: "Without labels of target and background only methods that read none can run.",
}

# The records that each kind of side information which methods need comes from.
SIDE_RECORDS: dict[str, type[SideRecord]] = {PAIRS: Pair, DISTANCES: Distance, ACTIONS: Actions}


def usual_method(labeled: set[str], *, level: str = "instance") -> str:
    """The id of a method that knows how much the labels know.

    With patches inside a label most of a positive bag is ground, which only a method that reads
    bags can tell from the target; one chip per label is its label.
    """
    if not {TARGET, BACKGROUND} <= labeled:
        return WITHOUT
    return FROM_BAGS if level == "instance" else FROM_LABELS


def usual_recipe(project: Project, sizes: FittingSizes | None = None) -> tuple[Recipe, list[str]]:
    """The recipe for a project that has none of its own, and why, in sentences. Looks at labels, at
    no pixel.

    sizes : of its patches, where bags judged them (`pipeline.sizes`); by default what labels say.
    """
    method = usual_method(labeled_kinds(project))
    if project.of_points:
        return _recipe_of_points(project, method)
    sizes = sizes or fitting_sizes(project.labels.table(), project.classes, project.frame_sizes)
    bags = BagRecipe(patch=sizes.patch, stride=sizes.stride, also=sizes.also)
    recipe = Recipe(bags=bags, features=FeatureRecipe(kind="infrared"), reduce=0, method=method)
    return recipe, [sizes.why, _WHY[method]]


def _recipe_of_points(project: Project, method: str) -> tuple[Recipe, list[str]]:
    """Their features as they are, as `emberscope embed` takes them."""
    recipe = of_rows(Recipe(method=method), project.width)
    return recipe, ["Rows are instances, with the features of their file.", _WHY[method]]


def labeled_kinds(project: Project) -> set[str]:
    """Which of the kinds of labels and of side information that methods need are there.

    Labels of target and background say something of pairs as well: see `bags.pairs`.
    """
    table = project.labels.table()
    frames = table.labels[table.kinds == FRAME].tolist()
    says = {label.says for label in frames}
    empty = "empty" in says or ("complete" in says and project.recipe.bags.background)
    classes = set(np.unique(project.marks.columns()[1]).tolist())
    classes |= set(
        np.unique(table.classes[(table.kinds != FRAME) & (table.kinds != IGNORE)]).tolist()
    )
    classes |= {label.class_id for label in frames if label.says == "contains"}
    roles = {class_id: project.role(class_id) for class_id in classes}
    targets = [class_id for class_id, role in roles.items() if role > 0]
    found = {TARGET} if targets else set()
    found |= {BACKGROUND} if empty or -1 in roles.values() else set()
    found |= {SECOND_CLASS} if len(targets) > 1 else set()
    return (
        found
        | side_kinds(project.side.values())
        | ({PAIRS} if {TARGET, BACKGROUND} <= found else set())
    )


def side_kinds(records: Iterable[SideRecord]) -> set[str]:
    """Which kinds of side information that methods need are among the records."""
    there = {type(record) for record in records}
    return {kind for kind, of in SIDE_RECORDS.items() if of in there}
