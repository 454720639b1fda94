"""What a study found: means over seeds, the best, what is as good as the best, in a sentence."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from emberscope.base.errors import ParamError
from emberscope.base.grouping import how_many
from emberscope.base.proportion import NORMAL, student_quantile
from emberscope.findings.headline import HEADLINE
from emberscope.findings.measures import MEASURES, lower_is_better, measure_of, spoken
from emberscope.findings.studied.grid import words_of
from emberscope.project.model.study import SEED, Study
from emberscope.project.store.cell_folder import Result
from emberscope.studies.cells import Cell

OPTIMISTIC = "chosen by this very number, so optimistic"
_REASONS = 5  # that are said why cells have no number


@dataclass(frozen=True, slots=True)
class Place:
    """One combination of the values of all axes but the seed.

    scores : of its seeds that are done and have the number. low, high : 95 % interval of their
    mean: by bags, the mean of the ends that the cells have, and at least as wide as seeds differ;
    NaN where nothing is known. error : standard error of the mean, of bags or of seeds, whichever
    is larger. missing : cells that are not done. errors : why others have no
    number. first : the cell of its first seed.
    """

    values: dict[str, Any]
    scores: tuple[float, ...]
    low: float
    high: float
    error: float
    missing: int
    errors: tuple[str, ...]
    first: Cell

    @property
    def mean(self) -> float:
        """NaN where there is no score."""
        return float(np.mean(self.scores)) if self.scores else math.nan

    @property
    def spread(self) -> float:
        """Standard deviation over seeds; NaN for one."""
        return float(np.std(self.scores, ddof=1)) if len(self.scores) > 1 else math.nan

    @property
    def words(self) -> str:
        """ "method pca, d 2"."""
        return words_of(self.values)


def check_score(study: Study) -> None:
    """Raise ParamError for a study whose cells are compared by what is no measure."""
    if study.score and study.score not in MEASURES:
        raise ParamError(f"there is no number {study.score}",
                         hint=f"Known ones begin with {', '.join(HEADLINE)}.")


def score_of(study: Study, results: Mapping[str, Result]) -> str:
    """The measure that cells are compared by: the one asked for, else the first of the headline
    that a cell has."""
    there = {name for result in results.values() for name in result.metrics}
    return study.score or next((name for name in HEADLINE if name in there), HEADLINE[0])


def places_of(
    study: Study, cells: Sequence[Cell], results: Mapping[str, Result], score: str
) -> list[Place]:
    """The places of the grid, in the order of the axes."""
    grouped = dict[str, list[Cell]]()
    for cell in cells:
        grouped.setdefault(repr(_without_seed(cell.values)), []).append(cell)
    order = {axis: [repr(value) for value in values] for axis, values in study.axes.items()}

    def rank(cell: Cell) -> list[int]:
        return [order[axis].index(repr(value)) if value is not None else -1
                for axis, value in cell.values.items() if axis != SEED]

    found = [(rank(own[0]), _place(own, results, score)) for own in grouped.values()]
    return [place for _, place in sorted(found, key=lambda pair: pair[0])]


def _without_seed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {axis: value for axis, value in values.items() if axis != SEED}


def _place(cells: Sequence[Cell], results: Mapping[str, Result], score: str) -> Place:
    done = [results[cell.key] for cell in cells if cell.key in results]
    known = [result for result in done if score in result.metrics]
    scores = tuple(result.metrics[score] for result in known)
    low, high, error = _interval(known, score, scores)
    errors = tuple(dict.fromkeys(
        result.error or f"no {spoken(score)}" for result in done if score not in result.metrics))
    return Place(_without_seed(cells[0].values), scores, low, high, error,
                 len(cells) - len(done), errors, min(cells, key=lambda cell: cell.recipe.seed))


def _interval(
    known: Sequence[Result], score: str, scores: tuple[float, ...]
) -> tuple[float, float, float]:
    """Both ends, within the values that the number can have, and the standard error."""
    if not scores:
        return math.nan, math.nan, math.nan
    mean, low, high = float(np.mean(scores)), math.nan, math.nan
    by_bags = [(result.metrics[f"{score}_low"], result.metrics[f"{score}_high"])
               for result in known if f"{score}_low" in result.metrics]
    if by_bags:
        low, high = np.mean(by_bags, axis=0).tolist()
    error = (high - low) / (2 * NORMAL)
    if len(scores) > 1:
        of_mean = float(np.std(scores, ddof=1)) / math.sqrt(len(scores))
        half = student_quantile(len(scores) - 1) * of_mean
        low, high = float(np.fmin(low, mean - half)), float(np.fmax(high, mean + half))
        error = float(np.fmax(error, of_mean))
    least, most = _range(score)
    return max(low, least), min(high, most), error


def _range(score: str) -> tuple[float, float]:
    """The least and the largest value that a number can have."""
    measure = measure_of(score)
    unit = "" if measure is None else measure.unit
    if "0 is the mean of all" in unit:  # worse than that is below 0
        return -math.inf, 1.0
    if unit.endswith(("1 is perfect", "is chance")):
        return (-1.0 if "0 is chance" in unit else 0.0), 1.0
    return -math.inf, math.inf


def lacking_words(
    cells: Sequence[Cell], results: Mapping[str, Result], score: str
) -> list[str]:
    """How many cells that are done have no number, a sentence for each reason, the most frequent
    first; those that were given up are not among them."""
    done = [results[cell.key] for cell in cells if cell.key in results]
    reasons = Counter(result.error or "The run has none." for result in done
                      if score not in result.metrics and not result.given_up)
    first, others = reasons.most_common()[:_REASONS], reasons.most_common()[_REASONS:]
    said = [f"{how_many(count, 'cell')} of {len(cells)} without {spoken(score)}: {reason}"
            for reason, count in first]
    if others:
        rest = how_many(sum(count for _, count in others), "cell")
        said.append(f"{rest} more without it, for other reasons.")
    return said


@dataclass(frozen=True, slots=True)
class Answer:
    """The place of the highest mean, and those within one standard error of it."""

    best: Place
    alike: tuple[Place, ...]
    words: str


def answer_of(places: Sequence[Place], score: str) -> Answer | None:
    """What a study says; None where no place has a number.

    Of places within one standard error the first in the order of the axes is named, so that axes
    whose simple values stand first give the simplest.
    """
    known = [place for place in places if place.scores]
    if not known:
        return None
    best = max(known, key=lambda place: worth_of(place, score))
    error = best.error if math.isfinite(best.error) else 0.0
    alike = tuple(place for place in known
                  if worth_of(place, score) >= worth_of(best, score) - error
                  and place is not best)
    return Answer(best, alike, _words(best, alike, known, score))


def worth_of(place: Place, score: str) -> float:
    """The mean of a place, or less it where lower is better."""
    return -place.mean if lower_is_better(score) else place.mean


def _words(best: Place, alike: tuple[Place, ...], known: Sequence[Place], score: str) -> str:
    interval = f" ({best.low:.2f} \u2013 {best.high:.2f})" if math.isfinite(best.low) else ""
    seeds = f", {how_many(len(best.scores), 'seed')}" if len(best.scores) > 1 else ""
    chosen = f", {OPTIMISTIC}" if len(known) > 1 else ""
    words = f"Best of {how_many(len(known), 'place')}: {best.words}, " \
            f"{spoken(score)} {best.mean:.2f}{interval}{seeds}{chosen}."
    if not alike:
        return words
    first = min((*alike, best), key=known.index)
    verb = "lies" if len(alike) == 1 else "lie"
    words += f" {how_many(len(alike), 'other place')} {verb} within one standard error of it"
    if first is not best:
        words += f"; the first is {first.words} with {first.mean:.2f}"
    return f"{words}."
