"""The search for concepts, step by step: how many, where they start, alternation, pruning."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion
from emberscope.base.segments import segment_reduce
from emberscope.mil.concepts.alternation import Alternated, alternate
from emberscope.mil.concepts.cover import Coverer
from emberscope.mil.concepts.greedy_cover import (
    Candidates,
    Suggestion,
    best_cover,
    suggested,
    widths_of,
)
from emberscope.mil.concepts.kinds import kinds_start
from emberscope.mil.concepts.memberships import Kind, Rule, balanced_weight
from emberscope.mil.concepts.model import Concepts, StandardBags
from emberscope.mil.concepts.pruning import (
    CONTRAST,
    STANDARD,
    Limits,
    Strength,
    distinct,
    strength,
    strong,
)
from emberscope.mil.concepts.starts import (
    clustered_start,
    random_start,
    rare_start,
    with_random,
)
from emberscope.mil.halves import area, chance_error, halves

FEW_FEATURES = 20  # up to so many, memberships are nearly crisp
# standard errors of an area by which round starts must be better than boxes, and both than kinds
_CLEARLY = 2.0
_DRAWN = {"random": random_start, "rare": rare_start, "clusters": clustered_start}
REFINING = 100  # rounds of possibilistic memberships, after fuzzy ones


@dataclass(frozen=True, slots=True)
class Settings:
    """How to search; see the parameters of the methods.
    n_concepts, fuzzifier, start, width : None chooses. limits : None keeps all concepts. alone :
    positive bags hold little but targets, so that a start may lie at kinds of bags."""

    kind: Kind
    n_concepts: int | None = None
    fuzzifier: float | None = None
    negatives: Literal["balanced", "paper"] = "balanced"
    negative_weight: float = 1.0
    nearest: bool = False
    limits: Limits | None = STANDARD
    start: Literal["boxes", "greedy", "random", "rare", "clusters", "kinds"] | None = None
    restarts: int = 5
    width: float | None = None
    rounds: int = 60
    alone: bool = False

    def rule(self, bags: StandardBags, k: int, kind: Kind) -> Rule:
        """Memberships of k concepts."""
        m = self.fuzzifier or (1.0625 if bags.Z.shape[1] <= FEW_FEATURES else 1.5)
        if self.negatives == "balanced":
            return Rule(kind, m, self.negative_weight * balanced_weight(bags.positive, k))
        return Rule(kind, m, (1 / k) ** m if kind == "fuzzy" else 1.0)

    def widths(self, d: int) -> tuple[float, ...]:
        """Widths to try for d features: the one that is set, else several."""
        return widths_of(d) if self.width is None else (self.width,)


@dataclass(frozen=True, slots=True)
class Found:
    """concepts : strongest first, in standardized features. memberships (K, B) of bags, strength of
    concepts, the gain curve, the objectives of its rounds, path (R + 1, K', D), the centers at the
    start and after every round, of the concepts first and then of those that were left out, and
    what a person should know, one sentence each."""

    concepts: Concepts
    memberships: NDArray[np.float64]
    strength: Strength
    curve: Suggestion
    objectives: list[float]
    path: NDArray[np.float64]
    notes: list[str]


def find_concepts(
    bags: StandardBags, settings: Settings, rng: np.random.Generator, monitor: Monitor,
    show: Callable[[Concepts], None] | None = None,
) -> Found:
    """Concepts that explain which bags are positive.
    show : called with the concepts of every round.

    O(1500 M D) for greedy starts and the gain curve; for boxes 500 pairs of features times the
    pairs of 1000 instances, at most; then O(rounds K M D). Where both starts are tried, both twice
    on half of the bags as well.
    """
    curve, starts = _begun(bags, settings, rng, Portion(monitor, 0.0, 0.2))
    k, notes = _count(settings.n_concepts or curve.n, int(bags.positive.sum()))
    best = _best_run(bags, settings, starts, k, Portion(monitor, 0.2, 0.8), show)
    if settings.kind == "possibilistic":
        rule = settings.rule(bags, k, "possibilistic")
        best = alternate(
            bags, best, rule, rounds=REFINING, nearest=settings.nearest,
            monitor=Portion(monitor, 0.8, 1.0), show=show,
        )
    if not best.settled:
        notes.append("Concepts still moved in the last round: ask for more rounds.")
    kept, dropped = _kept(bags, best, settings, k)
    concepts = best.concepts.take(kept)
    u = settings.rule(bags, len(kept), settings.kind).memberships(best.losses[kept], bags.positive)
    measured = strength(bags.probabilities(concepts, nearest=settings.nearest), u, bags.positive)
    if measured.contrast.max() < CONTRAST:
        notes.append(_weak_words(float(measured.contrast.max())))
    order = np.argsort(-measured.coverage, kind="stable")
    path = best.path[:, [*kept[order], *np.setdiff1d(np.arange(len(best.concepts)), kept)]]
    return Found(concepts.take(order), u[order], measured.take(order), curve, best.objectives,
                 path, [*notes, *dropped])


def _weak_words(contrast: float) -> str:
    return (
        "No concept is much likelier in its own bags than in negative ones "
        f"(contrast {contrast:.2g}; 1 tells nothing): try other features, or label more of both "
        "kinds."
    )


def _count(k: int, n_positive: int) -> tuple[int, list[str]]:
    """How many concepts so many positive bags can show."""
    if k > n_positive:
        shown = f"{n_positive} positive bags can show {n_positive} at most"
        return n_positive, [f"{k} concepts were asked for; {shown}."]
    if k > 1 and n_positive < 3 * k:
        return k, [f"{n_positive} positive bags for {k} concepts: label three or more of each "
                   "kind, or ask for fewer."]
    return k, []


def _begun(
    bags: StandardBags, settings: Settings, rng: np.random.Generator, monitor: Monitor
) -> tuple[Suggestion, list[Concepts]]:
    """The gain curve and starts: where none is set, from boxes or round concepts, boxes unless
    round ones clearly rank bags better that they were not fitted to; from as many kinds of bags
    instead, where targets are alone in them, unless that clearly ranks them worse. Too few bags of
    a label: from round ones."""
    if settings.start is not None:
        return _starts(bags, settings, rng, monitor)
    half = halves(bags.group, bags.positive, int(rng.integers(2**31)))
    if half is None:
        return _starts(bags, replace(settings, start="greedy"), rng, monitor)
    begun, ranked = [], []
    both = replace(settings, start="boxes"), replace(settings, start="greedy")
    for i, one in enumerate(both):
        part = Portion(monitor, 0.45 * i, 0.45 * (i + 1))
        begun.append(_starts(bags, one, rng, Portion(part, 0.0, 0.5)))
        k = len(begun[-1][1][0])
        ranked.append(_ranked_halves(bags, half, one, k, rng, Portion(part, 0.5, 1.0)))
    clearly = _CLEARLY * chance_error(bags.positive)
    best = int(ranked[1] > max(ranked[0], 0.5) + clearly)
    curve, starts = begun[best]
    k, kinds = len(starts[0]), replace(settings, start="kinds")
    if k == 1 or not settings.alone:
        return curve, starts
    by_kinds = _ranked_halves(bags, half, kinds, k, rng, Portion(monitor, 0.9, 1.0))
    if ranked[best] > max(by_kinds, 0.5) + clearly:
        return curve, starts
    return curve, [_kinds(bags, k, rng)]


def _kinds(bags: StandardBags, k: int, rng: np.random.Generator) -> Concepts:
    return with_random(bags, kinds_start(bags, k, rng), k, rng)


def _starts(
    bags: StandardBags, settings: Settings, rng: np.random.Generator, monitor: Monitor
) -> tuple[Suggestion, list[Concepts]]:
    """The gain curve, and starts of as many concepts as are asked for or the curve suggests."""
    n_positive = int(bags.positive.sum())
    if settings.start == "boxes":
        coverer = Coverer(bags, settings.width, rng, monitor)
        cover = coverer.cover()
        n = len(cover.concepts)
        k, _ = _count(settings.n_concepts or n, n_positive)
        found = cover.concepts if n == k else coverer.cover(k).concepts
        return Suggestion(n, cover.gains, cover.width), [with_random(bags, found, k, rng)]
    candidates = Candidates.of(bags, rng, Portion(monitor, 0.0, 0.3))
    widths = settings.widths(bags.Z.shape[1])
    curve = suggested(candidates, widths, Portion(monitor, 0.3, 0.6))
    k, _ = _count(settings.n_concepts or curve.n, n_positive)
    if settings.start == "greedy":
        part = Portion(monitor, 0.6, 1.0)
        return curve, [best_cover(bags, candidates, k, widths, nearest=settings.nearest,
                                  monitor=part)]
    if settings.start == "kinds":
        return curve, [_kinds(bags, k, rng)]
    draw = _DRAWN[settings.start or "random"]
    return curve, [draw(bags, k, rng) for _ in range(settings.restarts)]


def _ranked_halves(
    bags: StandardBags, half: NDArray, settings: Settings, k: int, rng: np.random.Generator,
    monitor: Monitor,
) -> float:
    """Mean area of either half of bags, half (B,), ranked by what is learned from the other."""
    areas = [_ranked(bags, half == h, settings, k, rng, Portion(monitor, h / 2, h / 2 + 0.5))
             for h in (0, 1)]
    return sum(areas) / 2


def _ranked(
    bags: StandardBags, learned: NDArray, settings: Settings, k: int, rng: np.random.Generator,
    monitor: Monitor,
) -> float:
    """Area under the ROC curve of the bags that are not `learned` (B,), by k concepts of those."""
    own, rest = bags.take(learned), bags.take(~learned)
    k = min(k, int(own.positive.sum()))
    part = Portion(monitor, 0.0, 0.5)
    if settings.start == "boxes":
        start = with_random(own, Coverer(own, settings.width, rng, part).cover(k).concepts, k, rng)
    elif settings.start == "kinds":
        start = _kinds(own, k, rng)
    else:
        start = best_cover(own, Candidates.of(own, rng, part), k, settings.widths(own.Z.shape[1]),
                           nearest=settings.nearest, monitor=part)
    kind: Kind = "fuzzy" if settings.kind == "possibilistic" else settings.kind
    found = alternate(own, start, settings.rule(own, k, kind), rounds=settings.rounds,
                      nearest=settings.nearest, monitor=Portion(monitor, 0.5, 1.0))
    nearest = -found.concepts.distance2(rest.Z).min(axis=1)
    return area(segment_reduce(np.maximum, nearest, rest.indptr[:-1]), rest.positive)


def _best_run(
    bags: StandardBags, settings: Settings, starts: list[Concepts], k: int, watch: Monitor,
    show: Callable[[Concepts], None] | None,
) -> Alternated:
    """The alternation that ends at the least fuzzy objective, negative bags weighing 1,
    whatever it minimized."""
    kind: Kind = "fuzzy" if settings.kind == "possibilistic" else settings.kind
    rule = settings.rule(bags, k, kind)
    judge = Rule("fuzzy", rule.fuzzifier, 1.0)
    runs, values = [], []
    for done, start in enumerate(starts):
        part = Portion(watch, done / len(starts), (done + 1) / len(starts))
        runs.append(
            alternate(
                bags, start, rule, rounds=settings.rounds, nearest=settings.nearest, monitor=part,
                show=show
            )
        )
        losses = runs[-1].losses
        values.append(
            judge.objective(losses, judge.memberships(losses, bags.positive), bags.positive)
        )
    return runs[int(np.argmin(values))]


def _kept(
    bags: StandardBags, found: Alternated, settings: Settings, k: int
) -> tuple[NDArray[np.int64], list[str]]:
    """Which concepts stay, and a sentence about those that go."""
    everyone = np.arange(len(found.concepts))
    limits = settings.limits
    if limits is None:
        return everyone, []
    u = settings.rule(bags, k, "possibilistic").memberships(found.losses, bags.positive)
    apart = distinct(u[:, bags.positive], limit=limits.merged_below)
    probability = bags.probabilities(found.concepts.take(apart), nearest=settings.nearest)
    shares = settings.rule(bags, k, settings.kind).memberships(found.losses[apart], bags.positive)
    measured = strength(probability, shares, bags.positive)
    kept = apart[strong(measured, coverage=limits.coverage_of(measured.contrast),
                        contrast=limits.contrast)]
    merged, weak = len(everyone) - len(apart), len(apart) - len(kept)
    parts = [
        f"{merged} merged with one that shares its bags"
    ] * bool(merged) + [f"{weak} too weak"] * bool(weak)
    return kept, [
        f"Of {len(everyone)} concepts {len(kept)} stay: {', '.join(parts)}."
    ] if parts else []
