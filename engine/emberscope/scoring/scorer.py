"""What a run teaches: a rule from the features of any patch to how target-like it is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion
from emberscope.course.inputs import features, inputs_of, refuse_gone
from emberscope.course.scores import ranks
from emberscope.mil.rules.forest import learn_score
from emberscope.project.model.project import Project, Run
from emberscope.project.model.witness import marked_background, witness_scores
from emberscope.scoring.ground import features_of_ground, ground_of
from emberscope.scoring.teaching import side_that_teaches, with_scores


@dataclass(frozen=True, slots=True)
class Lesson:
    """What there is to learn from: the instances of a run, and behind them patches of ground.

    X : (N, D) their features, as they were extracted. score : (N,) how target-like each is, in
    [0, 1], NaN where that is not known, 0 of ground. kind : (N,) id of the class of the first
    positive bag of each, 0 in none. place : (N, 2) source and frame.
    """

    X: NDArray[np.float32]
    score: NDArray[np.float64]
    kind: NDArray[np.int64]
    place: NDArray[np.int64]

    def take(self, rows: NDArray) -> "Lesson":
        """That of some of the rows."""
        return Lesson(self.X[rows], self.score[rows], self.kind[rows], self.place[rows])


@dataclass(frozen=True, slots=True)
class Scorer:
    """Randomized trees grown on a lesson.

    score : features (M, D) to scores (M,). kinds : (C,) ids of the classes of targets. of_kinds :
    features (M, D) to the share of each class (M, C); None where there is one class.
    """

    score: Callable[[NDArray], NDArray[np.float64]]
    kinds: NDArray[np.int64]
    of_kinds: Callable[[NDArray], NDArray[np.float64]] | None

    @classmethod
    def learned(cls, lesson: Lesson) -> "Scorer":
        """Always the same for the same lesson. O(N log N)."""
        lesson = lesson.take(np.isfinite(lesson.score))
        inside = np.flatnonzero(lesson.kind)
        kinds, of, count = np.unique(lesson.kind[inside], return_inverse=True, return_counts=True)
        shares = None
        if len(kinds) > 1:  # classes count alike, and an instance by its score
            weight = np.maximum(lesson.score[inside], 1e-3) / count[of]
            shares = learn_score(lesson.X[inside], np.eye(len(kinds))[of], weight)
        return cls(learn_score(lesson.X, lesson.score), kinds, shares)

    def kind(self, X: NDArray) -> NDArray[np.int64]:
        """(M,) id of the class that each row of X (M, D) shares most with."""
        if not len(X) or self.of_kinds is None:
            return np.full(len(X), self.kinds[0] if len(self.kinds) else 0, np.int64)
        return self.kinds[self.of_kinds(X).argmax(axis=1)]


@dataclass(frozen=True, slots=True)
class Said:
    """What a run says of its instances, without their features. score, kind : (n,) as of `Lesson`;
    no score where it is still to be learned. ground : patches that lie in no label."""

    score: NDArray[np.float64] | None
    kind: NDArray[np.int64]
    ground: Instances


def said_by(project: Project, run: Run) -> Said:
    """What a run says of the instances of the side of it that teaches; where that is not all of the
    run, no scores: these are learned later.

    Scores are the method's own where it has some in [0, 1], else the ranks of what ranks the
    witnesses of bags; instances that are marked as background have 0. Raises DataError where the
    run says nothing of targets, ProjectError where a source of that side is not in the project any
    more.
    """
    side = side_that_teaches(run)
    refuse_gone(project, side)
    score = _scores(project, run)
    first = side.bags.first_bag(len(side.ids))
    inside = (first >= 0) & (side.bags.instance_labels(len(side.ids)) > 0)
    kind = (np.where(inside, side.bags.classes[first], 0) if len(side.bags)
            else np.zeros(len(first), int))
    ground = ground_of(project, side, run)
    return Said(score if side is run else None, kind.astype(np.int64), ground)


def lesson_of(project: Project, run: Run, said: Said, cache: Path, monitor: Monitor) -> Lesson:
    """That with features and scores, which are computed where they are not kept. run : the side of
    one that teaches. Raises FormatError where a file is gone and is needed, Cancelled;
    MissingLabels where what teaches is too little for the method."""
    inputs, ground, score = inputs_of(project, run, cache), said.ground, said.score
    own = features(project.sources, inputs, run.recipe, Portion(monitor, 0.0, 0.4))
    more = features_of_ground(project, run, ground, cache, Portion(monitor, 0.4, 0.8))
    if score is None:
        taught = with_scores(project, run, cache, Portion(monitor, 0.8, 1.0))
        score = _scores(project, taught)
    none = np.zeros(len(ground))
    place = [np.stack([part.source, part.frame], axis=1) for part in (run.instances, ground)]
    return Lesson(np.concatenate([own, more]), np.concatenate([score, none]),
                  np.concatenate([said.kind, none.astype(np.int64)]), np.concatenate(place))


def _scores(project: Project, run: Run) -> NDArray[np.float64]:
    own = np.asarray(run.state.get("score_", ()), np.float64)
    if own.shape == (len(run.ids),) and np.isfinite(own).all() and 0 <= own.min() <= own.max() <= 1:
        score = own
    else:
        found = witness_scores(project, run)
        if found is None or not np.isfinite(found).any():
            raise DataError(
                f"run {run.id} ({run.recipe.method}) does not say which instances are targets",
                hint="Choose a run of a method that reads bags, such as mi-umap.",
            )
        score = ranks(found).astype(np.float64)
    return np.where(marked_background(project, run.ids), 0.0, score)
