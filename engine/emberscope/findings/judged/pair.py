"""Two runs side by side, in words: what was set otherwise, what came of it, whether it is
chance."""

import math
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.grouping import how_many
from emberscope.findings.comparison.run_differences import settings_changed
from emberscope.findings.headline import telling
from emberscope.findings.judged.levels import Estimate
from emberscope.findings.measures import MEASURES
from emberscope.project.model.project import Run

_SHOWN = ("method_bag_auc", "witness_found", "inside_auc", "map_accuracy", "trustworthiness",
          "q_nx")  # fmt: skip
_SAME = 0.005  # of a number, which two digits do not show
_LEAST_CHANCE, _USUAL = 0.001, 0.05  # chances: not said more exactly below; above no surprise
_NOTHING = 0.0005  # of a difference, which three digits do not show


class Change(msgspec.Struct, frozen=True):
    """A row of what changed. better : 1 where it is better now, -1 where it is worse, 0 where it is
    neither."""

    title: str
    before: str
    after: str
    better: int = 0


class Paired(msgspec.Struct, frozen=True):
    """The second run against the first on what both were judged by. count : entries of both.
    only_first, only_second : on how many only one of them is right; chance : how likely so uneven a
    share is by chance, NaN of instances, which depend on each other. area : how much larger its
    area under the ROC curve is; folds : the mean of that over the folds of the split, corrected for
    fits that learn from the same data. area_chance, folds_chance : how likely such differences are
    where there is none, p of two sides by groups and of the corrected resampled t-test; NaN where
    nothing says so. won, lost : ids that are judged rightly now, and no
    longer. left_out : how many entries the first run has alone, the second has alone, and have
    another truth in one than in the other."""

    level: str
    count: int
    only_first: int
    only_second: int
    chance: float
    area: Estimate
    folds: Estimate
    area_chance: float
    folds_chance: float
    won: NDArray[np.int64]
    lost: NDArray[np.int64]
    left_out: tuple[int, int, int] = (0, 0, 0)


class Compared(msgspec.Struct, frozen=True):
    """changes : settings, then numbers. pairs : of each level that both runs have. words : all of
    it in sentences."""

    first: int
    second: int
    changes: list[Change]
    pairs: list[Paired]
    words: list[str]


def changes_of(first: Run, second: Run) -> list[Change]:
    """What is set otherwise in the second run, and what it measured."""
    out = [Change(title[:1].upper() + title[1:], before, after)
           for title, before, after in settings_changed(second, first)]
    bags = len(first.bag_ids), len(second.bag_ids)
    if bags[0] != bags[1] or not np.array_equal(np.sort(first.bag_ids), np.sort(second.bag_ids)):
        out.append(Change("Bags", f"{bags[0]}", f"{bags[1]}"))
    for key in _SHOWN:
        before, after = telling(first.metrics, key), telling(second.metrics, key)
        if math.isfinite(before) and math.isfinite(after):
            better = int(np.sign(after - before)) if abs(after - before) >= _SAME else 0
            out.append(Change(MEASURES[key].title, f"{before:.2f}", f"{after:.2f}", better))
    out.append(Change("Time", f"{first.seconds:.1f} s", f"{second.seconds:.1f} s"))
    return out


def pair_words(first: int, second: int, pair: Paired) -> list[str]:
    """Sentences about one level."""
    what = f"{pair.level}s"
    if not pair.only_first and not pair.only_second:
        return [f"Runs {first} and {second} say the same of all {pair.count} {what}."]
    known = [f"Of {pair.count} {what} run {second} is right on {pair.only_second} that run {first} "
            f"gets wrong, and wrong on {pair.only_first} that it gets right{_chance(pair.chance)}."]
    for lead, found, p, test in (
        ("The AUC", pair.area, pair.area_chance, "t by groups"),
        ("Fold by fold the AUC", pair.folds, pair.folds_chance, "corrected resampled t"),
    ):
        if math.isfinite(found.value) and found.high - found.low < 2:
            said = "" if math.isnan(p) else f"; {_p_words(p)}, {test}"
            known.append(f"{lead} by {what} is {_difference(found)}{said}.")
    return known


def left_out_words(level: str, runs: tuple[int, int], counts: tuple[int, int, int]) -> list[str]:
    """A sentence on what two runs are not compared on; none where that is nothing. counts : as
    `Paired.left_out`."""
    parts = [f"{how_many(count, level)} that run {run} alone held out"
             for run, count in zip(runs, counts[:2], strict=True) if count]
    if counts[2]:
        parts.append(f"{how_many(counts[2], level)} whose truth changed between them")
    return [f"Left out: {', '.join(parts)}."] if parts else []


def pair_record(pair: Paired) -> dict[str, Any]:
    """The numbers of a level as plain data; None where there is none."""
    def ends(found: Estimate, p: float) -> dict[str, float | None]:
        said = zip(("value", "low", "high", "p"), (found.value, found.low, found.high, p),
                   strict=True)
        return {name: value if math.isfinite(value) else None for name, value in said}

    return {
        "level": pair.level, "count": pair.count, "only_first": pair.only_first,
        "only_second": pair.only_second,
        "mcnemar_p": pair.chance if math.isfinite(pair.chance) else None,
        "auc_difference": ends(pair.area, pair.area_chance),
        "auc_difference_of_folds": ends(pair.folds, pair.folds_chance),
    }


def _p_words(p: float) -> str:
    return f"p {p:.2g}" if p >= _LEAST_CHANCE else f"p below {_LEAST_CHANCE:g}"


def _chance(p: float) -> str:
    """": chance does as much (p 0.45, McNemar)"."""
    if math.isnan(p):
        return ""
    often = "chance does as much" if p > _USUAL else "chance hardly does as much"
    return f": {often} ({_p_words(p)}, McNemar)"


def _difference(found: Estimate) -> str:
    """"0.028 higher (0.001 to 0.055)", "the same"."""
    if max(abs(found.value), abs(found.low), abs(found.high)) < _NOTHING:
        return "the same"
    if found.low > 0 or found.high < 0:
        ends = sorted((abs(found.low), abs(found.high)))
        more = "higher" if found.value > 0 else "lower"
        return f"{abs(found.value):.3f} {more} ({ends[0]:.3f} to {ends[1]:.3f})"
    return f"{found.value:+.3f} ({found.low:+.3f} to {found.high:+.3f}), which may be chance"
