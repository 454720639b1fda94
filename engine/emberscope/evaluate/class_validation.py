"""Which class a bag is of, out of fold: one class against each other, or by a classifier that knows
classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import LEARNED, NO_PART, bag_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.proportion import wilson_interval
from emberscope.evaluate.bag_validation import INNER_FOLDS, Model, bags_of, dealt, reduced
from emberscope.mil.classifier import best_threshold

GROUND, UNKNOWN = 0, -1  # in place of a class: negative bags, and those that take no part
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Classes:
    """truth, said : (K,) int64, classes of bags, GROUND of negative ones, UNKNOWN of those that
    are not held out. chosen : per fold the values that were chosen."""

    truth: NDArray[np.int64]
    said: NDArray[np.int64]
    chosen: list[dict[str, Any]]

    @property
    def measured(self) -> dict[str, Any]:
        """"class_accuracy", the share of bags that are named rightly, with its 95 % interval, and
        "class_majority", what always naming the most frequent class would reach."""
        known = self.said != UNKNOWN
        truth, right = self.truth[known], self.truth[known] == self.said[known]
        most = np.unique(truth, return_counts=True)[1].max()
        return {"class_accuracy": float(right.mean()),
                "class_accuracy_interval": wilson_interval(float(right.sum()), len(right)),
                "class_majority": float(most / len(truth))}

    @property
    def confusion(self) -> dict[int, dict[int, int]]:
        """By true class, how many bags were said to be of which."""
        known = self.said != UNKNOWN
        kinds = np.unique([self.truth[known], self.said[known]]).tolist()
        return {kind: {other: int(((self.truth == kind) & (self.said == other)).sum())
                       for other in kinds} for kind in kinds}


@dataclass(frozen=True, slots=True)
class _Data:
    """X (N, D), bags of its rows with their kinds and groups (K,). stop : lets a person stop."""

    X: NDArray
    bags: Bags
    kinds: NDArray[np.int64]
    groups: NDArray
    seed: int
    stop: Monitor


def kinds_of(bags: Bags) -> NDArray[np.int64]:
    """(K,) the class of a positive bag, GROUND of a negative one, UNKNOWN of one without label or
    instance."""
    kinds = np.where(bags.labels > 0, bags.classes, GROUND)
    return np.where((bags.labels != 0) & (bags.sizes > 0), kinds, UNKNOWN).astype(np.int64)


def validate_classes(
    model: Model, X: NDArray, bags: Bags, *, folds: int | NDArray[np.int64] = 10, seed: int = 0,
    groups: NDArray | None = None, monitor: Monitor | None = None,
) -> Classes:
    """Name the class of every labeled bag by a model that was fitted, and chosen, on other folds.

    A classifier of two labels learns each pair of classes, the bags of the second as negative ones,
    and the class with the most votes is said; of equal ones the one whose votes are the surest.
    Negative bags are a class of their own. A classifier with `say_classes` learns all at once. What
    is open in the grids of the model is chosen in inner folds, by the mean share of each class that
    is named rightly, and so are thresholds of classifiers that have none.

    X : (N, D). folds : a number, or (K,) the fold of every bag. groups : (K,) bags that stay in one
    fold. All as of `bag_validation.validate_bags`. Raises MissingLabels for one class, and for a
    class all of whose bags are in one fold.
    """
    watch, kinds = monitored(monitor), kinds_of(bags)
    there = np.unique(kinds[kinds != UNKNOWN])
    if len(there) < 2:
        raise MissingLabels("the bags are of one class", hint="Label bags of another class.")
    groups = bag_groups(bags, len(X)) if groups is None else groups
    fold = dealt(bags, groups, folds, seed, kinds) if isinstance(folds, int) else folds
    _check_learnable(kinds, fold, there)
    model = model.within(X.shape[1])
    data = _Data(X, bags, kinds, groups, seed, watch)
    said, chosen = np.full(len(bags), UNKNOWN), list[dict[str, Any]]()
    numbers = np.unique(fold[fold >= 0]).tolist()
    for at, f in enumerate(numbers):
        watch.step(at / len(numbers), f"Classes, fold {at + 1} of {len(numbers)}")
        train = np.flatnonzero((fold != NO_PART) & (fold != f) & (kinds != UNKNOWN))
        test = np.flatnonzero((fold == f) & (kinds != UNKNOWN))
        candidate, cuts = _best(model, data, train)
        said[test] = _named(model, _fits(model, [candidate], data, train, test)[0], cuts,
                            np.unique(kinds[train]))
        chosen.append(model.open_values(candidate))
    return Classes(np.where(said != UNKNOWN, kinds, UNKNOWN), said, chosen)


def _check_learnable(
    kinds: NDArray[np.int64], fold: NDArray[np.int64], there: NDArray[np.int64]
) -> None:
    for kind in there.tolist():
        of_kind = np.unique(fold[(kinds == kind) & (fold != NO_PART)])
        if len(of_kind) == 1 and of_kind[0] != LEARNED:
            what = "negative bags" if kind == GROUND else f"bags of class {kind}"
            raise MissingLabels(f"all {what} are in one fold, so nothing is left to learn them "
                                "from", hint="Label more of them, on other frames.")


def _best(
    model: Model, of: _Data, train: NDArray
) -> tuple[tuple[dict, dict], NDArray[np.float64]]:
    """The candidate for these training bags, and the cut of each pair of their classes."""
    candidates, pairs = model.candidates, _pairs(np.unique(of.kinds[train]))
    knows = _knows(model)
    calibrated = knows or getattr(model.classifier, "calibrated", True)
    none = np.zeros(len(pairs))
    n_folds = min(INNER_FOLDS, len(np.unique(of.groups[train])))
    if (len(candidates) == 1 and calibrated) or n_folds < 2:
        return candidates[0], none
    inner = grouped_folds(of.groups[train], of.kinds[train], n_folds=n_folds, seed=of.seed)
    scores = np.full((len(candidates), 1 if knows else len(pairs), len(train)), np.nan)
    for g in range(n_folds):
        inside, outside = train[inner != g], inner == g
        if len(np.unique(of.kinds[inside])) < len(np.unique(of.kinds[train])):
            continue  # a class is in one inner fold alone
        for c, found in enumerate(_fits(model, candidates, of, inside, train[outside])):
            scores[c][:, outside] = found
    kept = np.isfinite(scores).all(axis=(0, 1))
    if not kept.any():
        return candidates[0], none
    kinds = of.kinds[train][kept]
    cuts = [none if calibrated else _cuts(row[:, kept], pairs, kinds) for row in scores]
    merit = [_mean_right(kinds, _named(model, row[:, kept], cut, np.unique(of.kinds[train])))
             for row, cut in zip(scores, cuts, strict=True)]
    best = max(range(len(candidates)), key=lambda c: (round(merit[c], 12), -c))
    return candidates[best], cuts[best]


def _fits(
    model: Model, candidates: Sequence[tuple[dict, dict]], of: _Data, train: NDArray, test: NDArray
) -> list[NDArray]:
    """Per candidate (P, T) scores of the test bags by each pair of classes, above 0 for the first;
    of a classifier that knows classes (1, T) what it says."""
    seen, asked = (np.unique(np.concatenate([of.bags.of(int(k)) for k in part]))
                   for part in (train, test))
    learned, judged = (bags_of(of.bags, part, rows, len(of.X))
                       for part, rows in ((train, seen), (test, asked)))
    kinds, out = of.kinds[train], []
    for _, same in groupby(candidates, key=lambda one: tuple(one[0].items())):
        group = list(same)
        A, B, _ = reduced(model, group[0][0], of.X, (seen, asked), learned, of.stop)
        for _, params in group:
            if _knows(model):
                one: Any = model.classifier(**params)
                one.fit_classes(A, bags=learned, monitor=of.stop)
                out.append(one.say_classes(B, judged)[None].astype(np.float64))
            else:
                out.append(_of_pairs(model, params, (A, learned, kinds), (B, judged), of.stop))
    return out


def _of_pairs(
    model: Model, params: Mapping[str, Any], learned: tuple[NDArray, Bags, NDArray],
    judged: tuple[NDArray, Bags], stop: Monitor,
) -> NDArray[np.float64]:
    """Scores of bags by a classifier for each pair of classes."""
    A, bags, kinds = learned
    out = []
    for first, second in _pairs(np.unique(kinds)):
        labels = np.where(kinds == first, 1, np.where(kinds == second, -1, 0)).astype(np.int8)
        # numbers of bags say nothing of their classes
        pair = replace(bags, labels=labels, values=None).take(np.flatnonzero(labels))
        fitted = model.classifier(**params).fit(A, bags=pair, monitor=stop)
        out.append(fitted.score_bags(*judged))
    return np.array(out)


def _pairs(kinds: NDArray[np.int64]) -> Pairs:
    """Every two classes, background second."""
    return list(combinations(sorted(kinds.tolist(), key=lambda kind: (kind == GROUND, kind)), 2))


def _cuts(scores: NDArray, pairs: Pairs, kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    out = np.zeros(len(pairs))
    for at, (first, second) in enumerate(pairs):
        own = (kinds == first) | (kinds == second)
        labels = np.where(kinds[own] == first, 1, -1)
        if len(np.unique(labels)) == 2:
            out[at] = best_threshold(labels, scores[at, own])
    return out


def _knows(model: Model) -> bool:
    """Whether the classifier learns all classes at once."""
    return hasattr(model.classifier, "say_classes")


def _named(
    model: Model, scores: NDArray, cuts: NDArray[np.float64], kinds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(T,) what is said: by the classifier, else the class of `kinds` with the most votes of their
    pairs; scores (P, T)."""
    if _knows(model):
        return np.asarray(scores[0], np.int64)
    pairs = _pairs(kinds)
    apart = scores - cuts[:, None]
    sure = apart / np.maximum(np.abs(apart).mean(axis=1, keepdims=True), 1e-300)
    votes = np.zeros((len(kinds), scores.shape[1]))
    place = {kind: at for at, kind in enumerate(kinds.tolist())}
    for at, (first, second) in enumerate(pairs):
        little = 1e-3 * np.tanh(sure[at])  # decides among as many votes
        votes[place[first]] += (apart[at] > 0) + little
        votes[place[second]] += (apart[at] <= 0) - little
    return kinds[votes.argmax(axis=0)]


def _mean_right(truth: NDArray[np.int64], said: NDArray[np.int64]) -> float:
    return float(np.mean([(said[truth == kind] == kind).mean() for kind in np.unique(truth)]))
