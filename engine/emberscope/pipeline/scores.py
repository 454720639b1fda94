"""Last stage: how far to believe the picture, per instance and in numbers."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import bag_groups, connected_groups, frame_blocks, grouped_folds
from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.evaluate.knn import embed_cross_validated, knn_classify, knn_cross_validated
from emberscope.evaluate.purity import bag_purity, neighborhood_purity
from emberscope.evaluate.stability import stability
from emberscope.mil.training_bags import training_bags
from emberscope.pipeline.classification import (
    chance_note,
    chosen_words,
    classification,
    fit_notes,
    most_often,
    size_auc,
)

N_FOLDS = 5
BLOCK = 10  # frames of one source that are tested together
K = 3
_TELLING = 0.9  # area under the curve of the size of bags
BY_SIZE = (
    "Positive and negative bags differ in size so much that it alone tells them apart (AUC {:.2f}): AUC and accuracy "
    "of bags may show no more than that. Label background with boxes a patch larger than those of targets: of "
    "background only patches wholly inside count."
)
NO_ACCURACY = (
    "No accuracy: what is labeled is of one class, or all on frames near each other. Label another class, or frames "
    "further apart."
)
NEAR = "No classification of bags: all are on frames near each other, so none can judge. Label frames further apart."
Refit = Callable[[], Any]


class Scores(msgspec.Struct, frozen=True):
    """Per instance (N,) float32, NaN where there is none; numbers of the run; sentences about them; other arrays."""

    points: dict[str, np.ndarray] = {}
    metrics: dict[str, float] = {}
    notes: list[str] = []
    arrays: dict[str, np.ndarray] = {}


def joined(*parts: Scores) -> Scores:
    """All of them in one."""
    out = Scores({}, {}, [], {})
    for part in parts:
        out.points.update({name: np.asarray(found, np.float32) for name, found in part.points.items()})
        out.metrics.update(part.metrics)
        out.notes.extend(part.notes)
        out.arrays.update(part.arrays)
    return out


def faithful(X: NDArray, Z: NDArray, *, seed: int = 0, monitor: Monitor | None = None) -> Scores:
    """What neighborhoods and distances became: blind to labels.

    Points: trustworthiness, continuity, preservation, stretch, anisotropy. Metrics: `Faithfulness.numbers`. Arrays:
    `Faithfulness.arrays`.
    """
    try:
        found = faithfulness(X, Z, seed=seed, monitor=monitor)
    except EmberscopeError as error:
        return Scores(notes=[f"No faithfulness: {error}"])
    return joined(Scores(found.points(), found.numbers, [], found.arrays()))


def steady(
    refit: Callable[[int], Any], X: NDArray, Z: NDArray, y: NDArray | None, bags: Bags | None, *, fits: int,
    monitor: Monitor | None = None,
) -> Scores:
    """Where instances stand in other fits. Points: stability. Metrics: spread, its opposite, overall."""
    try:
        found = stability(refit, X, y, bags=bags, Z=Z, fits=fits, monitor=monitor)
    except EmberscopeError as error:
        return Scores(notes=[f"No spread between fits: {error}"])
    return joined(Scores({"stability": found.stability}, {"spread": found.overall}))


def separation(
    X: NDArray,
    Z: NDArray,
    made: MadeBags,
    *,
    known: NDArray | None = None,
    seed: int = 0,
    refit: Refit | None = None,
    affordable: bool = True,
    monitor: Monitor | None = None,
) -> Scores:
    """How labels lie in the picture Z (N, d) of features X (N, D).

    Parameters
    ----------
    known : (N,) labels of instances that the method is told, default all of `made`.
    refit : makes an unfitted method, for methods that read labels: the k-NN accuracy in their own picture says
        nothing, so each fold is mapped by a method fitted on the others. None: the method reads no label.
    affordable : False leaves those fits out; then there is no "knn_accuracy".

    Notes
    -----
    Points: "purity", the share of equal labels among the nearest labelled instances of other bags; "score", the share
    of target among the 3 nearest labelled instances of other folds. Metrics: the mean "purity"; "knn_accuracy", out
    of fold, with folds grouped by bag and by block of frames; the same in X, "knn_accuracy_features", and in the
    picture itself, "knn_accuracy_picture" (methods that read labels only); "majority", the accuracy of always saying
    the same. Arrays: "bag_purity" (K,), NaN for bags without any.
    """
    watch = monitored(monitor)
    out = Scores({}, {}, [], {})
    _purity(out, Z, made)
    fold = folds(made, seed=seed)
    if fold is None:
        out.notes.append(NO_ACCURACY)
    else:
        inside = _in_the_picture(out, X, Z, made.y, fold)
        if refit is None:
            out.metrics["knn_accuracy"] = inside
        else:
            out.metrics["knn_accuracy_picture"] = inside
            told = made.y if known is None else known
            _out_of_fold(out, X, Z, made, told, fold, refit if affordable else None, Portion(watch, 0.2, 1.0))
    return joined(out)


def classified(
    X: NDArray, made: MadeBags, model: Model, *, title: str, seed: int = 0, monitor: Monitor | None = None
) -> Scores:
    """What a classifier says of bags and instances that it was not fitted on.

    Points: "classifier", ranks of the scores of instances: out of fold, in no labelled bag by the classifier fitted on
    all bags, with the values chosen most often. Metrics: "bag_accuracy" and "bag_auc" with 95 % intervals ("_low",
    "_high"), "bag_majority", "bag_size_auc" (`size_auc`). Arrays: "bag_score" (K,), above 0 = positive, NaN for
    bags that took no part. Folds as in `folds`: grouped by bag and by block of frames. An instance marked as background
    is no candidate of its bag.
    """
    watch = monitored(monitor)
    try:
        training = training_bags(made.y, made.bags, len(X))
        groups = bag_blocks(made.instances, made.bags)[training.rows]
        if len(np.unique(groups)) < 2:
            return Scores(notes=[NEAR])
        found = validate_bags(
            model, X, training.bags, folds=min(N_FOLDS, len(np.unique(groups))), seed=seed, groups=groups,
            monitor=Portion(watch, 0.0, 0.8),
        )
    except EmberscopeError as error:
        return Scores(notes=[f"No classification of bags: {error}"])
    score, unseen = found.instance_score, np.isnan(found.instance_score)
    if unseen.any():
        usual = {**model.params, **most_often(found.chosen)}
        whole = model.classifier(**usual).fit(X, bags=training.bags, monitor=Portion(watch, 0.8, 1.0))
        score[unseen] = whole.score_instances(X[unseen])
    bag_score = np.full(len(made.bags), np.nan, np.float32)
    bag_score[training.rows] = found.bag_score
    said = classification(training.bags.labels, [found])
    metrics = {"bag_accuracy": said["accuracy"], "bag_auc": said["auc"], "bag_majority": said["majority"]}
    for name in ("accuracy", "auc"):
        metrics[f"bag_{name}_low"], metrics[f"bag_{name}_high"] = said[f"{name}_interval"]
    by_size = metrics["bag_size_auc"] = size_auc(training.bags)
    notes = training.notes + [f"{title}: {note}" for note in fit_notes([found])]
    notes += [BY_SIZE.format(by_size)] if by_size >= _TELLING else []
    notes += chance_note(said) + ([chosen_words(title, said["chosen"])] if "chosen" in said else [])
    return joined(Scores({"classifier": ranks(score)}, metrics, notes, {"bag_score": bag_score}))


def bag_blocks(instances: Instances, bags: Bags) -> NDArray[np.int64]:
    """(K,) group of every bag: bags of one block of frames are together; single frames where blocks leave too few."""
    groups = np.empty(0, np.int64)
    for block in (BLOCK, 1):
        blocks = frame_blocks(instances.source, instances.frame, block=block)
        groups = bag_groups(bags, len(instances), also=blocks)
        if len(np.unique(groups)) >= N_FOLDS:
            break
    return groups


def ranks(values: NDArray) -> NDArray[np.float32]:
    """(N,) float32 share of the others that are lower, in [0, 1]: scores without a scale, made comparable. Equal
    values get equal ranks; NaN stays. O(N log N)."""
    values = np.asarray(values, np.float64)
    out, finite = np.full(len(values), np.nan, np.float32), np.isfinite(values)
    known = np.sort(values[finite])
    lower = np.searchsorted(known, values[finite], side="left") + np.searchsorted(known, values[finite], side="right")
    out[finite] = (lower - 1) / (2 * max(len(known) - 1, 1))
    return out


def _purity(out: Scores, Z: NDArray, made: MadeBags) -> None:
    found = neighborhood_purity(Z, made.y, made.bags)
    if np.isfinite(found).any():
        out.points["purity"] = found
        out.metrics["purity"] = float(np.nanmean(found))
        out.arrays["bag_purity"] = bag_purity(found, made.bags).astype(np.float32)


def _in_the_picture(out: Scores, X: NDArray, Z: NDArray, y: NDArray, fold: NDArray) -> float:
    """Votes of neighbors of other folds in Z, and in X beside it; returns the accuracy in Z."""
    inside = knn_cross_validated(Z, y, fold, k=K)
    out.points["score"] = _with_unlabelled(inside.score, Z, y)
    out.metrics["knn_accuracy_features"] = knn_cross_validated(X, y, fold, k=K).accuracy
    out.metrics["majority"] = inside.majority
    return inside.accuracy


def _out_of_fold(
    out: Scores, X: NDArray, Z: NDArray, made: MadeBags, told: NDArray, fold: NDArray, refit: Refit | None,
    monitor: Monitor,
) -> None:
    """Each fold mapped by a method that was fitted on the others."""
    if refit is None:
        out.notes.append("No accuracy: the method would have to be fitted once more per fold, which takes long here.")
        return
    try:
        found = embed_cross_validated(refit, X, made.y, made.bags, fold, told=told, k=K, monitor=monitor)
    except EmberscopeError as error:
        out.notes.append(f"No accuracy: a fold cannot be left out. {error}")
        return
    out.metrics["knn_accuracy"] = found.accuracy
    out.points["score"] = _with_unlabelled(found.score, Z, made.y)


def folds(made: MadeBags, *, seed: int = 0) -> NDArray[np.int64] | None:
    """(N,) fold of every instance, -1 without label; None where no two folds with both classes can be made.

    Instances of one bag, and of one block of frames, are in one fold; single frames where blocks leave too few.
    """
    labelled = np.flatnonzero(made.y)
    if len(np.unique(made.y[labelled])) < 2:
        return None
    instances = made.instances
    for block in (BLOCK, 1):
        blocks = frame_blocks(instances.source, instances.frame, block=block)
        groups = connected_groups(made.bags, len(instances), also=blocks)[labelled]
        n_groups = len(np.unique(groups))
        if n_groups >= N_FOLDS or (block == 1 and n_groups >= 2):
            fold = np.full(len(instances), -1, np.int64)
            fold[labelled] = grouped_folds(groups, made.y[labelled], n_folds=min(N_FOLDS, n_groups), seed=seed)
            return fold
    return None


def _with_unlabelled(share: NDArray, Z: NDArray, y: NDArray) -> NDArray:
    """Instances without a label get the share of target among their nearest labelled ones in the picture."""
    out = np.array(share, np.float64)
    unknown, known = np.flatnonzero(y == 0), np.flatnonzero(y)
    if len(unknown):
        out[unknown] = knn_classify(Z[known], y[known], Z[unknown], k=K)[1]
    return out
