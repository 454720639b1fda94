"""Ordinary classifiers of bags described by distances to concepts: support vectors,
sparse weights, neighbors."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import BagClassifier
from emberscope.mil.classifiers.citation_knn import CitationKNN, votes
from emberscope.mil.classifiers.svm_loop import PENALTY, Machine, Trainer, width_of
from emberscope.mil.concepts.bag_features import KINDS, bag_features
from emberscope.mil.concepts.clustering import CONCEPTS, FCMI, FUZZIFIER, PRUNE, SEED, START
from emberscope.mil.concepts.model import Concepts
from emberscope.mil.distances import squared_distances
from emberscope.mil.scaling import z_score
from emberscope.mil.support_vectors import balanced
from emberscope.mil.training_bags import TrainingBags

_OF_CONCEPTS = (
    "coverage_", "contrast_", "purity_", "memberships_", "gains_", "suggested_", "objectives_",
)  # fmt: skip


class EmbeddedConcepts(BagClassifier):
    """Base of classifiers behind `FCMI`: finds concepts, describes bags by `bag_features`,
    and learns from these.

    Attributes
    ----------
    centers_, scales_ (K, D), negative_centers_, negative_scales_ (K-, D) : see `FCMI`. mean_,
    scale_ (F,) : of the features of bags. ground_ (F,) : their mean over negative bags. coverage_,
    contrast_, purity_, memberships_, gains_, suggested_, objectives_ : of the concepts, see `FCMI`.
    """

    state: ClassVar[tuple[str, ...]] = (
        "centers_", "scales_", "negative_centers_", "negative_scales_", "mean_", "scale_",
        "ground_",
    )  # fmt: skip
    told = _OF_CONCEPTS
    space = "embedded"

    n_concepts: int | None = CONCEPTS
    fuzzifier: float | None = FUZZIFIER
    prune: bool = PRUNE
    start: str | None = START
    features: str = param(
        "full", choices=KINDS, group="Bags", title="Distances of a bag", grid=KINDS,
        help="Nearest: the smallest to each concept. Full: means as well, and the smallest and "
        "largest to clusters of background, which help where a bag as a whole differs.",
    )
    random_state: int

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the concepts, then learn from bags.
        Raises MissingLabels without a positive and a negative bag."""
        X, training = self._training(X, y, bags)
        watch = monitored(monitor)
        clustering = FCMI(
            n_concepts=self.n_concepts, fuzzifier=self.fuzzifier, prune=self.prune,
            start=self.start, random_state=self.random_state,
        ).fit(X, bags=training.bags, monitor=Portion(watch, 0.0, 0.8))
        self.notes_ += [note for note in clustering.notes_ if note not in self.notes_]
        self.centers_, self.scales_ = clustering.centers_, clustering.scales_
        self.negative_centers_, self.negative_scales_ = (
            clustering.negative_centers_, clustering.negative_scales_
        )
        self._tell(clustering, training)
        found = self.bag_features(X, training.bags)
        self.mean_, self.scale_ = z_score(found)
        self.ground_ = found[training.bags.labels < 0].mean(axis=0)
        self._learn((found - self.mean_) / self.scale_, training.bags.labels,
                    Portion(watch, 0.8, 1.0))
        self.score_ = self._instance_scores(X, watch)
        return self

    @property
    def concepts(self) -> Concepts:
        """The target concepts, in units of the features."""
        return Concepts(self.centers_, self.scales_)

    def _tell(self, found: FCMI, training: TrainingBags) -> None:
        """Keep what the search said of its concepts, of the bags given."""
        for name in self.told:
            setattr(self, name, getattr(found, name))
        self.memberships_ = np.full((len(found.centers_), training.n_bags), np.nan)
        self.memberships_[:, training.rows] = found.memberships_

    def bag_features(self, X: ArrayLike, bags: Bags) -> NDArray[np.float64]:
        """The vector of each bag, (B, F); NaN for an empty bag. O(M (K + K-) D)."""
        background = Concepts(self.negative_centers_, self.negative_scales_)
        return bag_features(X, bags, self.concepts, background, self.features)

    def _learn(self, F: NDArray, labels: NDArray, watch: Monitor) -> None:
        """Keep what tells bags of scaled features F (B, F) and labels (B,) in {-1, +1} apart."""
        raise NotImplementedError

    def _decide(self, F: NDArray) -> NDArray[np.float64]:
        """Scores (B,) of scaled features, above 0 = positive."""
        raise NotImplementedError

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        out, full = np.full(len(bags), np.nan), bags.sizes > 0
        if full.any():
            out[full] = self._decide((self.bag_features(X, bags)[full] - self.mean_) / self.scale_)
        return out

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        """The score of a mean negative bag that this instance is put into:
        its nearest and farthest distances move."""
        alone = self.bag_features(X, Bags.of_one(np.arange(len(X)), np.zeros(len(X))))
        k, q = len(self.centers_), len(self.negative_centers_)
        put = np.tile(self.ground_, (len(X), 1))
        nearest = np.minimum(alone[:, :k], self.ground_[:k])
        put[:, :k] = nearest
        if self.features == "full":
            put[:, 2 * k : 2 * k + q] = np.minimum(alone[:, 2 * k : 2 * k + q],
                                                   self.ground_[2 * k : 2 * k + q])
            far = slice(2 * k + q, 2 * (k + q))
            put[:, far] = np.maximum(alone[:, far], self.ground_[far])
            put[:, -1] = np.minimum(alone[:, -1], self.ground_[-1])
        return self._decide((put - self.mean_) / self.scale_)


class ConceptSVM(EmbeddedConcepts):
    """EFCMI-SVM: a support vector machine with a Gaussian kernel between bags as distances to
    concepts.

    Attributes
    ----------
    Those of `EmbeddedConcepts`; vectors_, coefs_, intercept_, gamma_ : the machine.

    Notes
    -----
    Karem 2019, section 4.4: concepts by `FCMI`, distances of bags to them and to clusters of
    background, SVC with balanced classes. Logarithms of distances and unit variance are ours. An
    instance scores as the mean negative bag would with it inside. O of `FCMI`, then O(B²) to O(B³)
    for B bags.
    """

    C: float = PENALTY
    random_state: int = SEED
    state = (*EmbeddedConcepts.state, "vectors_", "coefs_", "intercept_", "gamma_")

    def _learn(self, F: NDArray, labels: NDArray, watch: Monitor) -> None:
        trainer = Trainer(F, gamma=width_of(F, "rbf", None), C=self.C, monitor=watch,
                          notes=self.notes_)
        machine, _ = trainer.fit(np.arange(len(F)), labels)
        self.vectors_, self.coefs_ = machine.vectors, machine.coefs
        self.intercept_, self.gamma_ = machine.intercept, machine.gamma

    def _decide(self, F: NDArray) -> NDArray[np.float64]:
        return Machine(self.vectors_, self.coefs_, self.intercept_, self.gamma_).decide(F)


class ConceptWeights(EmbeddedConcepts):
    """EFCMI-ONS: a linear machine that gives most distances to concepts no weight.

    Attributes
    ----------
    Those of `EmbeddedConcepts`; weights_ (F,), intercept_.

    Notes
    -----
    Karem 2019, section 4.4: the one-norm machine min penalty |w|_1 + sum_n v_n max(0, 1 - L_n
    f(n)), as a linear program solved by HiGHS; v gives the classes equal weight. An instance scores
    as the mean negative bag would with it inside. O of `FCMI`, then one linear program of F + B
    variables.
    """

    penalty: float = param(
        1.2, low=0.0, high=1e6, open_low=True, group="Support vectors", title="Penalty",
        grid=(0.3, 1.2, 5.0),
        help="Larger values keep fewer distances.",
    )
    random_state: int = SEED
    state = (*EmbeddedConcepts.state, "weights_", "intercept_")

    def _learn(self, F: NDArray, labels: NDArray, watch: Monitor) -> None:
        watch.step(0.0, "Sparse machine")
        self.weights_, self.intercept_ = one_norm(F, labels, balanced(1.0, labels), self.penalty)

    def _decide(self, F: NDArray) -> NDArray[np.float64]:
        return F @ self.weights_ + self.intercept_


def one_norm(
    F: NDArray, y: NDArray, cost: NDArray, penalty: float
) -> tuple[NDArray[np.float64], float]:
    """argmin over w, b of penalty |w|_1 + sum_i cost_i max(0, 1 - y_i (f_i w + b)):
    w (m,) and b, by HiGHS."""
    from scipy.optimize import linprog

    n, m = F.shape
    signed = y[:, None] * F
    # w = u - v, hinge: y_i (f_i (u - v) + b) + slack_i >= 1
    rows = -np.hstack([signed, -signed, y[:, None].astype(np.float64), np.eye(n)])
    aims = np.concatenate([np.full(2 * m, penalty), [0.0], cost])
    bounds = [(0, None)] * (2 * m) + [(None, None)] + [(0, None)] * n
    found = linprog(aims, A_ub=rows, b_ub=-np.ones(n), bounds=bounds, method="highs").x
    return found[:m] - found[m : 2 * m], float(found[2 * m])


class ConceptKNN(EmbeddedConcepts):
    """EFCMI-CKNN: bags whose distances to concepts are nearest vote, and so do bags that count this
    one among their nearest.

    Attributes
    ----------
    Those of `EmbeddedConcepts`; vectors_ (B, F), labels_ (B,) of the training bags,
    radius_ (B,) their reach as citers.

    Notes
    -----
    Karem 2019, section 4.4: 20 references and the training bags that have fewer than 3 others
    nearer vote; the score is the share of positive votes, less a half, and where votes are equal
    the nearest positive and negative bag decide. O of `FCMI`, then O(B² F).
    """

    n_references: int = param(
        20, low=1, high=501, group="Bags", title="References", grid=(5, 10, 20),
        help="Nearest bags that vote.",
    )
    n_citers: int = param(
        3, low=1, high=501, group="Bags", title="Citers",
        help="A bag votes if it counts the new one among so many nearest.",
    )
    random_state: int = SEED
    state = (*EmbeddedConcepts.state, "vectors_", "labels_", "radius_")

    def _learn(self, F: NDArray, labels: NDArray, watch: Monitor) -> None:
        voters = CitationKNN(
            distance="min", n_references=self.n_references, n_citers=self.n_citers,
            standardize=False
        ).fit(F, bags=Bags.of_one(np.arange(len(F)), labels), monitor=watch)
        self.vectors_, self.labels_, self.radius_ = voters.X_, voters.labels_, voters.radius_

    def _decide(self, F: NDArray) -> NDArray[np.float64]:
        distance = np.sqrt(np.maximum(squared_distances(F, self.vectors_), 0.0))
        return votes(distance, self.labels_ > 0, self.n_references, self.radius_)
