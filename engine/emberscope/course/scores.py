"""Last stage: faithfulness of the embedding and what it says of labels, per instance and overall."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.by_clip import areas_by_part
from emberscope.course.classification import (
    chance_note,
    chosen_words,
    classification,
    fit_notes,
    most_often,
    size_auc,
)
from emberscope.evaluate.bag_validation import Model, validate_bags
from emberscope.evaluate.faithfulness import faithfulness
from emberscope.evaluate.held_out import (
    N_FOLDS,
    HeldOut,
    Parts,
    bag_blocks,
    bag_clips,
    balanced,
    by_own_scores,
    fitted_without,
    in_embedding,
    parts_of,
)
from emberscope.evaluate.knn import knn_classify, knn_cross_validated
from emberscope.evaluate.purity import bag_purity, neighborhood_purity
from emberscope.evaluate.scores import auc
from emberscope.evaluate.stability import stability
from emberscope.labels.side_info import SideInfo
from emberscope.mil.training_bags import training_bags
from emberscope.neighbors.distances import Distances
from emberscope.project.model.parts import packed

K = 3
_TELLING = 0.9  # area under the curve of the size of bags
BY_SIZE = (
    "Positive and negative bags differ in size so much that it alone tells them apart (AUC {:.2f}): AUC and accuracy "
    "of bags may show no more than that. Label background with boxes a patch larger than those of targets: of "
    "background only patches wholly inside count."
)
NOT_HELD_OUT = "Bags are not held out: "  # how the notes begin that say why there is no such number
NO_SPREAD = "No spread between fits: "
NO_PARTS = (
    NOT_HELD_OUT + "what is labeled is of one class, or all on frames near each other. Label another class, or frames "
    "further apart."
)
TOO_LONG = NOT_HELD_OUT + "the method would have to be fitted {} times more, which takes about {:.0f} s."
NEAR = "No classification of bags: all are on frames near each other, so none can judge. Label frames further apart."
Refit = Callable[[], Embedder]


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


def faithful(
    X: NDArray, Z: NDArray, *, distances: Distances | None = None, seed: int = 0, monitor: Monitor | None = None
) -> Scores:
    """What neighborhoods and distances became: blind to labels. distances : what counts in place of those in X.

    Points: trustworthiness, continuity, preservation, stretch, anisotropy. Metrics: `Faithfulness.numbers`. Arrays:
    `Faithfulness.arrays`.
    """
    try:
        found = faithfulness(X, Z, distances=distances, seed=seed, monitor=monitor)
    except EmberscopeError as error:
        return Scores(notes=[f"No faithfulness: {error}"])
    return joined(Scores(found.points(), found.numbers, [], found.arrays()))


def steady(
    refit: Callable[[int], Embedder], X: NDArray, Z: NDArray, y: NDArray | None, bags: Bags | None, *, fits: int,
    side: SideInfo | None = None, monitor: Monitor | None = None,
) -> Scores:
    """Where instances stand in other fits. Points: stability. Metrics: spread, its opposite, overall."""
    try:
        found = stability(refit, X, y, bags=bags, side=side, Z=Z, fits=fits, monitor=monitor)
    except EmberscopeError as error:
        return Scores(notes=[f"{NO_SPREAD}{error}"])
    return joined(Scores({"stability": found.stability}, {"spread": found.overall}))


def separation(
    X: NDArray,
    Z: NDArray,
    made: MadeBags,
    *,
    known: NDArray | None = None,
    seed: int = 0,
    refit: Refit | None = None,
    seconds: float = 0.0,
    affordable: bool = True,
    own: NDArray | None = None,
    side: SideInfo | None = None,
    monitor: Monitor | None = None,
) -> Scores:
    """How labels lie in the embedding Z (N, d) of features X (N, D), and how held-out bags are separated.

    Parameters
    ----------
    known : (N,) labels of instances that the method is fitted with, default all of `made`.
    refit : makes an unfitted method, for methods that read labels: what their own embedding says of labels proves
        nothing, so each fold is judged by a method fitted on the others. None: the method reads no label.
    seconds : what those fits take. affordable : False leaves them out; then "method_bag_auc_seconds" says so.
    own : (N,) scores of a method that held bags back by itself: these tell the bags apart, whatever fits take.
    side : what methods that read side information are fitted with.

    Notes
    -----
    Points: "purity", the share of equal labels among the nearest labeled instances of other bags; "score", the share
    of target among the 3 nearest labeled instances of other folds. Metrics: "method_bag_auc", the area under the ROC
    curve of held-out bags inside their clips (`evaluate.held_out`), the mean of the clips, comparable between runs of
    one project; "knn_balanced", the mean of the shares of target and background, as bags say them, that the 3 nearest
    predict right, .5 by chance, mean of the clips; both with 95 % intervals ("_low", "_high"). "method_bag_groups"
    clips ("method_bag_by_clip" 1) or blocks of frames were held out. "method_bag_clips" clips have bags of both kinds,
    "method_bag_clips_not_judged" have not; where none has, the area is pooled over them ("method_bag_pooled" 1). The
    same balanced accuracy in X, "knn_balanced_features", and in the embedding itself, "knn_balanced_map" (methods that
    read labels only); the mean "purity"; "made_from_labels", 1 where the last two rest on labels the embedding was made
    from. Arrays: "bag_purity" (K,), NaN for bags without any; "areas_of" and "areas", the area of every clip and class
    (`project.model.parts`).
    """
    watch = monitored(monitor)
    out = Scores({}, {}, [], {})
    _purity(out, Z, made)
    out.metrics["made_from_labels"] = float(refit is not None)
    parts = parts_of(made.instances, made.bags, seed=seed)
    if parts is None:
        out.notes.append(NO_PARTS)
        return joined(out)
    out.metrics["knn_balanced_features"] = _balanced_in(X, made.y, parts)
    if (by_size := size_auc(made.bags)) >= _TELLING:
        out.notes.append(BY_SIZE.format(by_size))
    if refit is None:
        _held_out(out, in_embedding(Z, made.y, parts, k=K), Z, made, parts)
        return joined(out)
    out.metrics["knn_balanced_map"] = _balanced_in(Z, made.y, parts)
    out.points["score"] = _with_unlabeled(knn_cross_validated(Z, made.y, parts.of_instance, k=K).score, Z, made.y)
    fold_fits = _FoldFits(refit, seconds, affordable, made.y if known is None else known, side)
    _held_out_by_fits(out, X, Z, made, parts, own, fold_fits, Portion(watch, 0.2, 1.0))
    return joined(out)


@dataclass(frozen=True, slots=True)
class _FoldFits:
    """Fits of a method without a fold: what makes it unfitted, their time, whether it is affordable, what it reads."""

    refit: Refit
    seconds: float
    affordable: bool
    labels: NDArray
    side: SideInfo | None


def _held_out_by_fits(
    out: Scores, X: NDArray, Z: NDArray, made: MadeBags, parts: Parts, own: NDArray | None, fits: _FoldFits,
    watch: Monitor,
) -> None:
    """Bags separated by the scores of the method's own folds where it has them, else by fits without each fold."""
    if own is not None:
        _named_area(out, by_own_scores(own, parts), made.bags, parts)
    if not fits.affordable:
        if own is None:
            out.metrics["method_bag_auc_seconds"] = fits.seconds
            out.notes.append(TOO_LONG.format(len(np.unique(parts.fold[parts.fold >= 0])), fits.seconds))
        return
    try:
        found = fitted_without(
            fits.refit, X, made.y, made.bags, parts, fit_labels=fits.labels, side=fits.side, k=K, monitor=watch)
        _held_out(out, found, Z, made, parts, area=own is None)
    except EmberscopeError as error:
        out.notes.append(f"{NOT_HELD_OUT}a fold cannot be left out. {error}")


def classified(
    X: NDArray, made: MadeBags, model: Model, *, title: str, seed: int = 0, monitor: Monitor | None = None
) -> Scores:
    """What a classifier says of bags and instances that it was not fitted on.

    Points: "classifier", ranks of the scores of instances: out of fold, in no labeled bag by the classifier fitted on
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
    clips = bag_clips(made.instances, made.bags)[training.rows]
    measured = classification(training.bags.labels, [found], groups, clips)
    metrics = {"bag_accuracy": measured["accuracy"], "bag_auc": measured["auc"], "bag_majority": measured["majority"]}
    for name in ("accuracy", "auc"):
        metrics[f"bag_{name}_low"], metrics[f"bag_{name}_high"] = measured[f"{name}_interval"]
    by_size = metrics["bag_size_auc"] = size_auc(training.bags)
    notes = training.notes + [f"{title}: {note}" for note in fit_notes([found])]
    notes += [BY_SIZE.format(by_size)] if by_size >= _TELLING else []
    notes += chance_note(measured) + ([chosen_words(title, measured["chosen"])] if "chosen" in measured else [])
    return joined(Scores({"classifier": ranks(score)}, metrics, notes, {"bag_score": bag_score}))


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


def _held_out(out: Scores, found: HeldOut, Z: NDArray, made: MadeBags, parts: Parts, *, area: bool = True) -> None:
    """Out-of-fold scores of bags and instances, with intervals."""
    if area:
        _named_area(out, found, made.bags, parts)
    _named(out, "knn_balanced", balanced(found, made.y, parts))
    out.points["score"] = _with_unlabeled(found.votes, Z, made.y)


def _named_area(out: Scores, found: HeldOut, bags: Bags, parts: Parts) -> None:
    """The mean of the clips and on what it rests; the table of clips and classes."""
    areas, rows = areas_by_part(found, bags, parts)
    _named(out, "method_bag_auc", areas.mean)
    out.arrays.update(packed("areas", rows))
    counts = {"groups": parts.n_groups, "by_clip": parts.by_clip, "clips": areas.judged.sum(),
              "clips_not_judged": (~areas.judged).sum(), "pooled": areas.pooled}
    out.metrics.update({f"method_bag_{name}": float(count) for name, count in counts.items()})


def _named(out: Scores, name: str, value: tuple[float, float, float]) -> None:
    """A number with the ends of its interval; nothing where there is none."""
    if np.isfinite(value[0]):
        out.metrics.update(zip((name, f"{name}_low", f"{name}_high"), value, strict=True))


def _balanced_in(A: NDArray, y: NDArray, parts: Parts) -> float:
    """Balanced accuracy of the nearest of other folds in given coordinates."""
    found = knn_cross_validated(A, y, parts.of_instance, k=K).predictions
    done = found != 0
    return auc(np.sign(y[done]), np.sign(found[done]).astype(np.float64))


def _with_unlabeled(share: NDArray, Z: NDArray, y: NDArray) -> NDArray:
    """Instances without a label get the share of target among their nearest labeled ones in the embedding."""
    out = np.array(share, np.float64)
    unknown, known = np.flatnonzero(y == 0), np.flatnonzero(y)
    if len(unknown):
        out[unknown] = knn_classify(Z[known], y[known], Z[unknown], k=K)[1]
    return out
