"""What a run keeps of the target concepts its method found, beside the method's state; their chips,
and other maps."""

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.base.errors import DataError, NoOutOfSample, ProjectError
from emberscope.base.monitor import Monitor
from emberscope.course.finished import method_of
from emberscope.features.chips import stream_chips
from emberscope.features.extract import chip_shape, grown, preparation
from emberscope.findings.concept_chips import ConceptChips
from emberscope.findings.concepts import concepts_of, has_concepts
from emberscope.project.exchange.sources import OpenSources
from emberscope.project.model.project import Project, Run
from emberscope.project.store.own_sources import check_network

NEAREST = 12  # chips that a mean is made of


def concept_chips(
    project: Project, run: Run, *, nearest: int = NEAREST, monitor: Monitor | None = None
) -> ConceptChips | None:
    """A synthetic chip for each concept of a run, as the project shows them; None where it has
    none.

    Of pixels, reduced to principal components or not, it is the center itself. Other features have
    no way back, and what was merged or split has no center: there it is the mean of the nearest
    instances' chips, weighted by probability. nearest : how many. Reads their frames; raises
    FormatError, ProjectError where a source is gone.
    """
    found = concepts_of(run, project)
    if found is None:
        return None
    recipe = run.recipe.features
    known = recipe.is_chip and "metric" not in run.state
    exact = np.array([known and concept.untouched for concept in found.edits])
    check_network(project, recipe)
    shape = chip_shape(recipe)
    chips = np.full((len(found), shape.rows, shape.cols), np.nan, np.float32)
    if exact.any():
        centers = in_run_features(run.state["centers_"], run.state.get("reduction") or {})
        first = [
            concept.parts[0][0] for concept, known in zip(found.edits, exact, strict=True) if known
        ]
        chips[exact] = centers[first].reshape(-1, shape.rows, shape.cols)
    rows = {k: found.nearest(k, nearest) for k in np.flatnonzero(~exact).tolist()}
    cut = _chips(
        project, run, np.unique(np.concatenate([np.empty(0, np.int64), *rows.values()])), monitor
    )
    for k, own in rows.items():
        a = found.distances2[own, k].astype(np.float64)
        # Of the nearest 1: probabilities may all underflow
        weight = np.exp(a.min(initial=np.inf) - a)
        chips[k] = (
            np.average([cut[row] for row in own.tolist()], axis=0, weights=weight)
            if len(own)
            else np.nan
        )
    return ConceptChips(chips, exact)


def _chips(
    project: Project, run: Run, rows: NDArray[np.int64], monitor: Monitor | None
) -> dict[int, NDArray]:
    """Row -> the chip that the features of a run see, normalized as they are."""
    gone = sorted(set(run.source[rows].tolist()) - project.sources.keys())
    if gone:
        what = f"run {run.id} has instances of a source that is not in the project any more"
        raise ProjectError(what, hint="Undo its removal, or run again.")
    recipe = run.recipe.features
    found: dict[int, NDArray] = {}
    seen = grown(run.instances.take(rows), recipe.sees)
    with OpenSources(project) as sources:
        for part, cut in stream_chips(
            seen, sources, shape=chip_shape(recipe), prepare=preparation(recipe), monitor=monitor
        ):
            found |= dict(zip(rows[part].tolist(), cut, strict=True))
    return found


def in_run_features(centers: NDArray, reduction: dict[str, NDArray]) -> NDArray[np.float64]:
    """Centers (K, D) in the features of a run, whose reduction to principal components is
    undone."""
    if not reduction:
        return np.asarray(centers, np.float64)
    return np.asarray(centers, np.float64) @ np.asarray(reduction["components"]).T + np.asarray(
        reduction["mean"]
    )


def mapped_centers(run: Run, other: Run) -> NDArray[np.float64] | None:
    """(K, d) where the map of another run takes the centers of the concepts of `run`, for
    `concepts_on`.

    None where it has no rule for new points of its own, is of other features, or `run` has no
    concepts. O(K) places.
    """
    row = catalogue.method(other.recipe.method)
    same_features = run.recipe.features == other.recipe.features and not {"metric"} & {
        *run.state,
        *other.state,
    }
    if not has_concepts(run) or row.out_of_sample == "none" or not same_features:
        return None
    X, then = (
        in_run_features(run.state["centers_"], run.state.get("reduction") or {}),
        other.state.get("reduction"),
    )
    if then is not None:
        X = (X - np.asarray(then["mean"])) @ np.asarray(then["components"])
    try:
        return np.asarray(method_of(other).transform(X.astype(np.float32)), np.float64)
    except (NoOutOfSample, DataError):
        return None
