"""The target concepts of a run, as it keeps them: how strong, of which instances, and what contradicts them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import instance_name
from emberscope.mil.concepts.projection import outline, rings
from emberscope.mil.concepts.reading import LIKELY, Conflicts, Reading, conflicts
from emberscope.project.model import Run

DISTANCES, STARS, ELLIPSES = "concept_distances", "concept_stars", "concept_ellipses"  # in `Run.diagnostics`
_PER_CONCEPT = ("coverage_", "contrast_", "purity_")
HEADINGS = ("concept", "coverage", "contrast", "purity", "bags", "witnesses", "elongation", "nearest instance")


@dataclass(frozen=True)
class RunConcepts:
    """K concepts, strongest first, and the N instances and B bags of their run.

    coverage, contrast, purity, elongation : (K,); the last is the longest axis over the shortest among the features
    that count. distances2 : (N, K) float32, weighted squared distances. gains : the gain curve; suggested : the number
    of concepts it suggests.
    """

    run: Run
    coverage: NDArray[np.float64]
    contrast: NDArray[np.float64]
    purity: NDArray[np.float64]
    elongation: NDArray[np.float64]
    distances2: NDArray[np.float32]
    gains: NDArray[np.float64]
    suggested: int

    def __len__(self) -> int:
        return len(self.coverage)

    @cached_property
    def stars(self) -> NDArray[np.float64]:
        """(K, d) coordinates of the centers on the map; NaN where the run keeps none."""
        kept = self.run.diagnostics.get(STARS)
        return np.full((len(self), self.run.Z.shape[1]), np.nan) if kept is None else kept.astype(np.float64)

    @cached_property
    def outlines(self) -> NDArray[np.float64]:
        """(K, 64, 2) points around the stars in the first two dimensions; NaN where there is none to draw."""
        out = np.full((len(self), 64, 2), np.nan)
        for k, shape in self._shapes(2):
            out[k] = outline(self.stars[k, :2], shape)
        return out

    @cached_property
    def wireframes(self) -> NDArray[np.float64]:
        """(K, 3, 64, 3) three ellipses around each star in the first three dimensions; NaN where there are none."""
        out = np.full((len(self), 3, 64, 3), np.nan)
        for k, shape in self._shapes(3):
            out[k] = rings(self.stars[k, :3], shape)
        return out

    def _shapes(self, d: int) -> list[tuple[int, NDArray[np.float64]]]:
        """Concepts with an ellipse in the first d dimensions, and its shape (d, d)."""
        shapes = self.run.diagnostics.get(ELLIPSES)
        if shapes is None or self.run.Z.shape[1] < d:
            return []
        known = np.isfinite(shapes).all(axis=(1, 2)) & np.isfinite(self.stars).all(axis=1)
        return [(k, shapes[k, :d, :d].astype(np.float64)) for k in np.flatnonzero(known).tolist()]

    @cached_property
    def reading(self) -> Reading:
        """Probabilities of instances and bags, and causes. O(M K)."""
        return Reading.of(self.distances2.astype(np.float64), self.run.bags)

    @cached_property
    def concept(self) -> NDArray[np.int64]:
        """(N,) the concept that each instance is most likely of, -1 where it is of none."""
        return self.reading.concept()

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """(N,) of the concept it is most likely of."""
        return self.reading.probability.max(axis=1)

    @cached_property
    def cause(self) -> NDArray[np.float64]:
        """(N,) that an instance is one of its likeliest concept where its first bag holds one; NaN in no bag. O(M)."""
        members, out = self.run.members, np.full(len(self.run.ids), np.nan)
        best = self.reading.probability[members].argmax(axis=1)
        out[members[::-1]] = self.reading.cause[np.arange(len(members)), best][::-1]
        return out

    @cached_property
    def conflicts(self) -> Conflicts:
        """What labels and concepts disagree about."""
        return conflicts(self.reading, self.run.bags)

    def nearest(self, k: int, n: int) -> NDArray[np.int64]:
        """Rows of the n instances nearest to concept k, the nearest first."""
        column = self.distances2[:, k]
        return np.argsort(column, kind="stable")[:n]

    def members(self, k: int, *, otherwise: int = 12) -> NDArray[np.int64]:
        """Rows of the instances that are of concept k as likely as not; where there is none, the nearest few."""
        found = np.flatnonzero((self.concept == k) & (self.reading.probability[:, k] > LIKELY))
        return found if len(found) else self.nearest(k, otherwise)

    @cached_property
    def _witnesses(self) -> NDArray[np.int64]:
        """Rows (K, B) of the nearest instance of each bag, -1 in bags that are not positive or hold none likely."""
        bags, out = self.run.bags, np.full((len(self), len(self.run.bags)), -1)
        for b in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist():
            rows = bags.of(b)
            best = rows[self.distances2[rows].argmin(axis=0)]
            k = np.arange(len(self))
            likely = (self.reading.probability[best, k] > LIKELY) & (self.concept[best] == k)
            out[:, b] = np.where(likely, best, -1)
        return out

    def witnesses(self, k: int) -> NDArray[np.int64]:
        """Rows of the instances that stand for concept k: the nearest of each positive bag where it is likely of this
        concept, and of no other more. O(M K) for all of them, once."""
        row = self._witnesses[k]
        return np.unique(row[row >= 0])

    def bags(self, k: int) -> NDArray[np.int64]:
        """Numbers of the positive bags that hold an instance of concept k as likely as not."""
        return np.flatnonzero((self.run.bag_labels > 0) & (np.nan_to_num(self.reading.bag[:, k]) > LIKELY))

    def table(self) -> list[list[str]]:
        """A row of words per concept, under `HEADINGS`."""
        return [
            [str(k + 1), f"{self.coverage[k]:.2f}", contrast_words(self.contrast[k]), f"{self.purity[k]:.2f}",
             str(len(self.bags(k))), str(len(self.witnesses(k))), f"{self.elongation[k]:.3g}",
             instance_name(int(self.run.ids[self.nearest(k, 1)[0]]))]
            for k in range(len(self))
        ]  # fmt: skip


def contrast_words(value: float) -> str:
    """How much likelier own positive bags are than negative ones; beyond a hundred times it tells nothing more."""
    return f"{value:.3g}" if value <= 100 else "> 100"


def has_concepts(run: Run | None) -> bool:
    """Whether a run keeps concepts: of a method that finds them, made by a version that keeps their distances."""
    distances = run.diagnostics.get(DISTANCES) if run is not None else None
    if run is None or distances is None:
        return False
    k = distances.shape[1]
    kept = [np.asarray(run.state.get(name, ())) for name in _PER_CONCEPT]
    return k > 0 and all(values.shape == (k,) for values in kept)


def concepts_of(run: Run | None) -> RunConcepts | None:
    """The concepts of a run; None where it has none."""
    if run is None or not has_concepts(run):
        return None
    state = run.state
    coverage, contrast, purity = (np.asarray(state[name], np.float64) for name in _PER_CONCEPT)
    return RunConcepts(
        run, coverage, contrast, purity, _elongation(np.asarray(state.get("scales_", np.ones((len(coverage), 1))))),
        np.asarray(run.diagnostics[DISTANCES], np.float32), np.asarray(state.get("gains_", ()), np.float64),
        int(state.get("suggested_", len(coverage))),
    )


def _elongation(scales: NDArray) -> NDArray[np.float64]:
    """sqrt(max s / min s) over the features that count, (K,)."""
    known = np.where(scales > 0, scales, np.nan)
    return np.sqrt(np.nanmax(known, axis=1) / np.nanmin(known, axis=1))
