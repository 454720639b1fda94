"""Label imputation: instance labels of positive bags, by embeddings cross-fitted over bags."""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import connected_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_softmax
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.embedding.supervised.unlabeled import OfLabeled
from emberscope.mil.imputation.constraint import Known, known_labels, restore_witnesses
from emberscope.mil.rules.scale import on_common_scale
from emberscope.mil.rules.table import select
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.search import nearest
from emberscope.neighbors.threads import thread_pool

_FAINTEST = 0.1
VOTES = "votes"
_TOO_FEW = "There are too few instances to hold bags back: every instance keeps its first label."
SETTLED = 1e-3  # share of changed labels below which the loop stops


@dataclass(frozen=True, slots=True)
class Loop:
    """How labels are imputed.

    embedder : makes an embedder that reads labels.
    scorer : "votes" of neighbors in the embedding,
    or the name of a rule that learns the labels of the round.
    n_votes : neighbors that vote in the embedding. anchored : whether only targets and known
    background vote, not instances of positive bags that earlier rounds took for background.
    memory : share of earlier rounds in the votes of a round, 0 to < 1. trust : weight of the scores
    of the start beside the votes, in every round, 0 to 1.
    soft : whether labels count by how clear the vote was. cross_fit : False embeds all instances
    and votes there, which changes nothing with S-LE and next to nothing with SE-Isomap, whose
    tolerance forgives a few labels.
    """

    embedder: Callable[[], OfLabeled]
    scorer: str = VOTES
    n_votes: int = 9
    anchored: bool = False
    n_folds: int = 5
    max_rounds: int = 8
    min_witness: int = 1
    memory: float = 0.5
    trust: float = 0.5
    soft: bool = True
    cross_fit: bool = True
    random_state: int = 0


@dataclass(frozen=True, slots=True)
class Imputed:
    """labels : (N,) int8, those of the kept round; 0 in no labeled bag.
    score : (N,), the scores they come from.

    targets : (N,) float64, what an embedder is to be fitted on: the labels,
    softened where the loop is soft.
    history : (rounds + 1, N) int8, labels at the start and after every round. changes : (rounds,),
    share of free instances whose label a round changed. criterion : (rounds + 1,), what the kept
    round has the most of; the first is that of the start, NaN where it has no scores. kept : its
    number, 0 for the start. notes : for a person.
    """

    labels: NDArray[np.int8]
    targets: NDArray[np.float64]
    score: NDArray[np.float64]
    history: NDArray[np.int8]
    changes: NDArray[np.float64]
    criterion: NDArray[np.float64]
    kept: int
    notes: list[str] = field(default_factory=list)


def impute(
    X: NDArray,
    bags: Bags,
    loop: Loop,
    *,
    y: NDArray | None = None,
    start: NDArray | None = None,
    start_score: NDArray | None = None,
    distances: Distances | None = None,
    show: Callable[[NDArray], None] | None = None,
    monitor: Monitor | None = None,
) -> Imputed:
    """Alternate between embeddings of the current labels and labels from the neighbors there.

    A round deals the bags into folds (bags that share an instance stay together), embeds the
    instances of the other folds with their current labels, places those of the fold out of sample,
    and scores each by the share of positives among its nearest. A free instance is positive where
    that share, averaged with earlier rounds, exceeds both one half and the share of positives
    overall (else nothing would move where nearly all bags are positive); the scores of the start,
    whose border is one half, are averaged in by their weight. Then `restore_witnesses`.

    Parameters
    ----------
    X : (N, D) float. y : (N,) known instance labels, 0 unknown.
        start : (N,) labels to start from, default the bags'.
    start_score : (N,) in [0, 1], scores behind `start`, on the scale of votes;
        `Loop.trust` is their weight.
    distances : between the instances, for the embedders, which must take such;
        rules look at X all the same.
    show : called with the targets (N,) after every round.

    Notes
    -----
    Stops where less than 1e-3 of the labels change, after `max_rounds`, or, without memory, where
    labels repeat. Kept is the round of the largest `bag_criterion` of its scores, the first of
    equals. No bag takes part in the embedding that scores it in a round, but its labels of earlier
    rounds have shaped those of others: the criterion is honest about a round, not about the whole
    loop. Judge the result on bags that were not given at all.

    The plain loop (memory and trust 0, not soft, not anchored) does not settle. Here votes are
    averaged over rounds and with the scores of the start, which stay half of the score (else the
    votes forget what a good start knew); an embedding trusts a label as far as the vote was clear,
    |2 score - 1|; and where the loop is anchored an instance once taken for background has no vote,
    so that losing targets does not spread. It still cannot tell targets from a kind of background
    that is only in positive bags: bag labels say nothing about that. No criterion from held-out
    bags does either: bags of infrared patches are separated best by the wrong labels, so that it
    can choose among rounds but not among starts. Without free instances there is nothing to do: no
    round. Five embeddings of four fifths of the instances per round.
    """
    known = known_labels(y, bags, len(X), min_witness=loop.min_witness)
    task = _Task(X, bags, loop, known, _groups(X, known.bag_label, bags), start_score, distances)
    course = _Course(task, start)
    course.run(show or (lambda targets: None), monitored(monitor))
    return course.kept()


@dataclass(frozen=True, slots=True)
class _Task:
    """What stays the same in all rounds: instances, bags, what is known of labels, groups for
    folds, first scores, and distances that are given."""

    X: NDArray
    bags: Bags
    loop: Loop
    known: Known
    groups: NDArray[np.uint64]
    start_score: NDArray | None
    distances: Distances | None

    @property
    def trust(self) -> float:
        return 0.0 if self.start_score is None else self.loop.trust


@dataclass(frozen=True, slots=True)
class _State:
    labels: NDArray[np.int8]
    targets: NDArray[np.float64]
    score: NDArray[np.float64]


class _Course:
    """The states of the loop, from the start to the last round."""

    def __init__(self, task: _Task, start: NDArray | None) -> None:
        bags, loop, known, score = task.bags, task.loop, task.known, task.start_score
        self.task = task
        self.notes: list[str] = []
        first = known.bag_label if start is None else np.where(known.free, start, known.bag_label)
        labels = restore_witnesses(first, np.zeros(len(first)), bags, known.fixed,
                                   min_witness=loop.min_witness)
        self.folds = _possible_folds(loop, task.groups, known, self.notes)
        if score is None:
            self.states = [_State(labels, labels.astype(np.float64), (1.0 + labels) / 2)]
        else:
            self.states = [_State(labels, _targets(labels, score, task), score)]
        self.changes: list[float] = []
        self.criterion = [np.nan if score is None else bag_criterion(score, bags)]

    def run(self, show: Callable[[NDArray], None], watch: Monitor) -> None:
        """Rounds until labels settle or repeat, or no more are allowed."""
        task, loop = self.task, self.task.loop
        # labels of bags say nothing within them: no round remembers those
        votes: NDArray[np.float64] | None = None
        rounds = loop.max_rounds if self.folds and task.known.free.any() else 0
        for round_ in range(rounds):
            part = Portion(watch, round_ / rounds, (round_ + 1) / rounds)
            fold = _deal(task.groups, task.known, self.folds, loop, round_)
            try:
                fresh, second = _round_scores(task, self.states[-1].targets, fold, part,
                                              f"Round {round_ + 1}")
            except DataError:
                self.notes.append(_TOO_FEW)
                return
            votes = fresh if votes is None else loop.memory * votes + (1 - loop.memory) * fresh
            repeated = self._move(votes, second)
            show(self.states[-1].targets)
            if self.changes[-1] < SETTLED or (repeated and not loop.memory):
                return

    def _move(self, votes: NDArray, second: NDArray) -> bool:
        """Labels from the votes of a round, as the next state;
        whether an earlier one had the same."""
        task, now, start = self.task, self.states[-1], self.task.start_score
        score = votes if start is None else task.trust * start + (1 - task.trust) * votes
        moved = _relabelled(now.labels, score, second, task)
        self.changes.append(float((moved != now.labels)[task.known.free].mean()))
        self.criterion.append(bag_criterion(score, task.bags))
        repeated = any(np.array_equal(moved, old.labels) for old in self.states)
        self.states.append(_State(moved, _targets(moved, score, task), score))
        return repeated

    def kept(self) -> Imputed:
        """The state of the largest criterion, the first of equals."""
        best = (
            0 if np.isnan(self.criterion).all() else int(np.nanargmax(np.round(self.criterion, 12)))
        )
        at, history = self.states[best], np.stack([state.labels for state in self.states])
        changes, criterion = np.array(self.changes), np.array(self.criterion)
        return Imputed(at.labels, at.targets, at.score, history, changes, criterion, best,
                       self.notes)


def _relabelled(labels: NDArray, score: NDArray, second: NDArray, task: _Task) -> NDArray[np.int8]:
    share = float((labels > 0).sum() / max((labels != 0).sum(), 1))
    wanted = np.where(score > task.trust * 0.5 + (1 - task.trust) * max(0.5, share), 1, -1)
    moved = np.where(task.known.free, wanted, task.known.bag_label)
    return restore_witnesses(
        moved, score, task.bags, task.known.fixed, min_witness=task.loop.min_witness, second=second
    )


def _targets(labels: NDArray, score: NDArray, task: _Task) -> NDArray[np.float64]:
    """What the next embedder is fitted on: labels, softened where the loop is soft."""
    return _softened(labels, score, task.known) if task.loop.soft else labels.astype(np.float64)


def _softened(labels: NDArray, score: NDArray, known: Known) -> NDArray[np.float64]:
    """Labels of free instances times how clear the vote was, |2 score - 1|; at least a tenth,
    so that all take part."""
    clear = np.maximum(labels * (2 * score - 1), _FAINTEST)
    return np.where(known.free, labels * clear, labels).astype(np.float64)


def bag_criterion(score: NDArray, bags: Bags) -> float:
    """Subtract the mean score of negative bags from that of positive ones; a bag scores a mean that
    leans to its largest instance.

    The largest alone is blind to targets lost beside it, and the plain mean to a false target among
    many: softmax with alpha = 2 is between them. 0 without bags of both labels. `score` : (N,).
    """
    value = bag_softmax(score, bags, alpha=2.0)
    sides = [value[(bags.labels == label) & (bags.sizes > 0)] for label in (1, -1)]
    return float(sides[0].mean() - sides[1].mean()) if len(sides[0]) and len(sides[1]) else 0.0


def _round_scores(
    task: _Task, targets: NDArray, fold: NDArray, watch: Monitor, title: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores (N,) in [0, 1] of all instances, each from the other folds,
    and what tells equal ones apart."""
    X, bags, fixed, loop = task.X, task.bags, task.known.fixed, task.loop
    score, second = np.empty(len(X)), np.empty(len(X))
    n_folds = int(fold.max()) + 1
    # forty small embeddings: more threads of BLAS take ten times as long beside other programs
    with thread_pool():
        for f in range(n_folds):
            watch.step(f / n_folds, title)
            rows = np.flatnonzero(fold == f)
            others = np.flatnonzero(((fold != f) | (not loop.cross_fit)) & (targets != 0))
            if loop.scorer == VOTES:
                part = _Named(Portion(watch, f / n_folds, (f + 1) / n_folds), title)
                Z, there = _embedded(task, targets, others, rows, part)
                score[rows], second[rows] = _votes(Z, there, targets[others], fixed[others], loop)
            else:
                score[rows], second[rows] = _by_rule(X, bags, targets, fixed, rows, others,
                                                     loop.scorer)
    return score, second


def _embedded(
    task: _Task, targets: NDArray, others: NDArray, rows: NDArray, monitor: Monitor
) -> tuple[NDArray, NDArray]:
    """Coordinates (n, d) of the instances `others` (n,) in their embedding,
    and of `rows` (m,) there, (m, d)."""
    X, given, embedder = task.X, task.distances, task.loop.embedder()
    if given is not None:
        embedder.measured_by(given.take(others))
    embedder.fit(X[others], targets[others], monitor=monitor)  # type: ignore[attr-defined]
    if given is None:
        return embedder.embedding_, embedder.transform(X[rows])
    return embedder.embedding_, embedder.placed_by(X[rows], given.squared[np.ix_(rows, others)])


def _votes(
    Z: NDArray, there: NDArray, targets: NDArray, fixed: NDArray, loop: Loop
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of positives among the neighbors of instances that lie `there` (m, d) in an embedding Z
    (n, d), and the same with nearer ones weighing more."""
    voters = _voters(targets, fixed, loop)
    images = np.ascontiguousarray(Z[voters])
    found = nearest(images, np.ascontiguousarray(there), min(loop.n_votes, len(voters)))
    votes = targets[voters][found.idx] > 0
    weight = 1 / np.arange(1, votes.shape[1] + 1)
    return _share(votes.mean(axis=1), targets, fixed, loop), votes @ (weight / weight.sum())


def _by_rule(
    X: NDArray, bags: Bags, targets: NDArray, fixed: NDArray, rows: NDArray, others: NDArray,
    scorer: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of `rows` by a rule that learned `others`,
    on the scale of the known background held back with them.

    Rules of different folds have no common scale of their own. Where no background is held back,
    that of the others stands in.
    """
    learned = _bags_now(bags, targets, others)
    raw = select(scorer, X[others], learned, X[rows])
    known = fixed[rows] < 0
    background = raw[known] if known.any() else select(scorer, X[others], learned,
                                                       X[others[fixed[others] < 0]])
    return on_common_scale(raw, background), raw


def _bags_now(bags: Bags, targets: NDArray, others: NDArray) -> Bags:
    """Bags of these rows as labels are now: positive bags hold their targets,
    one bag all that is not a target."""
    place = np.full(len(targets), -1)
    place[others] = np.arange(len(others))
    there = (bags.of(int(k)) for k in np.flatnonzero(bags.labels > 0))
    kept = [place[rows[(targets[rows] > 0) & (place[rows] >= 0)]] for rows in there]
    lists = [rows for rows in kept if len(rows)]
    return Bags.from_lists([*lists, np.flatnonzero(targets[others] < 0)],
                           np.append(np.ones(len(lists)), -1))


def _voters(targets: NDArray, fixed: NDArray, loop: Loop) -> NDArray[np.int64]:
    return np.flatnonzero((targets > 0) | (fixed < 0) | (not loop.anchored))


def _share(positive: NDArray, targets: NDArray, fixed: NDArray, loop: Loop) -> NDArray[np.float64]:
    """Share of positive votes, where known background also votes for imputed background,
    which has no vote."""
    known = (fixed < 0).sum()
    stands_for = (targets < 0).sum() / known if loop.anchored and known else 1.0
    return positive / (positive + stands_for * (1 - positive))


class _Named:
    """A monitor that says the round instead of the steps of the embedder,
    and shows no embedding of a fold."""

    def __init__(self, monitor: Monitor, title: str) -> None:
        self._monitor, self._title = monitor, title

    def step(self, fraction: float, message: str = "") -> None:
        self._monitor.step(fraction, self._title)

    def partial(self, Z: NDArray) -> None:
        pass


def _possible_folds(loop: Loop, groups: NDArray, known: Known, notes: list[str]) -> int:
    """As many folds as there are groups of either kind of bag,
    so that the rest of a fold can hold both; 0 if < 2."""
    if not loop.cross_fit:
        return 1
    most = min(len(np.unique(groups[known.bag_label == label])) for label in (1, -1))
    if most < 2:
        notes.append("There are too few separate bags to impute labels: every instance keeps the "
                     "label of its bag.")
        return 0
    if most < loop.n_folds:
        notes.append(f"Labels are imputed over {most} folds: there are no more separate bags of "
                     "one kind.")
    return min(most, loop.n_folds)


def _deal(groups: NDArray, known: Known, folds: int, loop: Loop, round_: int) -> NDArray[np.int64]:
    """Fold of every instance, drawn anew each round;
    redrawn where all bags of one kind fell into one fold."""
    if not loop.cross_fit:
        return np.zeros(len(groups), np.int64)
    for attempt in range(20):
        seed = loop.random_state + 1000 * round_ + attempt
        fold = grouped_folds(groups, known.bag_label, n_folds=folds, seed=seed)
        if all(len(np.unique(fold[known.bag_label == label])) > 1 for label in (1, -1)):
            break
    return fold


def _groups(X: NDArray, label: NDArray, bags: Bags) -> NDArray[np.uint64]:
    """Group of every instance: bags that share one are together.
    Named by content, so that folds ignore the order."""
    group = connected_groups(bags, len(X))
    key = np.array([_digest(row.tobytes() + mark.tobytes())
                    for row, mark in zip(X, label, strict=True)], np.uint64)
    total = np.zeros(int(group.max()) + 1, np.uint64)
    np.add.at(total, group, key)
    return total[group]


def _digest(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")
