"""What a metric did to neighbors: nearest instances before and after it, impostors, and the hardest
triplets."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.base.errors import FormatError, MissingLabels
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.finished import metric_of, side_known_to
from emberscope.course.inputs import inputs_of
from emberscope.course.labels import known_labels
from emberscope.features.extract import extract, feature_names, grown
from emberscope.features.recipe import FeatureRecipe
from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.metric.known_kinds import Known, known_of, with_witnesses
from emberscope.metric.pairs import Pairs
from emberscope.metric.triplet import marked_triplets
from emberscope.metric.triplet_rows import hardest_triplets, rated, rivals
from emberscope.neighbors.graph import knn
from emberscope.pipeline.conversion import features_of_run
from emberscope.project.exchange.sources import open_ref
from emberscope.project.model.project import Project, Run

NEIGHBORS = 8    # listed of each instance
TARGETS = 3      # of its own kind, whose reach impostors are within
_LOOKED_AT = 4000  # instances of known kind that impostors are sought among
_MARKED = 60     # triplets of marked pairs
_EDGES = FeatureRecipe(kind="hog")


def neighborhoods(
    project: Project, run: Run, *, cache: str | Path | None = None, monitor: Monitor | None = None
) -> Neighborhoods:
    """Neighbors of every instance of a run before and after its metric, and the triplets that it
    gets most wrong.

    "After" is what the metric of the recipe shows; without one the embedding, which of a metric
    learner is the same. Kinds are labels that are certain, members of negative bags, and of each
    positive bag the most unusual member, as the metric learners have them. A triplet is an anchor,
    the third nearest of its kind and the nearest of the other; marked pairs make triplets too.
    Raises ProjectError and FormatError where a source is gone and its features are not kept,
    MissingLabels for one instance, Cancelled. O(N² D).
    """
    n = len(run.ids)
    if n < 2:
        raise MissingLabels(
            "there is one instance: it has no neighbors", hint="Label more, and run again."
        )
    watch = monitored(monitor)
    folder = Path(cache) if cache is not None else cache_folder()
    X = np.ascontiguousarray(
        features_of_run(project, run, folder, Portion(watch, 0.0, 0.4)), np.float32
    )
    space, Z = _space(run, X)
    watch.step(0.4, "Neighbors")
    k = min(NEIGHBORS, n - 1)
    before, after = (knn(points, k, monitor=Portion(watch, *part)).idx.astype(np.int32)
                     for points, part in ((X, (0.4, 0.5)), (Z, (0.5, 0.6))))
    known = _known(project, run, folder, Z)
    kind = np.zeros(n, np.int8)
    kind[known.rows] = known.kind
    some = _looked_at(known, run.recipe.seed)
    rows, kinds, count = known.rows[some], known.kind[some], np.full((n, 2), -1, np.int32)
    first = rivals(X[rows], kinds, TARGETS, monitor=Portion(watch, 0.6, 0.7))
    second = rivals(Z[rows], kinds, TARGETS, monitor=Portion(watch, 0.7, 0.8))
    count[rows] = np.stack([first.between, second.between], axis=1)
    margin = _margin(run, Z)
    triplets = hardest_triplets(Z, rows, kinds, second, margin=margin)
    marked = _marked(run)
    if marked is not None:
        own = marked_triplets(marked, _MARKED, np.random.default_rng(run.recipe.seed))
        triplets = rated(Z, np.unique(np.concatenate([triplets.rows, own]), axis=0), margin=margin)
    shown = np.unique(triplets.rows)
    edges = _edges(project, run, shown, Portion(watch, 0.8, 1.0))
    return Neighborhoods(
        before,
        after,
        kind,
        count,
        triplets,
        space,
        margin,
        shown if len(edges) else shown[:0],
        edges,
        feature_names(_EDGES) if len(edges) else [],
    )


def _space(run: Run, X: NDArray) -> tuple[str, NDArray]:
    """What "after" is called, and its points (N, d)."""
    metric = metric_of(run)
    if metric is not None:
        return catalogue.method(run.recipe.metric).short, np.ascontiguousarray(
            metric.transform(X), np.float32
        )
    return catalogue.method(run.recipe.method).short, np.ascontiguousarray(run.Z, np.float32)


def _known(project: Project, run: Run, folder: Path, Z: NDArray) -> Known:
    """Instances of known kind, -1 or 1."""
    made = inputs_of(project, run, folder).made
    code = np.sign(known_labels(made, catalogue.method(run.recipe.method))).astype(np.int64)
    known = known_of(code, np.abs(code).astype(float), made.bags)
    if known.bags and not (known.kind < 0).any():
        return known
    return with_witnesses(known, Z, np.random.default_rng(run.recipe.seed))


def _looked_at(known: Known, seed: int) -> NDArray[np.int64]:
    """Places of 4000 known instances at most, targets first: they are the fewer."""
    some = np.random.default_rng(seed).permutation(len(known.rows))
    return np.sort(some[np.argsort(known.kind[some] < 0, kind="stable")][:_LOOKED_AT])


def _margin(run: Run, Z: NDArray) -> float:
    """The margin that the run was learned with; else a tenth of the usual distance."""
    for id, params in (
        (run.recipe.metric, run.recipe.metric_params),
        (run.recipe.method, run.recipe.params),
    ):
        learned = bool(id) and catalogue.method(id).family == "metric embedding"
        declared = (
            {param.name: param.default for param in catalogue.load(id).params} if learned else {}
        )
        if "margin" in declared:
            return float(params.get("margin", declared["margin"]))
    # Root of the mean squared distance
    spread = float(np.sqrt(2 * Z.astype(np.float64).var(axis=0).sum()))
    return spread / 10


def _marked(run: Run) -> Pairs | None:
    """The pairs that the run knew of, where there are both kinds."""
    side = side_known_to(run)
    if side is None:
        return None
    # Those by hand
    pairs = Pairs(side.pairs, side.same, side.pair_weight).take(side.pair_weight >= 1)
    return pairs if pairs.same.any() and not pairs.same.all() else None


def _edges(
    project: Project, run: Run, rows: NDArray[np.int64], watch: Monitor
) -> NDArray[np.float32]:
    """(M, D) HOG of the chips of some instances; (0, 0) where a source cannot be read: lists do
    without."""
    out = np.empty((len(rows), len(feature_names(_EDGES))), np.float32)
    instances = grown(run.instances.take(rows), run.recipe.features.sees)  # what the chips show
    try:
        for source in np.unique(instances.source).tolist():
            mine = np.flatnonzero(instances.source == source)
            with open_ref(project.sources[source]) as opened:
                out[mine] = extract(
                    instances.take(mine), {source: opened}.__getitem__, _EDGES, monitor=watch
                )
    except (OSError, FormatError):
        return np.empty((0, 0), np.float32)
    return out
