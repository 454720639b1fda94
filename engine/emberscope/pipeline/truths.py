"""What the truth of labels says of a run: witnesses found, ranking inside positive bags, the
map."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import grouped_folds
from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags
from emberscope.base.errors import EmberscopeError
from emberscope.course.by_clip import classes_of, one_claim
from emberscope.course.scores import Scores
from emberscope.evaluate.held_out import N_FOLDS, bag_blocks, bag_clips
from emberscope.evaluate.knn import knn_cross_validated
from emberscope.evaluate.within_clips import Value, WithinClips, within_clips
from emberscope.findings.shown_axes import Axes, columns, of_axes
from emberscope.pipeline.witnesses import Found, Truth, found_in, mean_found, truth_of
from emberscope.project.model.parts import ALL, Part, packed
from emberscope.project.model.project import Project

K = 5  # neighbors on the map that vote for what an instance shows


class Judge:
    """Truth, and where each instance lies."""

    def __init__(self, project: Project, made: MadeBags, *, seed: int = 0) -> None:
        self.bags: Bags = made.bags
        self.truth: Truth = truth_of(project, made.instances, made.bags)
        self.clip = made.instances.source
        self.clip_of_bag = bag_clips(made.instances, made.bags)
        self.block_of_bag = bag_blocks(made.instances, made.bags)
        self.y, self._seed = made.y, seed
        first = made.bags.first_bag(len(made.instances))
        self.block = np.where(first >= 0, self.block_of_bag[first], -1)
        self.inside = self._members(self.truth.bags)
        self.known = self.inside | self._members(np.flatnonzero(made.bags.labels < 0))

    def _members(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        out = np.zeros(len(self.clip), bool)
        chosen = np.isin(self.bags.bag_of_member, numbers)
        out[self.bags.members[chosen]] = True
        return out

    def ranked(self, score: NDArray, kind: int = ALL) -> WithinClips:
        """Area under the ROC curve of scores (N,) inside positive bags: targets, of a class,
        against their ground."""
        bags = (
            self.truth.bags
            if kind == ALL
            else self.truth.bags[self.bags.classes[self.truth.bags] == kind]
        )
        rows = np.flatnonzero(self._members(bags))
        value = np.where(np.isfinite(score) & (self.y >= 0), score, -np.inf)
        right = self.truth.any if kind == ALL else self.truth.right(kind)
        return self._within(np.where(right, 1, -1), value, rows)

    def votes(self, Z: NDArray) -> NDArray[np.int64]:
        """(N,) target +1, ground -1, as most of the 5 nearest of other blocks of frames on the map
        Z (N, d) are in truth; 0 where truth or neighbors are missing."""
        y = np.where(self.known, np.where(self.truth.any, 1, -1), 0)
        blocks, place = np.unique(self.block[self.known], return_inverse=True)
        fold = np.full(len(y), -1, np.int64)
        try:
            fold[self.known] = grouped_folds(
                place.reshape(-1), y[self.known], n_folds=min(N_FOLDS, len(blocks)), seed=self._seed
            )
            return knn_cross_validated(np.ascontiguousarray(Z), y, fold, k=K).predictions
        except EmberscopeError:  # one block, or targets on one
            return np.zeros(len(y), np.int64)

    def mapped(self, votes: NDArray, kind: int = ALL) -> WithinClips:
        """Balanced accuracy of `votes` (N,): mean of the shares of targets, of a class, and of
        ground that get theirs.
        """
        shown = self.truth.any if kind == ALL else self.truth.right(kind)
        rows = np.flatnonzero((votes != 0) & (shown | ~self.truth.any))
        return self._within(np.where(shown, 1, -1), votes.astype(np.float64), rows)

    def _within(self, y: NDArray, value: NDArray, rows: NDArray) -> WithinClips:
        return within_clips(y[rows], value[rows], self.block[rows], self.clip[rows])


def truth_scores(
    project: Project, made: MadeBags, score: NDArray | None, Z: NDArray, *, seed: int = 0
) -> Scores:
    """What truth says of scores of instances (N,) and of coordinates Z (N, d); nothing where no
    bag's truth is known.

    Metrics, all of them means over clips with the ends "_low" and "_high" of 95 % intervals:
    "witness_found" with "witness_found_chance" and "witness_found_bags" (`mean_found`);
    "inside_auc", the area under the ROC curve of the scores inside positive bags, targets against
    ground; "map_accuracy", the mean of the shares of targets and of ground that the 5 nearest of
    other frames on the map tell right, 0.5 by chance. Arrays: the same of every clip and class
    (`project.model.parts`), targets of a class then being those of its own.
    """
    judge = Judge(project, made, seed=seed)
    if not len(judge.truth.bags):
        return Scores()
    votes = judge.votes(Z)
    rows = [*_rows(judge, made, score, votes, ALL)]
    every = {row.source: row for row in rows}
    for kind in _several(made.bags):
        own = list(_rows(judge, made, score, votes, kind))
        rows += one_claim(own, every, _alone(judge, made.bags, kind)) if own else []
    return Scores(metrics=dict(rows[0].numbers), arrays=packed("truths", rows))


def map_accuracy(
    project: Project, made: MadeBags, Z: NDArray, axes: Axes, *, seed: int = 0
) -> dict[str, float]:
    """Map accuracy of two columns of Z (N, d), with its ends, as `findings.shown_axes.of_axes`
    calls it; empty where no bag's truth is known."""
    judge = Judge(project, made, seed=seed)
    if not len(judge.truth.bags):
        return {}
    return _named(of_axes("map_accuracy", axes), judge.mapped(judge.votes(columns(Z, axes))).mean)


def _several(bags: Bags) -> list[int]:
    kinds = classes_of(bags)
    return kinds if len(kinds) > 1 else []


def _alone(judge: Judge, bags: Bags, kind: int) -> set[int]:
    """Clips whose known targets are all of a class."""
    known, clip = bags.classes[judge.truth.bags], judge.clip_of_bag[judge.truth.bags]
    return {int(source) for source in np.unique(clip) if (known[clip == source] == kind).all()}


def _rows(
    judge: Judge, made: MadeBags, score: NDArray | None, votes: NDArray, kind: int
) -> Iterator[Part]:
    """The mean over clips of a class, then its clips."""
    truth, bags = judge.truth, made.bags
    own = np.ones(len(truth.bags), bool) if kind == ALL else bags.classes[truth.bags] == kind
    if not own.any():
        return
    on_map, clip = judge.mapped(votes, kind), judge.clip_of_bag[truth.bags]
    ranked = None if score is None else judge.ranked(score, kind)
    found = None if score is None else found_in(truth, bags, score, made.y)

    def numbers(rows: NDArray[np.bool_], source: int) -> dict[str, float]:
        count = {"witness_found_bags": float(rows.sum())}  # what all of them rest on
        pointed = (
            count
            if found is None
            else mean_found(Found(*(each[rows] for each in found)), clip[rows])
        )
        inside = {} if ranked is None else _named("inside_auc", _of(ranked, source))
        return pointed | inside | _named("map_accuracy", _of(on_map, source))

    yield Part(ALL, kind, numbers(own, ALL))
    for source in np.unique(clip[own]).tolist():
        yield Part(source, kind, numbers(own & (clip == source), source))


def _of(found: WithinClips, source: int) -> Value:
    if source == ALL:
        return found.mean
    at = int(np.searchsorted(found.clips, source))
    there = at < len(found.clips) and found.clips[at] == source
    return found.each[at] if there else Value(float("nan"), 0.0, 1.0)


def _named(name: str, value: Value) -> dict[str, float]:
    if not np.isfinite(value.value):
        return {}
    return dict(zip((name, f"{name}_low", f"{name}_high"), value, strict=True))
