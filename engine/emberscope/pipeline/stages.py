"""The run: stages in order, each cached under a key made of its inputs, its parameters and the code."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.coverage import coverage
from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags
from emberscope.base.cache import keep_bounded
from emberscope.base.errors import MissingLabels
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import check_params
from emberscope.embedding.linear.pca import PCA
from emberscope.evaluate.held_out import parts_of
from emberscope.evaluate.loadings import loadings
from emberscope.features.cache import cached, digest
from emberscope.features.extract import feature_names, grown
from emberscope.labels.side_info import SideInfo
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.graph import knn, remember
from emberscope.neighbors.search import Neighbors, neighbors_by
from emberscope.pipeline.advice import Advice, advice_for, alike_notes, gap_notes
from emberscope.pipeline.axes import axes_scores
from emberscope.pipeline.background_checks import cores_of, rests_on
from emberscope.pipeline.concepts import concept_scores
from emberscope.pipeline.cost import (
    REFIT_SECONDS,
    SPREAD_SECONDS,
    cost_of,
    refit_seconds,
    refuse_too_large,
    spread_seconds,
)
from emberscope.pipeline.estimator import (
    check_chips,
    check_distances,
    check_embeds,
    classifier,
    graph_neighbors,
    is_informed,
    is_measured,
    make,
    make_metric,
    make_whole,
    parameters,
    reads_labels,
    reads_side,
    refitted,
    rule_of,
    variations_of,
)
from emberscope.pipeline.inputs import Inputs, components_wanted, features, features_key, prepare, reduced_key
from emberscope.pipeline.kept import cached_record
from emberscope.pipeline.places import place_scores
from emberscope.pipeline.scores import NO_SPREAD, Scores, classified, faithful, joined, ranks, separation, steady
from emberscope.pipeline.side import distance_notes, known_kinds, marked_side, side_notes, side_of
from emberscope.pipeline.truths import map_accuracy, truth_scores
from emberscope.pipeline.versions import code_version, versions
from emberscope.project.axes import FIRST
from emberscope.project.concepts import WEIGHTS
from emberscope.project.model import Project, Run
from emberscope.project.recipe import Recipe

log = logging.getLogger(__name__)

_ENOUGH = 0.5  # share of the instances that must be in the previous embedding to go on from it
_GRAM = ("distance", "kernel and geodesic", "unfolding")  # families whose eigenvalues are variances along the axes
LISTED_NEIGHBORS = 10  # kept with the run
SHARED_NEIGHBORS = 32  # of the graph that is kept on disk; a method that wants more searches itself


def run(
    project: Project, recipe: Recipe, *, monitor: Monitor | None = None, cache: str | Path | None = None,
    run_id: int | None = None, previous: Run | None = None, at_any_cost: bool = False,
) -> Run:
    """Do what a recipe says with the labels of a project; the project is not changed.

    Parameters
    ----------
    monitor : gets progress, weighted by what each stage costs, and intermediate embeddings where there are any.
    cache : folder of stage results; default: the user's cache folder (see `base.folders.cache_folder`).
    run_id : int, optional. Id of the run; default: the project's next free one, which is not reserved.
    previous : Run, optional. A layout (t-SNE) with the same parameters and seed goes on from its embedding, so that
        instances stay where they were; the result then depends on it, which is noted. Other methods do not look at it.
    at_any_cost : also what takes long and is else left out: bags held out, and the spread between fits.

    Notes
    -----
    Features are kept per instance: one more label costs the features of that label's instances only. Raises
    MissingLabels, TooLarge, ParamError, FormatError (a source is gone), Cancelled.
    """
    started = time.perf_counter()
    folder = Path(cache) if cache is not None else cache_folder()
    monitor = monitored(monitor)
    monitor.step(0.0, "Bags")
    _check_method(recipe)
    inputs = prepare(project, recipe, folder)
    _check_labels(recipe, inputs.made)
    marked = _checked_side(project, inputs.made, recipe)
    cost = cost_of(inputs, recipe, marked)
    refuse_too_large(cost, recipe)
    bar = _Bar(monitor, cost.stages)
    X = features(project, inputs, recipe, bar.next(), folder)
    reduced = _reduce(X, features_key(inputs), reduced_key(inputs, recipe), recipe, bar.next(), folder)
    side = side_of(reduced.X, marked, inputs.made, recipe)
    part = bar.next()
    metric = _metric(reduced, side, inputs.made, recipe, part, folder) or _measured(reduced, side, recipe, part, folder)
    seen = reduced if metric is None else metric.seen
    neighbors = _graph(seen, bar.next(), folder)
    fitted = _embed(seen, inputs.made, side, recipe, previous, bar.next(), folder)
    monitor.partial(fitted.Z)
    last = bar.next()
    advice = Advice({}, []) if neighbors is None or seen.distances is not None else (
        advice_for(seen.X, neighbors, seen.key, graph_neighbors(recipe), folder, Portion(last, 0.0, 0.3)))
    part = Portion(last, 0.3, 0.9)
    scores = joined(
        _score(reduced, seen, fitted, inputs.made, side, recipe, part, folder, at_any_cost=at_any_cost),
        _loadings(X, fitted, recipe),
        _rests(reduced, inputs.made, project, recipe, Portion(last, 0.9, 1.0), folder),
        Scores(notes=alike_notes(X)), place_scores(fitted.Z, inputs.made.instances, inputs.made.y),
        _pair_scores(metric, fitted, side, marked),
        concept_scores(X, seen.X, None if recipe.metric else reduced.state, inputs.made, fitted.Z, fitted.state,
                       recipe.method),
    )
    log.info("run of %s: %d instances in %.1f s", recipe.method, len(X), time.perf_counter() - started)
    keep_bounded(folder)
    parts = (reduced, metric, side, fitted, advice, scores, neighbors)
    return _record(project, recipe, inputs, *parts, run_id=run_id, started=started)


@dataclass(frozen=True, slots=True)
class Reduced:
    """X (N, D) for the method, the map that made it (empty where nothing was reduced), and its key.

    distances : between the instances, where they are others than those between rows of X; then the key is of them too.
    """

    X: NDArray[np.float32]
    state: dict[str, NDArray]
    key: str
    distances: Distances | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """`seen`: the features as the metric maps them, or with distances of chips, which the method gets.

    state, notes : of the fitted metric; empty for distances of chips, of which the method keeps how it measures.
    """

    seen: Reduced
    state: dict[str, Any]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Coordinates (N, d) float32, the method's state and notes, their key, and whether it began with an embedding."""

    Z: NDArray[np.float32]
    state: dict[str, Any]
    notes: list[str]
    key: str
    went_on: bool


class _Kept(TypedDict):
    """A fitted method as it is kept on disk."""

    state: dict[str, Any]
    notes: list[str]


class _Embedder(Protocol):
    """A method after its fit."""

    @property
    def embedding_(self) -> NDArray:
        """(N, d) coordinates."""


class _Bar:
    """Cuts the progress bar into stages as long as they will take."""

    def __init__(self, monitor: Monitor, seconds: Sequence[float]) -> None:
        ends = np.concatenate([[0.0], np.cumsum(np.maximum(seconds, 1e-3))])
        self._parts = [Portion(monitor, low, high) for low, high in pairwise((ends / ends[-1]).tolist())]

    def next(self) -> Portion:
        return self._parts.pop(0)


def _check_method(recipe: Recipe) -> None:
    """Before anything is computed: ParamError for an unknown method, one without embedding, a parameter out of range.
    """
    check_embeds(recipe.method)
    check_params(catalogue.load(recipe.method).params, recipe.params)
    if recipe.classifier:
        classifier(recipe)
    if is_informed(recipe):
        make_metric(recipe)
    check_distances(recipe)
    check_chips(recipe)


def _check_labels(recipe: Recipe, made: MadeBags) -> None:
    for id in filter(None, (recipe.method, recipe.metric if is_informed(recipe) else "", recipe.classifier)):
        row = catalogue.method(id)
        missing = tuple(kind for kind in catalogue.lacks(row, labeled(made, row.needs)) if kind not in catalogue.SIDE)
        if missing:
            what = f"{row.title} needs {' and '.join(catalogue.NEEDS[row.needs])}, there is no {missing[0]}"
            raise MissingLabels(what, hint=catalogue.missing_hint(missing[0]))


def _checked_side(project: Project, made: MadeBags, recipe: Recipe) -> SideInfo:
    """What persons said of the instances. Raises MissingLabels where method or metric need side information."""
    marked = marked_side(project, made, recipe)
    known = known_kinds(marked, made, recipe)
    for id in filter(None, (recipe.method, recipe.metric if is_informed(recipe) else "")):
        row = catalogue.method(id)
        missing = sorted(catalogue.SIDE & set(catalogue.lacks(row, known)))
        if missing and recipe.ignore_side:
            raise MissingLabels(f"{row.title} reads side information, which the recipe ignores",
                                hint="Choose another method, or do not ignore side information.")
        if missing:
            raise MissingLabels(f"{row.title} needs {missing[0]}, and there are none among these instances",
                                hint=catalogue.missing_hint(missing[0]))
    return marked


def known_labels(made: MadeBags, method: str) -> NDArray[np.int8]:
    """(N,) labels of instances that a method is fitted with: those it takes for true.

    A method that reads bags gets only what is certain; that an instance lies in a positive bag it knows from the
    bags, and what follows is what it is there to find out.
    """
    bags_speak = catalogue.method(method).needs not in ("none", "instance")
    return np.where(made.certain, made.y, 0).astype(np.int8) if bags_speak else made.y


def labeled(made: MadeBags, needs: str = "bag") -> set[str]:
    """Which of the kinds of labels that methods need there are: of instances or of bags, whichever `needs` is about."""
    signs = made.y if needs == "instance" else made.bags.labels
    found = {kind for kind, sign in ((catalogue.TARGET, 1), (catalogue.BACKGROUND, -1)) if (signs == sign).any()}
    classes = np.unique(made.bags.classes[made.bags.labels > 0])
    return found | ({catalogue.SECOND_CLASS} if len(classes) > 1 else set())


def _reduce(X: NDArray, made_of: str, key: str, recipe: Recipe, monitor: Monitor, folder: Path) -> Reduced:
    """Principal components where X has more columns than wanted; seeded by construction."""
    wanted = components_wanted(len(X), recipe)
    monitor.step(0.0, f"{wanted} principal components" if wanted < X.shape[1] else "Features")
    if wanted == X.shape[1]:
        return Reduced(X, {}, key)

    def compute() -> tuple[NDArray, ...]:
        fitted = PCA(n_components=wanted).fit(X, monitor=monitor)
        return fitted.embedding_, fitted.mean_, fitted.components_

    Z, mean, axes = cached(folder / "stages", _stage("reduce", key), compute)
    return Reduced(np.array(Z), {"mean": np.array(mean), "components": np.array(axes)}, key)


def _graph(reduced: Reduced, monitor: Monitor, folder: Path) -> Neighbors | None:
    """The neighbors that methods and scores share: found once per X, kept on disk, handed to `neighbors.graph`.

    Those by distances of chips are not handed over: what asks for neighbors in X means those.
    """
    k = min(SHARED_NEIGHBORS, len(reduced.X) - 1)
    monitor.step(0.0, "Neighbors")
    if k < 1:
        return None

    def compute() -> tuple[NDArray, ...]:
        given = reduced.distances
        found = knn(reduced.X, k, monitor=monitor) if given is None else neighbors_by(given, k, monitor=monitor)
        return found.idx, found.dist, np.array(found.recall)

    idx, dist, recall = cached(folder / "stages", _stage("graph", reduced.key, k), compute)
    found = Neighbors(np.array(idx), np.array(dist), float(recall))
    if reduced.distances is None:
        remember(reduced.X, found)
    return found


def _metric(
    reduced: Reduced, side: SideInfo | None, made: MadeBags, recipe: Recipe, monitor: Monitor, folder: Path
) -> Metric | None:
    """The features as the recipe's metric maps them; None where it has none, or ignores side information."""
    if not is_informed(recipe):
        return None
    bags, y, estimator = made.bags, known_labels(made, recipe.metric), make_metric(recipe)
    key = digest({
        "X": reduced.key, "y": y, "bags": [bags.indptr, bags.members, bags.labels, bags.classes, bags.groups],
        "side": side, "metric": recipe.metric, "params": estimator.get_params(deep=False), "code": code_version(),
    })  # fmt: skip
    monitor.step(0.0, catalogue.method(recipe.metric).title)

    def compute() -> _Kept:
        estimator.fit(reduced.X, y, bags=bags, side=side, monitor=_Unseen(monitor))
        return {"state": _storable(estimator.to_state()), "notes": list(estimator.notes_)}

    found = cached_record(folder / "stages", _stage("metric", key), compute, kind=_Kept)
    state, X = found["state"], np.ascontiguousarray(found["state"]["embedding_"], np.float32)
    title = catalogue.method(recipe.metric).short
    return Metric(Reduced(X, reduced.state, key), {**state, "embedding_": X[:0]},  # a run need not keep all of it
                  [f"{title}: {note}" for note in found["notes"]])


def _measured(
    reduced: Reduced, side: SideInfo | None, recipe: Recipe, monitor: Monitor, folder: Path
) -> Metric | None:
    """The features with the recipe's distances between chips; None where it has none, or ignores side information."""
    if not is_measured(recipe):
        return None
    rule = rule_of(recipe, side)
    key = digest({"X": reduced.key, "rule": rule, "code": code_version()})
    monitor.step(0.0, "Comparing chips")

    def compute() -> tuple[NDArray, ...]:
        found = rule.compare(reduced.X, monitor=monitor)
        return found.squared, found.flat

    squared, flat = cached(folder / "stages", _stage("distances", key), compute)
    return Metric(replace(reduced, key=key, distances=rule.of(squared)), {},
                  distance_notes(side, alike_to_all=int(flat.sum())))


class _Unseen:
    """The same monitor without embeddings: those of a metric are not the ones of the run."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def step(self, fraction: float, message: str = "") -> None:
        self._monitor.step(fraction, message)

    def partial(self, Z: NDArray) -> None:
        pass


def _embed(
    reduced: Reduced, made: MadeBags, side: SideInfo | None, recipe: Recipe, previous: Run | None, monitor: Monitor,
    folder: Path,
) -> Fitted:
    bags, start = _held_together(made, recipe), _start(previous, recipe, made)
    y, side = known_labels(made, recipe.method), side if reads_side(recipe) else None
    key = digest({
        "X": reduced.key, "y": y, "bags": [bags.indptr, bags.members, bags.labels, bags.classes, bags.groups,
                                           bags.blocks],
        "method": recipe.method, "params": recipe.params, "seed": recipe.seed, "start": start,
        "side": side, "code": code_version(),
    })  # fmt: skip
    monitor.step(0.0, catalogue.method(recipe.method).title)

    def compute() -> _Kept:
        estimator = make(recipe)
        if start is not None:
            estimator.start_from(start)
        if reduced.distances is not None:
            estimator.measured_by(reduced.distances)
        known = {} if side is None else {"side": side}
        estimator.fit(reduced.X, y, bags=bags, monitor=monitor, **known)
        return {"state": _storable(estimator.to_state()), "notes": _notes(estimator, recipe)}

    found = cached_record(folder / "stages", _stage("embed", key), compute, kind=_Kept)
    Z = np.ascontiguousarray(found["state"]["embedding_"], np.float32)
    went_on = [] if start is None or previous is None else [f"It went on from the embedding of run {previous.id}."]
    return Fitted(Z, found["state"], [*found["notes"], *went_on], key, start is not None)


def _held_together(made: MadeBags, recipe: Recipe) -> Bags:
    """The bags; for a method that holds bags back by itself the groups are what the headline holds out together, so
    that its scores are the headline's: whole clips where these judge."""
    if not catalogue.load(recipe.method).holds_back:
        return made.bags
    parts = parts_of(made.instances, made.bags, seed=recipe.seed)
    if parts is None or not parts.by_clip:
        return made.bags
    return replace(made.bags, groups=parts.group, blocks=made.bags.groups)


def _start(previous: Run | None, recipe: Recipe, made: MadeBags) -> NDArray[np.float32] | None:
    """(N, d) coordinates in the previous embedding, NaN for instances that are new; None where it is no start.

    It is none for a method that cannot go on, after another seed or other parameters (a person who changes these
    wants to see what they do), and where less than half of the instances were there.
    """
    if previous is None or not hasattr(catalogue.load(recipe.method), "start_from"):
        return None
    known, wanted = previous.recipe, recipe
    if (known.method, known.params, known.seed) != (wanted.method, wanted.params, wanted.seed):
        return None
    ids = made.instances.ids
    order = np.argsort(previous.ids)
    at = order[np.minimum(np.searchsorted(previous.ids, ids, sorter=order), len(order) - 1)]
    there = previous.ids[at] == ids
    if there.mean() < _ENOUGH:
        return None
    return np.where(there[:, None], previous.Z[at], np.float32(np.nan))


def _storable(state: dict[str, Any]) -> dict[str, Any]:
    """A method's state with arrays of text as lists; a project file keeps arrays of numbers only."""
    texts = {name: value for name, value in state.items() if isinstance(value, np.ndarray) and value.dtype.kind == "U"}
    return {**state, **{name: value.tolist() for name, value in texts.items()}}


def _notes(estimator: _Embedder, recipe: Recipe) -> list[str]:
    """What the method says of its fit, and what its variances along the axes say."""
    notes = list(getattr(estimator, "notes_", []))
    spectrum = getattr(estimator, "spectrum_", None)
    if spectrum is None and catalogue.method(recipe.method).family in _GRAM:
        spectrum = getattr(estimator, "eigenvalues_", None)
    if spectrum is not None:
        notes += [note for note in gap_notes(spectrum, estimator.embedding_.shape[1]) if note not in notes]
    return notes


def _score(
    reduced: Reduced, seen: Reduced, fitted: Fitted, made: MadeBags, side: SideInfo | None, recipe: Recipe,
    monitor: Monitor, folder: Path, *, at_any_cost: bool,
) -> Scores:
    """Each part is kept by what it depends on: a label that changes no coordinate leaves faithfulness as it was.

    The embedding is compared with what the method saw. Bags are held out from the metric, too: it has seen them all.
    """
    pair = {"X": seen.key, "Z": fitted.Z, "seed": recipe.seed, "code": code_version()}
    labels = {"y": made.y, "bags": [made.bags.indptr, made.bags.members, made.bags.labels, made.bags.classes]}
    cuts = (0.0, 0.25, 0.4, 0.5, 1.0) if recipe.classifier else (0.0, 0.5, 0.75, 1.0, 1.0)
    parts = [Portion(monitor, low, high) for low, high in pairwise(cuts)]

    def kept(name: str, key: object, compute: Callable[[], Scores]) -> Scores:
        return cached_record(folder / "stages", _stage(name, key), compute, kind=Scores)

    method = {"method": recipe.method, "params": recipe.params, "fit": fitted.key}
    judge = [reduced.key, labels, recipe.classifier, recipe.classifier_params, recipe.classifier_choose, recipe.seed,
             code_version()]
    return joined(
        kept("faithful", pair, lambda: faithful(seen.X, fitted.Z, distances=seen.distances, seed=recipe.seed,
                                               monitor=Portion(parts[0], 0.0, 0.6))),
        *([kept("shown", pair, lambda: axes_scores(seen.X, fitted.Z, FIRST, distances=seen.distances, seed=recipe.seed,
                                                  monitor=Portion(parts[0], 0.6, 1.0)))]
          if fitted.Z.shape[1] > 2 else []),
        kept("separation", [pair, reduced.key, labels, method, at_any_cost],
             lambda: _separation(reduced, fitted, made, side, recipe, parts[1], at_any_cost=at_any_cost)),
        kept("spread", [pair, method, at_any_cost],
             lambda: _spread(seen, fitted, made, side, recipe, parts[2], at_any_cost=at_any_cost)),
        *([kept("classified", judge, lambda: _classified(reduced, made, recipe, parts[3]))]
          if recipe.classifier else []),
    )


def _separation(
    reduced: Reduced, fitted: Fitted, made: MadeBags, side: SideInfo | None, recipe: Recipe, monitor: Monitor, *,
    at_any_cost: bool,
) -> Scores:
    seconds = refit_seconds(recipe, *reduced.X.shape)
    holds_back = catalogue.load(recipe.method).holds_back and not is_informed(recipe)  # a metric has seen every bag
    own = fitted.state["held_score_"] if holds_back else None
    refit = (lambda: make_whole(recipe)) if reads_labels(recipe) else None
    return separation(
        reduced.X, fitted.Z, made, known=known_labels(made, recipe.method), seed=recipe.seed, refit=refit,
        seconds=seconds, affordable=at_any_cost or seconds <= REFIT_SECONDS,
        own=own, side=side, monitor=monitor,
    )


def _spread(
    reduced: Reduced, fitted: Fitted, made: MadeBags, side: SideInfo | None, recipe: Recipe, monitor: Monitor, *,
    at_any_cost: bool,
) -> Scores:
    """Nothing for a method without luck or neighbors, and for an embedding that an earlier one led."""
    fits = variations_of(recipe.method, parameters(recipe), seed=recipe.seed)
    if not fits or fitted.went_on:
        return Scores()
    seconds = spread_seconds(recipe, *reduced.X.shape)
    if seconds > SPREAD_SECONDS and not at_any_cost:
        note = f"{NO_SPREAD}{len(fits) - 1} more fits would take about {seconds:.0f} s."
        return Scores(metrics={"spread_seconds": seconds}, notes=[note])
    return steady(
        lambda number: refitted(recipe.method, fits[number], reduced.distances), reduced.X, fitted.Z,
        known_labels(made, recipe.method), made.bags,
        fits=len(fits), side=side if reads_side(recipe) else None, monitor=monitor,
    )


def _classified(reduced: Reduced, made: MadeBags, recipe: Recipe, monitor: Monitor) -> Scores:
    title = catalogue.method(recipe.classifier).title
    monitor.step(0.0, title)
    return classified(reduced.X, made, classifier(recipe), title=title, seed=recipe.seed, monitor=monitor)


def _with_witness(points: dict[str, NDArray], fitted: Fitted) -> dict[str, NDArray]:
    """With "witness", how target-like each instance is, as ranks: the method's own `score_`, else the classifier's.

    A classifier beside the embedding changes nothing that the method says. On infrared patches, whose truth is known,
    the scores of methods found targets better in most cases than those of the classifiers.
    """
    own = fitted.state.get("score_")
    if own is not None and len(own) == len(fitted.Z):
        return {**points, "witness": ranks(own)}
    return {"witness" if name == "classifier" else name: values for name, values in points.items()}


def _rests(
    reduced: Reduced, made: MadeBags, project: Project, recipe: Recipe, monitor: Monitor, folder: Path
) -> Scores:
    """What separates the bags: the targets, where the labels know them, or the ground."""
    cores = cores_of(project.labels, project.classes)
    asked = [reduced.key, made.y, made.bags.indptr, made.bags.members, made.bags.labels, list(cores.items()),
             recipe.seed, code_version()]  # fmt: skip

    def compute() -> Scores:
        metrics, sentence = rests_on(
            reduced.X, made, cores, seen=recipe.features.sees, seed=recipe.seed, monitor=monitor
        )
        return Scores({}, metrics, [sentence] if sentence else [])

    return cached_record(folder / "stages", _stage("rests", digest(asked)), compute, kind=Scores)


def _marks(project: Project) -> NDArray[np.int64]:
    """(M, 2) instance and class ids of the marks that the run was made with."""
    return np.stack(project.marks.columns(), axis=1)


def _followed(made: MadeBags, marks: NDArray[np.int64]) -> NDArray[np.int64]:
    """(F,) ids of the instances whose label follows from pairs."""
    return made.instances.ids[made.marked & ~np.isin(made.instances.ids, marks[:, 0])]


def _loadings(X: NDArray, fitted: Fitted, recipe: Recipe) -> Scores:
    """Correlations of the features, before their reduction, with the axes of a linear method."""
    linear = catalogue.method(recipe.method).linear and len(X) > 1
    return Scores(arrays={"loadings": loadings(X, fitted.Z)}) if linear else Scores()


def _pair_scores(metric: Metric | None, fitted: Fitted, side: SideInfo | None, marked: SideInfo) -> Scores:
    """How many pairs took part, and whether pairs that were held out agree with what was learned from the others."""
    metrics = {} if side is None else {"pairs": float(len(side.pairs)), "marked_pairs": float(len(marked.pairs))}
    state = fitted.state if metric is None or not metric.state else metric.state
    if "pair_agreement_" in state:
        low, high = np.asarray(state["pair_agreement_interval_"], float).tolist()
        found = {"pair_agreement": float(state["pair_agreement_"]), "pair_agreement_low": low,
                 "pair_agreement_high": high, "trained_pair_agreement": float(state["trained_pair_agreement_"])}
        metrics |= {name: value for name, value in found.items() if np.isfinite(value)}
    return Scores(metrics=metrics, notes=side_notes(side, marked))


def _listed(neighbors: Neighbors | None) -> dict[str, NDArray]:
    """The nearest instances in the features, (N, 10), for the view of false and missing neighbors."""
    return {} if neighbors is None else {"neighbors": np.ascontiguousarray(neighbors.idx[:, :LISTED_NEIGHBORS])}


def _record(
    project: Project, recipe: Recipe, inputs: Inputs, reduced: Reduced, metric: Metric | None, side: SideInfo | None,
    fitted: Fitted, advice: Advice, scores: Scores, neighbors: Neighbors | None, *, run_id: int | None, started: float,
) -> Run:
    made, points, marks = inputs.made, _with_witness(scores.points, fitted), _marks(project)
    known = truth_scores(project, made, points.get("witness"), fitted.Z, seed=recipe.seed)
    flat = map_accuracy(project, made, fitted.Z, FIRST, seed=recipe.seed) if fitted.Z.shape[1] > 2 else {}
    shown = coverage(grown(made.instances, recipe.features.sees), made.bags, project.labels)
    state = {**fitted.state, **({"reduction": reduced.state} if reduced.state else {}),
             **({} if metric is None or not metric.state else {"metric": metric.state}),
             **({} if side is None else {"side": side.to_state()})}
    if "loadings" in scores.arrays or WEIGHTS in scores.arrays:
        state["feature_names"] = feature_names(recipe.features)
    sizes = {"n": len(made.instances), "d": reduced.X.shape[1], "bags": len(made.bags)}
    facts = known.metrics | flat | shown.metrics | {name: float(value) for name, value in sizes.items()}
    return Run(
        id=project.next_run if run_id is None else run_id,
        recipe=recipe,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=time.perf_counter() - started,
        versions=versions(),
        ids=made.instances.ids, source=made.instances.source, frame=made.instances.frame, box=made.instances.box,
        indptr=made.bags.indptr, members=made.bags.members, bag_labels=made.bags.labels, bag_ids=made.bags.ids,
        bag_classes=made.bags.classes, y=made.y, Z=fitted.Z,
        point_scores=points,
        metrics={**scores.metrics, **advice.metrics, **facts},
        notes=list(dict.fromkeys([*made.notes, *shown.notes, *advice.notes, *([] if metric is None else metric.notes),
                                 *fitted.notes, *scores.notes])),
        state=state,
        diagnostics={**scores.arrays, **known.arrays, **_listed(neighbors), "marks": marks,
                     "followed": _followed(made, marks)},
    )  # fmt: skip


def _stage(name: str, *key: object) -> dict[str, object]:
    return {"stage": name, "key": key}
