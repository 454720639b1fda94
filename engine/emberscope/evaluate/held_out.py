"""Held-out bag AUC: how well a method separates bags that it was not fitted on, the same for every
method."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from emberscope.bags.folds import LEARNED, NO_PART, bag_groups, frame_blocks, grouped_folds
from emberscope.bags.model import Bags, Instances
from emberscope.bags.reduce import bag_softmax
from emberscope.base.embedder import Embedder
from emberscope.base.errors import NoOutOfSample
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.evaluate.knn import knn_classify, knn_cross_validated
from emberscope.evaluate.learned_from import BAGS_ALONE, LearnedFrom
from emberscope.evaluate.within_clips import Value, WithinClips, within_clips
from emberscope.neighbors.search import nearest

N_FOLDS = 5
# frames of one source that are held out together: the first that leaves enough groups
BLOCKS = (10, 5, 3, 2, 1)
LEAST_CLIPS = 3  # with bags of both kinds, from which on whole clips are held out
# at most, whose labels are the score where a method has none: with 3 or 9 bags were separated less
# well
VOTERS = 25
NEAREST = 3  # whose labels predict that of an instance
_LEAN = 2.0  # how far the score of a bag leans to its largest


@dataclass(frozen=True, slots=True)
class Parts:
    """What is held out together, and what is judged together.

    group : (K,) int64, bags of one clip or one block of frames. fold : (K,) int64, -1 for a bag
    without label or instance, -2 for one that is only learned from. of_instance : (N,) int64, the
    same of every instance, -1 in no bag with a label. by_clip : whether groups are whole clips.
    clip : (K,) int64, the source of a bag, whose scores are compared with those of its clip only;
    None: all are of one. block : (K,) int64, bags that depend on each other inside their clip;
    None: `group`.
    block_of_instance, clip_of_instance : (N,) int64, the same of instances, -1 in no bag that is
    judged.
    """

    group: NDArray[np.int64]
    fold: NDArray[np.int64]
    of_instance: NDArray[np.int64]
    block_of_instance: NDArray[np.int64]
    by_clip: bool
    clip: NDArray[np.int64] | None = None
    block: NDArray[np.int64] | None = None
    clip_of_instance: NDArray[np.int64] | None = None

    @property
    def n_groups(self) -> int:
        """How many groups of instances that belong together are predicted."""
        return len(np.unique(self.group[self.fold >= 0]))


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Predictions for instances by fits that have not seen them.

    score : (N,) how target-like, on a scale of its fold; NaN where none was made. predictions :
    (N,) int64, the label of most of the 3 nearest in the embedding, 0 where none was made. votes :
    (N,) share of target among those 3.
    """

    score: NDArray[np.float64]
    predictions: NDArray[np.int64]
    votes: NDArray[np.float64]


def parts_of(instances: Instances, bags: Bags, *, seed: int = 0) -> Parts | None:
    """Folds of the labeled bags: by clip where at least three clips have bags of both kinds and
    each class of positive bags is on two clips, else by block of frames.

    A class that one clip alone shows could not be learned from the others. Folds depend on where
    labels are, not on the patch: what shares an instance lies on one frame. None where fewer than
    two folds hold positive, or negative, bags.
    """
    by_clip, block = _clips_repeat(instances, bags), bag_blocks(instances, bags)
    group = clip_groups(instances, bags) if by_clip else block
    parts = parts_by(group, bags, len(instances), by_clip=by_clip, seed=seed)
    return None if parts is None else placed(parts, instances, bags, block)


def placed(parts: Parts, instances: Instances, bags: Bags, block: NDArray[np.int64]) -> Parts:
    """The same with the clips of the bags and their blocks of frames (K,), see `bag_blocks`: scores
    are compared inside clips."""
    inside = parts.of_instance >= 0
    return replace(
        parts, clip=bag_clips(instances, bags), block=block,
        block_of_instance=_of_instances(block, parts.fold >= 0, bags, len(instances)),
        clip_of_instance=np.where(inside, instances.source, -1),
    )


def parts_by(
    group: NDArray, bags: Bags, n: int, *, folds: int = N_FOLDS, by_clip: bool = False,
    seed: int = 0
) -> Parts | None:
    """Folds of the labeled bags of n instances that keep each `group` (K,) together, which bags
    that share an instance must be; as many as `folds`, fewer of fewer groups. None where there is
    no telling, as in `parts_of`."""
    known = labeled_bags(bags)
    n_groups = len(np.unique(group[known]))
    if len(np.unique(bags.labels[known])) < 2 or n_groups < 2:
        return None
    fold = np.full(len(bags), NO_PART, np.int64)
    fold[known] = grouped_folds(group[known], bags.labels[known], n_folds=min(folds, n_groups),
                                seed=seed)
    if any(len(np.unique(fold[known & (bags.labels == label)])) < 2 for label in (1, -1)):
        return None
    return _parts(group, fold, bags, n, by_clip=by_clip)


def parts_held(
    tested: NDArray[np.bool_], group: NDArray, bags: Bags, n: int, *,
    known: NDArray[np.bool_] | None = None, by_clip: bool = True,
) -> Parts:
    """The labeled bags of n instances that are `tested` (K,) judge, whole clips `group` (K,); all
    others are learned from. known : (K,) bags that take part; None: all with a label."""
    part = labeled_bags(bags) if known is None else known
    fold = np.where(part, np.where(tested, 0, LEARNED), NO_PART)
    return _parts(group, fold, bags, n, by_clip=by_clip)


def _parts(group: NDArray, fold: NDArray[np.int64], bags: Bags, n: int, *, by_clip: bool) -> Parts:
    of_instance = _of_instances(fold, fold != NO_PART, bags, n)
    return Parts(group, fold, of_instance, _of_instances(group, fold >= 0, bags, n), by_clip)


def labeled_bags(bags: Bags) -> NDArray[np.bool_]:
    """(K,) True for bags with a label and an instance."""
    return (bags.labels != 0) & (bags.sizes > 0)


def clip_groups(instances: Instances, bags: Bags) -> NDArray[np.int64]:
    """(K,) group of every bag: bags of one clip are together."""
    return bag_groups(bags, len(instances), also=instances.source)


def _of_instances(
    value: NDArray, known: NDArray[np.bool_], bags: Bags, n: int
) -> NDArray[np.int64]:
    """(n,) what a bag has, for its instances; -1 in none of those known."""
    out, judged = np.full(n, -1, np.int64), known[bags.bag_of_member]
    out[bags.members[judged]] = value[bags.bag_of_member[judged]]
    return out


def bag_clips(instances: Instances, bags: Bags) -> NDArray[np.int64]:
    """(K,) source of every bag, -1 of an empty one."""
    out, full = np.full(len(bags), -1, np.int64), bags.sizes > 0
    out[full] = instances.source[bags.members[bags.indptr[:-1][full]]]
    return out


def bag_blocks(instances: Instances, bags: Bags) -> NDArray[np.int64]:
    """(K,) group of every bag: bags of one block of frames are together, shorter blocks where long
    ones are too few."""
    return enough_blocks(instances.source, instances.frame,
                         lambda blocks: bag_groups(bags, len(instances), also=blocks),
                         BLOCKS[-1:] if instances.apart else BLOCKS)


def enough_blocks(
    source: NDArray, frame: NDArray,
    grouped: Callable[[NDArray[np.int64]], NDArray[np.int64]] = lambda blocks: blocks,
    lengths: Sequence[int] = BLOCKS,
) -> NDArray[np.int64]:
    """Groups by blocks of frames, shorter ones where long ones make too few of them.

    source, frame : (N,). grouped : blocks (N,) to groups; without it, blocks themselves.
    lengths : of the blocks to be tried.
    """
    groups = np.empty(0, np.int64)
    for block in lengths:
        groups = grouped(frame_blocks(source, frame, block=block))
        if len(np.unique(groups)) >= N_FOLDS:
            break
    return groups


def fitted_without(
    make: Callable[[], Embedder], X: NDArray, y: NDArray, bags: Bags, parts: Parts, *,
    learned_from: LearnedFrom = BAGS_ALONE, monitor: Monitor | None = None,
) -> HeldOut:
    """Each fold judged by a method that was fitted on the others; one fit per fold.

    Parameters
    ----------
    make : returns an unfitted method. X : (N, D). y : (N,) labels that vote, those of bags and of
        marks. learned_from : beside bags; each fit gets what is known of its instances.

    Notes
    -----
    The score is the method's own `score_instances` where it has one; else the vote of the 25
    nearest training instances in its embedding, a tenth of them where these are fewer: the mean
    rank of their `score_` where the method scores them, which tells bags apart better, else the
    share of target. Raises what the method raises.
    """
    watch = monitored(monitor)
    out = HeldOut(np.full(len(y), np.nan), np.zeros(len(y), np.int64), np.full(len(y), np.nan))
    numbers = np.unique(parts.fold[parts.fold >= 0])
    for at, number in enumerate(numbers):
        share = Portion(watch, at / len(numbers), (at + 1) / len(numbers))
        share.step(0.0, f"Fold {at + 1} of {len(numbers)}")
        train = np.flatnonzero((parts.of_instance != NO_PART) & (parts.of_instance != number))
        test = np.flatnonzero(parts.of_instance == number)
        inner = bags.among(train, len(X))
        known = learned_from.among(train, len(X))
        method = make().fit(X[train], known.labels, bags=inner, monitor=share,
                            **known.beside_labels)
        _judge(method, X, y, train, test, out)
    return replace(out, score=_on_scale_of_fold(out.score, parts))


def by_own_scores(score: NDArray, parts: Parts) -> HeldOut:
    """What a method says that scored every instance (N,) by fits without its bag:
    `Embedder.holds_back`."""
    share = np.where(parts.of_instance >= 0, _towards_top(score), np.nan)
    return HeldOut(share, np.zeros(len(score), np.int64), np.full(len(score), np.nan))


def _towards_top(score: NDArray) -> NDArray[np.float64]:
    """Share of lower scores (ties count half), to the power that takes 0.95 to one half: who is at
    the top counts."""
    return ((rankdata(score) - 0.5) / max(len(score), 1)) ** (np.log(0.5) / np.log(0.95))


def in_embedding(Z: NDArray, y: NDArray, parts: Parts) -> HeldOut:
    """The same for the embedding Z (N, d) of a method that reads no labels: votes of the other
    folds in it."""
    few = knn_cross_validated(Z, y, parts.of_instance, k=NEAREST)
    many = knn_cross_validated(Z, y, parts.of_instance,
                               k=_voters(int((parts.of_instance >= 0).sum())))
    return HeldOut(_on_scale_of_fold(many.score, parts), few.predictions, few.score)


def bag_areas(
    found: HeldOut, bags: Bags, parts: Parts, *, only: NDArray[np.bool_] | None = None
) -> WithinClips:
    """Areas under the ROC curve of held-out bags inside their clips, and the mean of these with its
    95 % interval.

    The score of a bag is the mean of its instances that leans to the largest (softmax, alpha = 2),
    all of them: a mark teaches the method, it does not change what is judged. only : (K,) bags that
    take part, such as those of a class.

    What another draw of training bags would change is not in the interval (`bench held_out`).
    """
    known = (parts.fold >= 0) if only is None else (parts.fold >= 0) & only
    clip = np.zeros(len(bags), np.int64) if parts.clip is None else parts.clip
    block = parts.group if parts.block is None else parts.block
    return within_clips(bags.labels[known], bag_scores(found, bags)[known], block[known],
                        clip[known])


def bag_area(found: HeldOut, bags: Bags, parts: Parts) -> Value:
    """The mean of `bag_areas`, or the pooled area where no clip has bags of both kinds."""
    return bag_areas(found, bags, parts).mean


def bag_scores(found: HeldOut, bags: Bags) -> NDArray[np.float64]:
    """(K,) what `bag_area` ranks."""
    return bag_softmax(np.nan_to_num(found.score, nan=0.0), bags, alpha=_LEAN)


def balanced(found: HeldOut, y: NDArray, parts: Parts) -> Value:
    """Mean of the shares of target and of background that are predicted right, mean over clips, and
    its 95 % interval.

    It is the area under the ROC curve of a yes or no; 0.5 is chance whatever the shares. NaN where
    one label is missing.
    """
    done = found.predictions != 0
    clip = np.zeros(len(y), np.int64) if parts.clip_of_instance is None else parts.clip_of_instance
    labels, voted = np.sign(y[done]), np.sign(found.predictions[done]).astype(np.float64)
    return within_clips(labels, voted, parts.block_of_instance[done], clip[done]).mean


def _judge(
    method: Embedder, X: NDArray, y: NDArray, train: NDArray, test: NDArray, out: HeldOut
) -> None:
    """What a method that was fitted on `train` says of `test`, written into `out`."""
    ranks = hasattr(method, "score_instances")
    if ranks:
        score = np.asarray(method.score_instances(X[test]), np.float64)
        out.score[test] = score
    voters = y[train] != 0
    try:
        there = method.transform(X[test])
    except NoOutOfSample:
        if ranks:
            return
        raise
    images, labels = method.embedding_[voters], y[train][voters]
    out.predictions[test], out.votes[test] = knn_classify(images, labels, there, k=NEAREST)
    if not ranks:
        own = getattr(method, "score_", None)
        if own is not None and np.shape(own) == (len(train),):
            out.score[test] = _of_nearest(method.embedding_, np.asarray(own, np.float64), there,
                                          _voters(len(train)))
        else:
            out.score[test] = knn_classify(images, labels, there, k=_voters(len(labels)))[1]


def _of_nearest(Z: NDArray, score: NDArray, Q: NDArray, k: int) -> NDArray[np.float64]:
    """(M,) mean rank of the scores of the k nearest rows of Z to each of Q."""
    place = rankdata(score) / len(score)
    return place[nearest(np.ascontiguousarray(Z), np.ascontiguousarray(Q),
                         min(k, len(Z))).idx].mean(axis=1)


def _voters(n: int) -> int:
    """25 neighbors, or a tenth of n where that is fewer: of a handful, 25 would be everybody."""
    return int(np.clip(n // 10, NEAREST, VOTERS))


def _on_scale_of_fold(score: NDArray, parts: Parts) -> NDArray[np.float64]:
    """Ranks among the instances held out together, spread towards the top.

    Fits without different folds have no common scale. The scores of what a method was trained on
    are none either: it knows that background too well, and all that is held out comes above it.
    """
    out = np.full(len(score), np.nan)
    for number in np.unique(parts.fold[parts.fold >= 0]):
        rows = np.flatnonzero((parts.of_instance == number) & np.isfinite(score))
        out[rows] = _towards_top(score[rows])
    return out


def _clips_repeat(instances: Instances, bags: Bags) -> bool:
    """Whether what a clip shows is on others too: three have bags of both kinds, each positive
    class is on two."""
    full = bags.sizes > 0
    source = instances.source[bags.members[bags.indptr[:-1][full]]]
    labels, classes = bags.labels[full], bags.classes[full]
    alone = any(len(np.unique(source[(labels > 0) & (classes == kind)])) < 2
                for kind in np.unique(classes[labels > 0]))
    return not alone and len(np.intersect1d(source[labels > 0], source[labels < 0])) >= LEAST_CLIPS
