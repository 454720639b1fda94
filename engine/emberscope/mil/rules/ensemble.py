"""Several rules as one: each scores bags that it has not seen and weighs as much as it is to be
trusted."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, monitored
from emberscope.features.cache import kept_within
from emberscope.mil.rules.agreement import weights_of
from emberscope.mil.rules.by_classifier import mil_boost
from emberscope.mil.rules.citation import citation
from emberscope.mil.rules.clustering import clustering
from emberscope.mil.rules.density import density
from emberscope.mil.rules.held_out import connected_fold, held_out
from emberscope.mil.rules.kernel import kernel
from emberscope.mil.rules.rule import Rule
from emberscope.mil.rules.scale import beside, beside_each_fold
from emberscope.mil.rules.trees import trees

ENSEMBLE: dict[str, Rule] = {
    "density": density,
    "citation": citation,
    "clustering": clustering,
    "mil-boost": mil_boost,
    "trees": trees,
    "kernel": kernel,
}
# Rules that learn each class alone: as good there as all six.
OF_A_CLASS: dict[str, Rule] = {name: ENSEMBLE[name]
                               for name in ("clustering", "mil-boost", "trees")}
_OWN_UNITS = ("density",)  # rules whose scores have another unit in every fit


def ensemble(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, seed: int = 0,
    monitor: Monitor | None = None, used: NDArray | None = None,
) -> NDArray[np.float64]:
    """Weighted mean of rules that fail on different data: density, citation, clustering, MIL-Boost,
    randomized trees, kernel regression.

    Each scores instances of bags that it has not learned from (bags of one group are held back
    together), in units of the background: 0 at its median, arcsinh 1 at its 95 % quantile. A rule
    weighs as much as it agrees with the others about the instances of positive bags (`agreement`):
    density is the best single rule on infrared patches and below chance where targets are the
    common instance, and no label of a bag tells which. Where rules agree about ground they weigh
    otherwise (`weights_of`). Where positive bags are of several classes, three of the rules learn
    each class beside the background too (`_together`). New instances Q are scored by rules that
    learned from all of X.
    used : (D,), see `Rule`. Five fits of every rule, each in a thread; O(N² D) for citation and
    density.
    """
    found = ensemble_scores(X, bags, seed=seed, monitor=monitor)
    if used is not None:
        used += found.features
    if Q is None:
        return found.score
    background = np.append(bags.instance_labels(len(X)) < 0, np.zeros(len(Q), bool))
    learned = []
    for i, (kind, weight) in enumerate(zip(found.kinds, found.weights, strict=True)):
        rules = (OF_A_CLASS if i else ENSEMBLE).values()
        scores = [np.append(rule(X, kind), rule(X, kind, Q)) for rule in rules]
        learned.append(weight @ np.stack([beside(score, score[background]) for score in scores]))
    return _together(learned, background)[len(X) :]


@dataclass(frozen=True, slots=True)
class EnsembleScores:
    """What the rules of the ensemble say of N instances, each of bags it has not learned from.

    score : (N,). rules : (R, N), scores of each rule that learned from all bags. kinds : the bags
    that were learned from, all of them and, where positive bags are of several classes, those of
    each class (`_of_each_class`).
    weights : of the rules for each: `ENSEMBLE`, then `OF_A_CLASS`. about_targets : whether it is
    targets that the rules of all bags agree about (`weights_of`). features : (D,), share of each
    feature in the rules that ask features one by one; sums to 1, or to 0 where no rule does.
    """

    score: NDArray[np.float64]
    rules: NDArray[np.float64]
    kinds: list[Bags]
    weights: list[NDArray[np.float64]]
    about_targets: bool
    features: NDArray[np.float64]


def ensemble_scores(
    X: NDArray, bags: Bags, *, most: int | None = None, seed: int = 0,
    monitor: Monitor | None = None
) -> EnsembleScores:
    """Scores of `ensemble`, and what stands behind them.

    most : instances that a rule learns from at a time, in whole bags drawn at random; None: all.
    O(N min(N, most) D), once for all bags and once for those of each class.
    """
    watch = monitored(monitor)
    fold = connected_fold(bags, len(X), seed=seed)
    background = bags.instance_labels(len(X)) < 0
    kinds = [bags, *_of_each_class(bags, fold)]
    learners = [OF_A_CLASS if i else ENSEMBLE for i in range(len(kinds))]
    asked = [(name, rule, kind) for own, kind in zip(learners, kinds, strict=True)
             for name, rule in own.items()]
    held, used = _held_out(asked, X, fold, watch, most=most, seed=seed)
    units = [_beside_ground(name, score, background, fold)
             for (name, *_), score in zip(asked, held, strict=True)]
    ends = np.cumsum([len(own) for own in learners])[:-1]
    scores, shares = np.split(np.stack(units), ends), np.split(used, ends)
    weighed = [weights_of(own, kind) for own, kind in zip(scores, kinds, strict=True)]
    weights = [weight for weight, _ in weighed]
    learned = [weight @ own for weight, own in zip(weights, scores, strict=True)]
    return EnsembleScores(_together(learned, background), scores[0], kinds, weights, weighed[0][1],
                          _features_used(weights, shares))


def _held_out(
    asked: Sequence[tuple[str, Rule, Bags]], X: NDArray, fold: NDArray, watch: Monitor, *,
    most: int | None, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores (A, N) and shares of features (A, D) of `held_out`, kept where a stage keeps them:
    maps of any number of dimensions, and whatever is learned on them, begin with the same."""
    def compute() -> tuple[NDArray, NDArray]:
        used = np.zeros((len(asked), X.shape[1]))
        return held_out(asked, X, fold, watch, most=most, seed=seed, used=used), used

    made_of = [(name, astuple(bags)) for name, _, bags in asked]
    held, used = kept_within({"rules": made_of, "X": X, "fold": fold, "most": most, "seed": seed},
                             compute)
    return held, used


def _features_used(weights: list[NDArray], shares: list[NDArray]) -> NDArray[np.float64]:
    """(D,) shares of features in rules, each rule by its weight: half of those that learned all
    bags, half of those of the classes where there are some, as in `_together`. Sums to 1, or to
    0."""
    pooled, *own = [_whole(weight @ part) for weight, part in zip(weights, shares, strict=True)]
    return _whole((pooled + np.mean(own, axis=0)) / 2 if own else pooled)


def _whole(shares: NDArray) -> NDArray[np.float64]:
    return shares / total if (total := float(shares.sum())) > 0 else np.zeros(len(shares))


def rule_scores(
    names: Sequence[str], X: NDArray, bags: Bags, *, seed: int = 0, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Scores (R, N) of R rules, each of bags it has not learned from, in units of the background as
    in `ensemble`.

    A few rules are much of the ensemble for little of its time. Raises what the rules raise,
    Cancelled.
    """
    fold = connected_fold(bags, len(X), seed=seed)
    background = bags.instance_labels(len(X)) < 0
    held = held_out([(name, ENSEMBLE[name], bags) for name in names], X, fold, monitored(monitor),
                    seed=seed)
    return np.stack([_beside_ground(name, score, background, fold)
                     for name, score in zip(names, held, strict=True)])


def _beside_ground(
    name: str, held: NDArray, background: NDArray, fold: NDArray
) -> NDArray[np.float64]:
    """Held-out scores (N,) of a rule in units of the background, of that of each fold where folds
    have units of their own."""
    if name in _OWN_UNITS:
        return beside_each_fold(held, background, fold)
    return beside(held, held[background])


def _of_each_class(bags: Bags, fold: NDArray) -> list[Bags]:
    """The positive bags of one class with all negative ones, for every class that a rule can learn
    whatever fold (N,) is held back, and all bags where that leaves a class out; none where targets
    are of one class."""
    positive = (bags.labels > 0) & (bags.sizes > 0)
    kinds, n_folds = np.unique(bags.classes[positive]), len(np.unique(fold))
    out = []
    for kind in kinds if len(kinds) > 1 else ():
        mine = positive & (bags.classes == kind)
        if n_folds == 1 or len(np.unique(fold[bags.members[bags.indptr[:-1][mine]]])) > 1:
            out.append(bags.take(np.flatnonzero(mine | (bags.labels < 0))))
    return [*out, bags] if out and len(out) < len(kinds) else out


def _together(learned: list[NDArray], background: NDArray) -> NDArray[np.float64]:
    """One score (N,) of what was learned from all bags, the first, and from those of each class,
    the others.

    The mean of the first and the highest of the others, in units of the background: rules that
    learn all classes at once draw their border around the frequent one, rules that learn a rare
    class from few bags are unsure. Together they find rare classes better and others as well. All
    six rules of each class would do the same for more work.
    """
    pooled, *own = learned
    if not own:
        return pooled
    highest = np.max([beside(score, score[background]) for score in own], axis=0)
    return (beside(pooled, pooled[background]) + beside(highest, highest[background])) / 2
