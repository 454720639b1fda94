"""Which labels of bags are doubtful: probabilities by fits that have not seen the bag."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.folds import grouped_folds
from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.proportion import wilson_interval
from emberscope.evaluate.held_out import N_FOLDS, labeled_bags

_REPEATS = 3      # other folds: what one draw of folds says varies
_TREES, _LEAF = 100, 5
_TOP = 0.25       # of a bag: the mean of its best quarter is its score
_RARE = 0.25      # of the most frequent class of a clip: below, the clip tells the class
LEAST = 10        # bags of either kind that probabilities can be learned from
_EDGE = 1e-3      # shares of trees nearer to 0 and 1 than this tell nothing
_FINE = 1e-3      # how well the factor is found that draws probabilities to chance
_GAIN = 1.92      # in log likelihood, that chance passes in one of twenty draws (Wilks 1938)
TOO_FEW = (
    "Doubts are left out: {} bags of one kind can be held out, {} are needed. Label more frames."
)
NO_BETTER = (
    "Doubts are left out: held-out bags of targets score no higher than those of background, so "
    "that nothing tells a wrong label from a right one."
)


@dataclass(frozen=True, slots=True)
class BagDoubts:
    """What held-out fits say of K bags.

    probability : (K,) that a bag holds a target, NaN of one that is not judged. score : (N,) how
    target-like each instance is, by fits without its bag, in [0, 1], NaN where none was made.
    kinds : (C,) ids of the classes of positive bags that are recognized; of_kind : (K, C) the
    probability of each of them. A bag of another class, or that looks most like a class that is not
    recognized, has NaN. Both are empty where fewer than two classes are recognized. at_chance : ids
    of classes whose held-out bags are recognized no better than by chance; too_few : of those with
    too few bags, or on one clip alone. why : a sentence where nothing is judged, else "".
    """

    probability: NDArray[np.float64]
    score: NDArray[np.float64]
    kinds: NDArray[np.int64]
    of_kind: NDArray[np.float64]
    at_chance: tuple[int, ...] = ()
    too_few: tuple[int, ...] = ()
    why: str = ""


def bag_doubts(
    X: NDArray, bags: Bags, group: NDArray, *, clip: NDArray | None = None, seed: int = 0,
    monitor: Monitor | None = None,
) -> BagDoubts:
    """Judge the labels of bags by randomized trees that have not seen them.

    Parameters
    ----------
    X : (N, D). group : (K,) bags that are held out together. clip : (K,) the clips of bags, each
        made of whole groups: classes are judged by fits without the clip, because where a clip
        holds one class, the ground of the clip would tell it; None: as `group`.

    Notes
    -----
    Trees learn instances that take the label of their bag (Northcutt, Jiang and Chuang 2021 clean
    labels by such out-of-sample probabilities); a bag scores the mean of its best quarter, and the
    mean over three draws of five folds. A logistic curve makes scores probabilities, each bag by
    a curve that was fitted without its group. Classes of positive bags are judged in the
    same way, where held-out bags of a class are recognized better than by chance. O(N log N) a fit.
    """
    watch = monitored(monitor)
    known = np.flatnonzero(labeled_bags(bags))
    fewest = min(_groups(group[known], bags.labels[known], sign) for sign in (1, -1))
    nothing = BagDoubts(np.full(len(bags), np.nan), np.full(len(X), np.nan),
                        np.empty(0, np.int64), np.empty((len(bags), 0)))
    if fewest < 2 or min((bags.labels[known] == sign).sum() for sign in (1, -1)) < LEAST:
        count = int(min((bags.labels[known] == sign).sum() for sign in (1, -1)))
        return replace(nothing, why=TOO_FEW.format(count, LEAST))
    own = bags.take(known)
    score = _instance_scores(X, own, group[known], own.labels > 0, seed, Portion(watch, 0.0, 0.7))
    of_bag = np.array([best_quarter(score[own.of(k)]) for k in range(len(own))])
    found, rises = _calibrated(of_bag, own.labels > 0, group[known], seed)
    if not rises:
        return replace(nothing, why=NO_BETTER)
    probability = np.full(len(bags), np.nan)
    probability[known] = found
    kinds = _kinds(bags, group, group if clip is None else clip)
    of_kind = _of_kinds(X, bags, kinds, score, seed, Portion(watch, 0.7, 1.0))
    watch.step(1.0)
    recognized = _recognized(of_kind, bags, kinds)
    at_chance = tuple(kinds.ids[~recognized].tolist()) if len(recognized) > 1 else ()
    if recognized.sum() < 2:
        return replace(nothing, probability=probability, score=score, at_chance=at_chance,
                       too_few=kinds.too_few)
    judged = np.isin(bags.classes, kinds.ids[recognized]) & recognized[_likeliest(of_kind)]
    of_kind[~judged] = np.nan
    return BagDoubts(probability, score, kinds.ids[recognized], of_kind[:, recognized], at_chance,
                     kinds.too_few)


class Asked(NamedTuple):
    """Other bags that are to be judged: A of them over rows of X (M, D). like : (A,) numbers of the
    bags whose groups the fits must not have seen."""

    X: NDArray
    bags: Bags
    like: NDArray[np.int64]


def elsewhere(
    X: NDArray, bags: Bags, group: NDArray, other: Asked, *, seed: int = 0,
    monitor: Monitor | None = None,
) -> NDArray[np.float64]:
    """(A,) probability that each of the `other` bags holds a target, by fits to X (N, D) and its K
    bags, of which `group` (K,) are held out together.

    For bags that `bag_doubts` judges; it is the curve of all of them that makes scores
    probabilities.
    """
    watch, (Q, asked, like) = monitored(monitor), other
    known = np.flatnonzero(labeled_bags(bags))
    own, held = bags.take(known), group[known]
    yes, owner = own.labels > 0, own.bag_of_member
    fold = _folds(held, yes, seed)
    score, found = np.full(len(X), np.nan), np.full(len(asked), np.nan)
    where = np.full(len(bags), -1, np.int64)
    where[known] = fold
    for number in range(fold.max() + 1):
        watch.step(number / (fold.max() + 1), "Places beside labels")
        tested, taught = fold[owner] == number, fold[owner] != number
        mine = np.flatnonzero(where[like] == number)
        rows = np.concatenate([own.members[tested], len(X) + np.concatenate(
            [np.empty(0, np.int64), *(asked.of(int(a)) for a in mine)])])
        said = np.full(len(X) + len(Q), np.nan)
        said[rows] = _trees(np.concatenate([X, Q]), own.members[taught], yes[owner[taught]], rows,
                            own.sizes[owner[taught]], seed)
        score[own.members[tested]] = said[own.members[tested]]
        found[mine] = [best_quarter(said[len(X) + asked.of(int(a))]) for a in mine]
    of_bag = np.array([best_quarter(score[own.of(k)]) for k in range(len(own))])
    return _curve(of_bag, yes)(found)


def wrong_labels(right: NDArray, chance: ArrayLike = 0.5) -> NDArray[np.float64]:
    """(K,) probability that each label is wrong, of `right` (K,), how probable the label is that it
    has, by fits that have not seen it; NaN stays.

    chance : (K,) or a number, how probable the label is without the fits: the share of its kind.

    A label that was hard to foresee need not be wrong. With a share e of wrong labels, alike for
    all, the true label is as probable as t = (right - e) / (1 - 2 e), and Bayes' rule gives
    e (1 - t) / (e (1 - t) + (1 - e) t). e is the share of labels that contradict the fits among the
    half of them that the fits are surest of; where that is more than a quarter, so much less, as
    fits that contradict so many labels are not to be believed.

    Fits that foresee labels no better than chance say nothing of them, however sure they are. What
    they say is first drawn to chance, its log odds by the factor that makes the labels likeliest
    (Guo et al. 2017), which is 0, and e as small as can be, where that is no better than chance.
    """
    out, known = np.full(len(right), np.nan), np.isfinite(right)
    if not known.any():
        return out
    given, trust = _drawn_to_chance(right[known], np.broadcast_to(chance, right.shape)[known])
    sure = np.maximum(given, 1 - given)
    among = given[sure >= np.median(sure)]
    against = (among < 0.5).mean() if trust else 0.0
    e = max(min(against, 0.5 - against), 0.5 / len(given))
    true = np.clip((given - e) / (1 - 2 * e), 0.0, 1.0)
    out[known] = e * (1 - true) / (e * (1 - true) + (1 - e) * true)
    return out


def _drawn_to_chance(right: NDArray, chance: NDArray) -> tuple[NDArray[np.float64], float]:
    """(K,) probabilities with their log odds drawn to those of `chance` (K,), and the factor, in
    [0, 1], by which."""
    edge = 0.5 / len(right)  # rarer things are not learned from so many
    inner, base = (np.clip(each, edge, 1 - edge) for each in (right, chance))
    middle = np.log(base / (1 - base))
    beyond = np.log(inner / (1 - inner)) - middle

    def likelihood(trust: float) -> float:
        return float(-np.logaddexp(0.0, -(middle + trust * beyond)).sum())

    low, high = 0.0, 1.0
    while high - low > _FINE:  # the likelihood is concave: the better third holds its top
        left, there = low + (high - low) / 3, high - (high - low) / 3
        low, high = (left, high) if likelihood(left) < likelihood(there) else (low, there)
    trust = high if high == 1.0 else (low + high) / 2
    if likelihood(trust) - likelihood(0.0) < _GAIN:
        trust = 0.0
    return 1 / (1 + np.exp(-(middle + trust * beyond))), trust


def _groups(group: NDArray, labels: NDArray, sign: int) -> int:
    return len(np.unique(group[labels == sign]))


def best_quarter(score: NDArray) -> float:
    """The mean of the best quarter of the scores (M,) of a bag, one or more."""
    best = int(np.ceil(_TOP * len(score)))
    return float(np.partition(score, len(score) - best)[-best:].mean())


def _instance_scores(
    X: NDArray, bags: Bags, group: NDArray, yes: NDArray[np.bool_], seed: int, watch: Monitor
) -> NDArray[np.float64]:
    """(N,) share of trees, without the bag of an instance, that take it for one of a bag with
    `yes` (K,); NaN of an instance in no bag."""
    owner = bags.bag_of_member
    total, count = np.zeros(len(X)), np.zeros(len(X))
    for repeat in range(_REPEATS):
        fold = _folds(group, yes, seed + repeat)
        for number in range(fold.max() + 1):
            watch.step((repeat + number / (fold.max() + 1)) / _REPEATS, "Bags held out")
            tested, taught = fold[owner] == number, fold[owner] != number
            rows = bags.members[tested]
            total[rows] += _trees(X, bags.members[taught], yes[owner[taught]],
                                  rows, bags.sizes[owner[taught]], seed + repeat)
            count[rows] += 1
    with np.errstate(invalid="ignore"):
        return total / count


def _folds(group: NDArray, yes: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    sign = np.where(yes, 1, -1)
    folds = min(N_FOLDS, *(_groups(group, sign, side) for side in (1, -1)))
    return grouped_folds(group, sign, n_folds=max(folds, 2), seed=seed)


def _trees(
    X: NDArray, taught: NDArray, yes: NDArray[np.bool_], asked: NDArray, sizes: NDArray, seed: int
) -> NDArray[np.float64]:
    """(M,) share of trees that say yes of the rows `asked`; every bag of a kind counts alike."""
    from sklearn.ensemble import ExtraTreesClassifier

    if yes.all() or not yes.any():
        return np.full(len(asked), float(yes.all()))
    weight = 1.0 / sizes
    weight /= np.where(yes, weight[yes].sum(), weight[~yes].sum())
    trees = ExtraTreesClassifier(_TREES, min_samples_leaf=_LEAF, max_features="sqrt",
                                 random_state=seed)
    return trees.fit(X[taught], yes, sample_weight=weight).predict_proba(X[asked])[:, 1]


def _calibrated(
    score: NDArray, yes: NDArray[np.bool_], group: NDArray, seed: int
) -> tuple[NDArray[np.float64], bool]:
    """(K,) probabilities of scores, each by a curve without its group; whether they rise with it.
    """
    out, rises = np.full(len(score), np.nan), True
    fold = _folds(group, yes, seed)
    for number in range(fold.max() + 1):
        others = fold != number
        if len(np.unique(yes[others])) < 2:
            return out, False
        curve = _curve(score[others], yes[others])
        rises &= bool(np.diff(curve(np.array([0.25, 0.75])))[0] > 0)
        out[~others] = curve(score[~others])
    return out, rises


def _curve(score: NDArray, yes: NDArray[np.bool_]) -> Callable[[NDArray], NDArray[np.float64]]:
    """Scores (K,) to probabilities: a logistic curve over their log odds."""
    from sklearn.linear_model import LogisticRegression

    def odds(score: NDArray) -> NDArray[np.float64]:
        inner = np.clip(score, _EDGE, 1 - _EDGE)
        return np.log(inner / (1 - inner))[:, None]

    rule = LogisticRegression(C=1e6).fit(odds(score), yes)
    return lambda asked: rule.predict_proba(odds(asked))[:, 1] if len(asked) else np.empty(0)


class _Kinds(NamedTuple):
    """Classes that are compared: their ids (C,), too_few those that cannot be, the bags (B,) of
    positive bags with one of them, and held (B,), which are held out together."""

    ids: NDArray[np.int64]
    too_few: tuple[int, ...]
    bags: NDArray[np.int64]
    held: NDArray[np.int64]


def _kinds(bags: Bags, group: NDArray, clip: NDArray) -> _Kinds:
    """Whole clips are held out where every class is on two of them; else groups, as long as each
    class shares its clip with another one.

    Clips that are too few to show that a class is recognized stay whole only where they could tell
    it: not where each of them holds several classes about equally often.
    """
    known = np.flatnonzero((bags.labels > 0) & (bags.sizes > 0))
    ids, count = np.unique(bags.classes[known], return_counts=True)
    kept = [int(kind) for kind in ids[count >= LEAST]]
    mine = known[np.isin(bags.classes[known], kept)]
    mixed = {one for one in np.unique(clip[mine]).tolist()
             if len(np.unique(bags.classes[mine][clip[mine] == one])) > 1}

    def spread(kind: int, by: NDArray) -> set[int]:
        return set(by[mine][bags.classes[mine] == kind].tolist())

    alone = [kind for kind in kept if len(spread(kind, clip)) < 2
             and (not spread(kind, clip) & mixed or len(spread(kind, group)) < 2)]
    kept = [kind for kind in kept if kind not in alone]
    mine = mine[np.isin(bags.classes[mine], kept)]
    on = [len(spread(kind, clip)) for kind in kept]
    shown = all(wilson_interval(count, count)[0] > 1 / len(kept) for count in on)
    whole = all(count > 1 for count in on) and (
        shown or not _alike_on_clips(bags.classes[mine], clip[mine]))
    few = tuple(sorted({*ids.tolist()} - {*kept})) if len(ids) > 1 else ()
    return _Kinds(np.array(kept, np.int64), few, mine, (clip if whole else group)[mine])


def _alike_on_clips(kind: NDArray, clip: NDArray) -> bool:
    """Whether every clip has several classes, of which the rarest has at least a quarter as many
    bags as the most frequent. kind, clip : (B,) of bags."""
    counts = [np.unique(kind[clip == one], return_counts=True)[1] for one in np.unique(clip)]
    return all(len(each) > 1 and each.min() >= _RARE * each.max() for each in counts)


def _of_kinds(
    X: NDArray, bags: Bags, kinds: _Kinds, score: NDArray, seed: int, watch: Monitor
) -> NDArray[np.float64]:
    """(K, C) the probability of each class for the bags that are compared: of their best quarter,
    one class against the others."""
    out = np.full((len(bags), len(kinds.ids)), np.nan)
    if len(kinds.ids) < 2:
        return out
    own, held = bags.take(kinds.bags), kinds.held
    best = Bags.from_lists([_top_rows(score, own.of(k)) for k in range(len(own))], own.labels,
                           ids=own.ids)
    for at, kind in enumerate(kinds.ids):
        yes = own.classes == kind
        part = Portion(watch, at / len(kinds.ids), (at + 1) / len(kinds.ids))
        found = _instance_scores(X, best, held, yes, seed, part)
        means = np.array([found[best.of(k)].mean() for k in range(len(best))])
        out[kinds.bags, at] = _calibrated(means, yes, held, seed)[0]
    with np.errstate(invalid="ignore"):
        return out / np.nansum(out, axis=1, keepdims=True)


def _recognized(of_kind: NDArray, bags: Bags, kinds: _Kinds) -> NDArray[np.bool_]:
    """(C,) Tell whether more of the held-out bags of a class are taken for it than by chance, and
    than of the others. What is held out together counts as one, because it may all be taken alike.
    """
    own = bags.classes[kinds.bags]
    if len(kinds.ids) < 2:
        return np.zeros(len(kinds.ids), bool)
    said = kinds.ids[_likeliest(of_kind[kinds.bags])]
    out = np.zeros(len(kinds.ids), bool)
    for at, kind in enumerate(kinds.ids):
        right, others = (said[own == kind] == kind).mean(), (said[own != kind] == kind).mean()
        groups = len(np.unique(kinds.held[own == kind]))
        least = wilson_interval(right * groups, groups)[0]
        out[at] = least > max(1 / len(kinds.ids), others)
    return out


def _likeliest(of_kind: NDArray) -> NDArray[np.int64]:
    """(K,) the column of the largest probability; what is NaN is not likely."""
    return np.where(np.isnan(of_kind), -1.0, of_kind).argmax(axis=1)


def _top_rows(score: NDArray, rows: NDArray) -> NDArray[np.int64]:
    """The best quarter of the rows of a bag."""
    best = int(np.ceil(_TOP * len(rows)))
    return rows[np.argpartition(score[rows], len(rows) - best)[-best:]]
