"""What embeddings of imputed labels share: the parameters of the loop, what it leaves,
and how bags get in."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.labels import read_labels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.embedding.out_of_sample import Novelty, Rule
from emberscope.embedding.supervised.unlabeled import OfLabeled
from emberscope.mil.classifier import check_members
from emberscope.mil.imputation.loop import VOTES, Imputed, Loop, impute
from emberscope.mil.imputation.start import initial_labels
from emberscope.mil.rules.account import KeepsRules
from emberscope.mil.rules.forest import learned_score
from emberscope.mil.rules.table import RULES, SCORERS
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.mil.training_bags import training_bags
from emberscope.neighbors.distances import Distances

ANCHORED = param(
    False, title="Known background votes", group="Imputation", advanced=True,
    help="Only targets and instances of negative bags vote; off: so does what was taken for "
    "background before.",
)
LOOP_STATE = (
    "labels_", "score_", "history_", "changes_", "criterion_", "kept_round_", "mean_", "scale_",
    "seen_score_",
)


def scaled(X: NDArray, mean: NDArray, scale: NDArray) -> NDArray:
    """(X - mean) / scale in the precision of X (N, D)."""
    return ((X - mean) / scale).astype(X.dtype if X.dtype.kind == "f" else np.float64)


class Imputing(KeepsRules, OfLabeled):
    """Mixin that imputes labels from bags, then fits the `supervised` embedder on them.

    Attributes
    ----------
    labels_ : (N,) int8, imputed; 0 in no labeled bag. score_ : (N,), share of positives among the
    neighbors of an instance held back, averaged over rounds; what the labels come from.
    history_ : (rounds + 1, N) int8, labels at the start and after every round.
    changes_ : (rounds,), share of free instances that changed. criterion_ : (rounds + 1,).
    kept_round_ : int, the row of history_ that labels_ is. mean_, scale_ : (D,), features are
    (X - mean_) / scale_ in everything. seen_score_ : (U,), score_ of the distinct instances_.
    What the rules of the start went by: see `KeepsRules`.
    """

    supervised: ClassVar[type[OfLabeled]]
    takes_classes = False  # a bag holds targets or none
    told = KeepsRules.rule_state
    start: str = param(
        "ensemble", choices=tuple(RULES), title="Labels at first", group="Imputation",
        help="Which instances of positive bags count as targets in the first round: all, or those "
        "that a rule picks. Ensemble: the rules that agree most among six, right on more kinds of "
        "data than any one of them. Where one kind of target stands out, MIL-Boost, trees or "
        "density alone may rank a little better.",
    )
    scorer: str = param(
        VOTES, choices=(VOTES, *SCORERS), title="Rule of the rounds", group="Imputation",
        advanced=True,
        help="What scores instances that are held back: votes of neighbors in the embedding, or "
        "another rule that learns the labels of the round.",
    )
    max_rounds: int = param(
        4, low=0, high=100, title="Rounds at most", group="Imputation",
        help="Rounds of embedding and relabelling; the best one is kept, 0 keeps the labels of "
        "the start.",
    )
    trust: float = param(
        0.5, low=0, high=1, title="Trust in the start", group="Imputation", advanced=True,
        help="Weight of the scores of the start beside the votes of the rounds; 0 forgets them. "
        "Labels of bags have no scores.",
    )
    standardize: bool = replace(STANDARDIZE, default=False)
    min_witness: int = param(
        1, low=1, high=1000, title="Targets per bag", group="Imputation",
        help="Every positive bag keeps at least so many target instances.",
    )
    n_votes: int = param(
        9, low=1, high=501, title="Neighbors that vote", group="Imputation", advanced=True,
        help="Neighbors in the embedding whose labels decide about an instance that was held back.",
    )
    anchored: bool = ANCHORED
    n_folds: int = param(
        5, low=2, high=50, title="Folds", group="Imputation", advanced=True,
        help="Parts of the bags held back in turn; a round takes an embedding for each.",
    )
    memory: float = param(
        0.5, low=0, high=1, open_high=True, title="Memory", group="Imputation", advanced=True,
        help="Share of earlier rounds in the votes of a round; 0 forgets them and changes labels "
        "faster.",
    )
    soft: bool = param(
        True, title="Soft labels", group="Imputation", advanced=True,
        help="Count a label by how clear the vote for it was.",
    )
    cross_fit: bool = param(
        True, title="Hold bags back", group="Imputation", advanced=True,
        help="Off: vote where the labels were already used, which changes next to nothing.",
    )
    random_state = 0  # of a method that does not declare it

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Impute labels, then find the coordinates.
        Raises MissingLabels without a positive and a negative bag."""
        embed = super().fit  # type: ignore[misc]  # of the supervised method
        read, _ = self._validate(X)
        given = self._given_for(len(read))
        mean, scale = centered(read, standardize=self.standardize)
        scale = np.where(np.isinf(scale), 1.0, scale)
        A = scaled(read, mean, scale) if self.standardize else read
        # the embedder places rows of A as they are
        self.mean_, self.scale_ = np.zeros(len(mean)), np.ones(len(mean))
        if bags is None:
            embed(A, y, monitor=monitor)
            self._leave_given(y)
        else:
            targets, notes = self._imputed(A, y, bags, given, monitor)
            embed(A, targets, monitor=Portion(monitored(monitor), 0.85, 1.0))
            self.notes_ = notes + self.notes_
        self.mean_, self.scale_ = mean if self.standardize else np.zeros(len(mean)), scale
        place = {row.tobytes(): i for i, row in enumerate(A)}
        self.seen_score_ = self.score_[[place[row.tobytes()] for row in self.instances_]]  # type: ignore[attr-defined]
        return self

    def transform(
        self, X: ArrayLike, *, rule: Rule | None = None, n_neighbors: int | None = None
    ) -> NDArray:
        """Coordinates of new instances, as the embedder places them."""
        return super().transform(self._scaled(X), rule=rule, n_neighbors=n_neighbors)

    def novelty(self, X: ArrayLike) -> Novelty:
        """How strange new instances are, see `Nonlinear.novelty`."""
        return super().novelty(self._scaled(X))

    def score_instances(self, X: ArrayLike) -> NDArray[np.float64]:
        """How target-like new instances are, (M, D) -> (M,) in [0, 1]:
        randomized trees of `score_`. O(N log N)."""
        return learned_score(self.instances_, self.seen_score_, self._scaled(X))

    def _scaled(self, X: ArrayLike) -> NDArray:
        X = self._validate_new(X)
        return scaled(X, self.mean_, self.scale_) if self.standardize else X

    def _squared_to(self, X: NDArray, known: NDArray) -> NDArray[np.float32]:
        """Of features as they were before they were standardized."""
        if self.standardize:
            X, known = ((rows * self.scale_ + self.mean_).astype(X.dtype) for rows in (X, known))
        return super()._squared_to(X, known)

    def _supervised(self) -> OfLabeled:
        """The embedder with these settings; the loop places instances by reconstruction."""
        settings = {param.name: getattr(self, param.name) for param in self.supervised.params}
        return self.supervised(**settings | {"out_of_sample": "reconstruction"})

    def _imputed(
        self, X: ArrayLike, y: ArrayLike | None, bags: Bags, given: Distances | None,
        monitor: Monitor | None
    ) -> tuple[NDArray[np.float64], list[str]]:
        """Soft labels (N,) for the last embedding, and notes;
        leaves what the loop found as attributes.

        Raises MissingLabels without a positive and a negative bag that have a usable instance.
        """
        watch = monitored(monitor)
        X, known = self._validate(X, y, None, labels="ignored" if y is None else "optional")
        check_members(bags, len(X))
        found = training_bags(known, bags, len(X), X=X)
        start, start_score, doubtful, judged = initial_labels(
            self.start, X, found.bags, y=known, seed=self.random_state,
            monitor=Portion(watch, 0.0, 0.3)
        )
        self._keep_rules(judged, found.bags)
        loop = Loop(
            self._supervised, scorer=self.scorer, n_votes=self.n_votes, anchored=self.anchored,
            n_folds=self.n_folds,
            max_rounds=self.max_rounds, min_witness=self.min_witness, memory=self.memory,
            trust=self.trust, soft=self.soft, cross_fit=self.cross_fit,
            random_state=self.random_state,
        )

        def show(targets: NDArray) -> None:
            watch.partial(self._supervised().measured_by(given).fit(X, targets).embedding_)  # type: ignore[attr-defined]

        result = impute(
            X, found.bags, loop, y=known, start=start, start_score=start_score, distances=given,
            show=show if monitor is not None else None, monitor=Portion(watch, 0.3, 0.85),
        )
        self._leave(result)
        return result.targets, found.notes + doubtful + result.notes

    def _leave(self, result: Imputed) -> None:
        self.labels_, self.score_, self.history_ = result.labels, result.score, result.history
        self.changes_, self.criterion_, self.kept_round_ = (
            result.changes, result.criterion, result.kept
        )

    def _leave_given(self, y: ArrayLike | None) -> None:
        """Without bags nothing is imputed: labels are those given."""
        labels = read_labels(np.asarray(y)).told_apart().code.astype(np.int8)
        none = np.empty(0)
        self._keep_rules(None)
        whole = labels.astype(np.float64)
        self._leave(
            Imputed(labels, whole, (1 + whole) / 2, labels[None], none, np.full(1, np.nan), 0)
        )
