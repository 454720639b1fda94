"""Bases of metric learners: what each says of its agreement with the pairs, and the linear map."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.proportion import NORMAL
from emberscope.metric.agreement import Agreement
from emberscope.metric.pairs import Pairs, contradictions
from emberscope.metric.scores import Scores, mapped
from emberscope.metric.shapes import Axes
from emberscope.neighbors.spectral import fix_signs

MOST_COMPONENTS = 40
_FEW = 10  # pairs, below which the distances hardly change
_LOOKED_AT = 3      # dimensions of a map that a slider moves
_KEPT = 1 << 20     # numbers that are kept for it, 4 MB: 26 000 instances in 40 directions


class Learned(Embedder):
    """Base of maps learned from what is known of pairs.

    Attributes
    ----------
    pair_agreement_ : float. Of pairs held out while learning, the share that lies on the right side
    of a threshold of distance; 0.5 is chance, NaN where no pair could be held out.
    pair_agreement_interval_ : (2,) 95 %.
    trained_pair_agreement_ : float. The same of the pairs learned from:
    it is high whatever they say.
    held_out_knn_, held_out_knn_interval_, held_out_knn_chance_ : float, (2,) 95 %, float. Of
    instances of known kind held out while learning, the share that the 3 nearest on the map name
    rightly, the mean over kinds; what guessing would reach.
    distance_correlation_, distance_correlation_interval_ : float, (2,) 95 %. Of known distances
    with those learned without them.
    What a method does not learn from is NaN.
    """

    n_components: int | None
    state: ClassVar[tuple[str, ...]] = (
        "pair_agreement_", "pair_agreement_interval_", "trained_pair_agreement_", "held_out_knn_",
        "held_out_knn_interval_", "held_out_knn_chance_", "distance_correlation_",
        "distance_correlation_interval_")

    @property
    def reads_labels(self) -> bool:
        return True

    def _check_rank(self, shape: tuple[int, ...]) -> None:
        if shape[0] < 3:
            raise DataError(f"n_samples = {shape[0]} make one pair at most",
                            hint="Give more instances.")
        if self.n_components is not None and self.n_components > min(shape):
            raise DataError(
                f"n_components is {self.n_components} with n_samples = {shape[0]} and n_features = "
                f"{shape[1]}",
                hint=f"Choose at most {min(shape)} dimensions.",
            )

    def _keep_agreement(self, held: Agreement, trained: float, *, of: str = "pairs") -> None:
        self._keep_nothing()
        self.pair_agreement_, self.pair_agreement_interval_ = held.share, held.interval
        self.trained_pair_agreement_ = trained
        low, high = held.interval
        if np.isnan(held.share):
            self._note_shared(of)
            return
        words = (f"of held-out {of} {held.share:.0%} agree (95 % interval {low:.0%} to "
                 f"{high:.0%}), of all {trained:.0%}")
        self._note_chance(words, low, 0.5)

    def _keep_voted(self, held: Agreement, kinds: int) -> None:
        """What neighbors are worth: of held-out instances of so many kinds."""
        self._keep_nothing()
        chance = 1 / max(kinds, 1)
        self.held_out_knn_, self.held_out_knn_interval_ = held.share, held.interval
        self.held_out_knn_chance_ = chance
        low, high = held.interval
        if np.isnan(held.share):
            self._note_shared("instances")
            return
        words = (f"of held-out instances the 3 nearest name {held.share:.0%} rightly, kinds "
                 f"counting alike (95 % interval {low:.0%} to {high:.0%}); {chance:.0%} is chance")
        self._note_chance(words, low, chance)

    def _keep_correlation(self, known: NDArray, learned: NDArray) -> None:
        """Known distances (Q,), and those learned without them (Q,)."""
        self._keep_nothing()
        found, low, high = correlation(known, learned)
        self.distance_correlation_ = found
        self.distance_correlation_interval_ = np.array([low, high])
        if np.isnan(found):
            self._note_shared("distances")
            return
        words = (f"held-out distances correlate with the known ones by {found:.2f} (95 % interval "
                 f"{low:.2f} to {high:.2f})")
        self._note_chance(words, low, 0.0)

    def _keep_nothing(self) -> None:
        for name in Learned.state:
            unknown = np.full(2, np.nan) if name.endswith("interval_") else float("nan")
            setattr(self, name, unknown)

    def _note_shared(self, of: str) -> None:
        self.notes_.append(f"The {of} all share instances, so none could be held out: nothing says "
                           f"whether the embedding holds for others. Mark {of} of other instances.")

    def _note_chance(self, words: str, low: float, chance: float) -> None:
        if low <= chance:
            self.notes_.append(f"No better than chance: {words}.")
        else:
            self.notes_.append(f"{words[0].upper()}{words[1:]}.")

    def _note_marks(self, pairs: Pairs, n: int) -> None:
        """Keep which pairs of n instances contradict, and say so; and where pairs are few."""
        self._note_few(len(pairs))
        self.conflicts_ = contradictions(pairs, n)
        if len(self.conflicts_):
            self.notes_.append(
                f"{len(self.conflicts_)} of {len(pairs)} pairs contradict: marked different, but "
                "alike "
                               "by other marks. All take part; look at them.")

    def _note_few(self, count: int) -> None:
        if count < _FEW:
            self.notes_.append(
                f"{count} pairs change the distances little; 20 alike and 20 different show.")


def kept_scores(
    T: NDArray, axes: Axes, d: int | None
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """What a metric of pairs needs to be of another softness: T (N, r) along the directions that
    they weigh, and the values (r,), ascending. Empty above 3 dimensions, and where there are very
    many instances. O(N r²)."""
    if d is None or d > _LOOKED_AT or T.size > _KEPT:
        return np.empty((0, 0), np.float32), np.empty(0)
    return np.ascontiguousarray(T @ axes.V, np.float32), axes.values


class LinearMetric(Learned):
    """Base of metrics whose map is Z = (X - mean_) @ components_: exact for new instances.

    Attributes
    ----------
    components_ : (D, d) float64. mean_ : (D,) float64.
    """

    state: ClassVar[tuple[str, ...]] = ("mean_", "components_", *Learned.state)

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return mapped(X, self.mean_, self.components_).astype(X.dtype)

    def _most_components(self, n: int) -> int:
        """Principal components to learn in: with as many as instances each map separates what it
        was given."""
        return max(min(MOST_COMPONENTS, n // 4), self.n_components or 1)

    def _keep_map(self, X: NDArray, scores: Scores, W: NDArray) -> None:
        """Z = T W (r, s), turned so that its axes are principal:
        the first d show most of the learned distances."""
        self.mean_ = scores.mean
        self.components_ = padded(fix_signs(scores.axes @ turned(scores.T, W)), self.n_components,
                                  self.notes_)
        self.embedding_ = mapped(X, self.mean_, self.components_).astype(X.dtype)


def turned(T: NDArray, W: NDArray) -> NDArray:
    """W (r, s), turned so that T @ W has principal axes, the longest first; T (N, r) of mean 0."""
    spread = T.T @ T / len(T)
    return W @ np.linalg.eigh(W.T @ spread @ W)[1][:, ::-1]


def correlation(known: NDArray, learned: NDArray) -> tuple[float, float, float]:
    """Of two (Q,), and its 95 % interval by Fisher's z; NaN where one does not vary, or for fewer
    than 4."""
    if len(known) < 4 or not np.ptp(known) or not np.ptp(learned):
        return float("nan"), float("nan"), float("nan")
    r = float(np.corrcoef(known, learned)[0, 1])
    z, half = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)), NORMAL / np.sqrt(len(known) - 3)
    return r, float(np.tanh(z - half)), float(np.tanh(z + half))


def padded(W: NDArray, d: int | None, notes: list[str]) -> NDArray:
    """The first d columns of W (D, s), or all;
    with columns of 0 and a note where there are fewer."""
    wanted = W.shape[1] if d is None else d
    if wanted > W.shape[1]:
        notes.append(f"The metric has {W.shape[1]} directions only; further coordinates are 0.")
    return np.pad(W[:, :wanted], ((0, 0), (0, max(wanted - W.shape[1], 0))))
