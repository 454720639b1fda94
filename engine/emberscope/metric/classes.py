"""Base of linear maps learned from classes of instances, judged on instances held out."""

from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.labels.side_info import SideInfo
from emberscope.metric.known_kinds import agreement_of, folds_of, of_classes, voted
from emberscope.metric.learned import LinearMetric, turned
from emberscope.metric.scores import principal_scores

_MOST_COMPONENTS = 100
_FOLDS = 3
_MOST_LEARNED = 1500  # instances that the map of a held-out fold is learned from
_SHARE = 0.5  # of the time, for the held-out folds


class OfClasses(LinearMetric):
    """Base: a subclass learns a map W (r, s) of scores from the instances whose class is known.

    Attributes
    ----------
    objective_ : float, what was minimized or maximized, at the end.

    Notes
    -----
    `held_out_knn_` judges every known instance by a map learned without its third of the
    instances, from 1500 of the others at most: it is that of maps of so many, and says of one
    learned from more that the kinds hold for others, not how much the rest adds. Its interval rests
    on all held-out instances.
    """

    takes_classes = True
    state = (*LinearMetric.state, "objective_")
    random_state: int

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Learn from labeled instances; others are mapped.
        Raises MissingLabels without two classes."""
        watch = monitored(monitor)
        X, code, weight = self._validate_labeled(X, y, bags)
        self._check_rank(X.shape)
        watch.step(0.0, "Principal components")
        most = max(min(_MOST_COMPONENTS, len(X) // 4), self.n_components or 1)
        scores = principal_scores(X, most)
        known = of_classes(code, weight, bags)
        rng = np.random.default_rng(self.random_state)
        T, rows = scores.T, known.rows
        fold, parts = folds_of(known, _FOLDS, rng), []
        for k in range(_FOLDS):
            learned, unseen = known.split(fold == k)
            learned = learned.drawn(_MOST_LEARNED, rng)
            if learned.enough and len(unseen.rows):
                part = Portion(watch, _SHARE * k / _FOLDS, _SHARE * (k + 1) / _FOLDS)
                V, _ = self._learned(T[learned.rows], learned.kind, learned.weight, part)
                parts.append(voted(T @ turned(T, V)[:, : self.n_components], learned, unseen))
        W, self.objective_ = self._learned(T[rows], known.kind, known.weight,
                                           Portion(watch, _SHARE, 1.0))
        self._keep_map(X, scores, W * scores.unit)
        self._keep_voted(agreement_of(parts), len(np.unique(known.kind)))
        return self

    @abstractmethod
    def _learned(
        self, T: NDArray, kind: NDArray, weight: NDArray, watch: Monitor
    ) -> tuple[NDArray, float]:
        """The map W (r, s) that instances T (m, r) of classes kind (m,) with weights (m,) ask for;
        its objective."""
