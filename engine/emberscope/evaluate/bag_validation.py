"""Out-of-fold classification of bags, with everything that is chosen chosen inside the training
folds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import groupby, product
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from emberscope.bags.folds import NO_PART, bag_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, MissingLabels
from emberscope.base.monitor import Monitor, monitored
from emberscope.evaluate.learned_from import BAGS_ALONE, LearnedFrom
from emberscope.evaluate.scores import auc
from emberscope.features.cache import kept_within
from emberscope.mil.classifier import BagClassifier, best_threshold

INNER_FOLDS = 5
MAX_CANDIDATES = 200
Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Model:
    """What is validated: a classifier, perhaps behind a reduction, and what may be chosen.

    classifier, reduction : functions of parameters that make one (classes of the catalogue).
    params : those given.
    grid, reduction_grid : name -> values to choose among, in the inner loop; empty: nothing is
    chosen. learned_from : what the reduction learns from beside bags; each fit gets what is known
    of its instances. reduction_key : everything that determines the reduction but its values and
    what it learns from; "": fits of it are not kept.
    """

    classifier: Callable[..., BagClassifier]
    params: Params
    grid: Mapping[str, Sequence[Any]]
    reduction: Callable[..., Any] | None = None
    reduction_params: Params = field(default_factory=dict)
    reduction_grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    learned_from: LearnedFrom = BAGS_ALONE
    reduction_key: str = ""

    @property
    def candidates(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """(reduction parameters, classifier parameters) of every combination, those of one
        reduction together."""
        before = _combined(self.reduction_params, self.reduction_grid)
        return list(product(before, _combined(self.params, self.grid)))

    def open_values(self, candidate: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
        """The values of a candidate that were to be chosen; those of the reduction as
        "reduce.name"."""
        reduction, classifier = candidate
        before = {f"reduce.{name}": reduction[name] for name in self.reduction_grid}
        return before | {name: classifier[name] for name in self.grid}

    def with_values(self, picked: Params) -> "Model":
        """The model with values that were chosen, named as by `open_values`; nothing is open any
        more."""
        before = {name: picked[f"reduce.{name}"] for name in self.reduction_grid
                  if f"reduce.{name}" in picked}
        own = {name: value for name, value in picked.items() if name in self.grid}
        return replace(
            self, params={**self.params, **own}, grid={}, reduction_grid={},
            reduction_params={**self.reduction_params, **before},
        )

    def within(self, n_features: int) -> "Model":
        """Without the candidates of more dimensions than there are features; at least the smallest
        stays."""
        grid = dict(self.reduction_grid)
        if "n_components" in grid:
            fitting = [d for d in grid["n_components"] if d <= n_features]
            grid["n_components"] = fitting or [min(grid["n_components"])]
        return replace(self, reduction_grid=grid)


@dataclass(frozen=True, slots=True)
class Validated:
    """bag_score : (K,), above 0 = positive, NaN for bags without label or instance.
    instance_score : (N,), NaN in no labeled bag. fold : (K,) int64, -1 for bags that take no part.
    chosen : per fold the parameters that were chosen.
    notes : per fold what the fit without it noted.
    """

    bag_score: NDArray[np.float64]
    instance_score: NDArray[np.float64]
    fold: NDArray[np.int64]
    chosen: list[dict[str, Any]]
    notes: list[list[str]]


def validate_bags(
    model: Model, X: NDArray, bags: Bags, *, folds: int | NDArray[np.int64] = 10, seed: int = 0,
    groups: NDArray | None = None, monitor: Monitor | None = None,
) -> Validated:
    """Score every labeled bag by a model that was fitted, and chosen, on the other folds.

    Parameters
    ----------
    X : (N, D). bags : of its rows. Bags that share instances are in one fold.
    folds : int >= 2, at most the number of groups of bags (DataError); or (K,) the fold of every
        bag, -1 where it takes no part, -2 where it is only learned from. seed : of the folds.
    groups : (K,) bags that must stay together, such as those of neighboring frames
        (`bags.folds.bag_groups` with `also`); default: those that share instances.

    Notes
    -----
    Where there is something to choose, or the classifier is not calibrated, the training bags are
    split into 5 folds again: the candidate with the largest area under the ROC curve of these, then
    the most bags right, then the first, is fitted on all of them, with the threshold that tells
    most of them right out of fold; where no inner fold leaves bags of both labels on both sides,
    the first with threshold 0. Nothing of a test fold is ever seen. Folds go through joblib:
    `joblib.parallel_config(backend="dask")` moves them. Raises MissingLabels where the bags are of
    one class, or all of one class in one fold. Cost: folds (1 + 5 candidates) fits.
    """
    watch = monitored(monitor)
    known = (bags.labels != 0) & (bags.sizes > 0)
    if len(np.unique(bags.labels[known])) < 2:
        raise MissingLabels("the bags are of one class", hint=_negative(bags))
    model = model.within(X.shape[1])
    n_candidates = len(model.candidates)
    if n_candidates > MAX_CANDIDATES:
        raise DataError(
            f"{n_candidates} combinations of parameters to choose among",
            hint="Give fewer of them as auto."
        )
    groups = bag_groups(bags, len(X)) if groups is None else groups
    fold = dealt(bags, groups, folds, seed) if isinstance(folds, int) else folds
    _check_learnable(bags, fold)
    numbers = np.unique(fold[fold >= 0]).tolist()
    bag_score, instance_score = np.full(len(bags), np.nan), np.full(len(X), np.nan)
    chosen: list[dict[str, Any]] = []
    notes: list[list[str]] = []
    count = len(numbers)
    watch.step(0.0, f"Fold 1 of {count}")
    # Fits in this process can be stopped at any step; elsewhere, between folds.
    stop = _Stoppable(watch) if effective_n_jobs(None) == 1 else None
    data = _Data(X, bags, groups, seed, stop)
    jobs = (delayed(_fold)(model, data, fold, f) for f in numbers)
    for done, found in enumerate(Parallel(return_as="generator")(jobs)):
        test, scores, rows, values, picked, noted = found
        bag_score[test], instance_score[rows] = scores, values
        chosen.append(picked)
        notes.append(noted)
        watch.step((done + 1) / count, f"Fold {min(done + 2, count)} of {count}")
        if stop is not None:
            stop.done = (done + 1) / count
    return Validated(bag_score, instance_score, fold, chosen, notes)


def dealt(
    bags: Bags, groups: NDArray, folds: int, seed: int, kinds: NDArray | None = None
) -> NDArray[np.int64]:
    """(K,) fold of every bag that has a label and an instance; kinds (K,) whose shares the folds
    keep, by default the labels. Raises DataError."""
    shares = bags.labels if kinds is None else kinds
    known = (bags.labels != 0) & (bags.sizes > 0)
    if folds > (n_groups := len(np.unique(groups[known]))):
        what = f"{folds} folds of {n_groups} groups of bags; those that share instances are one"
        hint = f"Use {n_groups} folds or fewer." if n_groups > 1 else "Label bags apart from these."
        raise DataError(what, hint=hint)
    fold = np.full(len(bags), NO_PART, np.int64)
    fold[known] = grouped_folds(groups[known], shares[known], n_folds=folds, seed=seed)
    return fold


def _check_learnable(bags: Bags, fold: NDArray[np.int64]) -> None:
    """Raise MissingLabels where a fold leaves nothing to learn a label from."""
    for label, kind in ((1, "positive"), (-1, "negative")):
        if len(np.unique(fold[(fold != NO_PART) & (bags.labels == label)])) < 2:
            what = f"all {kind} bags are in one fold, so nothing is left to learn them from"
            raise MissingLabels(what,
                                hint=f"Label more {kind} bags that share no instance with these.")


class _Stoppable:
    """Lets a person stop a fit; its progress is not shown, that of folds is."""

    def __init__(self, watch: Monitor) -> None:
        self._watch, self.done = watch, 0.0

    def step(self, fraction: float, message: str = "") -> None:
        self._watch.step(self.done, "")

    def partial(self, Z: NDArray) -> None:
        """Nothing: embeddings of folds are not shown."""


@dataclass(frozen=True, slots=True)
class _Data:
    """What all folds are parts of: X (N, D), bags of its rows, their groups (K,). seed : of the
    inner folds. stop : lets a person stop a fit."""

    X: NDArray
    bags: Bags
    groups: NDArray
    seed: int
    stop: Monitor | None


def _fold(
    model: Model, of: _Data, fold: NDArray[np.int64], f: int
) -> tuple[NDArray, NDArray, NDArray, NDArray, dict[str, Any], list[str]]:
    """Test bags of fold f with their scores, their instances with theirs, what was chosen and noted
    without them."""
    train, test = np.flatnonzero((fold != NO_PART) & (fold != f)), np.flatnonzero(fold == f)
    candidate, threshold, picked = _chosen(model, of, train)
    rows = np.unique(np.concatenate([of.bags.of(int(k)) for k in test]))
    instance, scores, notes = _scored(model, [candidate], of, train, test, rows)[0]
    return test, scores - threshold, rows, instance - threshold, picked, notes


def _chosen(
    model: Model, of: _Data, train: NDArray
) -> tuple[tuple[dict, dict], float, dict[str, Any]]:
    """The candidate for these training bags, its threshold, and the values that were open."""
    candidates = model.candidates
    calibrated = getattr(model.classifier, "calibrated", True)
    if len(candidates) == 1 and calibrated:
        return candidates[0], 0.0, {}
    labels, groups = of.bags.labels[train], of.groups[train]
    n_folds = min(INNER_FOLDS, len(np.unique(groups)))
    if n_folds < 2:
        raise MissingLabels("the training bags are one group",
                            hint="Use bags that share no instances, or fewer folds.")
    inner = grouped_folds(groups, labels, n_folds=n_folds, seed=of.seed)
    scores = np.full((len(candidates), len(train)), np.nan)
    for g in range(n_folds):
        inside, outside = train[inner != g], train[inner == g]
        if len(np.unique(of.bags.labels[inside])) < 2:
            continue
        found = _scored(model, candidates, of, inside, outside, np.empty(0, np.int64))
        for c, (_, bag_score, _) in enumerate(found):
            scores[c, inner == g] = bag_score
    kept = np.isfinite(scores).all(axis=0)
    if len(np.unique(labels[kept])) < 2:
        return candidates[0], 0.0, model.open_values(candidates[0])
    thresholds = [best_threshold(labels[kept], row[kept]) if not calibrated else 0.0
                  for row in scores]
    merit = [
        (round(np.nan_to_num(auc(labels[kept], row[kept])), 12),
         float(((row[kept] > t) == (labels[kept] > 0)).mean()))
        for row, t in zip(scores, thresholds, strict=True)
    ]
    best = max(range(len(candidates)), key=lambda c: (*merit[c], -c))
    return candidates[best], thresholds[best], model.open_values(candidates[best])


def _scored(
    model: Model, candidates: list[tuple[dict, dict]], of: _Data, train: NDArray, test: NDArray,
    rows: NDArray,
) -> list[tuple[NDArray, NDArray, list[str]]]:
    """Per candidate the scores of instances `rows` and of the test bags, fitted on the training
    bags, and its notes.

    A reduction is fitted once for all candidates that share its parameters.
    """
    X, bags, stop = of.X, of.bags, of.stop
    seen = np.unique(np.concatenate([bags.of(int(k)) for k in train]))
    asked = np.unique(np.concatenate([rows, *(bags.of(int(k)) for k in test)]))
    learned, judged = bags_of(bags, train, seen, len(X)), bags_of(bags, test, asked, len(X))
    at = np.searchsorted(asked, rows)
    out = []
    for _, same in groupby(candidates, key=lambda c: tuple(c[0].items())):
        group = list(same)
        A, B, notes = reduced(model, group[0][0], X, (seen, asked), learned, stop)
        for _, params in group:
            fitted = model.classifier(**params).fit(A, bags=learned, monitor=stop)
            instance = fitted.score_instances(B[at]) if len(at) else np.empty(0)
            out.append((instance, fitted.score_bags(B, judged), [*notes, *fitted.notes_]))
    return out


def reduced(
    model: Model, values: Params, X: NDArray, rows: tuple[NDArray, NDArray], learned: Bags,
    stop: Monitor | None,
) -> tuple[NDArray, NDArray, list[str]]:
    """What the classifier reads of the rows it learns from and of those it is asked about, by a
    reduction that learned from the first alone; and its notes. Without a reduction the rows of X.

    values : of the reduction. rows : of X (N, D), both ascending. learned : bags of the first. Kept
    where a stage keeps its parts, for other classifiers on the same map.
    """
    seen, asked = rows
    make = model.reduction
    if make is None:
        return X[seen], X[asked], []
    known = model.learned_from.among(seen, len(X))

    def compute() -> tuple[NDArray, ...]:
        fitted = make(**values).fit(
            X[seen], known.labels, bags=learned, monitor=stop, **known.beside_labels)
        notes = getattr(fitted, "notes_", [])  # two methods in one have none of their own
        maps = fitted.embedding_, fitted.transform(X[asked])
        return *map(np.ascontiguousarray, maps), np.array(notes, np.str_)

    if not model.reduction_key:
        A, B, notes = compute()
    else:
        key = {"reduction": model.reduction_key, "values": values, "X": X, "rows": rows,
               "learned": astuple(learned), "labels": known.labels, "side": known.side}
        A, B, notes = kept_within(key, compute)
    return A, B, notes.tolist()


def bags_of(bags: Bags, numbers: NDArray, rows: NDArray, n: int) -> Bags:
    """The bags with these numbers as bags of the rows given: `rows` are ascending and hold all
    their members.

    `numbers` : (k,). `rows` : (n,). `n` : rows that the caller has in all.
    """
    return bags.take(numbers).among(rows, n)


def _combined(given: Params, grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    names = list(grid)
    return [{**given, **dict(zip(names, values, strict=True))}
            for values in product(*grid.values())]


def _negative(bags: Bags) -> str:
    unknown = int((bags.labels == 0).sum())
    return (f"A negative bag has the label -1; 0, as in {unknown}, is unknown." if unknown
            else "Label bags of both.")
