"""What a bag AUC rests on: targets, or the ground they stand on."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.components import FoldComponents
from emberscope.course.split import HeldBags, Split
from emberscope.evaluate.doubts import best_quarter
from emberscope.evaluate.within_clips import within_clips
from emberscope.features.extract import grown
from emberscope.labels.geometry import as_boxes, intersection
from emberscope.labels.model import Label, TargetClass, tight_box
from emberscope.mil.training_bags import TrainingBags, training_bags

Cores = Mapping[tuple[int, int], NDArray[np.float64]]

_TREES, _LEAF = 40, 5
LEARNED = 1500   # instances a fold learns from at most
_LEAST = 10       # bags of either kind that can tell anything
# area from which background is said to give labels away; its interval must leave chance out too
_TELLING = 0.6
_OVERLAP = 0.5    # of a negative bag at the places of targets, from which it counts as lying there
_DRAW_OTHERWISE = "draw background at the places of targets on other frames, or on matched ground"


class Judged(NamedTuple):
    """Area under the ROC curve of bags, out of fold, mean over clips, and its 95 % interval."""

    area: float
    low: float
    high: float

    @property
    def telling(self) -> bool:
        """Whether the area is large, and its interval leaves chance out."""
        return self.area >= _TELLING and self.low > 0.5


def rests_on(
    X: NDArray, made: MadeBags, cores: Cores | None = None, *, held: HeldBags | None = None,
    seen: float = 1.0, components: int = 0, monitor: Monitor | None = None,
) -> tuple[dict[str, float], str]:
    """What tells positive bags from negative ones: numbers and one sentence, which says why where
    there are none.

    Parameters
    ----------
    X : (N, D) features of the instances of `made`. cores : see `cores_of`; where most positive bags
        have one, every instance that shares a pixel with a core is taken out ("targets removed").
        Else, or where that leaves too little of positive bags, the placebo is asked: can negative
        bags at the places that positive bags have on other frames be separated from other negative
        bags?
    held : what the bags of `made` are held out with; None: by blocks of frames.
    seen : how much wider than an instance its features look; what they see of a target is taken out
        too.
    components : how many of X the judge sees, found without the bags that it judges; 0: X itself.

    Returns
    -------
    metrics : "bag_auc_trees", and "bag_auc_without_targets" with the ends "_low", "_high" of its 95
        % interval; or "placebo_auc" with the same.

    Notes
    -----
    The judge: randomized trees (Geurts, Ernst and Wehenkel 2006) on instances that take the label
    of their bag, out of fold by blocks of frames; a bag scores the mean of its best quarter, which
    depends little on its size. Without targets positive bags are smaller, so negative ones are
    thinned to the same sizes. About 1 s for 5000 instances of 50 features: a fold learns from 1500
    of them.
    """
    watch = monitored(monitor)
    try:
        training = training_bags(made.y, made.bags, len(X))
    except EmberscopeError:
        return {}, ""
    if held is None:
        held = Split().of_bags(made.instances, made.bags, None)
    held = held.take(training.rows)
    if cores:
        touched = touching(grown(made.instances, seen), cores)
        first = Portion(watch, 0.0, 0.7)
        found = _without_targets(X, training.bags, held, touched, components, first)
        if found is not None:
            return found
    last = Portion(watch, 0.7, 1.0)
    metrics, text = _placebo(X, made.instances, training, held, components, last)
    return metrics, text or _not_asked(training.bags, shown=bool(cores))


def _not_asked(bags: Bags, *, shown: bool) -> str:
    """Why neither question has an answer."""
    text = "What the bag AUC rests on cannot be asked:"
    fewest = int(min((bags.labels > 0).sum(), (bags.labels < 0).sum()))
    if fewest < _LEAST:
        return f"{text} {fewest} bags of one kind, of {_LEAST} that it takes."
    of_targets = ("all of a positive bag shows its target or looks at it from beside, and " if shown
                  else "")
    return (
        f"{text} {of_targets}too little background lies at the places of targets of other frames."
    )


def cores_of(labels: Iterable[Label], classes: Mapping[int, TargetClass]) -> Cores:
    """(source, frame) -> (m, 4) tight boxes of targets, where labels have them: cores, and boxes
    that are tight."""
    found: dict[tuple[int, int], list[tuple[float, ...]]] = {}
    for label in labels:
        role = classes[label.class_id].role if label.class_id in classes else 0
        core = tight_box(label)
        if role > 0 and core is not None:
            found.setdefault((label.source, label.frame), []).append(core)
    return {place: as_boxes(boxes) for place, boxes in found.items()}


def touching(instances: Instances, cores: Cores) -> NDArray[np.bool_]:
    """(N,) True where the pixels of an instance meet a core on its frame. O(N + cores)."""
    out = np.zeros(len(instances), bool)
    for rows, place in _by_frame(instances):
        if place in cores:
            out[rows] = (intersection(instances.box[rows], cores[place]) > 0).any(axis=1)
    return out


def _without_targets(
    X: NDArray, bags: Bags, held: HeldBags, touched: NDArray[np.bool_], components: int,
    monitor: Monitor
) -> tuple[dict[str, float], str] | None:
    """None where most positive bags have no core, so that there is no truth to take out, and where
    too few patches are left without it."""
    shown = np.bincount(bags.bag_of_member[touched[bags.members]], minlength=len(bags)) > 0
    if shown[bags.labels > 0].mean() < 0.5:
        return None
    kept = np.flatnonzero((bags.labels < 0) | shown)
    bags, held = bags.take(kept), held.take(kept)
    with_targets = judge(X, bags, held, components=components, monitor=Portion(monitor, 0.0, 0.5))
    left, rows = _without(bags, touched)
    without = judge(X, _thinned(left, held.seed), held.take(rows), components=components,
                    monitor=Portion(monitor, 0.5, 1.0))
    if with_targets is None or without is None:
        return None
    metrics = {"bag_auc_trees": with_targets.area} | _named("bag_auc_without_targets", without)
    text = f"Bag AUC {with_targets.area:.2f} by randomized trees"
    text += f"; without any patch that shows a target {without.area:.2f} (chance .5)"
    if without.telling:
        return metrics, f"{text}: background alone tells the bags apart; {_DRAW_OTHERWISE}."
    return metrics, f"{text}: it rests on the targets."


def _placebo(
    X: NDArray, instances: Instances, training: TrainingBags, held: HeldBags,
    components: int, monitor: Monitor
) -> tuple[dict[str, float], str]:
    """Negative bags at places of positive ones, as if these were targets, against the other
    negative bags."""
    bags = training.bags
    negative = np.flatnonzero(bags.labels < 0)
    there = _at_places_of_targets(instances, bags)[negative]
    signs = np.where(there, 1, -1).astype(np.int8)
    asked = bags.take(negative)
    asked = Bags(asked.indptr, asked.members, signs, asked.ids, asked.classes)
    found = judge(X, asked, held.take(negative), components=components, monitor=monitor)
    if found is None:
        return {}, ""
    text = (
        "Placebo: background at the places of targets is separated from other background with "
        f"AUC {found.area:.2f}"
    )
    if found.telling:
        text += f" (chance .5): places alone may tell the bags apart; {_DRAW_OTHERWISE}."
    else:
        text += " (chance .5): places do not give the labels away."
    return _named("placebo_auc", found), text


def judge(
    X: NDArray, bags: Bags, held: HeldBags, *, components: int = 0, monitor: Monitor | None = None
) -> Judged | None:
    """How well randomized trees rank bags that they did not see; None with too few bags or blocks
    to tell.

    X : (N, D). bags : K bags labeled -1 and +1, none empty. held : of these. components : of X, as
    many as the judge sees, found in each fold without the bags that it judges; 0: X itself.
    """
    fold = held.folds(bags.labels)
    if min((bags.labels > 0).sum(), (bags.labels < 0).sum()) < _LEAST or fold is None:
        return None
    shown = fold >= 0
    if len(np.unique(bags.labels[shown])) < 2:
        return None
    owner, score = bags.bag_of_member, np.full(len(bags.members), np.nan)
    rng, watch = np.random.default_rng(held.seed), monitored(monitor)
    for number in np.unique(fold[shown]).tolist():
        watch.step(number / (fold.max() + 1), "What tells the bags apart")
        tested = fold[owner] == number
        learned = rng.permutation(np.flatnonzero(~tested))[:LEARNED]
        signs = bags.labels[owner[learned]]
        if len(np.unique(signs)) < 2:
            return None
        own, others = X[bags.members[learned]], X[bags.members[tested]]
        if components:
            reduction = FoldComponents(components).fit(own)
            own, others = reduction.embedding_, reduction.transform(others)
        score[tested] = _trees(own, signs, others, held.seed)
    scores = np.array([best_quarter(score[a:b])
                       for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)])
    return Judged(*within_clips(bags.labels[shown], scores[shown], held.block[shown],
                                held.clip[shown]).mean)


def _trees(X: NDArray, signs: NDArray, others: NDArray, seed: int) -> NDArray[np.float64]:
    from sklearn.ensemble import ExtraTreesClassifier

    trees = ExtraTreesClassifier(_TREES, min_samples_leaf=_LEAF, class_weight="balanced",
                                 random_state=seed)
    return trees.fit(X, signs).predict_proba(others)[:, 1]


def _without(bags: Bags, gone: NDArray[np.bool_]) -> tuple[Bags, NDArray[np.int64]]:
    """Bags without some instances, and the numbers of those that are not empty then."""
    parts = [rows[~gone[rows]] for rows in map(bags.of, range(len(bags)))]
    left = np.array([k for k, part in enumerate(parts) if len(part)], np.int64)
    return Bags.from_lists([parts[k] for k in left], bags.labels[left], ids=bags.ids[left]), left


def _thinned(bags: Bags, seed: int) -> Bags:
    """Negative bags cut at random to the sizes of the positive ones, so that their size does not
    tell them."""
    rng = np.random.default_rng(seed)
    if not (bags.labels > 0).any():
        return bags
    wanted = rng.choice(bags.sizes[bags.labels > 0], len(bags))
    parts = [
        bags.of(k) if bags.labels[k] > 0 else rng.permutation(bags.of(k))[: wanted[k]]
        for k in range(len(bags))
    ]
    return Bags.from_lists(parts, bags.labels, ids=bags.ids)


def _at_places_of_targets(instances: Instances, bags: Bags) -> NDArray[np.bool_]:
    """(K,) True for bags half of whose instances lie where a positive bag has one on another
    frame."""
    owner = bags.bag_of_member
    where = np.column_stack([instances.source[bags.members],
                             instances.box[bags.members].astype(np.int64)])
    place = np.unique(where, axis=0, return_inverse=True)[1].reshape(-1)
    frame = instances.frame[bags.members]
    positive = bags.labels[owner] > 0
    first = np.full(place.max(initial=-1) + 1, np.iinfo(np.int64).max)
    last = np.full(len(first), -1)
    np.minimum.at(first, place[positive], frame[positive])
    np.maximum.at(last, place[positive], frame[positive])
    elsewhen = (last[place] >= 0) & ((first[place] != frame) | (last[place] != frame))
    return np.bincount(owner, elsewhen, minlength=len(bags)) >= _OVERLAP * np.maximum(bags.sizes, 1)


def _by_frame(instances: Instances) -> Iterable[tuple[NDArray[np.int64], tuple[int, int]]]:
    key = np.column_stack([instances.source, instances.frame])
    places, number = np.unique(key, axis=0, return_inverse=True)
    order = np.argsort(number.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(number.reshape(-1), minlength=len(places)))
    return zip(np.split(order, ends[:-1]), map(tuple, places.tolist()), strict=True)


def _named(name: str, found: Judged) -> dict[str, float]:
    return {name: found.area, f"{name}_low": found.low, f"{name}_high": found.high}
