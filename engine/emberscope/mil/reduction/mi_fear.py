"""MI-FEAR: features ranked by how well each alone, or all but it, predict bag labels."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import inv
from scipy.special import expit
from scipy.stats import rankdata

from emberscope.bags.folds import bag_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.mil.reduction.discriminants import DIMENSIONS
from emberscope.mil.reduction.linear import LinearReduction
from emberscope.mil.scaling import STANDARDIZE, z_score

LARGEST_DROP = 2_000  # features up to which each is left out in turn
_FOLDS = 3
_BLOCK = 1 << 20  # numbers ranked, or scored, at a time
_ROUNDS = 50


class MIFEAR(LinearReduction):
    """Keep the d features that tell most about the labels of bags; nothing is mixed.

    Attributes
    ----------
    ranking_ : (D,) int64, features from the most to the least important.
    importance_ : (D,), of every feature.
    components_ : (D, d), a unit column for each kept feature. mean_, scale_ : (D,); 0 and 1 without
    `standardize`, so that the coordinates are the features themselves.

    Notes
    -----
    Latham 2015. Every instance carries the label of its bag (an instance of bags of both labels is
    negative). mode "single": importance = |A - 1/2| for the area A under the ROC curve of the
    feature alone, from its ranks; this is what any monotone classifier of one feature attains, so
    none is trained. O(N D log N). mode "drop": importance = A(all features) - A(all but it), the
    mean over 3 folds by bag of the area of a logistic regression with unit ridge on z-scored
    features. (Printed is a sort by A(all but it), which would keep the least important ones.) All
    regressions of a fold start from the one of all features and are solved together by Newton steps
    with its Hessian, halved where they overshoot: O(N D²) a round, for up to 2000 features, else
    TooLarge. Where few instances of a positive bag are targets, noise often ranks above what
    matters. Bags of any size.
    """

    n_components: int = replace(
        DIMENSIONS, title="Features",
        help="Number of features kept; 2 or 3 to look at, more to classify in.",
    )
    mode: str = param(
        "single", choices=("single", "drop"), group="Embedding", title="Rank features",
        grid=("single", "drop"),
        help="Single: by what each feature tells alone. Drop: by what is lost without it, slower.",
    )
    standardize: bool = replace(
        STANDARDIZE, help="Give every feature unit variance; off: keep the values as they are.",
    )
    state = (*LinearReduction.state, "ranking_", "importance_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Rank the features.

        Raises MissingLabels without a positive and a negative bag, TooLarge, DataError where
        instances are all alike.
        """
        watch = monitored(monitor)
        X, _, training = self._training(X, y, bags)
        watch.step(0.0, "Ranking features")
        labels = training.bags.instance_labels(len(X))
        part = Portion(watch, 0.0, 0.95)
        if self.mode == "single":
            importance = single_importance(X[labels != 0], labels[labels != 0] > 0, monitor=part)
        else:
            importance = drop_importance(X, training.bags, monitor=part)
        if not np.ptp(X, axis=0).any():
            raise DataError("all instances are the same",
                            hint="Choose other features or more instances.")
        ranking = np.argsort(-importance, kind="stable")
        self.ranking_, self.importance_ = ranking, importance
        plain = np.zeros(X.shape[1]), np.ones(X.shape[1])
        self.mean_, self.scale_ = z_score(X) if self.standardize else plain
        self.components_ = np.zeros((X.shape[1], self.n_components))
        self.components_[ranking[: self.n_components], np.arange(self.n_components)] = 1.0
        self.embedding_ = self._project(X, Portion(watch, 0.95, 1.0))
        return self


def single_importance(
    X: NDArray, positive: NDArray, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """|A - 1/2| of every feature, (D,)."""
    out = np.empty(X.shape[1])
    for part in slices(X.shape[1], _BLOCK // len(X), monitor, "Ranking features"):
        out[part] = np.abs(areas(X[:, part], positive) - 0.5)
    return out


def areas(scores: NDArray, positive: NDArray) -> NDArray[np.float64]:
    """Area under the ROC curve of every column of scores (N, m), ties counted half,
    from rank sums."""
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    ranks = rankdata(scores, axis=0)
    return (ranks[positive].sum(axis=0) - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def drop_importance(
    X: NDArray, bags: Bags, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """What the area under the ROC curve out of fold loses without each feature, (D,).

    Raises TooLarge for too many features, DataError where none can be left out.
    """
    watch = monitored(monitor)
    dim = X.shape[1]
    if dim > LARGEST_DROP:
        raise TooLarge(f"leaving out each of {dim} features",
                       hint="Rank them one at a time, mode single.")
    mean, scale = z_score(X)
    owner = bag_groups(bags, len(X))[bags.bag_of_member]
    rows, first = np.unique(bags.members, return_index=True)
    positive, group = bags.instance_labels(len(X))[rows] > 0, owner[first]
    A = np.column_stack([(X[rows] - mean) / scale, np.ones(len(rows))])
    n_folds = min(_FOLDS, len(np.unique(group)))
    fold = grouped_folds(group, positive, n_folds=n_folds)
    lost = []
    for f in range(n_folds):
        test = fold == f
        if all(len(np.unique(positive[some])) == 2 for some in (test, ~test)):
            area = Portion(watch, f / n_folds, (f + 1) / n_folds)
            lost.append(_lost_area(A[~test], positive[~test], A[test], positive[test], area))
    if not lost:
        raise DataError(
            "the bags do not make two parts with both labels",
            hint="Label more bags, or rank by mode single."
        )
    return np.mean(lost, axis=0)


def _lost_area(
    A: NDArray, positive: NDArray, B: NDArray, truth: NDArray, watch: Monitor
) -> NDArray:
    """Loss of area on (B, truth) of regressions trained on (A, positive),
    per feature left out; last column is 1."""
    dim = A.shape[1] - 1
    y = positive.astype(np.float64)
    w, H = logistic(A, y)
    full = areas((B @ w)[:, None], truth)[0]
    inverse = inv(H, check_finite=False)
    out = np.empty(dim)
    width = max(1, _BLOCK // len(A))
    for start in range(0, dim, width):
        watch.step(start / dim, "Leaving out features")
        dropped = np.arange(start, min(start + width, dim))
        out[dropped] = full - areas(
            B @ _without(A, y, w, inverse, dropped, Portion(watch, start / dim, 1.0)), truth
        )
    return out


def logistic(A: NDArray, y: NDArray) -> tuple[NDArray, NDArray]:
    """Weights (D+1,) of the logistic regression with unit ridge on all but the last one,
    and the Hessian there."""
    w = np.zeros(A.shape[1])
    value = _objective(A, y, w[:, None])[0]
    for _ in range(_ROUNDS):
        gradient, H = _gradient(A, y, w[:, None])[:, 0], _hessian(A, w)
        step = -np.linalg.solve(H, gradient)
        length = 1.0
        while (new := _objective(A, y, (w + length * step)[:, None])[0]) > value and length > 1e-8:
            length /= 2
        done = np.abs(length * step).max() < 1e-9 or new >= value
        w, value = (w + length * step, new) if new <= value else (w, value)
        if done:
            break
    return w, _hessian(A, w)


def _without(
    A: NDArray, y: NDArray, w: NDArray, inverse: NDArray, dropped: NDArray, watch: Monitor
) -> NDArray:
    """Weights (D+1, m), a column for each dropped feature, whose own weight is 0."""
    at = np.arange(len(dropped))
    columns, own = inverse[:, dropped], inverse[dropped, dropped]
    W = w[:, None] - columns * (w[dropped] / own)  # exact if the likelihood were quadratic
    W[dropped, at] = 0.0
    value, length = _objective(A, y, W), np.ones(len(dropped))
    for _ in range(_ROUNDS):
        watch.step(0.0, "Leaving out features")
        full = inverse @ _gradient(A, y, W)
        step = columns * (full[dropped, at] / own) - full
        step[dropped, at] = 0.0
        moved = W + length * step
        new = _objective(A, y, moved)
        better = new <= value
        if (np.abs(step) * length).max() < 1e-7:
            break
        W[:, better], value = moved[:, better], np.minimum(new, value)
        length = np.where(better, length, length / 2)
    return W


def _objective(A: NDArray, y: NDArray, W: NDArray) -> NDArray:
    score = A @ W
    return np.logaddexp(0, score).sum(axis=0) - y @ score + np.square(W[:-1]).sum(axis=0) / 2


def _gradient(A: NDArray, y: NDArray, W: NDArray) -> NDArray:
    out = A.T @ (expit(A @ W) - y[:, None])
    out[:-1] += W[:-1]
    return out


def _hessian(A: NDArray, w: NDArray) -> NDArray:
    p = expit(A @ w)
    H = (A * (p * (1 - p))[:, None]).T @ A
    H[np.diag_indices(len(w) - 1)] += 1.0
    H[-1, -1] += 1e-9  # all rows of one sort of certainty must not make it singular
    return H
