"""How likely a detection of a score is a target, learned on labeled frames that were held out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion
from emberscope.course.inputs import Inputs
from emberscope.course.labels import Labels
from emberscope.course.split import Split
from emberscope.labels.geometry import centers
from emberscope.project.exchange.sources import for_features, open_ref
from emberscope.project.model.project import Project, Run
from emberscope.scoring.detections import Detections
from emberscope.scoring.scan import grids_of, scan
from emberscope.scoring.scorer import Lesson, Scorer

_LEAST = 10   # detections of each kind to learn from
_FRAMES = 40  # labeled frames that are scored
WHOLE = ("Probabilities take labeled frames for wholly labeled: where targets are left without a "
         "label, they are too low.")


@dataclass(frozen=True, slots=True)
class Probability:
    """1 / (1 + exp(-(offset + slope * score))). hits, others : how many detections it was learned
    from."""

    offset: float
    slope: float
    hits: int
    others: int

    def of(self, score: NDArray) -> NDArray[np.float64]:
        """(N,) probabilities of scores (N,)."""
        return 1 / (1 + np.exp(-(self.offset + self.slope * np.asarray(score, np.float64))))


def learn_probability(
    project: Project, run: Run, inputs: Inputs, lesson: Lesson, monitor: Monitor
) -> tuple[Probability | None, str]:
    """The rule, and a sentence on what it rests on or why there is none.

    Labeled frames, 40 at most, are scored by trees that have not seen their part of the split; a
    detection in a positive bag is a hit, the highest one of each bag only, and all others on these
    frames are none: labeled frames count as wholly labeled. Raises Cancelled.
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
    told, scores = list[NDArray](), list[NDArray]()
    folds = np.unique(frames[:, 2])
    for at, fold in enumerate(folds):
        part = Portion(monitor, at / len(folds), (at + 1) / len(folds))
        scorer = Scorer.learned(lesson.take(np.flatnonzero(parts.of_instance != fold)))
        found = _found(project, run, frames[frames[:, 2] == fold], scorer, part)
        for source, detections in found:
            hit, counts = judged(run, source, detections)
            told.append(hit[counts])
            scores.append(detections.score[counts])
    return _fitted(np.concatenate([np.empty(0, bool), *told]),
                   np.concatenate([np.empty(0), *scores]))


def _chosen(run: Run, fold: NDArray[np.int64]) -> NDArray[np.int64]:
    """(F, 3) source, frame and fold of labeled frames that are held out together, evenly chosen."""
    held = np.flatnonzero(fold >= 0)
    rows = np.stack([run.source[held], run.frame[held], fold[held]], axis=1)
    rows = np.unique(rows, axis=0)
    _, first, count = np.unique(rows[:, :2], axis=0, return_index=True, return_counts=True)
    rows = rows[first[count == 1]]  # bags of one frame in two parts are seen by both scorers
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(_FRAMES, len(rows))).astype(np.int64))]


def _found(
    project: Project, run: Run, frames: NDArray[np.int64], scorer: Scorer, monitor: Monitor
) -> list[tuple[int, Detections]]:
    """Detections on some frames (F, 3), by source."""
    out, done = [], 0
    for source in np.unique(frames[:, 0]).tolist():
        ref, mine = project.sources[source], frames[frames[:, 0] == source, 1].astype(np.int32)
        with open_ref(for_features(ref, run.recipe.features.units)) as opened:
            for frame in mine:  # one at a time: features of one frame are held
                part = Portion(monitor, done / len(frames), (done + 1) / len(frames))
                block = scan(opened, frame[None], grids_of(run, ref), run.recipe.features, scorer,
                             part)
                out.append((source, block.found))
                done += 1
    return out


def judged(
    run: Run, source: int, found: Detections
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each detection is a hit, and whether it counts: of those in one positive bag the
    highest does."""
    middle, bags = centers(found.box), run.bags
    hit, beside = np.zeros(len(found), bool), np.zeros(len(found), bool)
    positive = (bags.labels > 0)[bags.bag_of_member]
    members, owner = bags.members[positive], bags.bag_of_member[positive]
    for frame in np.unique(found.frame):
        mine = np.flatnonzero(found.frame == frame)
        here = (run.source[members] == source) & (run.frame[members] == frame)
        for k in np.unique(owner[here]):
            own = run.box[members[here & (owner == k)]]
            low, high = own[:, :2].min(axis=0), own[:, 2:].max(axis=0)
            inside = mine[((middle[mine] >= low) & (middle[mine] < high)).all(axis=1)]
            hit[inside[:1]], beside[inside[1:]] = True, True
    return hit, hit | ~beside


def _fitted(hit: NDArray[np.bool_], score: NDArray) -> tuple[Probability | None, str]:
    """The rule for detections with a score (N,) that are hits or not."""
    from sklearn.linear_model import LogisticRegression

    hits, others = int(hit.sum()), int((~hit).sum())
    if min(hits, others) < _LEAST:
        return None, (f"Probabilities are left out: {hits} detections in labels of targets and "
                      f"{others} elsewhere on labeled frames are too few, {_LEAST} of each are "
                      "needed. Label more frames.")
    rule = LogisticRegression(C=1e6).fit(score[:, None], hit)
    slope = float(rule.coef_[0, 0])
    if slope <= 0:
        return None, ("Probabilities are left out: on labeled frames that were held out, "
                      "detections in labels of targets score no higher than others.")
    return Probability(float(rule.intercept_[0]), slope, hits, others), (
        f"Probabilities rest on {hits} detections in labels of targets and {others} elsewhere, on "
        f"labeled frames that were held out. {WHOLE}")
