"""The side of a run that teaches: all of it, or what is left where its split names what judges.

What judges must not have taught what it judges, neither with its labels nor by way of the scores of
others. So where a split names what judges, scores are those of the same recipe on the other side
alone.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import LEARNED, NO_PART
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion
from emberscope.course.inputs import inputs_of, marked_in
from emberscope.course.of_project import FITTING, begin, points_said
from emberscope.course.plan import plan_of
from emberscope.course.runner import run_stages
from emberscope.course.stages.classified import CLASSIFIED
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.separation import SEPARATION
from emberscope.course.stages.split import FOLDS
from emberscope.project.model.project import Project, Run, SourceRef

_OF_BAGS_MADE = ("marks", "followed")  # diagnostics that say how labels of instances came about


def side_that_teaches(run: Run) -> Run:
    """The run itself, or, where its split names what judges, what it learned from alone: its
    instances and bags, and neither coordinates nor scores, which have seen what judges."""
    fold = run.diagnostics.get(FOLDS)
    if not run.recipe.split.names_judges or fold is None:
        return run
    bags, n = run.bags, len(run.ids)
    of_member = fold[bags.bag_of_member]
    teaches = np.zeros(n, bool)
    teaches[bags.members[of_member == LEARNED]] = True
    teaches[bags.members[(of_member != LEARNED) & (of_member != NO_PART)]] = False
    rows = np.flatnonzero(teaches)
    kept = bags.take(np.flatnonzero(fold == LEARNED)).among(rows, n)
    # what only a bag that leaves has said of an instance is not known any more
    y = np.where(marked_in(run)[rows], run.y[rows], kept.instance_labels(len(rows)))
    return msgspec.structs.replace(
        run, recipe=msgspec.structs.replace(run.recipe, split=SplitRecipe()),
        ids=run.ids[rows], source=run.source[rows], frame=run.frame[rows], box=run.box[rows],
        indptr=kept.indptr, members=kept.members, bag_labels=kept.labels, bag_ids=kept.ids,
        bag_classes=kept.classes, y=y, Z=run.Z[rows, :0], point_scores={}, metrics={},
        notes=[], state={},
        diagnostics={name: run.diagnostics[name] for name in _OF_BAGS_MADE
                     if name in run.diagnostics},
    )  # fmt: skip


def sources_that_taught(run: Run) -> list[int]:
    """Ids of the sources that scores of a run are learned from, ascending."""
    out: list[int] = np.unique(side_that_teaches(run).source).tolist()
    return out


def taught_words(run: Run, clips: Sequence[SourceRef]) -> str:
    """A sentence where a run has learned from some of these clips, "" where from none."""
    taught = [ref.name for ref in clips if ref.id in sources_that_taught(run)]
    if not taught:
        return ""
    names = taught[0] if len(taught) == 1 else how_many(len(taught), "clip")
    return (f"{names} taught run {run.id}: what is found there says nothing of clips that it has "
            "not seen.")


def with_scores(project: Project, side: Run, cache: Path, monitor: Monitor) -> Run:
    """A side that teaches with what its recipe says of its instances, learned from them alone.

    Stages are kept in the cache. Raises what they raise: FormatError where a file is gone and is
    needed, MissingLabels where the side is too small for the method, Cancelled.
    """
    plan = plan_of(side.recipe, project, at_any_cost=side.made_by.at_any_cost)
    given = begin(project, plan, inputs_of(project, side, cache), None)
    run_stages(plan, FITTING, given, folder=cache, monitor=Portion(monitor, 0.0, 0.5))
    own = given[EMBED].state.get("score_")
    if own is not None:
        return msgspec.structs.replace(side, state={"score_": own},
                                       point_scores=points_said((), given))
    saying = (SEPARATION, CLASSIFIED)
    run_stages(plan, saying, given, folder=cache, monitor=Portion(monitor, 0.5, 1.0))
    return msgspec.structs.replace(side, point_scores=points_said(saying, given))


def taught_from(project: Project, side: Run) -> list[object]:
    """All that `with_scores` depends on, beside the content of sources: to tell whether it is known
    without doing it."""
    return [side.ids, side.indptr, side.members, side.bag_labels, side.bag_classes, side.y,
            side.made_by.at_any_cost, side.recipe, _marks(project, side),
            list(project.side.values())]


def _marks(project: Project, side: Run) -> NDArray[np.int64]:
    return project.marks.of(side.ids)
