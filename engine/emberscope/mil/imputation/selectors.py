"""Which instances look like targets without any embedding: one function per rule, all alike.

A selector learns from X (N, D) and bags and scores rows of X, or of Q (M, D) where given: higher = more target-like.
"""

from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.mil.density import median_squared_distance, negative_log_density, without_own
from emberscope.mil.imputation.citation_refinement import citation_counts, citation_refinement, new_citation_counts
from emberscope.mil.imputation.constraint import known_labels, restore_witnesses
from emberscope.mil.scaling import z_score

Selector = Callable[[NDArray, Bags, NDArray | None], NDArray[np.float64]]
_FALSE_ALARMS = 0.05  # share of instances of negative bags above the threshold of a start
_CLUSTERS = 100


def bag_label(X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
    """The label of the bag: all instances of positive bags alike. It knows nothing of new instances."""
    if Q is not None:
        raise ParamError("labels of bags score no new instances", hint="Take another rule.")
    return bags.instance_labels(len(X)).astype(np.float64)


def citation(X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
    """Share of references and citers from positive bags, of 5 each: ranks like -N-/N+ (spec 01 section 6.5)."""
    if Q is None:
        minus, plus = citation_counts(X, bags, n_references=5, n_citers=5)
    else:
        minus, plus = new_citation_counts(X, bags, Q, n_references=5, n_citers=5)
    return np.divide(plus, plus + minus, out=np.zeros(len(plus)), where=plus + minus > 0)


def density(X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
    """How rare the instance is among those of negative bags: minus the log of their kernel density.

    An instance of a negative bag is not counted for itself: all of them would look common beside new ones. The width
    is the one, of seven, whose rarest instances of positive bags have a mean farthest from the background.
    """
    mean, scale = z_score(X)
    A = (X - mean) / scale
    label = bags.instance_labels(len(X))
    background, candidates = A[label < 0], np.flatnonzero(label > 0)
    if not len(background) or not len(candidates):
        raise MissingLabels("density needs positive and negative bags", hint="Label at least one bag of each kind.")
    unit = median_squared_distance(A)
    values = negative_log_density(A, background, unit)
    values[:, label < 0] = without_own(values[:, label < 0], background, unit)
    reach = [_reach(A, -row, bags, label, background.mean(axis=0)) for row in values]
    best = int(np.argmax(np.round(reach, 9)))
    return -(values if Q is None else negative_log_density((Q - mean) / scale, background, unit))[best]


def clustering(X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
    """Log odds of positive against negative bags in the instance's cluster, one instance of each added; k-means."""
    from sklearn.cluster import KMeans

    mean, scale = z_score(X)
    A = (X - mean) / scale
    n_clusters = int(np.clip(round(np.sqrt(len(np.unique(A, axis=0)))), 1, _CLUSTERS))
    found = KMeans(n_clusters, n_init=3, random_state=0).fit(A)
    label = bags.instance_labels(len(X))
    plus, minus = (np.bincount(found.labels_[label == side], minlength=n_clusters) + 1.0 for side in (1, -1))
    return np.log(plus / minus)[found.labels_ if Q is None else found.predict((Q - mean) / scale)]


def by_classifier(target: str) -> Selector:
    """The score of a bag classifier ("module:Class" in the room of classifiers)."""
    module, name = target.split(":")

    def select(X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
        made = getattr(import_module(f"emberscope.mil.classifiers.{module}"), name)().fit(X, bags=bags)
        return made.score_ if Q is None else made.score_instances(Q)

    select.__doc__ = f"Instance scores of {name}."
    return select


SELECTORS: dict[str, Selector] = {
    "bag-label": bag_label,
    "citation": citation,
    "density": density,
    "diverse-density": by_classifier("dd:DiverseDensity"),
    "em-dd": by_classifier("em_dd:EMDD"),
    "clustering": clustering,
    "mil-boost": by_classifier("mil_boost:MILBoost"),
    "mi-rank": by_classifier("mi_rank:MIRank"),
}
SCORERS = tuple(name for name in SELECTORS if name != "bag-label")  # those that score instances of bags held back


def select(name: str, X: NDArray, bags: Bags, Q: NDArray | None = None) -> NDArray[np.float64]:
    """Scores of X, or of Q, by the selector of that name. Raises ParamError for another."""
    if name not in SELECTORS:
        raise ParamError(f"selector is {name!r}", hint=f"Give {', '.join(SELECTORS)}.")
    return SELECTORS[name](X, bags, Q)


def on_common_scale(score: NDArray, background: NDArray) -> NDArray[np.float64]:
    """Scores (N,) as shares of votes: 0 to 1, above one half where a score exceeds 95 % of those of known background.

    The share of background below (ties count half) to the power that takes 0.95 to 0.5; ones without background.
    """
    if not len(background):
        return np.ones(len(score))
    ranked = np.sort(background)
    below = (np.searchsorted(ranked, score, "left") + np.searchsorted(ranked, score, "right")) / 2
    return (below / len(ranked)) ** (np.log(0.5) / np.log(1 - _FALSE_ALARMS))


def initial_labels(
    name: str, X: NDArray, bags: Bags, *, y: NDArray | None = None
) -> tuple[NDArray[np.int8], NDArray[np.float64] | None]:
    """Labels (N,) to start from, and the scores behind them on the scale of votes; None for the labels of bags.

    Labels are those of bags, those of citation refinement (whose border is its own, not where the score is one half),
    or: an instance of a positive bag is positive where its score exceeds those of 95 % of the instances of negative
    bags. A bag left without a positive gets its best one.
    """
    known = known_labels(y, bags, len(X))
    if name == "bag-label":
        return restore_witnesses(known.bag_label, np.zeros(len(X)), bags, known.fixed), None
    raw = select(name, X, bags)
    score = on_common_scale(raw, raw[known.bag_label < 0])
    if name == "citation":
        return citation_refinement(X, bags, y=y)[0], score
    labels = np.where((known.bag_label > 0) & (score <= 0.5), -1, known.bag_label)
    return restore_witnesses(labels, raw, bags, known.fixed), score


def _reach(A: NDArray, score: NDArray, bags: Bags, label: NDArray, center: NDArray) -> float:
    """Distance from the background to the mean of the best-scored instance of every positive bag."""
    targets = bags.take(np.flatnonzero(bags.labels > 0))
    best = bag_argmax(np.where(label > 0, score, -np.inf), targets)
    best = best[(best >= 0) & (label[best] > 0)]  # an empty bag, or one of nothing but background, has none
    return float(np.linalg.norm(A[best].mean(axis=0) - center))
