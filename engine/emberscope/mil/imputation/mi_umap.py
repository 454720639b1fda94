"""MI-UMAP: a layout of features and witness scores learned from bags."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import RANDOM_STATE, param
from emberscope.embedding.layout.neighbor_layout import (
    INIT,
    LAYOUT_COMPONENTS,
    LAYOUT_NEIGHBORS,
    N_EPOCHS,
)
from emberscope.embedding.layout.umap import MIN_DIST, OfFuzzyGraph
from emberscope.mil.classifier import check_members
from emberscope.mil.rules.account import KeepsRules
from emberscope.mil.rules.agreement import doubts
from emberscope.mil.rules.border import UNLIKE, border
from emberscope.mil.rules.class_shares import class_shares
from emberscope.mil.rules.ensemble import ensemble_scores
from emberscope.mil.rules.forest import learned_score
from emberscope.mil.rules.scale import as_votes, beside
from emberscope.mil.training_bags import training_bags
from emberscope.neighbors.distances import Distances, squared_between
from emberscope.neighbors.duplicates import Distinct

_CLEAR = 3.0  # arcsinh units of the background: beyond, a target is no clearer
_CLASSES = 3.0  # of these units: how far targets of different classes lie apart


class MIUMAP(KeepsRules, OfFuzzyGraph):
    """A map and a ranking in one: neighbors are alike in their features and in how target-like they
    are.

    Witness scores come from bags the scoring rules have not seen (`rules.ensemble`). They are
    one more coordinate beside the features, of `pull` times their total variance, and UMAP draws
    the whole: what the ranking knows the embedding shows, and different grounds stay apart from
    each other instead of one blob. Where positive bags are of several classes, their shares are
    coordinates too: classes lie apart as far as the features tell them.

    Attributes
    ----------
    score_ : (N,) in [0, 1], one half at the border between targets and ground, at most as much as
        the median of background where an instance of a positive bag is marked as background; exact
        copies share the mean of theirs.
    held_score_ : (N,), what the rules say that have not seen the bag, before marks and copies.
    border_ : float, that border (`rules.border`).
    unit_ : float, what one unit of the score is worth in features.
    class_ids_ : (C,) the classes of positive bags. class_shares_ : (N, C), how an instance divides
    between them, by trees that have not seen its bag; (N, 0) of one class. seen_ : (U, 1 + C) or
    (U, 1), the coordinates beside the features of the distinct instances, in units of the
    background (`beside`). What the rules went by: see `KeepsRules`.

    Notes
    -----
    The embedding has seen the scores, the scores have not seen the bag they judge. `y` with bags:
    instances with y < 0 are no candidates of their positive bags. `y` without bags: the labels are
    the scores. New instances are scored by randomized trees of the scores and then placed like
    those of UMAP. The cost of UMAP and of five fits of six rules, and of three of them for each of
    several classes. Given distances (`measured_by`) take the place of those of the features in the
    layout; scores, marks and shares of classes come from the features all the same.
    """

    reads_labels = True
    holds_back = True
    takes_classes = False  # a bag holds targets or none
    _beside: NDArray = not_a_param()  # (N, C), coordinates beside the features of the last fit
    n_components: int = LAYOUT_COMPONENTS
    n_neighbors: int = LAYOUT_NEIGHBORS
    pull: float = param(
        1.0, low=0, high=100, title="Pull of targets", group="Supervision",
        help="How much the witness score counts beside the features: its variance over theirs. 0 "
        "is UMAP.",
    )
    min_dist: float = MIN_DIST
    n_epochs: int | None = N_EPOCHS
    init: str = INIT
    random_state: int = RANDOM_STATE
    state = (*OfFuzzyGraph.state, "score_", "held_score_", "border_", "unit_", "class_ids_",
             "class_shares_", "seen_")
    told = KeepsRules.rule_state

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Score, then lay out. Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        if bags is None:
            X, label, sure = self._validate_labeled(X, y, None)
            clear, notes, self.border_ = _CLEAR * label * sure, self.notes_, 0.0
            self.class_ids_, self.class_shares_, self.held_score_ = (
                np.empty(0, np.int64), np.empty((len(X), 0)), clear
            )
            self._keep_rules(None)
        else:
            X, known = self._validate(X, y, None, labels="ignored" if y is None else "optional")
            self.held_score_, doubtful = self._held(X, known, bags, Portion(watch, 0.0, 0.45))
            bags, clear, notes, self.border_ = _judged(self.held_score_, X, known, bags)
            notes = notes + doubtful
        given = self._given_for(len(X))
        _, first, copy = np.unique(X, axis=0, return_index=True, return_inverse=True)
        copy = copy.ravel()
        clear = _shared(clear[:, None], copy)[:, 0]
        self.score_ = as_votes(clear, self.border_)
        if bags is not None:
            self.class_ids_, shares = class_shares(X, bags, self.score_, Portion(watch, 0.45, 0.5))
            self.class_shares_ = _shared(shares, copy)
        clear = np.clip(clear, -_CLEAR, _CLEAR)
        shares = self.class_shares_ - self.class_shares_.mean(axis=0)
        own = np.column_stack([clear, _CLASSES * self.score_[:, None] * shares])
        variance = X[first].var(
            axis=0, dtype=np.float64
        ).sum() if given is None else given.take(first).total_variance()
        self.unit_ = float(np.sqrt(self.pull)
                           * (np.sqrt(variance) / max(clear[first].std(), 1e-12)))
        self._beside = self.unit_ * own
        super().fit(self._with_scores(X, own), monitor=Portion(watch, 0.5, 1.0))
        self.n_features_in_ = X.shape[1]
        place = {row.tobytes(): i for i, row in enumerate(X)}
        self.seen_ = own[[place[row.tobytes()] for row in self.instances_[:, : X.shape[1]]]]
        self.notes_ = notes + self.notes_
        return self

    def _given_among(self, distinct: Distinct) -> Distances | None:
        """The given distances and the differences of scores, together what is laid out."""
        given = super()._given_among(distinct)
        return None if given is None else given.beside(self._beside[distinct.rows])

    def _squared_to(self, X: NDArray, known: NDArray) -> NDArray[np.float32]:
        n = self.n_features_in_
        features = super()._squared_to(np.ascontiguousarray(X[:, :n]),
                                       np.ascontiguousarray(known[:, :n]))
        return features + squared_between(X[:, n:], known[:, n:]).astype(np.float32)

    def _held(
        self, X: NDArray, y: NDArray | None, bags: Bags, watch: Monitor
    ) -> tuple[NDArray[np.float64], list[str]]:
        """Scores (N,) of instances by rules that have not seen their bag, nor any other of its
        group, and notes on how far to trust them (`rules.agreement.doubts`)."""
        check_members(bags, len(X))
        training = training_bags(y, bags, len(X)).bags
        found = ensemble_scores(X, training, seed=self.random_state, monitor=watch)
        self._keep_rules(found, training)
        return found.score, doubts(found.rules, training)

    def score_instances(self, X: ArrayLike) -> NDArray[np.float64]:
        """How target-like new instances are, (M, D) -> (M,) in [0, 1],
        by randomized trees of `score_`."""
        return as_votes(self._learned(super()._validate_new(X))[:, 0], self.border_)

    def _validate_new(self, X: ArrayLike) -> NDArray:
        """New instances as they are laid out: features, and the scores that trees give them,
        or their copy has."""
        X = super()._validate_new(X)
        seen = self.instances_[:, : X.shape[1]]
        own = {row.tobytes(): scores for row, scores in zip(seen, self.seen_, strict=True)}
        scores = [own.get(row.tobytes(), found)
                  for row, found in zip(X, self._learned(X), strict=True)]
        return self._with_scores(X, np.array(scores).reshape(len(X), -1))

    def _learned(self, X: NDArray) -> NDArray[np.float64]:
        return learned_score(self.instances_[:, : X.shape[1]], self.seen_, X).reshape(len(X), -1)

    def _with_scores(self, X: NDArray, scores: NDArray) -> NDArray:
        return np.column_stack([X, self.unit_ * scores]).astype(X.dtype)


def _shared(values: NDArray, copy: NDArray) -> NDArray[np.float64]:
    """Give exact copies, which have one number in `copy` (N,), the mean of their values (N, C)."""
    out = np.empty(values.shape)
    for column, own in enumerate(values.T):
        out[:, column] = (np.bincount(copy, own) / np.bincount(copy))[copy]
    return out


def _judged(
    raw: NDArray, X: NDArray, known: NDArray | None, bags: Bags
) -> tuple[Bags, NDArray[np.float64], list[str], float]:
    """Bags that were learned from, scores (N,) in units of the background, notes,
    and the border of targets."""
    found = training_bags(known, bags, len(X), X=X)
    label = found.bags.instance_labels(len(X))
    clear = beside(raw, raw[label < 0])
    at, alike = border(clear, label)
    # marks of ground in positive bags; those of negative bags would give their labels away
    if known is not None:
        ground = (known < 0) & (bags.instance_labels(len(X)) >= 0)
        clear[ground] = np.minimum(clear[ground], 0.0)
    return found.bags, clear, found.notes + ([] if alike else [UNLIKE]), at
