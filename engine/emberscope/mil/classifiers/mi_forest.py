"""MIForest: a random forest that learns which instances of the positive bags are targets,
by annealing."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import RANDOM_STATE, param
from emberscope.mil.classifier import AGGREGATE, best_threshold
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.halves import area
from emberscope.mil.scaling import z_score
from emberscope.mil.training_bags import renumbered
from emberscope.mil.trees import DRAWN, Trees, grown_forest, mean_value

_BLOCK = 200_000  # instances times trees between two looks at the monitor


class MIForest(ChoosesFeatures):
    """A forest gives every instance a probability p of being a target;
    labels of candidates are drawn, ever colder.

    Minimizes, over the forest and the labels of instances in positive bags, the loss of all
    instances, so that every positive bag has a target (Leistner, Saffari and Bischof 2010), by
    deterministic annealing: labels are distributions q with the entropy as reward, sum_n <q_n,
    loss_n> - T H(q_n), T falling to near 0. With the loss -log p that is
    q = p^(1/T) / (p^(1/T) + (1 - p)^(1/T)). Start: all instances of positive bags are targets.
    Round: p from the trees that did not see the bag; for every tree labels drawn from q, anew, and
    the instance of largest p in every positive bag made a target; the tree grown on them. T falls
    geometrically from `start_temperature` to `end_temperature`. The round is kept that ranks the
    bags best out of bag (area under the ROC curve; of equal ones the coldest).

    Attributes
    ----------
    roots_ : (n_trees,), left_, right_, feature_, threshold_, value_ : (nodes,),
    the trees of the round kept.
    mean_, scale_ : (D,), of the training instances. cut_ : float, the p above which an instance is
    a target: tells most training bags right out of bag. score_ : (N,), p - cut_; for instances of
    labeled bags from the trees that did not see them. history_ : (n_rounds + 1,), area under the
    ROC curve of the bags, out of bag.

    Notes
    -----
    Ours, as the paper leaves it open: the loss and the temperatures. Ours, unlike the paper: trees
    draw bags, not instances, for what a tree knows of the other instances of a bag gives its label
    away; both classes weigh the same in every tree, for targets are few; the threshold is learned,
    for the best of many instances exceeds one half easily. Each tree sees 10^4 instances at most,
    half of either label, so bags of 10^5 instances work; that is noted. Trees are grown one after
    another, each from its own seed: the number of threads does not count. O(n_rounds n_trees n
    sqrt(D) log^2 n) with n = min(N, 10^4), memory 12 N D bytes beside X.

    A bag counts by its best instance. In bags of thousands some background lies among targets in
    every tree, and the best says little: take a larger leaf, or the mean.
    """

    n_trees: int = param(
        50, low=1, high=5000, group="Forest", title="Trees",
        help="Trees that vote; more of them cost time and never harm.",
    )
    min_leaf: int = param(
        1, low=1, high=1000, group="Forest", title="Smallest leaf", grid=(1, 3, 10),
        help="Instances in a leaf at least; larger ones make smoother scores.",
    )
    n_rounds: int = param(
        10, low=0, high=200, group="Annealing", title="Rounds",
        help="Times that labels are drawn and the forest is grown again; 0 leaves every candidate "
        "a target.",
    )
    start_temperature: float = param(
        1.0, low=0, open_low=True, high=100, group="Annealing", advanced=True,
        title="First temperature",
        help="How freely labels are drawn in the first round.",
    )
    end_temperature: float = param(
        0.1, low=0, open_low=True, high=100, group="Annealing", advanced=True,
        title="Last temperature",
        help="Near 0 a candidate is a target as soon as more than half say so.",
    )
    aggregate: str = AGGREGATE
    random_state: int = RANDOM_STATE
    state = ("mean_", "scale_", "cut_", "history_", "roots_", "left_", "right_", "feature_",
             "threshold_", "value_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Anneal. Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, monitor)
        rows, used = renumbered(training.bags)
        if len(rows) > DRAWN:
            self.notes_.append(f"Every tree sees at most {DRAWN} of {len(rows)} instances.")
        self.mean_, self.scale_ = z_score(X[rows])
        p = self._anneal(self._scaled(X[rows]), used, Portion(watch, 0.0, 0.95))
        self.cut_ = best_threshold(used.labels, REDUCTIONS[self.aggregate](p, used))
        self.score_ = self._instance_scores(X, Portion(watch, 0.95, 1.0))
        self.score_[rows] = p - self.cut_
        return self

    def _anneal(self, X: NDArray, bags: Bags, watch: Monitor) -> NDArray[np.float64]:
        """Grow and grow again; the probabilities by trees that did not see the instance."""
        candidate = bags.instance_labels(len(X)) > 0
        q, p, best = candidate.astype(np.float64), np.empty(0), np.empty(0)
        history: list[float] = []
        temperatures = np.geomspace(self.start_temperature, self.end_temperature,
                                    max(self.n_rounds, 1))
        for m in range(self.n_rounds + 1):
            if m:
                q = np.where(candidate, tempered(p, temperatures[m - 1]), 0.0)
            part = Portion(watch, m / (self.n_rounds + 1), (m + 1) / (self.n_rounds + 1))
            p, forest = self._grow(X, bags, q, p, m, part)
            history.append(_ranked(bags.labels, REDUCTIONS[self.aggregate](p, bags)))
            if history[-1] >= max(history):
                best = p
                for name, values in forest._asdict().items():
                    setattr(self, f"{name}_", values)
        self.history_ = np.array(history)
        return best

    def _grow(
        self, X: NDArray, bags: Bags, q: NDArray, p: NDArray, m: int, watch: Monitor
    ) -> tuple[NDArray[np.float64], Trees]:
        """Probabilities out of bag, and the forest, of labels drawn from q."""
        return grown_forest(
            X, bags, self.min_leaf, [[self.random_state, m, t] for t in range(self.n_trees)],
            lambda rng: drawn_targets(q, p, bags, rng), watch, f"Round {m} of {self.n_rounds}",
        )

    def _scaled(self, X: NDArray) -> NDArray[np.float32]:
        return np.ascontiguousarray((X - self.mean_) / self.scale_, np.float32)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        watch = monitored(monitor)
        forest = Trees(*(getattr(self, f"{name}_") for name in Trees._fields))
        out = np.empty(len(X))
        step = max(1, _BLOCK // len(forest.roots))
        for start in range(0, len(X), step):
            out[start : start + step] = mean_value(self._scaled(X[start : start + step]), forest)
            watch.step(start / len(X), "Scoring")
        return out - self.cut_


def tempered(p: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """p^(1/T) / (p^(1/T) + (1 - p)^(1/T)): p at T = 1, one half as T grows,
    0 or 1 as it falls to 0.

    `p` : probabilities in any shape; returns the same shape.
    """
    with np.errstate(divide="ignore"):
        odds = np.log(p) - np.log1p(-p)
    return np.asarray(expit(odds / temperature), np.float64)


def drawn_targets(
    q: NDArray[np.float64], p: NDArray[np.float64], bags: Bags, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """(N,) targets drawn with probability q,
    and the instance of largest p of every positive bag; equal ones by lot.

    Nothing is known of p (empty) at the start.
    """
    target = rng.random(len(q)) < q
    if len(p):
        owner = bags.bag_of_member
        asked = bags.labels[owner] > 0
        rows, owner = bags.members[asked], owner[asked]
        order = np.lexsort((rng.random(len(rows)), p[rows], owner))
        target[rows[order[np.flatnonzero(np.diff(owner[order], append=-1))]]] = True
    return target


def _ranked(labels: NDArray, score: NDArray) -> float:
    """Area under the ROC curve, rounded, because the order of a sum changes its last digits."""
    return round(area(score, labels > 0), 9)
