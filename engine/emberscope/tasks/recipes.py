"""What suits the labels of a project: a recipe, sizes of patches."""

import msgspec

from emberscope.bags.sizes import FittingSizes
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.monitor import Monitor
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.tasks.request import Request


class TriedRecipe(msgspec.Struct, frozen=True):
    """A recipe and the area under the ROC curve of bags that were held out."""

    recipe: Recipe
    area: float


class SuggestedRecipe(msgspec.Struct, frozen=True):
    """The recipe to run and why, in sentences.

    beside_run : the reasons for who has its run, whose own number says how well bags are separated.
    area : under the ROC curve of held-out bags, with the ends of its 95 % interval, corrected for
    the choice; None where nothing could be tried. tried : best first. sizes : of the patches, as
    they were judged; None where nothing was.
    """

    recipe: Recipe
    reasons: list[str]
    tried: list[TriedRecipe] = []
    sizes: FittingSizes | None = None
    beside_run: list[str] = []
    area: tuple[float, float, float] | None = None


class SuggestRecipe(Request[SuggestedRecipe], frozen=True, kw_only=True):
    """Try a few recipes on bags they have not seen. snapshot : of the project. split : of the run
    that follows, which is checked before anything is tried."""

    snapshot: Snapshot
    split: SplitRecipe | None = None


class JudgeSizes(Request[FittingSizes], frozen=True, kw_only=True):
    """The patches that fit the targets, as bags that were held out judge them."""

    snapshot: Snapshot


def judge_sizes(request: JudgeSizes, monitor: Monitor) -> FittingSizes:
    """See `pipeline.sizes`."""
    from emberscope.pipeline.sizes import judged_sizes

    return judged_sizes(from_snapshot(request.snapshot), monitor=monitor)


def suggest_recipe(request: SuggestRecipe, monitor: Monitor) -> SuggestedRecipe:
    """See `pipeline.suggest`."""
    from emberscope.course.split import Split
    from emberscope.pipeline.suggest import suggest

    project = from_snapshot(request.snapshot)
    if request.split is not None:
        Split.of(request.split, project, seed=0)
    found = suggest(project, monitor=monitor)
    tried = [TriedRecipe(one.recipe, float(one.area)) for one in found.tried]
    return SuggestedRecipe(
        found.recipe, list(found.reasons), tried, found.sizes, list(found.beside_run),
        found.area,
    )
