"""Which instances look like targets without any embedding: one function per rule, all alike.

A selector learns from X (N, D) and bags and scores rows of X, or of Q (M, D) where given: higher = more target-like.
Those that can be stopped meanwhile look at the monitor.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import connected_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.base.monitor import Monitor, Shared, monitored
from emberscope.mil.density import median_squared_distance, negative_log_density, without_own
from emberscope.mil.imputation.citation_refinement import citation_counts, citation_refinement, new_citation_counts
from emberscope.mil.imputation.constraint import known_labels, restore_witnesses
from emberscope.mil.scaling import z_score
from emberscope.neighbors.threads import each, thread_pool

Selector = Callable[..., NDArray[np.float64]]  # (X, bags, Q=None, monitor=None)
_FALSE_ALARMS = 0.05  # share of instances of negative bags above the threshold of a start
_CLUSTERS = 100
_ITERATIONS = 300  # of k-means
_ITERATIONS_AT_ONCE = 10  # between two looks at the monitor
_TREES = 100
_STEEP = 3.0  # of the scale of votes: background at its median gets 1 / (1 + e^3) = .05
_LANDMARKS = 300  # of the kernel
_WIDE = 0.3  # over the number of standardized features: exponent of the kernel
_RIDGE = 0.1
ENSEMBLE = ("density", "citation", "clustering", "mil-boost", "trees", "kernel")
OF_A_CLASS = ("clustering", "mil-boost", "trees")  # rules that learn each class alone: as good there as all six
_OWN_UNITS = ("density",)  # rules whose scores have another unit in every fit
_FOLDS = 5
_WIDER = 0.15  # area by which standing out must spread positive bags wider than agreement does
_LITTLE = 0.3  # mean rank correlation of rules below which they are not to be trusted
_TAIL = np.linspace(0.3, 0.95, 40)  # quantiles of background: where targets are few, its share in positive bags shows
_ALL_TARGETS = 0.95  # estimated share of targets from which on nothing in positive bags is like background
_NEARLY_ALL = 0.85  # by how much positive bags are ahead of background where they truly hold targets only
UNLIKE = (
    "Ground in positive bags is unlike the background that was labeled: how many of their instances are targets cannot "
    "be distinguished from it. Label background where targets have been at other times, or near them."
)
ABOUT_GROUND = (
    "The rules agreed about ground that only positive bags hold, instead of targets. They weigh otherwise here, and "
    "still the instance that a bag points at is often ground. Draw boxes closer to targets, put spots on them, or "
    "label background between them."
)
AGREE_LITTLE = (
    "The rules agree little about which instances are targets (mean rank correlation {mean}): the instance that a bag "
    "points at may be ground. Look at the chips; draw boxes closer to targets, or label more of both kinds."
)


def bag_label(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """The label of the bag: all instances of positive bags alike. It knows nothing of new instances.

    Raises ParamError for Q.
    """
    if Q is not None:
        raise ParamError("labels of bags score no new instances", hint="Take another rule.")
    return bags.instance_labels(len(X)).astype(np.float64)


def citation(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Share of references and citers from positive bags, of 5 each: ranks like -N-/N+ (Kim and Choi 2010)."""
    if Q is None:
        minus, plus = citation_counts(X, bags, n_references=5, n_citers=5, monitor=monitor)
    else:
        minus, plus = new_citation_counts(X, bags, Q, n_references=5, n_citers=5, monitor=monitor)
    return np.divide(plus, plus + minus, out=np.zeros(len(plus)), where=plus + minus > 0)


def density(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """How rare the instance is among those of negative bags: minus the log of their kernel density.

    An instance of a negative bag is not counted for itself: all of them would look common beside new ones. The width
    is the one, of seven, whose rarest instances of positive bags have a mean farthest from the background.
    Raises MissingLabels without bags of both kinds.
    """
    mean, scale = z_score(X)
    A = (X - mean) / scale
    label = bags.instance_labels(len(X))
    background, candidates = A[label < 0], np.flatnonzero(label > 0)
    if not len(background) or not len(candidates):
        raise MissingLabels("density needs positive and negative bags", hint="Label at least one bag of each kind.")
    unit = median_squared_distance(A)
    values = negative_log_density(A, background, unit, monitor=monitored(monitor))
    values[:, label < 0] = without_own(values[:, label < 0], background, unit)
    reach = [_reach(A, -row, bags, label, background.mean(axis=0)) for row in values]
    best = int(np.argmax(np.round(reach, 9)))
    return -(values if Q is None else negative_log_density((Q - mean) / scale, background, unit))[best]


def clustering(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Log odds of positive against negative bags in the instance's cluster, one instance of each added; k-means."""
    mean, scale = z_score(X)
    A = (X - mean) / scale
    n_clusters = int(np.clip(round(np.sqrt(len(np.unique(A, axis=0)))), 1, _CLUSTERS))
    found = _clusters(A, n_clusters, monitored(monitor))
    label = bags.instance_labels(len(X))
    plus, minus = (np.bincount(found.labels_[label == side], minlength=n_clusters) + 1.0 for side in (1, -1))
    return np.log(plus / minus)[found.labels_ if Q is None else found.predict((Q - mean) / scale)]


def _clusters(A: NDArray, n_clusters: int, watch: Monitor) -> Any:
    """Fitted k-means of A (N, D), 300 iterations at most; the monitor is asked after every ten."""
    from sklearn.cluster import KMeans, kmeans_plusplus

    centers, _ = kmeans_plusplus(A, n_clusters, random_state=0)
    for done in range(0, _ITERATIONS, _ITERATIONS_AT_ONCE):
        watch.step(done / _ITERATIONS, "Rule clustering")
        found = KMeans(n_clusters, init=centers, n_init=1, max_iter=_ITERATIONS_AT_ONCE, random_state=0).fit(A)
        if found.n_iter_ < _ITERATIONS_AT_ONCE:
            break
        centers = found.cluster_centers_
    return found


def by_classifier(target: str) -> Selector:
    """The score of a bag classifier ("module:Class" in the room of classifiers)."""
    module, name = target.split(":")

    def select(
        X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None
    ) -> NDArray[np.float64]:
        made = getattr(import_module(f"emberscope.mil.classifiers.{module}"), name)().fit(X, bags=bags, monitor=monitor)
        return made.score_ if Q is None else made.score_instances(Q)

    select.__doc__ = f"Instance scores of {name}."
    return select


def trees(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Share of randomized trees (Geurts, Ernst and Wehenkel 2006) that take the instance for one of a positive bag.

    Instances of X are scored by trees that have not seen their bags, nor bags of the same group. O(T N log N sqrt(D)).
    """
    if Q is None:
        return _held_out([("trees", bags)], X, connected_fold(bags, len(X)), monitored(monitor))[0]
    label = bags.instance_labels(len(X))
    known = np.flatnonzero(label)
    weight = len(known) / (2 * np.where(label > 0, (label > 0).sum(), (label < 0).sum()))
    return _forest(X[known], label[known] > 0, weight[known], Q, monitored(monitor))[:, -1]


def _forest(X: NDArray, y: NDArray, weight: NDArray, Q: NDArray, watch: Monitor) -> NDArray[np.float64]:
    """(M, C) share of extremely randomized trees for each value of y (n,), ascending, for rows of Q (M, D).

    The trees that scikit-learn's forest grows, one after the other. That forest resets the filters of warnings, which
    belong to the whole process, while several of them grow in threads here. O(T n log n sqrt(D)).
    """
    from sklearn.tree import ExtraTreeClassifier

    X, Q = (np.ascontiguousarray(rows, np.float32) for rows in (X, Q))
    share = np.zeros((len(Q), len(np.unique(y))))
    for grown, seed in enumerate(np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=_TREES)):
        watch.step(grown / _TREES, "Randomized trees")
        tree = ExtraTreeClassifier(min_samples_leaf=2, random_state=int(seed))
        share += tree.fit(X, y, sample_weight=weight, check_input=False).predict_proba(Q, check_input=False)
    return share / _TREES


def kernel(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Ridge regression of the labels of bags, both weighing alike, by a Gaussian kernel (Saunders et al. 1998).

    The kernel, exp(-.3 d² / D) of standardized features, stands on 300 landmarks (Nyström; Williams and Seeger 2001).
    Smooth, it finds rare targets where their surface crosses that of the background: areas .95 and .92 on two draws
    where trees reach .77 and .75. Instances of X are scored as by `trees`. O(N 300²).
    """
    if Q is None:
        return _held_out([("kernel", bags)], X, connected_fold(bags, len(X)), monitored(monitor))[0]
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge

    label = bags.instance_labels(len(X))
    known = np.flatnonzero(label)
    watch = monitored(monitor)
    watch.step(0.0, "Rule kernel")
    mean, scale = z_score(X[known])
    landmarks = Nystroem(gamma=_WIDE / X.shape[1], n_components=min(_LANDMARKS, len(known)), random_state=0)
    A = landmarks.fit_transform((X[known] - mean) / scale)
    side = label[known].astype(np.float64)
    weight = len(known) / (2 * np.where(side > 0, (side > 0).sum(), (side < 0).sum()))
    watch.step(0.5, "Rule kernel")
    found = Ridge(_RIDGE).fit(A, side, sample_weight=weight)
    watch.step(0.8, "Rule kernel")
    return found.predict(landmarks.transform((Q - mean) / scale))


def ensemble(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, seed: int = 0, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Weighted mean of rules that fail on different data: density, citation, clustering, MIL-Boost, randomized trees,
    kernel regression.

    Each scores instances of bags that it has not learned from (bags of one group are held back together), in units of
    the background: 0 at its median, arcsinh 1 at its 95 % quantile. A rule weighs as much as it agrees with the others
    about the instances of positive bags (`agreement`): density is the best single rule on infrared patches and
    below chance where targets are the common instance, and no label of a bag tells which. Where rules agree about
    ground they weigh otherwise (`weights_of`). Where positive bags are of several classes, three of the rules learn
    each class beside the background too (`_together`). New instances Q are scored by rules that learned from all of X.
    Five fits of every rule, each in a thread; O(N² D) for citation and density.
    """
    found = ensemble_scores(X, bags, seed=seed, monitor=monitor)
    if Q is None:
        return found.score
    background = np.append(bags.instance_labels(len(X)) < 0, np.zeros(len(Q), bool))
    learned = []
    for i, (kind, weight) in enumerate(zip(found.kinds, found.weights, strict=True)):
        names = OF_A_CLASS if i else ENSEMBLE
        rules = [np.append(SELECTORS[name](X, kind), SELECTORS[name](X, kind, Q)) for name in names]
        learned.append(weight @ np.stack([beside(score, score[background]) for score in rules]))
    return _together(learned, background)[len(X) :]


@dataclass(frozen=True, slots=True)
class EnsembleScores:
    """What the rules of the ensemble say of N instances, each of bags it has not learned from.

    score : (N,). rules : (R, N), scores of each rule that learned from all bags. kinds : the bags that were learned
    from, all of them and, where positive bags are of several classes, those of each class (`_of_each_class`).
    weights : of the rules for each: `ENSEMBLE`, then `OF_A_CLASS`.
    """

    score: NDArray[np.float64]
    rules: NDArray[np.float64]
    kinds: list[Bags]
    weights: list[NDArray[np.float64]]


def ensemble_scores(
    X: NDArray, bags: Bags, *, most: int | None = None, seed: int = 0, monitor: Monitor | None = None
) -> EnsembleScores:
    """Scores of `ensemble`, and what stands behind them.

    most : instances that a rule learns from at a time, in whole bags drawn at random; None: all. O(N min(N, most) D),
    once for all bags and once for those of each class.
    """
    watch = monitored(monitor)
    fold = connected_fold(bags, len(X), seed=seed)
    background = bags.instance_labels(len(X)) < 0
    kinds = [bags, *_of_each_class(bags, fold)]
    names = [OF_A_CLASS if i else ENSEMBLE for i in range(len(kinds))]
    asked = [(name, kind) for own, kind in zip(names, kinds, strict=True) for name in own]
    held = _held_out(asked, X, fold, watch, most=most, seed=seed)
    units = [_beside_ground(name, score, background, fold) for (name, _), score in zip(asked, held, strict=True)]
    rules = np.split(np.stack(units), np.cumsum([len(own) for own in names])[:-1])
    weights = [weights_of(own, kind)[0] for own, kind in zip(rules, kinds, strict=True)]
    learned = [weight @ own for weight, own in zip(weights, rules, strict=True)]
    return EnsembleScores(_together(learned, background), rules[0], kinds, weights)


def rule_scores(
    names: Sequence[str], X: NDArray, bags: Bags, *, seed: int = 0, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Scores (R, N) of R rules, each of bags it has not learned from, in units of the background as in `ensemble`.

    A few rules are much of the ensemble for little of its time. Raises what the rules raise, Cancelled.
    """
    fold = connected_fold(bags, len(X), seed=seed)
    background = bags.instance_labels(len(X)) < 0
    held = _held_out([(name, bags) for name in names], X, fold, monitored(monitor), seed=seed)
    return np.stack([_beside_ground(name, score, background, fold) for name, score in zip(names, held, strict=True)])


def _beside_ground(name: str, held: NDArray, background: NDArray, fold: NDArray) -> NDArray[np.float64]:
    """Held-out scores (N,) of a rule in units of the background, of that of each fold where folds have units of their
    own."""
    return _per_fold(held, background, fold) if name in _OWN_UNITS else beside(held, held[background])


def _of_each_class(bags: Bags, fold: NDArray) -> list[Bags]:
    """The positive bags of one class with all negative ones, for every class that a rule can learn whatever fold (N,)
    is held back, and all bags where that leaves a class out; none where targets are of one class."""
    positive = (bags.labels > 0) & (bags.sizes > 0)
    kinds, n_folds = np.unique(bags.classes[positive]), len(np.unique(fold))
    out = []
    for kind in kinds if len(kinds) > 1 else ():
        mine = positive & (bags.classes == kind)
        if n_folds == 1 or len(np.unique(fold[bags.members[bags.indptr[:-1][mine]]])) > 1:
            out.append(bags.take(np.flatnonzero(mine | (bags.labels < 0))))
    return [*out, bags] if out and len(out) < len(kinds) else out


def _together(learned: list[NDArray], background: NDArray) -> NDArray[np.float64]:
    """One score (N,) of what was learned from all bags, the first, and from those of each class, the others.

    The mean of the first and the highest of the others, in units of the background: rules that learn all classes at
    once draw their border around the frequent one, rules that learn a rare class from few bags are unsure. Areas inside
    positive bags, and shares of bags that point at a target, means of two draws, all at once -> the mean of both: cars
    and persons .911, .987 -> .945, .996; four flights .915, .952 -> .914, .952; steep view .936, .946 -> .940, .964;
    the same with wide boxes .914, .789 -> .912, .819; four other flights .960, 1.00 -> .959, 1.00. All six rules of
    each class reach the same for three times the work.
    """
    pooled, *own = learned
    if not own:
        return pooled
    highest = np.max([beside(score, score[background]) for score in own], axis=0)
    return (beside(pooled, pooled[background]) + beside(highest, highest[background])) / 2


def weights_of(scores: NDArray, bags: Bags) -> tuple[NDArray[np.float64], bool]:
    """Weights (R,) of R rules with scores (R, N), and whether it is targets that they agree about.

    Rules that tell the ground of positive bags from the labeled background agree with each other as well as rules that
    know targets do: crowded scenes leave background at the rim of the frame only. Such scores raise a positive bag as
    a whole, while a target stands out of its own bag. So where weights by how surely the best instance exceeds the
    median of its bag, in positive bags against negative ones, spread positive bags clearly wider than weights by
    agreement do (by .15 of the area under the ROC curve of the standard deviation within bags), these are taken.

    Notes
    -----
    On 40 draws of 25 sets (infrared, surfaces, digits) that gain was .18 to .44 on five, where rules agreed about
    ground (areas inside positive bags .68 | .70, .73 | .75, .71 | .89, .73 | .85, .66 | .82, by agreement | by standing
    out), and below .15 on the others, where standing out was worse by up to .15, most where nearly all of a bag is
    target. O(R M log M) for M members.
    """
    agreed = agreement(scores[:, bags.instance_labels(scores.shape[1]) > 0])
    clear = np.maximum([_ahead(_tops(score, bags), bags) - 0.5 for score in scores], 0.0)
    if not clear.sum():
        return agreed, True
    clear /= clear.sum()
    before, after = (_ahead(_spreads(weight @ scores, bags), bags) for weight in (agreed, clear))
    return (clear, False) if after - before > _WIDER else (agreed, True)


def _tops(score: NDArray, bags: Bags) -> NDArray[np.float64]:
    """(K,) by how much the best instance of a bag exceeds its median; 0 of an empty bag."""
    ordered = score[bags.members][np.lexsort((score[bags.members], bags.bag_of_member))]
    out, held = np.zeros(len(bags)), bags.sizes > 0
    first, size = bags.indptr[:-1][held], bags.sizes[held]
    out[held] = ordered[first + size - 1] - (ordered[first + (size - 1) // 2] + ordered[first + size // 2]) / 2
    return out


def _spreads(score: NDArray, bags: Bags) -> NDArray[np.float64]:
    """(K,) standard deviation within every bag; 0 of an empty one."""
    owner, size, own = bags.bag_of_member, np.maximum(bags.sizes, 1), score[bags.members]
    middle = np.bincount(owner, own, minlength=len(bags)) / size
    return np.sqrt(np.bincount(owner, (own - middle[owner]) ** 2, minlength=len(bags)) / size)


def _ahead(value: NDArray, bags: Bags) -> float:
    """Area under the ROC curve of a value (K,) per bag, positive bags against negative ones."""
    from scipy.stats import rankdata

    positive, negative = ((bags.labels == side) & (bags.sizes > 0) for side in (1, -1))
    n, m = int(positive.sum()), int(negative.sum())
    ranks = rankdata(value[positive | negative])[positive[positive | negative]]
    return (float(ranks.sum()) - n * (n + 1) / 2) / (n * m) if n and m else 0.5


def agreement(scores: NDArray) -> NDArray[np.float64]:
    """Weights (R,) of R rules that scored the same n instances, (R, n): mean rank correlation with the other rules.

    Where the errors of rules are independent, agreement grows with accuracy, so that no label is needed (Parisi et al.
    2014). Negative ones count 0; all equal where no two rules agree. They sum to 1.
    """
    weight = np.maximum(_alike(scores).sum(axis=1), 0.0)
    return weight / weight.sum() if weight.sum() > 0 else np.full(len(scores), 1 / len(scores))


def _alike(scores: NDArray) -> NDArray[np.float64]:
    """Rank correlations (R, R) of R rules that scored the same n instances, (R, n); 0 on the diagonal."""
    from scipy.stats import rankdata

    ranks = rankdata(scores, axis=1)
    spread = np.maximum(ranks.std(axis=1, keepdims=True), 1e-12)
    standard = (ranks - ranks.mean(axis=1, keepdims=True)) / spread
    alike = standard @ standard.T / max(scores.shape[1], 1)
    np.fill_diagonal(alike, 0.0)
    return alike


def doubts(scores: NDArray, bags: Bags) -> list[str]:
    """What R rules with scores (R, N) say about how far to trust them, a sentence or none; no truth is needed.

    Where they agreed about ground (`weights_of`), or where their mean rank correlation inside positive bags is below
    .3. Areas inside positive bags on 40 draws of 25 sets: .70 to .89 of five that agreed about ground, .69 to .90 of
    seven that agreed little, .85 to 1.00 of the other 28. The held-out bag AUC does not tell them apart: ground alone
    may tell bags apart (.96 where the area inside was .71).
    """
    if not weights_of(scores, bags)[1]:
        return [ABOUT_GROUND]
    inside = scores[:, bags.instance_labels(scores.shape[1]) > 0]
    mean = float(_alike(inside).sum()) / max(len(scores) * (len(scores) - 1), 1)
    return [AGREE_LITTLE.format(mean=f"{mean:.2f}".replace("0.", "."))] if mean < _LITTLE else []


def connected_fold(bags: Bags, n: int, *, seed: int = 0) -> NDArray[np.int64]:
    """(n,) fold of every instance: up to five, bags that share an instance or a group together, both labels in the
    rest of each. All 0 where there are not two groups of either label: nothing can be held back."""
    label = bags.instance_labels(n)
    group = connected_groups(bags, n)
    folds = min(_FOLDS, *(len(np.unique(group[label == side])) for side in (-1, 1)))
    return grouped_folds(group, label, n_folds=folds, seed=seed) if folds > 1 else np.zeros(n, np.int64)


def _held_out(
    asked: Sequence[tuple[str, Bags]], X: NDArray, fold: NDArray, watch: Monitor, *, most: int | None = None,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Scores (A, N) by A rules that learned from the other folds of their bags; by ones that learned from all where
    there is one fold. All fits at once, a thread each. most : as of `ensemble_scores`."""
    numbers = np.unique(fold)
    fits = [(i, number) for i in range(len(asked)) for number in numbers]
    shared, score = Shared(watch, len(fits)), np.empty((len(asked), len(X)))

    def fit(at: int) -> None:
        i, number = fits[at]
        (name, bags), part = asked[i], shared.part(at)
        part.step(0.0, f"Rule {name}")
        rows = np.flatnonzero(fold == number)
        others = np.flatnonzero(fold != number) if len(numbers) > 1 else rows
        score[i, rows] = SELECTORS[name](*_learned_from(X, bags, others, most, seed), X[rows], monitor=part)
        part.step(1.0, f"Rule {name}")

    _import_rules()
    with thread_pool() as pool:
        each(pool, fit, ((at,) for at in range(len(fits))), lambda: None)
    return score


def _import_rules() -> None:
    """Import what rules use before threads do: two that import one package at a time see halves of it."""
    for name in ("sklearn.cluster", "sklearn.kernel_approximation", "sklearn.linear_model", "sklearn.tree"):
        import_module(name)


def _learned_from(X: NDArray, bags: Bags, rows: NDArray, most: int | None, seed: int) -> tuple[NDArray, Bags]:
    """These rows of X and the bags over them; above `most` rows those of some bags."""
    own = bags.among(rows, len(X))
    if most is None or len(rows) <= most:
        return X[rows], own
    some = some_bags(own, most, seed=seed)
    kept = np.unique(some.members)
    return X[rows[kept]], some.among(kept, len(rows))


def some_bags(bags: Bags, most: int, *, seed: int = 0) -> Bags:
    """Bags drawn at random until they hold `most` instances, shared between both labels as those of all bags are; one
    bag of each label at least, none without a label."""
    rng, held, picked = np.random.default_rng(seed), bags.sizes[bags.labels != 0].sum(), []
    for side in (-1, 1):
        own = rng.permutation(np.flatnonzero(bags.labels == side))
        size = np.cumsum(bags.sizes[own])
        if len(own):
            picked.append(own[: int(np.searchsorted(size, most * size[-1] / max(held, 1))) + 1])
    return bags.take(np.sort(np.concatenate([np.empty(0, np.int64), *picked])))


def _per_fold(score: NDArray, background: NDArray, fold: NDArray) -> NDArray[np.float64]:
    """`beside` with the background of each fold; with all of it where a fold has none."""
    out = np.empty(len(score))
    for number in np.unique(fold):
        rows = fold == number
        own = score[rows & background]
        out[rows] = beside(score[rows], own if len(own) else score[background])
    return out


def beside(score: NDArray, background: NDArray) -> NDArray[np.float64]:
    """arcsinh of (score - median) / (95 % quantile - median) of the background: strictly rising, outliers tamed.

    `score` : (N,). `background` : (n,), scores of background.
    """
    middle, high = np.quantile(background, [0.5, 1 - _FALSE_ALARMS])
    least = 1e-9 * float(max(abs(middle), np.abs(score).max(initial=0.0)))  # background may be all alike
    unit = max(float(high - middle), 0.1 * float(np.std(background)), least) or 1.0
    return np.arcsinh((score - middle) / unit)


SELECTORS: dict[str, Selector] = {
    "ensemble": ensemble,
    "bag-label": bag_label,
    "citation": citation,
    "density": density,
    "diverse-density": by_classifier("dd:DiverseDensity"),
    "em-dd": by_classifier("em_dd:EMDD"),
    "clustering": clustering,
    "mil-boost": by_classifier("mil_boost:MILBoost"),
    "mi-rank": by_classifier("mi_rank:MIRank"),
    "trees": trees,
    "kernel": kernel,
}
SCORERS = tuple(name for name in SELECTORS if name != "bag-label")  # those that score instances of bags held back


def select(name: str, X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
    """Scores of X, or of Q, by the selector of that name. Raises ParamError for another."""
    if name not in SELECTORS:
        raise ParamError(f"selector is {name!r}", hint=f"Give {', '.join(SELECTORS)}.")
    return SELECTORS[name](X, bags, Q)


def on_common_scale(score: NDArray, background: NDArray) -> NDArray[np.float64]:
    """Scores (N,) as shares of votes: 0 to 1, one half where a score exceeds 95 % of those of known background.

    Logistic in `beside`, so that scores above all background keep their order; ones without background.
    """
    if not len(background):
        return np.ones(len(score))
    return as_votes(beside(score, background))


def as_votes(score: NDArray, border: float | None = None) -> NDArray[np.float64]:
    """Scores of `beside` as shares of votes: one half at the border, by default the 95 % quantile of background.

    `score` : (N,).
    """
    steps = score / np.arcsinh(1) - (1.0 if border is None else border / np.arcsinh(1))
    return 1 / (1 + np.exp(-np.clip(_STEEP * steps, -500, 500)))


def border(score: NDArray, label: NDArray) -> tuple[float, bool]:
    """The score that parts targets from ground inside positive bags, and whether their ground is like the background.

    Parameters
    ----------
    score : (N,), of instances in bags that were held back. label : (N,), > 0 in positive bags, < 0 in negative ones.

    Returns
    -------
    border : where positive bags exceed the background most: there targets and ground are equally frequent.
    alike : False where positive bags hold next to nothing that scores like background, and yet do not exceed it nearly
        everywhere: their ground is of another kind (boxes of background at other places), it would count as targets.
        The border is then where positive bags themselves fall into two heaps (Otsu 1979).

    Notes
    -----
    Between the 80 % and 99 % quantiles of the background (85 % and the top where not alike). On 24 sets with known
    targets this is right for .87 of the instances of positive bags (balanced), the 95 % quantile for .84, either rule
    alone for .84 and .85. O(N log N).
    """
    background, mixed = np.sort(score[label < 0]), np.sort(score[label > 0])
    at = np.unique(score[label != 0])
    ahead = _share_below(background, at) - _share_below(mixed, at)
    tail = np.quantile(background, _TAIL)
    ground = float((_share_below(mixed, tail) / np.maximum(_share_below(background, tail), 1e-12)).min())
    if ground > 1 - _ALL_TARGETS or ahead.max() > _NEARLY_ALL:
        low, high = np.quantile(background, [0.8, 0.99])
        return float(np.clip(at[np.argmax(ahead)], low, high)), True
    return _two_heaps(mixed, float(np.quantile(background, 0.85))), False


def _share_below(ordered: NDArray, at: NDArray) -> NDArray[np.float64]:
    return np.searchsorted(ordered, at, "right") / max(len(ordered), 1)


def _two_heaps(ordered: NDArray, least: float) -> float:
    """The cut above `least` after which both sides of ascending values differ most in their means."""
    count = np.arange(1, len(ordered))
    total = np.cumsum(ordered)
    apart = total[:-1] / count - (total[-1] - total[:-1]) / (len(ordered) - count)
    between = np.where(ordered[:-1] >= least, count * (len(ordered) - count) * apart**2, -1.0)
    if not len(between) or between.max() <= 0:
        return least
    cut = int(np.argmax(between))
    return float(ordered[cut] + ordered[cut + 1]) / 2


def initial_labels(
    name: str, X: NDArray, bags: Bags, *, y: NDArray | None = None, seed: int = 0, monitor: Monitor | None = None
) -> tuple[NDArray[np.int8], NDArray[np.float64] | None, list[str]]:
    """Labels (N,) to start from, the scores behind them on the scale of votes, None for the labels of bags, and notes.

    Labels are those of bags, those of citation refinement (whose border is its own, not where the score is one half),
    or: an instance of a positive bag is positive where its score exceeds those of 95 % of the instances of negative
    bags (of the ensemble: `border`, and its notes are `doubts`). A bag left without a positive gets its best one.
    """
    known = known_labels(y, bags, len(X))
    if name == "bag-label":
        return restore_witnesses(known.bag_label, np.zeros(len(X)), bags, known.fixed), None, []
    notes = []
    if name == "ensemble":
        found = ensemble_scores(X, bags, seed=seed, monitor=monitor)
        raw, notes = found.score, doubts(found.rules, bags)
        score = as_votes(raw, border(raw, known.bag_label)[0])
    else:
        raw = select(name, X, bags)
        score = on_common_scale(raw, raw[known.bag_label < 0])
    if name == "citation":
        return citation_refinement(X, bags, y=y)[0], score, notes
    labels = np.where((known.bag_label > 0) & (score <= 0.5), -1, known.bag_label)
    return restore_witnesses(labels, raw, bags, known.fixed), score, notes


def class_shares(
    X: NDArray, bags: Bags, score: NDArray, monitor: Monitor | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids (C,) of the classes of positive bags, and (N, C) how instances divide between them; (N, 0) of one class.

    Randomized trees of instances of positive bags, each counting by its score (N,) in [0, 1] and classes alike, judge
    bags that they have not learned from, a block of frames held back together (`Bags.blocks`): of whole clips, which
    often show one class each, nothing would be left to learn. All even where a class is missing in the rest. The
    monitor is asked by every tree; raises Cancelled. O(N log N).
    """
    kinds = np.unique(bags.classes[(bags.labels > 0) & (bags.sizes > 0)])
    if len(kinds) < 2:
        return kinds, np.empty((len(X), 0))
    first = bags.first_bag(len(X))
    inside = (first >= 0) & (bags.instance_labels(len(X)) > 0)
    kind = np.where(inside, bags.classes[first], 0)
    fold = connected_fold(bags if bags.blocks is None else replace(bags, groups=bags.blocks), len(X))
    out, numbers = np.full((len(X), len(kinds)), 1 / len(kinds)), np.unique(fold)
    shared = Shared(monitored(monitor), len(numbers))

    def divide(at: int) -> None:
        number, part = numbers[at], shared.part(at)
        part.step(0.0, "Classes of targets")
        rows = fold == number
        others = np.flatnonzero(inside & ((fold != number) | rows.all()))
        found, of, count = np.unique(kind[others], return_inverse=True, return_counts=True)
        if len(found) == len(kinds):
            weight = np.maximum(score[others], 1e-3) * (len(others) / (len(kinds) * count))[of]
            out[rows] = _forest(X[others], kind[others], weight, X[rows], part)

    with thread_pool() as pool:
        each(pool, divide, ((at,) for at in range(len(numbers))), lambda: None)
    return kinds, out


def learned_score(X: NDArray, score: NDArray, Q: NDArray) -> NDArray[np.float64]:
    """Scores of new instances Q (M, D) from those of X (N, D), one or several each, by randomized trees; always the
    same. O(N log N)."""
    from sklearn.ensemble import ExtraTreesRegressor

    found = ExtraTreesRegressor(_TREES, min_samples_leaf=2, max_features="sqrt", random_state=0)
    return found.fit(X, score[:, 0] if score.ndim == 2 and score.shape[1] == 1 else score).predict(Q)


def _reach(A: NDArray, score: NDArray, bags: Bags, label: NDArray, center: NDArray) -> float:
    """Distance from the background to the mean of the best-scored instance of every positive bag."""
    targets = bags.take(np.flatnonzero(bags.labels > 0))
    best = bag_argmax(np.where(label > 0, score, -np.inf), targets)
    best = best[(best >= 0) & (label[best] > 0)]  # an empty bag, or one of nothing but background, has none
    return float(np.linalg.norm(A[best].mean(axis=0) - center))
