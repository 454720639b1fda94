"""How likely a detection of a score is a target, learned on labeled frames that were held out."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion
from emberscope.course.inputs import Inputs
from emberscope.course.labels import Labels
from emberscope.course.split import Split
from emberscope.labels.geometry import centers
from emberscope.project.exchange.sources import for_features, open_ref
from emberscope.project.model.project import Project, Run
from emberscope.scoring.detections import Detections
from emberscope.scoring.grids import AS_TAUGHT, grids_of
from emberscope.scoring.ground import reached
from emberscope.scoring.scan import scan
from emberscope.scoring.scorer import Lesson, Scorer

_LEAST = 10   # detections of each kind to learn from
_FRAMES = 40  # labeled frames that are scored
_SAMPLES = 200  # of these frames, for intervals
_BOTH = -2      # the fold of ground on a frame of several
_BINS = 256     # of scores of a clip
_TINY = 1e-9    # a share that is none
_ROUNDS = 200   # of expectation and maximization
WHOLE = ("Probabilities take labeled frames for wholly labeled: where targets are left without a "
         "label, they are too low.")


@dataclass(frozen=True, slots=True)
class Probability:
    """1 / (1 + exp(-(offset + slope * score))).

    offset, slope : (1 + B,), first the rule, then those of B samples of the frames that it was
    learned from. hits, others : how many detections that were.
    """

    offset: NDArray[np.float64]
    slope: NDArray[np.float64]
    hits: int
    others: int

    def of(self, score: NDArray) -> NDArray[np.float64]:
        """(N, 3) probabilities of scores (N,), with both ends of their 95 % intervals."""
        score = np.asarray(score, np.float64)
        each = expit(self.offset[:, None] + self.slope[:, None] * score)
        ends = np.quantile(each[1:], (0.025, 0.975), axis=0) if len(each) > 1 else each[[0, 0]]
        return np.stack([each[0], np.minimum(ends[0], each[0]), np.maximum(ends[1], each[0])],
                        axis=1)

    def on(self, score: NDArray) -> "Probability":
        """The rule for a clip whose detections have scores (N,).

        How many of them are targets may be another share than on the labeled frames; what targets
        score, and what else does, is taken to be the same: the share is that which fits the scores
        of the clip best (Saerens et al. 2002). Where it comes to fewer than 10 targets, nothing
        there scores as targets on labeled frames do, so that nobody can say, and the rule stays.
        """
        count, edges = np.histogram(score, bins=_BINS, range=(0.0, 1.0))
        middle, before = (edges[:-1] + edges[1:]) / 2, self.hits / (self.hits + self.others)
        share = np.array([_share(before, expit(offset + slope * middle), count)
                          for offset, slope in zip(self.offset, self.slope, strict=True)])
        if share[0] * len(score) < _LEAST:
            return self
        return replace(self, offset=self.offset + logit(share) - logit(before))

    @classmethod
    def from_arrays(cls, offset: NDArray, slope: NDArray, counts: NDArray) -> "Probability | None":
        """As `arrays` gave them; None where they are empty."""
        return cls(offset, slope, *counts.tolist()) if len(offset) else None

    def arrays(self) -> list[NDArray]:
        """Offsets, slopes and counts, to be kept."""
        return [self.offset, self.slope, np.array([self.hits, self.others])]


def _share(before: float, chance: NDArray, count: NDArray) -> float:
    """The share of targets among detections of probabilities (K,), `count` (K,) of each, which were
    learned where it is `before`."""
    share = before
    for _ in range(_ROUNDS):
        hit, other = chance * (share / before), (1 - chance) * ((1 - share) / (1 - before))
        share = float((count * hit / np.maximum(hit + other, _TINY)).sum() / max(count.sum(), 1))
        share = min(max(share, _TINY), 1 - _TINY)
    return share


def learn_probability(
    project: Project, run: Run, inputs: Inputs, lesson: Lesson, monitor: Monitor, *,
    whole: Run | None = None, scales: Sequence[float] = AS_TAUGHT,
) -> tuple[Probability | None, str]:
    """The rule, and a sentence on what it rests on or why there is none.

    run : the side that teaches, of the run `whole`. Labeled frames, 40 at most, are scored by trees
    that have not seen their part of the split. A detection in a positive bag is a hit, the highest
    one of each bag only, and all others on these frames are none: labeled frames count as wholly
    labeled. What lies in a positive bag that does not teach says nothing. Raises Cancelled.
    """
    try:
        split = Split.of(run.recipe.split, project, run.recipe.seed)
        parts = split.parts(Labels.of(inputs.made))
    except EmberscopeError as error:
        return None, f"Probabilities are left out: {error}"
    if parts is None:
        return None, ("Probabilities are left out: too few labeled frames can be held out. Label "
                      "targets and background on more frames.")
    frames = _chosen(run, parts.of_instance)
    fold_of = _fold_of_rows(parts.of_instance, lesson)
    right, scores, places = list[NDArray](), list[NDArray](), list[NDArray]()
    folds = np.unique(frames[:, 2])
    for at, fold in enumerate(folds):
        part = Portion(monitor, at / len(folds), (at + 1) / len(folds))
        scorer = Scorer.learned(lesson.take(np.flatnonzero(~np.isin(fold_of, (fold, _BOTH)))))
        found = _found(project, run, frames[frames[:, 2] == fold], scorer, scales, part)
        for source, detections in found:
            hit, counts = judged(run, source, detections, whole)
            right.append(hit[counts])
            scores.append(detections.score[counts])
            places.append(np.full(int(counts.sum()), len(places)))
    return _fitted(np.concatenate([np.empty(0, bool), *right]),
                   np.concatenate([np.empty(0), *scores]),
                   np.concatenate([np.empty(0, np.int64), *places]))


def _fold_of_rows(of_instance: NDArray[np.int64], lesson: Lesson) -> NDArray[np.int64]:
    """(N,) fold of each row of a lesson: ground goes with the instances of its frame, and with
    nobody where these are in several folds."""
    n = len(of_instance)
    _, at = np.unique(lesson.place, axis=0, return_inverse=True)
    at = at.reshape(-1)
    low, high = np.full(at.max() + 1, np.iinfo(np.int64).max), np.full(at.max() + 1, -1)
    held = np.flatnonzero(of_instance >= 0)
    np.minimum.at(low, at[held], of_instance[held])
    np.maximum.at(high, at[held], of_instance[held])
    ground = np.where(high < 0, -1, np.where(low == high, high, _BOTH))[at[n:]]
    return np.concatenate([of_instance, ground])


def _chosen(run: Run, fold: NDArray[np.int64]) -> NDArray[np.int64]:
    """(F, 3) source, frame and fold of labeled frames that are held out together, evenly chosen."""
    held = np.flatnonzero(fold >= 0)
    rows = np.stack([run.source[held], run.frame[held], fold[held]], axis=1)
    rows = np.unique(rows, axis=0)
    _, first, count = np.unique(rows[:, :2], axis=0, return_index=True, return_counts=True)
    rows = rows[first[count == 1]]  # bags of one frame in two parts are seen by both scorers
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(_FRAMES, len(rows))).astype(np.int64))]


def _found(
    project: Project, run: Run, frames: NDArray[np.int64], scorer: Scorer,
    scales: Sequence[float], monitor: Monitor,
) -> list[tuple[int, Detections]]:
    """Detections on some frames (F, 3), by source."""
    out, done = [], 0
    for source in np.unique(frames[:, 0]).tolist():
        ref, mine = project.sources[source], frames[frames[:, 0] == source, 1].astype(np.int32)
        with open_ref(for_features(ref, run.recipe.features.units)) as opened:
            part = Portion(monitor, done / len(frames), (done + len(mine)) / len(frames))
            scanned = scan(opened, [frame[None] for frame in mine], grids_of(run, ref, scales),
                           run.recipe.features, scorer, part)
            with closing(scanned):
                out += [(source, block.found) for block in scanned]
        done += len(mine)
    return out


def judged(
    run: Run, source: int, found: Detections, whole: Run | None = None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each detection is a hit, and whether it counts: of those in one positive bag the
    highest does, and of those in one of `whole` that `run`, a side of it, does not have, none."""
    middle = centers(found.box)
    hit, beside = np.zeros(len(found), bool), np.zeros(len(found), bool)
    for frame in np.unique(found.frame).tolist():
        mine = np.flatnonzero(found.frame == frame)
        for side in (run, whole or run):
            for low, high in reached(side, source, frame):
                inside = mine[((middle[mine] >= low) & (middle[mine] < high)).all(axis=1)]
                beside[inside] = True
                if side is run:
                    hit[inside[:1]] = True
    return hit, hit | ~beside


def _fitted(
    hit: NDArray[np.bool_], score: NDArray, place: NDArray
) -> tuple[Probability | None, str]:
    """The rule for detections with a score (N,) on frames of a number (N,), hits or not."""
    hits, others = int(hit.sum()), int((~hit).sum())
    if min(hits, others) < _LEAST:
        return None, (f"Probabilities are left out: {hits} detections in labels of targets and "
                      f"{others} elsewhere on labeled frames are too few, {_LEAST} of each are "
                      "needed. Label more frames.")
    weight = np.ones((1 + _SAMPLES, len(hit)))
    frames = np.unique(place, return_inverse=True)[1].reshape(-1)
    rng = np.random.default_rng(0)
    for row in weight[1:]:
        drawn = rng.multinomial(frames.max() + 1, np.full(frames.max() + 1, 1 / (frames.max() + 1)))
        row[:] = drawn[frames]
    rule = np.array([logistic(score, hit, own) for own in weight])
    if rule[0, 1] <= 0:
        return None, ("Probabilities are left out: on labeled frames that were held out, "
                      "detections in labels of targets score no higher than others.")
    return Probability(rule[:, 0], rule[:, 1], hits, others), (
        f"Probabilities rest on {hits} detections in labels of targets and {others} elsewhere, on "
        "labeled frames that were held out. How many of the detections of a clip are targets is "
        f"estimated from their scores, where 10 or more score as targets do. {WHOLE}")


def logistic(score: NDArray, hit: NDArray[np.bool_], weight: NDArray) -> tuple[float, float]:
    """Offset and slope of the weighted logistic curve through hits (N,) over scores (N,), by
    Newton's method with a little shrinkage, so that it exists where scores part them wholly."""
    A = np.stack([np.ones(len(score)), score], axis=1)
    beta, ridge = np.zeros(2), np.diag([1e-3, 1e-3])
    for _ in range(50):
        p = expit(A @ beta)
        slope = A.T @ (weight * (hit - p)) - ridge @ beta
        curve = (A * (weight * p * (1 - p))[:, None]).T @ A + ridge
        step = np.linalg.solve(curve, slope)
        beta += np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-8:
            break
    return float(beta[0]), float(beta[1])
