"""Instances, or bags, in the order of their scores, and where a threshold cuts them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.grouping import how_many, score_text, spaced
from emberscope.findings.coloring import (
    CLASS_COLORS,
    IGNORED_SLOT,
    class_slots,
    instance_classes,
    slot_names,
)
from emberscope.findings.judged.levels import (
    BAG,
    CLASSIFIER,
    HELD_NAMES,
    INSTANCE,
    METHOD,
    Level,
    balanced_threshold,
)
from emberscope.findings.maps.bag_points import bag_points
from emberscope.findings.maps.strip import nice
from emberscope.findings.plot import Axis, Curve, Dots, Legend, LineKey, Mark, Note, Plot, Rug, Rule
from emberscope.findings.point_looks import LegendEntry
from emberscope.project.model.project import Project, Run
from emberscope.project.model.witness import marked_background, witness_scores

_PLACES = 800  # of the curve
_LANE = 0.07   # height of the lane of a class, as a share of the range of scores
NO_SCORES = "Run {} has no scores to rank by. Run a method that reads bags, or add a classifier."
NO_BAGS = "Run {} has no scores of bags that it has not seen, so there is no order of them."


class Ranking(NamedTuple):
    """M entries, the highest score first.

    level : INSTANCE or BAG. rows : (M,) row of the run that stands for each. ids : (M,) of
    instances or bags. score : (M,) float64. slot : (M,) uint8 glyph slot of the class. what : whose
    score it is, in words. start : the threshold to begin with where truth of entries is not known.
    """

    level: str
    rows: NDArray[np.int64]
    ids: NDArray[np.int64]
    score: NDArray[np.float64]
    slot: NDArray[np.uint8]
    what: str
    start: float

    def above(self, threshold: float) -> int:
        """How many have at least this score."""
        return int(np.searchsorted(-self.score, -threshold, side="right"))

    def threshold_at(self, rank: float) -> float:
        """The threshold that leaves this many above it: the score of the last of them."""
        if not len(self.score):
            return 0.0
        at = int(np.clip(round(rank), 0, len(self.score)))
        return float(self.score[at - 1]) if at else float(np.nextafter(self.score[0], np.inf))


def rank_instances(project: Project, run: Run, *, by: str = METHOD) -> Ranking | None:
    """By the scores of fits that have not seen the bag of an instance, which the Evaluate workspace
    judges; where the run has none by its witness scores. What is marked as background or ignored is
    left out. by : whose scores, of the method or of the classifier. None without any score, and for
    the classifier of a run that has none."""
    if by == CLASSIFIER and not run.recipe.classifier:
        return None
    held = np.asarray(run.diagnostics.get(HELD_NAMES[by][0], ()), np.float64)
    what = "Held-out score"
    if held.shape != (len(run.ids),) or not np.isfinite(held).any():
        found = witness_scores(project, run)
        if found is None:
            return None
        held, what = np.asarray(found, np.float64), "Score"
    rows = np.flatnonzero(np.isfinite(held) & ~marked_background(project, run.ids))
    rows = rows[np.argsort(-held[rows], kind="stable")]
    slots = class_slots(project, instance_classes(project, run)[rows])
    score = held[rows]
    return Ranking(INSTANCE, rows, run.ids[rows], score, slots, what, _start(run, rows, score))


def rank_bags(project: Project, run: Run, level: Level) -> Ranking | None:
    """By the scores that a level of bags judges; None where it cannot."""
    if level.name != BAG or level.why_not or not len(level.ids):
        return None
    order = np.argsort(-level.score, kind="stable")
    number = {int(id): k for k, id in enumerate(run.bags.ids.tolist())}
    at = np.array([number.get(int(id), -1) for id in level.ids[order].tolist()], np.int64)
    points = bag_points(project, run)
    row_of = np.full(len(run.bags) + 1, -1, np.int64)
    row_of[points.bags] = points.rows
    score, slot = level.score[order], class_slots(project, run.bags.classes[at])
    kept = at >= 0
    return Ranking(BAG, row_of[at][kept], level.ids[order][kept], score[kept], slot[kept],
                   "Held-out score of bags", level.start)


def _start(run: Run, rows: NDArray, score: NDArray) -> float:
    """The threshold on the best member that tells positive from negative bags best."""
    value = np.full(len(run.ids), -np.inf)
    value[rows] = score
    bags = run.bags
    best = np.full(len(bags), -np.inf)
    np.maximum.at(best, bags.bag_of_member, value[bags.members])
    judged = np.isfinite(best) & (bags.labels != 0)
    return balanced_threshold(best[judged], bags.labels[judged] > 0)


def groups(project: Project, ranking: Ranking, theme: str) -> list[LegendEntry]:
    """The classes in a ranking, most frequent first."""
    names = slot_names(project)
    slots, counts = np.unique(ranking.slot, return_counts=True)
    found = [
        LegendEntry(slot, CLASS_COLORS[theme][slot if slot != IGNORED_SLOT else 0],
                    names.get(slot, "Unknown"), count, slot)
        for slot, count in zip(slots.tolist(), counts.tolist(), strict=True)
    ]  # fmt: skip
    return sorted(found, key=lambda entry: -entry.count)


def ranking_plot(project: Project, ranking: Ranking, threshold: float) -> Plot:
    """Score over rank, the ranks of each class in a lane below, and a line with a dot at the
    threshold."""
    n, score = len(ranking.score), ranking.score
    known = score[np.isfinite(score)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    span = high - low or 1.0
    at = np.unique(np.linspace(0, max(n - 1, 0), min(n, _PLACES)).astype(np.int64))
    marks: list[Mark] = [Curve(at + np.float64(1), np.clip(score[at], low, high), color="edge")]
    entries, keys = groups(project, ranking, "light"), []
    for lane, entry in enumerate(entries):
        ink = f"class {entry.slot}" if 0 < entry.slot != IGNORED_SLOT else "edge"
        top = low - span * _LANE * (lane + 0.4)
        ranks = np.flatnonzero(ranking.slot == entry.slot) + np.float64(1)
        marks.append(Rug(ranks, top - 0.8 * span * _LANE, top, ink, entry.title))
        keys.append(LineKey(ink, (), entry.title, spaced(entry.count)))
    floor = low - span * _LANE * (len(entries) + 0.5)
    above = ranking.above(threshold)
    edge = above + 0.5
    marks.append(Rule((edge, floor), (edge, high + 0.05 * span)))
    cut = float(np.clip(score[above - 1], low, high)) if above else high
    marks.append(Dots(np.array([edge]), np.array([cut]), now=0))  # what a pointer takes
    words = f"Threshold {score_text(threshold)}, {spaced(above)} above"
    marks += [Note((edge, low), words), Legend(tuple(keys), upper=True)]
    what = "instance" if ranking.level == INSTANCE else "bag"
    ticks = tuple((value, spaced(int(value))) for value in nice(0, n) if value == int(value))
    return Plot(
        f"{how_many(n, what)[:1].upper()}{how_many(n, what)[1:]} by score",
        Axis(0.5, max(n + 0.5, 1.5), ticks, "Rank", grid=False),
        Axis(floor, high + 0.05 * span, tuple((v, f"{v:g}") for v in nice(low, high, 4)),
             ranking.what),
        tuple(marks), spoken=f"{how_many(n, what)} in the order of their scores. {words}",
    )  # fmt: skip


def ranking_rows(project: Project, ranking: Ranking, threshold: float) -> list[list[object]]:
    """A row per entry: rank, id, score, class, and whether it is above the threshold."""
    names = {entry.slot: entry.title for entry in groups(project, ranking, "light")}
    out: list[list[object]] = [["rank", ranking.level, "score", "class", "above"]]
    for rank, (id, score, slot) in enumerate(
        zip(ranking.ids.tolist(), ranking.score.tolist(), ranking.slot.tolist(), strict=True), 1
    ):
        out.append([rank, id, f"{score:.7g}", names[slot], int(score >= threshold)])
    return out
