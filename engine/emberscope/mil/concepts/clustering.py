"""CCMI, FCMI and PCMI: several target concepts, and the bags that belong to each."""

from dataclasses import replace
from itertools import count
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.embedder import Embedder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import RANDOM_STATE, param
from emberscope.mil.classifier import BagClassifier, best_threshold
from emberscope.mil.concepts.background import negative_clusters
from emberscope.mil.concepts.concept_map import ConceptMap
from emberscope.mil.concepts.crowds import standing_out, thinned_bags
from emberscope.mil.concepts.memberships import Kind
from emberscope.mil.concepts.model import Concepts, StandardBags
from emberscope.mil.concepts.pruning import CONTRAST, SAME, Limits
from emberscope.mil.concepts.search import FEW_FEATURES, Found, Settings, find_concepts

CONCEPTS = param(
    None, low=1, high=200,
    auto="where the gain curve ends",
    group="Concepts", title="Concepts", grid=(2, 5, 10, 20),
    help="Kinds of targets to look for. Too many do little harm: duplicates are merged and weak "
    "ones removed.",
)
FUZZIFIER = param(
    None, low=1.0, high=5.0, open_low=True,
    auto="1.0625, above 20 features 1.5",
    group="Concepts", title="Fuzzifier m", advanced=True,
    help="Near 1 a bag belongs to one concept almost alone; larger values share it among concepts.",
)
PRUNE = param(
    True, group="Concepts", title="Merge and remove",
    help="Merge concepts that share their bags; remove those that cover few bags, or negative "
    "ones as well.",
)
START = param(
    None, choices=("boxes", "greedy", "random", "rare", "clusters", "kinds"),
    auto="boxes, greedy or kinds, by bags held out",
    group="Computation", title="Start",
    help="Boxes: in the few features in which instances of different positive bags crowd, the same "
    "for all concepts unless others explain more bags. Greedy: one after the other, with all "
    "features alike. Random: at instances of "
    "positive bags. Rare: where background is rare. Clusters: where instances of positive bags are "
    "frequent, ground among them. Kinds: at clusters of positive bags, by what differs between "
    "bags more than within one; for bags of little but targets.",
)
DIMENSIONS = param(
    2, low=1, high=10, group="Embedding", title="Dimensions",
    help="Axes of the map of distances to concepts.",
)
SEED = replace(RANDOM_STATE,
               help="Draws starts and clusters of background: same seed, same concepts.")
_SHOWN = 5  # rounds between two maps on the way


class ConceptClustering(BagClassifier, Embedder):
    """Base of CCMI, FCMI and PCMI, which differ in how bags belong to concepts.

    Attributes
    ----------
    concepts, negative_concepts : `Concepts`, in units of the features, strongest first;
    clusters of negative instances.
    coverage_, contrast_, purity_ : (K,), see `pruning.Strength`. memberships_ : (K, bags given),
    NaN for bags without a part.
    gains_ : the gain curve; suggested_ : concepts it suggests.
    objectives_ : after every round, never rising.
    paths_ : (R + 1, K', d), where the centers lie on the map, at the start and after every round;
    the concepts first, then those that were left out.
    threshold_ : squared distance at which a bag turns positive.
    """

    n_concepts: int | None = CONCEPTS
    instances: str | None = param(
        None, choices=("all", "standing out"),
        auto="all, above 20 features those that stand out",
        group="Concepts", title="Instances of positive bags",
        help="Standing out: those that rules which have not seen a bag score far above the rest "
        "of it. In hundreds of features concepts else lie on ground that only positive bags show.",
    )
    fuzzifier: float | None = FUZZIFIER
    negatives: str = param(
        "balanced", choices=("balanced", "paper"), group="Concepts",
        title="Weight of negative bags", advanced=True,
        help="Balanced: together they weigh as much in a concept as its share of the positive "
        "bags. Paper: as printed; concepts then widen and swallow each other where there are many.",
    )
    negative_weight: float = param(
        1.0, low=0.0, high=1000.0, open_low=True, group="Concepts", title="Times",
        when=("negatives", "balanced"), advanced=True,
        help="Larger values keep concepts farther from background, and make them smaller.",
    )
    pooling: str = param(
        "noisy-or", choices=("noisy-or", "nearest"), group="Concepts", title="Probability of a bag",
        help="Noisy-or: every instance adds to it. Nearest: its best instance alone, for bags of "
        "hundreds of instances.",
    )
    prune: bool = PRUNE
    merged_below: float | None = param(
        None, low=0.0, high=1.0, auto=f"{SAME:g}", group="Concepts", title="Merged below",
        when=("prune", True), advanced=True,
        help="Share of the memberships of two concepts that differs: less, and one of them goes. "
        "0 merges none.",
    )
    least_coverage: float | None = param(
        None, low=0.0, high=1.0, group="Concepts",
        auto="half an equal share, a quarter of one for clear contrast",
        title="Least coverage", when=("prune", True), advanced=True,
        help="Mean probability of positive bags that a concept must have to stay. Four concepts of "
        "equally many bags cover a quarter each; half of that is asked, a quarter where the "
        "contrast is 5 or more.",
    )
    least_contrast: float | None = param(
        None, low=0.0, high=1000.0, auto=f"{CONTRAST:g}", group="Concepts",
        title="Least contrast", when=("prune", True), advanced=True,
        help="How many times likelier a concept must be in its own bags than in negative ones "
        "to stay.",
    )
    start: str | None = START
    restarts: int = param(
        5, low=1, high=1000, group="Computation", title="Restarts", advanced=True,
        help="Random, rare and clustered starts are drawn so often; the least objective wins. "
        "Boxes and kinds are looked for once, and greedy has no luck in it.",
    )
    width: float | None = param(
        None, low=0.0, high=1000.0, open_low=True,
        auto="tried",
        group="Computation", title="Width of a start", unit="standard deviations", advanced=True,
        help="Of the concepts that boxes and a greedy start begin with. Auto: the one of six that "
        "explains the bags best.",
    )
    max_iter: int = param(
        60, low=1, high=10_000, group="Computation", title="Rounds", advanced=True,
        help="Updates of memberships, each followed by four steps of every concept.",
    )
    n_components: int = DIMENSIONS
    random_state: int = SEED
    state = (
        "score_", "centers_", "scales_", "threshold_", "coverage_", "contrast_", "purity_",
        "memberships_",
        "gains_", "suggested_", "objectives_", "negative_centers_", "negative_scales_", "map_mean_",
        "map_scale_", "map_axes_",
    )  # fmt: skip
    told = ("paths_",)
    result: ClassVar[str] = "embedding_"
    space = "embedded"
    _kind: ClassVar[Kind]

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the concepts. Raises MissingLabels without a positive and a negative bag."""
        X, training = self._training(X, y, bags)
        watch = monitored(monitor)
        rng = np.random.default_rng(self.random_state)
        usable, notes = thinned_bags(X, training.bags, rng)
        alone = False
        if self._chooses(X.shape[1]):
            part, watch = Portion(watch, 0.0, 0.6), Portion(watch, 0.6, 1.0)
            usable, doubted = standing_out(X, usable, seed=self.random_state, monitor=part)
            notes = [*notes, *doubted]
            alone = not doubted
        watch.step(0.0, "Concepts")
        data = StandardBags.of(X, usable)
        rounds = count()

        def show(now: Concepts) -> None:
            if next(rounds) % _SHOWN == 0:
                self._keep(now, data)
                watch.partial(self._fitted_map(X))

        watch.step(0.0, "Concepts")
        self._keep_background(data, rng)
        watch.step(0.0, "Concepts")
        found = find_concepts(data, self._settings(alone), rng, watch, show)
        self.notes_ += [*notes, *found.notes]
        self._keep(found.concepts, data)
        self._keep_found(found, training.rows, training.n_bags)
        nearest = bag_max(-self.concepts.distance2(X).min(axis=1), training.bags)
        self.threshold_ = -best_threshold(training.bags.labels, nearest)
        self.score_ = self._instance_scores(X, watch)
        self.embedding_ = self._fitted_map(X).astype(X.dtype)
        self.paths_ = self._on_map(found.path, data)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances on the map of distances to concepts, (M, D) -> (M, d).
        O(M K D)."""
        X = self._validate_new(X)
        return self._map.place(self._distances(X)).astype(X.dtype)

    @property
    def concepts(self) -> Concepts:
        """The target concepts, in units of the features."""
        return Concepts(self.centers_, self.scales_)

    @property
    def negative_concepts(self) -> Concepts:
        """Clusters of negative instances, in units of the features."""
        return Concepts(self.negative_centers_, self.negative_scales_)

    @property
    def _map(self) -> ConceptMap:
        return ConceptMap(self.map_mean_, self.map_scale_, self.map_axes_)

    def _chooses(self, n_features: int) -> bool:
        """Whether only instances that stand out of positive bags take part."""
        return n_features > FEW_FEATURES if self.instances is None else self.instances != "all"

    def _settings(self, alone: bool) -> Settings:
        return Settings(
            self._kind, self.n_concepts, self.fuzzifier, self.negatives, self.negative_weight,  # type: ignore[arg-type]
            nearest=self.pooling == "nearest", limits=self._limits() if self.prune else None,
            start=self.start,  # type: ignore[arg-type]
            restarts=self.restarts, width=self.width, rounds=self.max_iter, alone=alone,
        )

    def _limits(self) -> Limits:
        """What concepts must have to stay."""
        own = {"merged_below": self.merged_below, "coverage": self.least_coverage,
               "contrast": self.least_contrast}
        return Limits(**{name: value for name, value in own.items() if value is not None})

    def _keep(self, concepts: Concepts, data: StandardBags) -> None:
        here = concepts.in_units(data.mean, data.scale)
        self.centers_, self.scales_ = here.centers, here.scales

    def _on_map(self, path: NDArray, data: StandardBags) -> NDArray[np.float64]:
        """Centers (R, K, D) in standardized features on the map, (R, K, d)."""
        flat = path.reshape(-1, path.shape[2])
        here = Concepts(flat, np.ones_like(flat)).in_units(data.mean, data.scale).centers
        return self._map.place(self._distances(here)).reshape(*path.shape[:2], -1)

    def _keep_background(self, data: StandardBags, rng: np.random.Generator) -> None:
        """Clusters of negative instances: as many as axes need beside one concept,
        and as asked for."""
        here = negative_clusters(data, max(self.n_concepts or 0, self.n_components, 5), rng)
        self.negative_centers_, self.negative_scales_ = here.centers, here.scales

    def _keep_found(self, found: Found, rows: NDArray[np.int64], n_bags: int) -> None:
        measured = found.strength
        self.coverage_, self.contrast_, self.purity_ = (
            measured.coverage, measured.contrast, measured.purity
        )
        self.memberships_ = np.full((len(found.concepts), n_bags), np.nan)
        self.memberships_[:, rows] = found.memberships
        self.gains_, self.suggested_ = found.curve.gains, found.curve.n
        self.objectives_ = np.array(found.objectives)

    def _distances(self, X: NDArray) -> NDArray[np.float64]:
        """Squared distances to concepts and to clusters of background, (N, K + K-)."""
        return np.hstack([self.concepts.distance2(X), self.negative_concepts.distance2(X)])

    def _fitted_map(self, X: NDArray) -> NDArray[np.float64]:
        """The map of the training instances; keeps its axes."""
        distance2 = self._distances(X)
        found = ConceptMap.of(distance2, self.n_components)
        self.map_mean_, self.map_scale_, self.map_axes_ = found.mean, found.scale, found.components
        return found.place(distance2)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        """By the nearest concept; ranks as the largest of its probabilities does,
        but does not underflow."""
        return self.threshold_ - self.concepts.distance2(X).min(axis=1)


class CCMI(ConceptClustering):
    """Crisp clustering of bags: each positive bag belongs to the concept that explains it best.

    Notes
    -----
    Karem 2019, chapter 3 (CMDD): minimizes the sum over concepts k and bags n of u_kn D_kn,
    D_kn = -log Pr(label of n | concept k) by noisy-or, u_kn = 1 for the concept of least D_kn and 0
    for the others; negative bags belong to all. Gradients, memberships and thresholds differ from
    print where print errs: descent, not ascent; see `alternation` and `pruning`. Greedy starts,
    their widths and the weight of negative bags are ours. O(1500 M D + rounds K M D) for M
    instances in bags.
    """

    _kind = "crisp"


class FCMI(ConceptClustering):
    """Fuzzy clustering of bags: each positive bag is shared among concepts, shares adding up to 1.

    Notes
    -----
    Karem 2019, chapter 3 (FMDD): minimizes sum_kn u_kn^m D_kn with sum_k u_kn = 1, so u_kn ~
    D_kn^(-1 / (m - 1)) for positive bags and 1 / K for negative ones, D_kn = -log Pr(label of
    n | concept k) by noisy-or. The sum starts greedily; the printed weight (1 / K)^m of negative
    bags is the choice `paper`. With one concept it is diverse density. O(1500 M D + rounds K M D)
    for M instances in bags.
    """

    _kind = "fuzzy"


class PCMI(ConceptClustering):
    """Possibilistic clustering of bags: each concept takes the bags near it whatever the others
    take.

    Notes
    -----
    Karem 2019, chapter 3 (PMDD): minimizes sum_kn u_kn^m D_kn + eta sum_kn (1 - u_kn)^m, so
    u_kn = 1 / (1 + (D_kn / eta)^(1 / (m - 1))) for positive bags (print lacks a sign) and 1 for
    negative ones; eta = -log 0.75. Starts from the result of `FCMI`. Concepts of the same bags
    coincide and are merged: ask for more than there may be. O(1500 M D + rounds K M D) for M
    instances in bags.
    """

    _kind = "possibilistic"
