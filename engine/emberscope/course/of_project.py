"""The course of a project's run: its stages in order, and what they begin with."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.make import MadeBags
from emberscope.base.errors import MissingLabels
from emberscope.course.background_checks import cores_of
from emberscope.course.inputs import Inputs
from emberscope.course.labels import Labels, labeled
from emberscope.course.plan import Plan
from emberscope.course.scores import Scores, joined, ranks
from emberscope.course.side import known_kinds, marked_side
from emberscope.course.stage import Given, Stage
from emberscope.course.stages.advice import ADVICE
from emberscope.course.stages.agreement import AGREEMENT
from emberscope.course.stages.classified import CLASSIFIED
from emberscope.course.stages.concepts import CONCEPTS
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED, Fitted
from emberscope.course.stages.faithful import FAITHFUL, SHOWN
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.features_say import ALIKE, LOADINGS
from emberscope.course.stages.given import (
    CORES,
    INPUTS,
    LABELS,
    MADE,
    MARKED,
    PARTS,
    PREVIOUS,
    SOURCES,
)
from emberscope.course.stages.graph import GRAPH
from emberscope.course.stages.metric import METRIC
from emberscope.course.stages.novelty import NOVELTY
from emberscope.course.stages.places import PLACES
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.stages.rests import RESTS
from emberscope.course.stages.separation import SEPARATION
from emberscope.course.stages.side import SIDE
from emberscope.course.stages.split import SIDES
from emberscope.course.stages.spread import SPREAD
from emberscope.course.stages.start import START
from emberscope.labels.side_info import SideInfo
from emberscope.project.model.project import Project, Run

SAYING: tuple[Stage[Scores], ...] = (
    FAITHFUL, SHOWN, SIDES, SEPARATION, SPREAD, CLASSIFIED, LOADINGS, RESTS, ALIKE, PLACES,
    AGREEMENT, CONCEPTS, NOVELTY,
)
FITTING: tuple[Stage[Any], ...] = (
    FEATURES, REDUCED, SIDE, METRIC, SEEN, GRAPH, START, EMBED,
)
STAGES: tuple[Stage[Any], ...] = (*FITTING, *ADVICE, *SAYING)


def begin(project: Project, plan: Plan, inputs: Inputs, previous: Run | None) -> Given:
    """What the first stages read. Raises MissingLabels where the plan needs what is not known, or
    splits what cannot be split."""
    made = inputs.made
    _check_labels(plan, made)
    given, labels = Given().put(SOURCES, project.sources).put(INPUTS, inputs), Labels.of(made)
    given.put(MADE, made).put(LABELS, labels).put(PARTS, plan.split.parts(labels))
    given.put(MARKED, _marked(project, plan, made)).put(PREVIOUS, previous)
    return given.put(CORES, cores_of(project.labels, project.classes))


def _with_witness(points: dict[str, NDArray], fitted: Fitted) -> dict[str, NDArray]:
    """With "witness", how target-like each instance is, as ranks: the method's own `score_`, else
    the classifier's.

    A classifier beside the embedding changes nothing that the method says. On infrared patches,
    whose truth is known, the scores of methods found targets better in most cases than those of the
    classifiers.
    """
    own = fitted.state.get("score_")
    if own is not None and len(own) == len(fitted.Z):
        return {**points, "witness": ranks(own)}
    return {"witness" if name == "classifier" else name: values for name, values in points.items()}


def points_said(stages: Sequence[Stage[Scores]], given: Given) -> dict[str, NDArray]:
    """Scores of instances of a run, (N,) each by name, as these stages found them."""
    return _with_witness(joined(*(given[stage] for stage in stages)).points, given[EMBED])


def _check_labels(plan: Plan, made: MadeBags) -> None:
    classifying = [catalogue.method(plan.recipe.classifier)] if plan.model is not None else []
    for row in (*plan.rows, *classifying):
        there = labeled(made.y if row.needs == "instance" else made.bags.labels, made.bags)
        missing = tuple(kind for kind in catalogue.lacks(row, there) if kind not in catalogue.SIDE)
        if missing:
            needs = " and ".join(catalogue.NEEDS[row.needs])
            what = f"{row.title} needs {needs}, there is no {missing[0]}"
            raise MissingLabels(what, hint=catalogue.missing_hint(missing[0]))


def _marked(project: Project, plan: Plan, made: MadeBags) -> SideInfo:
    """What persons said of the instances. Raises MissingLabels where method or metric need side
    information."""
    marked = marked_side(project, made, plan)
    known = known_kinds(marked, made, plan.recipe)
    for row in plan.rows:
        missing = sorted(catalogue.SIDE & set(catalogue.lacks(row, known)))
        if missing and plan.recipe.ignore_side:
            raise MissingLabels(f"{row.title} reads side information, which the recipe ignores",
                                hint="Choose another method, or do not ignore side information.")
        if missing:
            what = f"{row.title} needs {missing[0]}, and there are none among these instances"
            raise MissingLabels(what, hint=catalogue.missing_hint(missing[0]))
    return marked
