"""The target concepts of a run, as it keeps them: how strong, of which instances, and what
contradicts them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.reduce import bag_noisy_or
from emberscope.base.ids import instance_name
from emberscope.base.plain_text import showable
from emberscope.mil.concepts.projection import ellipses, estimated_stars, outline, rings, shadows
from emberscope.mil.concepts.pruning import strength
from emberscope.mil.concepts.reading import (
    LIKELY,
    SHOWN,
    SURE,
    Conflicts,
    Reading,
    conflicts,
    witnesses,
)
from emberscope.project.model.concept_edits import (
    DISTANCES,
    HALVES,
    EditedConcept,
    as_found,
    edits_of,
    shown_source,
)
from emberscope.project.model.project import Project, Run

# Names in `Run.diagnostics`, like DISTANCES and HALVES.
CENTERS, WEIGHTS, WIDTHS = "concept_centers", "concept_weights", "concept_widths"
STARS, ELLIPSES, GROUND = "concept_stars", "concept_ellipses", "concept_ground"
_PER_CONCEPT = ("coverage_", "contrast_", "purity_")
HEADINGS = (
    "concept",
    "coverage",
    "contrast",
    "purity",
    "bags",
    "witnesses",
    "elongation",
    "nearest instance",
)
TABLE = (*HEADINGS, "features that weigh most")
_NAMED = 3  # features in a row of words


TELLS = 2.0  # contrast from which a concept tells something: weaker ones are pruned by it too


@dataclass(frozen=True, slots=True)
class Weighed:
    """A feature of a concept. center : in standard deviations from the mean of all instances.
    weight : its share of the distance between background and the concept, 0 to 1. width : standard
    deviation of the concept over that of all instances; NaN where the run keeps none."""

    name: str
    center: float
    weight: float
    width: float


@dataclass(frozen=True, slots=True)
class BagCause:
    """Why a bag is positive. bag : its number in the run. concept : the likeliest, -1 where none is
    above 0.05.
    probability : that the bag holds it. row : the likeliest instance of it, -1 with no concept; p,
    that it is one; cause, that it is one where the bag holds one. surely : concepts that the bag
    holds with more than 0.9, two or more: targets of several kinds; else empty.
    """

    bag: int
    concept: int
    probability: float
    row: int
    p: float
    cause: float
    surely: tuple[int, ...]


@dataclass(frozen=True)
class OnMap:
    """K concepts on a map of N instances in d dimensions.

    stars : (K, d) centers, NaN where the map has no place for one. shapes : (K, d, d), S of the
    contour z' S^-1 z = 1 about the star, where probability is 1/2; NaN where there is none. rows :
    (N,) row in the run of the concepts of each instance of the map, -1 where it is not there.
    estimated : the map takes no new points, so that stars are means of instances: draw them dashed.
    """

    stars: NDArray[np.float64]
    shapes: NDArray[np.float64]
    rows: NDArray[np.int64]
    estimated: bool

    @cached_property
    def outlines(self) -> NDArray[np.float64]:
        """(K, 64, 2) points around the stars in the first two dimensions; NaN where there is none
        to draw."""
        out = np.full((len(self.stars), 64, 2), np.nan)
        for k, shape in self._known_shapes(2):
            out[k] = outline(self.stars[k, :2], shape)
        return out

    @cached_property
    def wireframes(self) -> NDArray[np.float64]:
        """(K, 3, 64, 3) three ellipses around each star in the first three dimensions; NaN where
        there are none."""
        out = np.full((len(self.stars), 3, 64, 3), np.nan)
        for k, shape in self._known_shapes(3):
            out[k] = rings(self.stars[k, :3], shape)
        return out

    def _known_shapes(self, d: int) -> list[tuple[int, NDArray[np.float64]]]:
        """Concepts with an ellipse in the first d dimensions, and its shape (d, d)."""
        if self.stars.shape[1] < d:
            return []
        known = np.isfinite(self.shapes).all(axis=(1, 2)) & np.isfinite(self.stars).all(axis=1)
        return [(k, self.shapes[k, :d, :d]) for k in np.flatnonzero(known).tolist()]


@dataclass(frozen=True)
class RunConcepts:
    """K concepts, strongest first, and the N instances and B bags of their run.

    source : the run that found them, `run` itself unless they are carried onto it
    (`concepts_from`). edits : what each is of, see `project.model.concept_edits`. coverage,
    contrast, purity, elongation : (K,); the last is the longest axis over the shortest among the
    features that count. distances2 : (N, K) float32, weighted squared distances, inf for an
    instance of the other half or unknown to the source. placed : where they lie on the map of the
    run. gains : the gain curve; suggested : the number of concepts it suggests.
    """

    run: Run
    source: Run
    edits: tuple[EditedConcept, ...]
    coverage: NDArray[np.float64]
    contrast: NDArray[np.float64]
    purity: NDArray[np.float64]
    elongation: NDArray[np.float64]
    distances2: NDArray[np.float32]
    placed: OnMap
    gains: NDArray[np.float64]
    suggested: int

    def __len__(self) -> int:
        return len(self.coverage)

    @property
    def numbers(self) -> list[int]:
        """The number of each, from 0: what it is called and colored by, whatever went before it."""
        return [concept.number for concept in self.edits]

    def label(self, k: int) -> str:
        """ "3", or "3 pickup" where it has a name."""
        return f"{self.edits[k].number + 1} {self.edits[k].name}".strip()

    def why_not_split(self, k: int) -> str:
        """Why concept k cannot be split, "" where it can."""
        parts, kept = self.edits[k].parts, self.source.diagnostics.get(HALVES)
        if len(parts) > 1:
            return ""
        if parts[0][1]:
            return "A half cannot be split again: run once more with more concepts"
        if kept is None:
            return "This run is of a version that kept no halves. Run it again"
        return "" if kept[:, parts[0][0]].any() else "It has no two different witnesses"

    @property
    def stars(self) -> NDArray[np.float64]:
        """`OnMap.stars` of its own run."""
        return self.placed.stars

    @property
    def outlines(self) -> NDArray[np.float64]:
        """`OnMap.outlines` of its own run."""
        return self.placed.outlines

    @property
    def wireframes(self) -> NDArray[np.float64]:
        """`OnMap.wireframes` of its own run."""
        return self.placed.wireframes

    @property
    def ground(self) -> NDArray[np.float64]:
        """(Q, d) where clusters of negative instances lie on the map of the run; none on the map of
        another one."""
        kept = self.run.diagnostics.get(GROUND) if self.run is self.source else None
        return np.empty((0, self.run.Z.shape[1])) if kept is None else kept.astype(np.float64)

    def profile(self, k: int, n: int = 8) -> list[Weighed]:
        """The n features that weigh most in concept k, the heaviest first; none where the run keeps
        no weights."""
        kept, names = self.profile_of(k), self.source.state.get("feature_names", ())
        if not {"profile", "weights"} <= kept.keys():
            return []
        centers, weights = kept["profile"], kept["weights"]
        widths = kept.get("widths", np.full(len(weights), np.nan))
        order = np.argsort(-weights, kind="stable")[:n].tolist()
        return [Weighed(showable(str(names[j])), float(centers[j]), float(weights[j]),
                        float(widths[j]))
                for j in order if weights[j] > 0]  # fmt: skip

    def heaviest_words(self, k: int) -> str:
        """"maximum 68%, sd 13%, gradient 4%", "-" where the run keeps no weights."""
        return (
            ", ".join(f"{feature.name} {feature.weight:.0%}" for feature in self.profile(k, _NAMED))
            or "-"
        )

    def profile_of(self, k: int) -> dict[str, NDArray]:
        """Of concept k "profile", the center in standard deviations, "weights", shares, and
        "widths", over the standard deviation of all instances, of all features (D,): of several
        parts the mean. What the run that found it does not keep is left out."""
        parts, of = [part for part, _ in self.edits[k].parts], self.source.diagnostics
        kept = {"profile": CENTERS, "weights": WEIGHTS, "widths": WIDTHS}
        return {
            name: np.asarray(of[key][parts]).mean(axis=0) for name, key in kept.items() if key in of
        }

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
        """(N,) that an instance is one of its likeliest concept where its first bag holds one; NaN
        in no bag. O(M)."""
        members, out = self.run.members, np.full(len(self.run.ids), np.nan)
        best = self.reading.probability[members].argmax(axis=1)
        out[members[::-1]] = self.reading.cause[np.arange(len(members)), best][::-1]
        return out

    @cached_property
    def bag_causes(self) -> list[BagCause]:
        """Why each positive bag that has instances is positive, in the order of the bags. O(M
        K)."""
        bags, found = self.run.bags, self.reading
        out = []
        for b in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist():
            held, rows = found.bag[b], bags.of(b)
            k = int(held.argmax())
            best = int(self.distances2[rows, k].argmin())
            row, cause = int(rows[best]), float(found.cause[bags.indptr[b] + best, k])
            sure = np.flatnonzero(held > SURE)
            surely = tuple(sure.tolist()) if len(sure) > 1 else ()
            shown = float(held[k]) >= SHOWN
            out.append(
                BagCause(b, k, float(held[k]), row, float(found.probability[row, k]), cause, surely)
                if shown else BagCause(b, -1, float(held[k]), -1, 0.0, 0.0, ())
            )
        return out

    @cached_property
    def conflicts(self) -> Conflicts:
        """What labels and concepts disagree about."""
        return conflicts(self.reading, self.run.bags)

    @property
    def disagreements(self) -> dict[str, int]:
        """How often labels and concepts disagree, in words."""
        found = self.conflicts
        return {
            "positive bags without a concept": len(found.uncovered),
            "bags of two concepts": len(found.several),
            "background like a concept": len(found.negative),
        }

    def nearest(self, k: int, n: int) -> NDArray[np.int64]:
        """Rows of the n instances nearest to concept k, the nearest first; fewer where its half has
        fewer."""
        column = self.distances2[:, k]
        return np.argsort(column, kind="stable")[: min(n, int(np.isfinite(column).sum()))]

    def members(self, k: int, *, otherwise: int = 12) -> NDArray[np.int64]:
        """Rows of the instances that are of concept k as likely as not; where there is none, the
        nearest few."""
        found = np.flatnonzero((self.concept == k) & (self.reading.probability[:, k] > LIKELY))
        return found if len(found) else self.nearest(k, otherwise)

    @cached_property
    def _witnesses(self) -> NDArray[np.int64]:
        return witnesses(self.distances2, self.reading, self.run.bags)

    def witnesses(self, k: int) -> NDArray[np.int64]:
        """Rows of the instances that stand for concept k: the nearest of each positive bag where it
        is likely of this concept, and of no other more. O(M K) for all of them, once."""
        row = self._witnesses[k]
        return np.unique(row[row >= 0])

    def bags(self, k: int) -> NDArray[np.int64]:
        """Numbers of the positive bags that hold an instance of concept k as likely as not."""
        return np.flatnonzero(
            (self.run.bag_labels > 0) & (np.nan_to_num(self.reading.bag[:, k]) > LIKELY)
        )

    @cached_property
    def covered(self) -> int:
        """How many positive bags hold some concept as likely as not."""
        best = np.nan_to_num(self.reading.bag[self.run.bag_labels > 0]).max(axis=1, initial=0.0)
        return int((best > LIKELY).sum())

    @property
    def tells(self) -> NDArray[np.bool_]:
        """(K,) whether each is so much likelier in its own bags than in negative ones that it tells
        something; True where there is no negative bag to compare with."""
        return ~(self.contrast < TELLS)

    def table(self) -> list[list[str]]:
        """A row of words per concept, under `TABLE`."""
        return [
            [self.label(k), f"{self.coverage[k]:.2f}", contrast_words(self.contrast[k]),
             f"{self.purity[k]:.2f}",
             str(len(self.bags(k))), str(len(self.witnesses(k))), f"{self.elongation[k]:.3g}",
             " ".join(instance_name(int(key)) for key in self.run.ids[self.nearest(k, 1)]),
             self.heaviest_words(k)]
            for k in range(len(self))
        ]  # fmt: skip


def contrast_words(value: float) -> str:
    """How much likelier own positive bags are than negative ones; beyond a hundred times it tells
    nothing more."""
    if np.isnan(value):  # there is no negative bag to compare with
        return "unknown"
    return f"{value:.3g}" if value <= 100 else "> 100"


def has_concepts(run: Run | None) -> bool:
    """Whether a run keeps concepts: of a method that finds them, made by a version that keeps their
    distances."""
    distances = run.diagnostics.get(DISTANCES) if run is not None else None
    if run is None or distances is None:
        return False
    k = distances.shape[1]
    kept = [np.asarray(run.state.get(name, ())) for name in _PER_CONCEPT]
    return k > 0 and all(values.shape == (k,) for values in kept)


def concepts_of(run: Run | None, project: Project | None = None) -> RunConcepts | None:
    """The concepts of a run as the project shows them, as it found them without one; None where it
    has none."""
    if run is None or not has_concepts(run):
        return None
    state, distances = run.state, np.asarray(run.diagnostics[DISTANCES], np.float32)
    coverage, contrast, purity = (np.asarray(state[name], np.float64) for name in _PER_CONCEPT)
    K, d = distances.shape[1], run.Z.shape[1]
    found = RunConcepts(
        run,
        run,
        tuple(as_found(K)),
        coverage,
        contrast,
        purity,
        _elongation(np.asarray(state.get("scales_", np.ones((K, 1))))),
        distances,
        OnMap(
            np.asarray(run.diagnostics.get(STARS, np.full((K, d), np.nan)), np.float64),
            np.asarray(run.diagnostics.get(ELLIPSES, np.full((K, d, d), np.nan)), np.float64),
            np.arange(len(run.ids)),
            estimated=False,
        ),
        np.asarray(state.get("gains_", ()), np.float64),
        int(state.get("suggested_", len(coverage))),
    )
    edits = tuple(edits_of(project, run)) if project is not None else found.edits
    return found if edits == found.edits else _edited(found, edits)


def _edited(found: RunConcepts, edits: tuple[EditedConcept, ...]) -> RunConcepts:
    """What was made of concepts. Of a whole one the numbers and the place on the map are the run's;
    of a merged one or a half they are taken anew from its instances: own bags count by their
    probability of holding it, and it lies at the mean of its instances, weighted by theirs. O(N K
    d²)."""
    run, halves = found.run, found.run.diagnostics.get(HALVES)
    distances = np.stack([_distances(found, halves, concept) for concept in edits], axis=1)
    first = np.array([concept.parts[0][0] for concept in edits])
    new = np.array([not concept.untouched for concept in edits])
    own = np.exp(-distances.astype(np.float64))
    placed = _placed(found.placed, edits, own, run.Z.astype(np.float64))
    bag = bag_noisy_or(own, run.bags)
    known = (run.bags.sizes > 0) & (run.bag_labels != 0)
    made = strength(bag[known].T, bag[known].T, run.bag_labels[known] > 0)
    longest = [max(found.elongation[k] for k, _ in concept.parts) for concept in edits]
    return RunConcepts(
        run,
        run,
        edits,
        np.where(new, made.coverage, found.coverage[first]),
        np.where(new, made.contrast, found.contrast[first]),
        np.where(new, made.purity, found.purity[first]),
        np.array(longest),
        distances,
        placed,
        found.gains,
        found.suggested,
    )


def _placed(whole: OnMap, edits: tuple[EditedConcept, ...], own: NDArray, Z: NDArray) -> OnMap:
    """Where edited concepts lie on a map: whole ones as before, others at the mean of their
    instances. own : (M, K) probabilities of instances at Z (M, d)."""
    first = np.array([concept.parts[0][0] for concept in edits])
    new = np.array([not concept.untouched for concept in edits])
    known = np.isfinite(Z).all(axis=1)
    stars = np.where(new[:, None], estimated_stars(own[known], Z[known]), whole.stars[first])
    shapes = np.where(
        new[:, None, None], ellipses(own[known], Z[known], stars), whole.shapes[first]
    )
    return OnMap(stars, shapes, whole.rows, estimated=whole.estimated)


def _distances(
    found: RunConcepts, halves: NDArray | None, concept: EditedConcept
) -> NDArray[np.float32]:
    """(N,) squared distances to the nearest of its parts."""
    columns = [
        found.distances2[:, k] if not half or halves is None
        else np.where(halves[:, k] == half, found.distances2[:, k], np.float32(np.inf))
        for k, half in concept.parts
    ]
    return np.min(columns, axis=0).astype(np.float32)


def _elongation(scales: NDArray) -> NDArray[np.float64]:
    """sqrt(max s / min s) over the features that count, (K,); NaN where none does."""
    known = scales > 0
    longest = np.max(scales, axis=1, where=known, initial=0)
    shortest = np.min(scales, axis=1, where=known, initial=np.inf)
    return np.sqrt(
        np.divide(longest, shortest, out=np.full(len(scales), np.nan), where=known.any(axis=1))
    )


def concepts_on(
    run: Run, other: Run, project: Project | None = None, *, stars: NDArray | None = None
) -> OnMap | None:
    """The concepts of a run, as the project shows them, on the map of another one, whose instances
    are joined by id.

    None where `run` has none. stars : (K, d) the centers of the concepts that the run found as the
    other map's own rule places them (`pipeline.mapped_centers`); a linear map needs none: its rule
    is read here.

    Notes
    -----
    On its own map they are where the run keeps them. A linear map of the same features takes
    centers, and the ellipsoids cast their shadows. A map with another rule has its stars, and
    ellipses are the spread of instances around these, weighted by probability. A map without rule,
    or of other features, has weighted means for stars (`estimated`), and so has a concept that was
    merged or split. Deterministic. O(N log N + N K d²).
    """
    found = concepts_of(run, project)
    if found is None:
        return None
    if run.id == other.id:
        return found.placed
    rows, linear = _joined(run, other), _linear_map(run, other)
    both = rows >= 0
    Z = other.Z[both].astype(np.float64)
    probability = np.exp(-found.distances2[rows[both]].astype(np.float64))
    placed = estimated_stars(probability, Z)
    whole = np.flatnonzero([concept.untouched for concept in found.edits])
    first = np.array([found.edits[k].parts[0][0] for k in whole], np.int64)
    if linear is not None:
        stars = np.asarray(run.state["centers_"], np.float64) @ linear[0] + linear[1]
    if stars is not None:
        placed[whole] = np.asarray(stars, np.float64)[first]
    shapes = ellipses(probability, Z, placed)
    if linear is not None and len(whole):
        shapes[whole] = shadows(np.asarray(run.state["scales_"], np.float64)[first], linear[0])
    return OnMap(placed, shapes, rows, estimated=stars is None)


def concepts_shown_with(
    project: Project, run: Run, *, stars: NDArray | None = None
) -> RunConcepts | None:
    """The concepts shown with a run, its own or those that somebody chose of another run; None
    where there are none.
    stars : (K, d), as of `concepts_on`."""
    source = shown_source(project, run)
    return (
        concepts_of(run, project)
        if source is run
        else concepts_from(source, run, project, stars=stars)
    )


def concepts_from(
    source: Run, run: Run, project: Project | None = None, *, stars: NDArray | None = None
) -> RunConcepts | None:
    """The concepts of `source` with the instances, bags and map of another run; None where `source`
    has none, or no instance of that run. Coverage, contrast and purity stay those of the source.
    stars : (K, d), as of `concepts_on`.
    """
    found, placed = concepts_of(source, project), concepts_on(source, run, project, stars=stars)
    if found is None or placed is None or not (placed.rows >= 0).any():
        return None
    distances = np.where(
        (placed.rows >= 0)[:, None], found.distances2[placed.rows], np.float32(np.inf)
    )
    return replace(found, run=run, distances2=distances, placed=placed)


def _joined(run: Run, other: Run) -> NDArray[np.int64]:
    """(N,) row in `run` of each instance of the other run, -1 where it has none."""
    if not len(run.ids):
        return np.full(len(other.ids), -1)
    order = np.argsort(run.ids, kind="stable")
    at = order[np.minimum(np.searchsorted(run.ids, other.ids, sorter=order), len(order) - 1)]
    return np.where(run.ids[at] == other.ids, at, -1)


def _linear_map(run: Run, other: Run) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """W (D, d) and offset (d,) of z = x W + offset, x the features that the concepts of `run` are
    in; None where the other run is no linear method, or of other features."""
    axes, mean = (np.asarray(other.state.get(name, ())) for name in ("components_", "mean_"))
    centers = np.asarray(run.state.get("centers_", ()))
    # Then features are not what either method got
    between = "metric" in run.state or "metric" in other.state
    same = run.recipe.features == other.recipe.features and not between
    if "loadings" not in other.diagnostics or not same or centers.ndim != 2:
        return None
    if axes.shape != (len(mean), other.Z.shape[1]):
        return None  # of a kernel, or without axes
    W = axes / np.asarray(other.state.get("scale_", np.ones(len(mean))))[:, None]
    offset = -mean @ W
    first, then = run.state.get("reduction"), other.state.get("reduction")
    if then is not None:
        W, offset = then["components"] @ W, offset - then["mean"] @ then["components"] @ W
    if first is not None:
        W, offset = first["components"].T @ W, offset + first["mean"] @ W
    return (W, offset) if len(W) == centers.shape[1] else None
