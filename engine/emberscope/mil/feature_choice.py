"""The few features that tell bags apart, for classifiers of bags that are asked to go by them."""

from dataclasses import replace
from hashlib import blake2b
from typing import ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from emberscope.bags.folds import bag_groups
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.errors import EmberscopeError
from emberscope.base.fields import not_a_param
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import BagClassifier
from emberscope.mil.halves import area, chance_error, halves
from emberscope.mil.scaling import z_score
from emberscope.mil.shared_boxes import WIDTHS, bag_rows, best_shared
from emberscope.mil.training_bags import TrainingBags

_VALUES = 1 << 23  # of the members of bags: beyond, the search takes minutes
_AT_ONCE = 1 << 21  # of them, unasked: beyond, the search takes longer than many a fit
_ENOUGH = 0.9      # area from which on all features rank bags well enough
_CLEARLY = 5.0     # nats by which features tell more than chance finds in most draws

_KEPT = 8  # searches of which it is known what they found
_found: dict[bytes, "Telling"] = {}

ALL, AUTO, FEW, HELD_OUT = "all", "auto", "few", "held-out"
FEATURES = param(
    AUTO, choices=(AUTO, ALL, FEW, HELD_OUT), group="Features",
    title="Features that count", advanced=True,
    help="Few: only those in which boxes hold instances of many positive bags and of few negative "
    "ones. Where most features say nothing, distances over all of them say nothing either. Auto: "
    "few where they clearly tell bags apart, all do not, and bags held out are ranked better by "
    "few; 20 bags of either label are needed. Held-out: the same, with the few chosen anew for "
    "every half of the bags: stricter, and slower.",
)
EVERY_FEATURE = replace(FEATURES, default=ALL)  # of what finds the features that tell by itself


class ChoosesFeatures(BagClassifier):
    """A classifier of bags that goes by all features or, as `features` says, by the few that tell
    bags apart: the others are 0 for it.

    Attributes
    ----------
    counting_ : (F,) int64, the features that count, ascending.
    """

    told: ClassVar[tuple[str, ...]] = ("counting_",)
    features: str = FEATURES
    counting_: NDArray[np.int64] = not_a_param()

    def _training(
        self, X: ArrayLike, y: ArrayLike | None, bags: Bags | None, watch: Monitor | None = None
    ) -> tuple[NDArray, TrainingBags]:
        """As that of all classifiers of bags, with 0 in features that do not count. A note says
        which count, or why none were chosen."""
        X, training = super()._training(X, y, bags)
        self.counting_ = np.arange(X.shape[1])
        if self._asked != ALL:
            # the fit itself begins at 0 after it, and a bar does not go back
            few = self._few(X, training.bags, Portion(monitored(watch), 0.0, 0.0))
            if few is not None:
                self.counting_ = few
                which = ", ".join(map(str, few.tolist()))
                self.notes_.append(
                    f"{how_many(len(few), 'feature')} of {X.shape[1]} "
                    f"count{'s' * (len(few) == 1)}, in columns {which} (from 0): all others would "
                    "hide what these say of targets.")
        return self._counted(X), training

    @property
    def _asked(self) -> str:
        """`features`, where the setting of another parameter does not decide."""
        return self.features

    def _few(self, X: NDArray, bags: Bags, watch: Monitor) -> NDArray[np.int64] | None:
        """The few features, where they are asked for or bags held out ask for them."""
        if X.shape[1] < 2:
            return None
        if len(bags.members) * X.shape[1] > (_AT_ONCE if self.features == AUTO else _VALUES):
            self.notes_.append(f"All features count: {len(bags.members)} instances with "
                               f"{X.shape[1]} features are too many to choose features by.")
            return None
        if self.features == FEW:
            return telling(X, bags, watch).features
        positive = bags.labels > 0
        half = halves(bag_groups(bags, len(X)), positive, 0)
        if half is None:
            if self.features == HELD_OUT or X.shape[1] > len(bags):
                self.notes_.append("All features count: there are too few bags of a label to hold "
                                   "half of them out.")
            return None
        parts = [tuple(bags.take(np.flatnonzero((half == h) == side)) for side in (True, False))
                 for h in (0, 1)]
        every = self._ranked(X, parts, Portion(watch, 0.0, 0.2))
        if every >= _ENOUGH:
            return None
        if self.features == HELD_OUT:
            return self._held_out(X, bags, parts, every, Portion(watch, 0.2, 1.0))
        found = telling(X, bags, Portion(watch, 0.2, 0.8))
        if found.score < _CLEARLY:
            return None
        few = self._ranked(_only(X, found.features), parts, Portion(watch, 0.8, 1.0))
        return found.features if few > every + chance_error(positive) else None

    def _held_out(
        self, X: NDArray, bags: Bags, parts: list[tuple[Bags, ...]], every: float, watch: Monitor
    ) -> NDArray[np.int64] | None:
        """The few features, where those of each half rank the bags of the other half better than
        all features do, which reach `every`."""
        some = []
        for h, (own, rest) in enumerate(parts):
            part = Portion(watch, 0.4 * h, 0.4 * h + 0.4)
            found = telling(X, own, Portion(part, 0.0, 0.8))
            few = _only(X, found.features)
            some.append((self._judged(few, own, rest, Portion(part, 0.8, 1.0)),
                         area(bag_max(found.score_of(X), rest), rest.labels > 0)))
        itself, boxes = np.mean(some, axis=0)
        if itself < every or max(itself, boxes) <= every + chance_error(bags.labels > 0):
            return None
        return telling(X, bags, Portion(watch, 0.8, 1.0)).features

    def _ranked(self, X: NDArray, parts: list[tuple[Bags, ...]], watch: Monitor) -> float:
        """How well the bags of each half are ranked by this classifier, fitted to the other."""
        return float(np.mean([self._judged(X, own, rest, Portion(watch, h / 2, (h + 1) / 2))
                              for h, (own, rest) in enumerate(parts)]))

    def _judged(self, X: NDArray, own: Bags, rest: Bags, watch: Monitor) -> float:
        """How well bags `rest` are ranked by this classifier, fitted to bags `own`; as chance does
        where it cannot be fitted."""
        other = cast(Self, clone(self)).set_params(features=ALL)
        try:
            score = other.fit(X, bags=own, monitor=watch).score_bags(X, rest)
        except EmberscopeError:
            return 0.5
        return area(score, rest.labels > 0)

    def _validate_new(self, X: ArrayLike) -> NDArray:
        return self._counted(super()._validate_new(X))

    def _counted(self, X: NDArray) -> NDArray:
        counting = getattr(self, "counting_", None)  # models of older versions have none
        return X if counting is None or len(counting) == X.shape[1] else _only(X, counting)


class KeepsBags(ChoosesFeatures):
    """A classifier that compares with its training bags, and so keeps them: `X_` (n, D),
    `indptr_`, `labels_`."""

    state: ClassVar[tuple[str, ...]] = ("X_", "indptr_", "labels_")
    space: ClassVar[Literal["instance", "bag", "embedded"]] = "bag"

    def _keep(self, X: NDArray, bags: Bags) -> None:
        """Rows of X in the order of the bags; an instance of two bags is kept twice."""
        self.X_ = np.ascontiguousarray(X[bags.members])
        self.indptr_, self.labels_ = bags.indptr, bags.labels

    @property
    def _kept(self) -> Bags:
        k = np.arange(len(self.labels_), dtype=np.int64)
        return Bags(self.indptr_, np.arange(len(self.X_), dtype=np.int64), self.labels_, k, k)


class Telling(NamedTuple):
    """features (F,) int64, ascending. centers (K, F), half (F,): boxes in these. score : evidence
    in nats that they tell bags apart, see `shared_boxes.Shared`."""

    features: NDArray[np.int64]
    centers: NDArray[np.float64]
    half: NDArray[np.float64]
    score: float

    def score_of(self, X: NDArray) -> NDArray[np.float64]:
        """How near each row of X (N, D) lies to the center of a box, (N,), 0 at the center, -1 at a
        wall."""
        off = np.abs(X[:, None, self.features] - self.centers) / self.half
        return np.asarray(-off.max(axis=2).min(axis=1))


def telling(X: NDArray, bags: Bags, watch: Monitor) -> Telling:
    """The features in which boxes together hold instances of most positive bags and of few negative
    ones; see `best_shared`. Of bags that were searched lately the same is found at once: where
    values of a classifier are chosen, each is tried on the same bags."""
    rows = X[bags.members].astype(np.float64)
    asked = blake2b(digest_size=16)
    for part in (rows, bags.indptr.astype(np.int64), bags.labels > 0):
        asked.update(np.ascontiguousarray(part).data)
    key = asked.digest()
    out = _found.get(key)
    if out is None:
        out = _found[key] = _searched(rows, bags, watch)
        for old in list(_found)[:-_KEPT]:
            _found.pop(old, None)
    return out


def _searched(rows: NDArray, bags: Bags, watch: Monitor) -> Telling:
    mean, scale = z_score(rows)
    data = bag_rows((rows - mean) / scale, bags.indptr.astype(np.int64), bags.labels > 0,
                    WIDTHS, np.random.default_rng(0))
    found = best_shared(data, watch)
    some = found.features
    centers = mean[some] + data.Z[some][:, found.centers].T * _finite(scale[some])
    return Telling(some, centers, found.half * _finite(scale[some]), found.score)


def _finite(scale: NDArray) -> NDArray[np.float64]:
    return np.where(np.isfinite(scale), scale, 1.0)


def _only(X: NDArray, counting: NDArray) -> NDArray:
    """X (N, D) with 0 in all other features."""
    out = np.zeros_like(X)
    out[:, counting] = X[:, counting]
    return out
