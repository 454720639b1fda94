"""What the runs of a project say of one setting: a score over the runs that differ in it alone."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from emberscope.bags.recipe import sides_in_words
from emberscope.findings.comparison.run_differences import (
    names_changed,
    setting_of,
    setting_title,
    setting_words,
)
from emberscope.findings.headline import telling
from emberscope.findings.judged.levels import Estimate
from emberscope.findings.judged.words import estimate_words
from emberscope.findings.measures import MEASURES
from emberscope.findings.plot import Axis, Curve, Dots, Mark, Plot, Ribbon, Whiskers
from emberscope.project.model.project import Run

MEASURED = ("method_bag_auc", "inside_auc", "witness_found", "map_accuracy")
LEAST = 2  # values of a setting that say something
DIMENSIONS, PATCH, METHOD, LOOSENESS = "dimensions", "patch", "method", "looseness"
TOO_FEW = (
    "No other run differs from run {} in one setting alone. Run it again with another dimension "
    "or method, say, and how its score follows stands here."
)
_FIRST = (DIMENSIONS, LOOSENESS, PATCH, METHOD)  # the order of what is shown; others follow
_OF_PATCHES = {"bags.patch", "bags.stride", "bags.also"}
_DIMENSIONS = "params.n_components"
_TITLES = {DIMENSIONS: "Dimensions", PATCH: "Patch, px", METHOD: "Method",
           LOOSENESS: "Looseness of labels"}  # fmt: skip
_SMALLEST = {DIMENSIONS: "the fewest", PATCH: "the smallest", LOOSENESS: "the tightest"}
_ERRORS = 2 * 1.96  # standard errors in an interval of 95 %
_STEP, _TICKS = 0.05, 4  # of the axis of scores, and how many of them at most


class StudyPoint(NamedTuple):
    """A value of a setting: in words, what sorts it, the runs that have it, the newest last, and
    the mean of their scores with that of the ends of their intervals, NaN where those are not
    known."""

    words: str
    order: float
    runs: tuple[int, ...]
    score: Estimate


class Study(NamedTuple):
    """A score over the values of one setting, in their order where they have one. about : the run
    that the others differ from. best : number of the best value. within : numbers of those within
    one standard error of it, itself among them."""

    axis: str
    title: str
    measure: str
    about: int
    ordered: bool
    points: tuple[StudyPoint, ...]
    best: int
    within: tuple[int, ...]

    @property
    def words(self) -> str:
        """What it comes to, in a sentence or two."""
        best = self.points[self.best]
        said = f"{best.words} is best, {score_words(best.score)}."
        others = [at for at in self.within if at != self.best]
        if not math.isfinite(best.score.high - best.score.low):
            return f"{said} How sure that is is not known."
        if not others:
            return f"{said} No other is within one standard error of it."
        if self.ordered and self.axis in _SMALLEST:
            first = self.points[min(self.within)]
            of = _SMALLEST[self.axis]
            return (f"{said} {first.words} is {of} within one standard error of it."
                    if min(self.within) != self.best
                    else f"{said} It is {of} within one standard error, too.")
        names = ", ".join(self.points[at].words for at in others)
        return f"{said} Within one standard error of it: {names}."


class Studies(NamedTuple):
    """about : the run that all of them are about. found : one for each setting. left_out : how many
    runs are of other labels, and take no part."""

    about: int
    measure: str
    found: tuple[Study, ...]
    left_out: int

    @property
    def why_not(self) -> str:
        """Why there is nothing to see, a sentence; "" where there is."""
        return "" if self.found else TOO_FEW.format(self.about)


def studies(
    runs: Iterable[Run], about: Run, measure: str = "", *, title: Callable[[str], str] = str
) -> Studies:
    """A study of each setting in which others differ from a run alone; another seed does not count.

    measure : one of `MEASURED`, "" for that which most of the runs have. Runs of which it says
    nothing, since there is nothing to find, have none. title : what a method is
    called. Runs of other labels are left out, but for those of the same number of bags whose boxes
    are looser or tighter.
    """
    groups: dict[str, list[Run]] = {}
    left_out = 0
    for run in runs:
        axis = _axis(run, about)
        if axis is None:
            left_out += not _same_labels(run, about)
        else:
            groups.setdefault(axis, []).append(run)
    alike = groups.pop("", [about])
    measure = measure or _usual_measure([*alike, *(run for own in groups.values() for run in own)])
    found = [_study(axis, [*own, *alike], about, measure, title) for axis, own in groups.items()]
    there = [study for study in found if study is not None]
    rank = {axis: at for at, axis in enumerate(_FIRST)}
    there.sort(key=lambda study: rank.get(study.axis, len(rank)))
    return Studies(about.id, measure, tuple(there), left_out)


def _usual_measure(runs: Sequence[Run]) -> str:
    counts = [sum(math.isfinite(telling(run.metrics, key)) for run in runs)
              for key in MEASURED]  # fmt: skip
    return MEASURED[int(np.argmax(counts))]


def _same_labels(run: Run, about: Run) -> bool:
    if len(run.bag_ids) != len(about.bag_ids):
        return False
    mine, other = np.argsort(run.bag_ids), np.argsort(about.bag_ids)
    return bool(np.array_equal(run.bag_ids[mine], about.bag_ids[other])
                and np.array_equal(run.bag_labels[mine], about.bag_labels[other]))


def _same_count(run: Run, about: Run) -> bool:
    mine, other = np.sort(run.bag_labels), np.sort(about.bag_labels)
    return bool(np.array_equal(mine, other))


def _axis(run: Run, about: Run) -> str | None:
    """The one setting in which a run differs: "" for none, None for several or other labels."""
    names = set(names_changed(run, about)) - {"seed"}
    if _looseness(run) != _looseness(about):
        return LOOSENESS if not names and _same_count(run, about) else None
    if not _same_labels(run, about):
        return None
    if names and names <= _OF_PATCHES:
        return PATCH
    if names == {_DIMENSIONS}:
        return DIMENSIONS if run.Z.shape[1] != about.Z.shape[1] else ""
    if names == {"method"}:
        return METHOD
    return next(iter(names), "") if len(names) < LEAST else None


def _looseness(run: Run) -> float | None:
    """That of the labels that it was made of, in two digits; None of an older run."""
    found = run.metrics.get("label_looseness")
    return None if found is None else round(found, 2)


def _study(
    axis: str, runs: Sequence[Run], about: Run, measure: str, title: Callable[[str], str]
) -> Study | None:
    """None where fewer than `LEAST` values of the setting have the score."""
    if axis == METHOD:
        runs = _of_same_dimension(runs, about)
    values = {run.id: _value(axis, run) for run in runs}
    groups: dict[Any, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.id):
        if math.isfinite(telling(run.metrics, measure)):
            groups.setdefault(_key(values[run.id]), []).append(run)
    if len(groups) < LEAST:
        return None
    ordered = all(isinstance(value, int | float) for value in values.values())
    points = [StudyPoint(_value_words(axis, own[0], title), _order(values[own[0].id]),
                         tuple(run.id for run in own), _mean(own, measure))
              for own in groups.values()]  # fmt: skip
    points.sort(key=lambda point: point.order if ordered else -point.score.value)
    best = int(np.argmax([point.score.value for point in points]))
    name = _TITLES.get(axis) or setting_title(axis).capitalize()
    return Study(axis, name, measure, about.id, ordered, tuple(points), best,
                 _within(points, best))


def _of_same_dimension(runs: Sequence[Run], about: Run) -> list[Run]:
    """Of each other method the runs with as many dimensions, else the newest one."""
    out = [run for run in runs if run.recipe.method == about.recipe.method]
    for method in dict.fromkeys(run.recipe.method for run in runs):
        own = [run for run in runs if run.recipe.method == method]
        if method != about.recipe.method:
            same = [run for run in own if run.Z.shape[1] == about.Z.shape[1]]
            out += same[-1:] or own[-1:]
    return out


def _value(axis: str, run: Run) -> Any:
    special = {DIMENSIONS: run.Z.shape[1], LOOSENESS: _looseness(run),
               PATCH: run.recipe.bags.sides[0] if run.recipe.bags.sides else 0,
               METHOD: run.recipe.method}  # fmt: skip
    return special[axis] if axis in special else setting_of(run, axis)


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else repr(value)


def _order(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _value_words(axis: str, run: Run, title: Callable[[str], str]) -> str:
    if axis == METHOD:
        return title(run.recipe.method)
    if axis == PATCH:
        return sides_in_words(run.recipe.bags.sides)
    return setting_words(_value(axis, run))


def _mean(runs: Sequence[Run], measure: str) -> Estimate:
    ends = [[run.metrics.get(key, math.nan) for run in runs]
            for key in (measure, f"{measure}_low", f"{measure}_high")]  # fmt: skip
    return Estimate(*(float(np.mean(values)) for values in ends))


def _within(points: Sequence[StudyPoint], best: int) -> tuple[int, ...]:
    error = standard_error(points[best].score)
    least = points[best].score.value - (error if math.isfinite(error) else 0.0)
    return tuple(at for at, point in enumerate(points) if point.score.value >= least)


def standard_error(found: Estimate) -> float:
    """Half of what a 95 % interval holds, in standard errors; NaN without an interval."""
    return (found.high - found.low) / _ERRORS


# --- as plots


def study_plots(found: Sequence[Study]) -> list[Plot]:
    """A plot of each, all over the same range of scores: the ground is what lies within one
    standard error of the best, the filled dot is the run that the others differ from."""
    scores = [point.score for study in found for point in study.points]
    y = _score_axis(scores)
    return [_plot(study, y) for study in found]


def _score_axis(scores: Sequence[Estimate]) -> Axis:
    known = [end for one in scores for end in one_ends(one) if math.isfinite(end)] or [0.0, 1.0]
    first = max(math.floor(min(known) / _STEP), 0)
    last = min(math.ceil(max(known) / _STEP), round(1 / _STEP))
    first = max(min(first, last - 2), 0)
    apart = -(-(last - first) // _TICKS)
    ticks = tuple((at * _STEP, f"{at * _STEP:.2f}") for at in range(last, first - 1, -apart))
    return Axis(first * _STEP, last * _STEP, ticks[::-1])


def one_ends(one: Estimate) -> tuple[float, float, float]:
    """A number and its ends."""
    return one.low, one.value, one.high


def _plot(study: Study, y: Axis) -> Plot:
    count = len(study.points)
    low, value, high = (np.array(side) for side in
                        zip(*(one_ends(point.score) for point in study.points), strict=True))
    x = np.arange(count, dtype=float)
    across = Axis(-0.5, count - 0.5,
                  tuple((float(at), point.words) for at, point in enumerate(study.points)),
                  study.title, grid=False)  # fmt: skip
    marks: list[Mark] = []
    error = standard_error(study.points[study.best].score)
    if math.isfinite(error):
        best = study.points[study.best].score.value
        ends = np.array([across.low, across.high])
        marks.append(Ribbon(ends, np.full(2, max(best - error, y.low)), np.full(2, best),
                            "class 1"))
    if study.ordered:
        marks.append(Curve(x, value, color="edge"))
    marks.append(Whiskers(x, value, low, high, tuple(map(point_words, study.points))))
    own = next((at for at, point in enumerate(study.points) if study.about in point.runs), -1)
    marks.append(Dots(x, value, own))
    said = "; ".join(map(point_words, study.points))
    title = f"{MEASURES[study.measure].title} by {study.title.lower()}"
    return Plot(title, across, y, tuple(marks), spoken=f"{title}: {said}")


def point_words(point: StudyPoint) -> str:
    """"5: 0.88 (0.85 - 0.91), run 12"."""
    runs = f"run{'s' * (len(point.runs) > 1)} {', '.join(map(str, point.runs))}"
    return f"{point.words}: {score_words(point.score)}, {runs}"


def score_words(score: Estimate) -> str:
    """"0.88 (0.85 - 0.91)", "0.88" without an interval."""
    known = math.isfinite(score.high - score.low)
    return estimate_words(score) if known else f"{score.value:.2f}"


def study_record(found: Studies) -> dict[str, Any]:
    """Studies as plain data."""
    def plain(number: float) -> float | None:
        return number if math.isfinite(number) else None

    return {
        "about": found.about, "measure": found.measure, "left_out": found.left_out,
        "why_not": found.why_not,
        "settings": [{
            "setting": study.axis, "title": study.title, "words": study.words,
            "values": [{"value": point.words, "runs": list(point.runs),
                        "score": plain(point.score.value), "low": plain(point.score.low),
                        "high": plain(point.score.high), "within_one_error": at in study.within}
                       for at, point in enumerate(study.points)],
        } for study in found.found],
    }  # fmt: skip
