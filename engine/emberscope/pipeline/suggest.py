"""Suggested recipes: the usual one at once, or the best of a few tried on held-out bags."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags
from emberscope.bags.recipe import ROWS
from emberscope.bags.sizes import FittingSizes
from emberscope.base.errors import Cancelled, EmberscopeError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.catalogue.usual import labeled_kinds, usual_recipe
from emberscope.course.inputs import Inputs, prepare
from emberscope.course.labels import Labels
from emberscope.course.plan import plan_of
from emberscope.course.runner import run_stages
from emberscope.course.stage import Given
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import INPUTS, SOURCES
from emberscope.course.stages.reduce import REDUCED
from emberscope.evaluate.held_out import Parts, bag_scores, by_own_scores, fitted_without
from emberscope.evaluate.learned_from import LearnedFrom
from emberscope.evaluate.selection import area_of_chosen
from emberscope.evaluate.within_clips import Value, within_clips
from emberscope.features.recipe import FeatureRecipe
from emberscope.mil.rules.agreement import doubts
from emberscope.mil.rules.ensemble import ensemble_scores
from emberscope.mil.training_bags import training_bags
from emberscope.pipeline.sizes import judged_sizes
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe

SAMPLE = 600  # instances that recipes are tried on
# Ends what hangs; a trial of a few seconds is not cut, and so the same wherever it is asked for
SECONDS = 60.0
_OF_SIZES = 0.3  # of the bar
# By how much another recipe tells bags apart better before it is taken instead of the usual one
BETTER = 0.02


@dataclass(frozen=True, slots=True)
class Tried:
    """A recipe and how well it separated bags that were held back.

    score, labels, group, clip : of these bags, (K,) each. stable : share of positive bags in which
    a rule's best instance is the witness, mean over the rules by their weights; NaN where the
    method has one rule. doubts : sentences about how far to trust the rules
    (`rules.agreement.doubts`).
    """

    recipe: Recipe
    score: NDArray[np.float64]
    labels: NDArray[np.int8]
    group: NDArray[np.int64]
    clip: NDArray[np.int64]
    stable: float = float("nan")
    doubts: list[str] = field(default_factory=list)

    @property
    def area(self) -> float:
        """Area under the curve of the held-out bags inside their clips, mean of the clips, in [0,
        1]."""
        return within_clips(self.labels, self.score, self.group, self.clip).mean.value


@dataclass(frozen=True, slots=True)
class Suggestion:
    """recipe : the one to run. tried : best first; empty where nothing could be tried.

    why, judged, rest : sentences: what fits the labels; how well bags were separated that were held
    out; all others.
    area : area under the ROC curve of held-out bags, and its 95 % interval by groups of frames, of
    what was chosen, corrected for the choice (`area_of_chosen`); None where nothing could be tried.
    sizes : of the patches of the recipe, as they were judged; None where nothing was.
    """

    recipe: Recipe
    tried: list[Tried] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    area: Value | None = None
    sizes: FittingSizes | None = None

    @property
    def reasons(self) -> list[str]:
        """All of the sentences, for a person who has no run yet."""
        return [*self.why, *self.judged, *self.rest]

    @property
    def beside_run(self) -> list[str]:
        """Those for a person who has the run, whose own number says how well bags are separated: a
        trial on some of the bags says another for the same thing."""
        others = [_differs(one.recipe, self.recipe) for one in self.tried[1:]]
        compared = [f"Also tried on held-out bags: {', '.join(others)}."] if others else []
        return [*self.why, *compared, *self.rest]


def suggest(
    project: Project,
    *,
    seconds: float = SECONDS,
    monitor: Monitor | None = None,
    cache: str | Path | None = None,
) -> Suggestion:
    """Try a few recipes on a sample of the bags, each on bags it has not learned from; the labels
    are not changed.

    The usual recipe is kept unless another tells bags apart better by more than 0.02: areas of so
    few bags differ by that much by chance, and the usual one ranked instances best on clips with
    truth. The area of the one chosen is corrected for the choice. Patches come first, of the sizes
    that bags find best (`pipeline.sizes`), the same for all recipes: bags of other patches are no
    fair comparison. Features that were computed stay in the cache for the run. At most 600
    instances, whole bags from all over the frames; the first recipe is tried whatever it takes,
    others end after `seconds`, which is said. Raises MissingLabels where nothing is labeled,
    Cancelled.
    """
    watch, folder = monitored(monitor), Path(cache) if cache is not None else cache_folder()
    usual, why = usual_recipe(project)
    if catalogue.method(usual.method).needs != "bag":
        return Suggestion(usual, why=why)
    started = time.perf_counter()
    if project.of_points:
        return _of_these_patches(project, None, started + seconds, watch, folder)
    sizes = judged_sizes(project, monitor=Portion(watch, 0.0, _OF_SIZES), cache=folder)
    found = _of_these_patches(
        project, sizes, started + seconds, Portion(watch, _OF_SIZES, 1.0), folder
    )
    return replace(found, sizes=sizes)


def _of_these_patches(
    project: Project, sizes: FittingSizes | None, end: float, watch: Monitor, folder: Path
) -> Suggestion:
    """The suggestion among recipes of these patches; others than the first end at a time of
    `time.perf_counter`."""
    (usual, why), left = usual_recipe(project, sizes), 0
    tried: list[Tried] = []
    failed: list[str] = []
    wanted = list(candidates(usual, several=catalogue.SECOND_CLASS in labeled_kinds(project)))
    for i, recipe in enumerate(wanted):
        part = Portion(watch, i / len(wanted), (i + 1) / len(wanted))
        try:
            found = _tried(project, recipe, folder, _Until(part, end) if tried else part)
        except _TimeUp:
            left = len(wanted) - i
            break
        except EmberscopeError as error:  # of one method; another may do
            failed.append(
                f"{_differs(recipe, usual) or 'The usual recipe'} cannot be tried: {error}"
            )
            continue
        if found is None:
            return Suggestion(usual, why=[*why, _CANNOT])
        tried.append(found)
    if not tried:
        return Suggestion(usual, why=[*why, *failed])
    chosen = tried[_chosen(np.array([one.area for one in tried]))]
    ranked = sorted(tried, key=lambda one: (one is not chosen, -one.area))
    if chosen.recipe != usual:
        instead = f"{_differs(chosen.recipe, usual)} instead of the usual recipe."
        why = [why[0], instead[:1].upper() + instead[1:]]
    area = area_of_chosen(
        np.stack([one.score for one in tried]), chosen.labels, chosen.group, _chosen, chosen.clip
    )
    judged, rest = _judged(ranked, area, project), [*_others(chosen, left), *failed]
    return Suggestion(chosen.recipe, ranked, why, judged, rest, area)


def _chosen(areas: NDArray[np.float64]) -> int:
    """The first, unless the best is better by more than `BETTER`."""
    best = int(np.argmax(areas))
    return 0 if areas[best] - areas[0] <= BETTER else best


_CANNOT = (
    "No recipe could be tried: bags of one kind are too few, or all on frames near each other. "
    "Label targets and background on frames further apart."
)


class _TimeUp(Cancelled):
    """Of a trial; nobody asked to stop."""


class _Until:
    """A monitor that ends what it watches at a time of `time.perf_counter`."""

    def __init__(self, monitor: Monitor, end: float) -> None:
        self._monitor, self._end = monitor, end

    def step(self, fraction: float, message: str = "") -> None:
        if time.perf_counter() > self._end:
            raise _TimeUp
        self._monitor.step(fraction, message)

    def partial(self, Z: NDArray) -> None:
        self._monitor.partial(Z)


def candidates(usual: Recipe, *, several: bool = False) -> Iterator[Recipe]:
    """The usual recipe, then others of the same patches: bags of other patches are no fair
    comparison.

    several : whether targets are of several classes, which M-MIDA sets apart as MIDA sets targets
    apart from ground.
    """
    mida = "m-mida" if several else "mida"
    yield usual
    other = msgspec.structs.replace
    if usual.bags.level == ROWS:
        yield other(usual, method=mida, params={})
        yield other(usual, method=mida, params={}, reduce=50)
        return
    yield other(usual, features=other(usual.features, kind="hog+statistics"))
    yield other(usual, method=mida, params={})
    yield other(usual, method=mida, params={}, reduce=50, features=FeatureRecipe(kind="hog"))


def _tried(project: Project, recipe: Recipe, folder: Path, monitor: Monitor) -> Tried | None:
    """The recipe on a sample; None where no bags can be held back."""
    plan, inputs = plan_of(recipe, project), sampled(prepare(project, recipe, folder))
    made, labels = inputs.made, Labels.of(inputs.made)
    parts = plan.split.parts(labels)
    if parts is None:
        return None
    given = Given().put(SOURCES, project.sources).put(INPUTS, inputs)
    seen = run_stages(plan, (FEATURES, REDUCED), given, monitor=Portion(monitor, 0.0, 0.3))
    X, narrow = seen[FEATURES], seen[REDUCED].X.shape[1]
    rest = Portion(monitor, 0.3, 1.0)
    if not plan.method.kind.holds_back or narrow < min(X.shape):
        # each fit finds its components anew: those of all instances have seen what it is judged on
        make = partial(plan.whole, narrow if narrow < X.shape[1] else 0)
        found = fitted_without(make, X, made.y, made.bags, parts,
                               learned_from=LearnedFrom(labels.certain), monitor=rest)
        return _held(recipe, bag_scores(found, made.bags), made.bags, parts)
    training = training_bags(labels.certain, replace(made.bags, groups=parts.group), len(X)).bags
    own = ensemble_scores(seen[REDUCED].X, training, monitor=rest)
    held = bag_scores(by_own_scores(own.score, parts), made.bags)
    tried = _held(recipe, held, made.bags, parts)
    stable = _steady(own.rules, own.weights[0], own.weights[0] @ own.rules, training)
    return replace(tried, stable=stable, doubts=doubts(own.rules, training))


def _held(recipe: Recipe, score: NDArray, bags: Bags, parts: Parts) -> Tried:
    known = parts.fold >= 0
    assert parts.clip is not None  # nor is `block`, of `parts_of`
    assert parts.block is not None
    return Tried(recipe, score[known], bags.labels[known], parts.block[known], parts.clip[known])


def sampled(inputs: Inputs, most: int = SAMPLE) -> Inputs:
    """Whole bags, of either kind in turn and drawn from everywhere, until they hold `most`
    instances."""
    made = inputs.made
    if len(made.instances) <= most:
        return inputs
    rng = np.random.default_rng(0)
    sides = [
        rng.permutation(np.flatnonzero(made.bags.labels == label)).tolist() for label in (1, -1)
    ]
    chosen: list[int] = []
    count = 0
    while count < most and any(sides):
        for side in sides:
            if side:
                chosen.append(side.pop())
                count += int(made.bags.sizes[chosen[-1]])
    kept = made.bags.take(np.sort(np.array(chosen, np.int64)))
    rows = np.unique(kept.members)
    part = MadeBags(
        made.instances.take(rows),
        kept.among(rows, len(made.instances)),
        made.y[rows],
        np.empty(0, np.int64),
        [],
        made.marked[rows],
    )
    return replace(inputs, made=part)


def _steady(rules: NDArray, weight: NDArray, score: NDArray, bags: Bags) -> float:
    """How often the rules point at the witness."""
    witnesses = [bags.of(int(k)) for k in np.flatnonzero(bags.labels > 0)]
    same = [
        [rows[np.argmax(rule[rows])] == rows[np.argmax(score[rows])] for rows in witnesses]
        for rule in rules
    ]
    return float(weight @ np.mean(same, axis=1))


def _judged(ranked: list[Tried], area: Value, project: Project) -> list[str]:
    """How well the first of those tried tells bags apart, beside the others."""
    chosen, others = ranked[0], ranked[1:]
    value, low, high = area
    sentence = f"It tells held-out bags apart with an area of {value:.2f} ({low:.2f} to {high:.2f}"
    out = [f"{sentence}, on bags that did not choose it)." if others else f"{sentence})."]
    if others:
        beside = ", ".join(
            f"{_differs(one.recipe, chosen.recipe)} {one.area:.2f}" for one in others
        )
        out.append(f"On the bags that all were compared on it has {chosen.area:.2f}; {beside}.")
    return [*out, f"That may be chance. {_helps(project)}"] if low <= 0.5 else out


def _others(chosen: Tried, left: int) -> list[str]:
    """What else is to be said of the trial."""
    stable = [f"Its rules agree on the witness in {chosen.stable:.0%} of the positive bags."]
    untried = (
        [f"{left} more recipe{'s were' if left > 1 else ' was'} not tried: time was up."]
        if left
        else []
    )
    return [*(stable if np.isfinite(chosen.stable) else []), *chosen.doubts, *untried]


def _differs(recipe: Recipe, other: Recipe) -> str:
    """"MIDA on HOG"; what a recipe has that the other has not."""
    parts = [catalogue.method(recipe.method).short] if recipe.method != other.method else []
    if recipe.bags.level == ROWS and recipe.reduce != other.reduce:
        parts.append(f"{recipe.reduce or 'all'} components")
    if recipe.features.kind != other.features.kind:
        parts.append(f"{recipe.features.kind} features")
    if recipe.bags.patch != other.bags.patch:
        parts.append(f"patches of {recipe.bags.patch} px")
    return " on ".join(parts)


def _helps(project: Project) -> str:
    """Which label would help most."""
    roles = [project.role(getattr(label, "class_id", 0)) for label in project.labels]
    targets, background = roles.count(1), roles.count(-1)
    if background < targets / 2:
        return "Label more background, at places where targets have been at other times."
    if targets < 20:
        return "Label more targets, on frames further apart."
    return "Label some targets more tightly, or put spots on them."
