"""How labels lie in the embedding, and how well bags are separated that were held out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.by_clip import areas_by_part
from emberscope.course.components import components_seconds
from emberscope.course.labels import Labels
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores, joined, size_notes
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.distances import SEEN, distances_cost
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.faithful import pair_key
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import LABELS, PARTS
from emberscope.course.stages.metric import metric_cost
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.stages.side import SIDE
from emberscope.evaluate.held_out import (
    NEAREST,
    HeldOut,
    Parts,
    balanced,
    by_own_scores,
    fitted_without,
    in_embedding,
)
from emberscope.evaluate.knn import knn_classify, knn_cross_validated
from emberscope.evaluate.learned_from import BAGS_ALONE, LearnedFrom
from emberscope.evaluate.purity import bag_purity, neighborhood_purity
from emberscope.evaluate.scores import auc
from emberscope.features.cache import digest
from emberscope.labels.side_info import SideInfo
from emberscope.project.model.parts import packed

# Estimated, for the fits per fold that an honest accuracy of a method that reads labels takes.
REFIT_SECONDS = 3.0
NOT_HELD_OUT = "Bags are not held out: "  # how the notes begin that say why there is no such number
NO_PARTS = (
    NOT_HELD_OUT + "what is labeled is of one class, or all on frames near each other. Label "
    "another class, or frames further apart."
)
TOO_LONG = (
    NOT_HELD_OUT + "the method would have to be fitted {} times more, which takes about {:.0f} s."
)
NO_FOLD = NOT_HELD_OUT + "a fold cannot be left out. {}"


@dataclass(frozen=True, slots=True)
class FoldFits:
    """Fits of a method without a fold. refit : makes an unfitted one. learned_from : beside bags.
    seconds : what the fits take. affordable : False leaves them out. features : (N, D), before
    components of all instances were found; None: there are none, and X is what there is.
    """

    refit: Callable[[], Embedder]
    learned_from: LearnedFrom = BAGS_ALONE
    seconds: float = 0.0
    affordable: bool = True
    features: NDArray | None = None

    @classmethod
    def of(
        cls, plan: Plan, labels: Labels, side: SideInfo | None, shape: tuple[int, ...],
        features: NDArray | None = None,
    ) -> "FoldFits | None":
        """Those of a plan, on features of a shape (N, D) that are components of these `features`
        where they are fewer; None for a method that reads no labels, which needs none."""
        if not plan.reads_labels:
            return None
        n, narrow = shape
        reduced = features is not None and narrow < features.shape[1]
        whole = partial(plan.whole, narrow) if reduced else plan.whole
        seconds = refit_seconds(plan, n, narrow, narrow if features is None else features.shape[1])
        known = LearnedFrom(labels.known_to(plan.method.row), side)
        return cls(whole, known, seconds, plan.at_any_cost or seconds <= REFIT_SECONDS,
                   features if reduced else None)

    def held_out(self, X: NDArray, labels: Labels, parts: Parts, monitor: Monitor) -> HeldOut:
        """Each fold judged by a fit on the others, of the features (N, D) before their components,
        or of X. Raises what the method raises."""
        assert labels.bags is not None  # `parts` are of them
        X = X if self.features is None else self.features
        return fitted_without(self.refit, X, labels.y, labels.bags, parts,
                              learned_from=self.learned_from, monitor=monitor)


class Separation(Saying):
    """Bags are held out from the metric, too: it has seen them all."""

    inputs = (FEATURES, REDUCED, SEEN, EMBED, LABELS, PARTS, SIDE)

    def key(self, plan: Plan, given: Given) -> str:
        labels = given[LABELS]
        bags = labels.bags
        assert bags is not None  # of whatever is kept
        return digest([
            pair_key(plan, given), given.key(REDUCED), labels.y, bags.indptr, bags.members,
            bags.labels, bags.classes, plan.method.row.id, plan.recipe.params, given.key(EMBED),
            plan.split, plan.at_any_cost,
        ])  # fmt: skip

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        X, fitted, labels = given[REDUCED].X, given[EMBED], given[LABELS]
        fits = FoldFits.of(plan, labels, given[SIDE], X.shape, given[FEATURES])
        # A metric before it has seen every bag, so have components of all instances, and what it
        # holds back by itself is no other split.
        holds_back = plan.method.kind.holds_back and plan.metric is None and plan.split.usual
        turned = X.shape[1] >= min(given[FEATURES].shape)  # as many components lose nothing
        own = fitted.state["held_score_"] if holds_back and turned else None
        return separation(X, fitted.Z, labels, given[PARTS], fits=fits, own=own, monitor=monitor)

    def cost(self, plan: Plan, size: Size) -> Cost:
        seconds = refit_seconds(plan, size.n, size.narrow, size.wide)
        return Cost(0.05 + (seconds if plan.at_any_cost or seconds <= REFIT_SECONDS else 0.0))


def refit_seconds(plan: Plan, n: int, d: int, wide: int = 0) -> float:
    """What the fits on all folds but one take, on n rows of d features, components of `wide` where
    these are more; 0 for a method that reads no labels, which needs none."""
    if not plan.reads_labels:
        return 0.0
    return plan.split.n_folds * seconds_without_fold(plan, n, d, wide)


def seconds_without_fold(plan: Plan, n: int, d: int, wide: int = 0) -> float:
    """What one fit takes on what a fold leaves of n rows of d features, components of `wide` where
    these are more."""
    folds = max(plan.split.n_folds, 2)
    part = n * (folds - 1) // folds
    before = distances_cost(plan, part, d, None) if plan.measured else metric_cost(plan, part, d)
    method = catalogue.estimate(plan.method.row.id, part, d, plan.method.values)[0]
    return components_seconds(part, wide, d) + method + before.seconds


def separation(
    X: NDArray, Z: NDArray, labels: Labels, parts: Parts | None, *, fits: FoldFits | None = None,
    own: NDArray | None = None, monitor: Monitor | None = None,
) -> Scores:
    """How labels lie in the embedding Z (N, d) of features X (N, D), and how held-out bags part.

    Parameters
    ----------
    parts : what is held out together; None where nothing can be.
    fits : of methods that read labels: what their own embedding says of labels proves nothing, so
        each fold is judged by a method fitted on the others. Where they are not affordable,
        "method_bag_auc_seconds" says so. None: the method reads no label.
    own : (N,) scores of a method that held bags back by itself: these tell the bags apart, whatever
    fits take.

    Notes
    -----
    Points: "purity", the share of equal labels among the nearest labeled instances of other bags;
    "score", the share of target among the 3 nearest labeled instances of other folds. Metrics:
    "method_bag_auc", the area under the ROC curve of held-out bags inside their clips
    (`evaluate.held_out`), the mean of the clips, comparable between runs of one project;
    "knn_balanced", the mean of the shares of target and background, as bags say them, that the 3
    nearest predict right, 0.5 by chance, mean of the clips; both with 95 % intervals ("_low",
    "_high"). "method_bag_groups" clips ("method_bag_by_clip" 1) or blocks of frames were held out.
    "method_bag_clips" clips have bags of both kinds, "method_bag_clips_not_judged" have not; where
    none has, the area is pooled over them ("method_bag_pooled" 1). The same balanced accuracy in X,
    "knn_balanced_features", and in the embedding itself, "knn_balanced_map" (methods that read
    labels only); the mean "purity"; "made_from_labels", 1 where the last two rest on labels the
    embedding was made from. Arrays: "bag_purity" (K,), NaN for bags without any; "areas_of" and
    "areas", the area of every clip and class (`project.model.parts`); "held_score" (N,) float32,
    the scores that these areas rest on, NaN where none was made.
    """
    watch = monitored(monitor)
    out = Scores({}, {}, [], {})
    assert labels.bags is not None
    _purity(out, Z, labels.y, labels.bags)
    out.metrics["made_from_labels"] = float(fits is not None)
    if parts is None:
        out.notes.append(NO_PARTS)
        return joined(out)
    out.metrics["knn_balanced_features"] = _balanced_in(X, labels.y, parts)
    out.notes.extend(size_notes(labels.bags))
    if fits is None:
        _held_out(out, in_embedding(Z, labels.y, parts), Z, labels, parts)
        return joined(out)
    out.metrics["knn_balanced_map"] = _balanced_in(Z, labels.y, parts)
    votes = knn_cross_validated(Z, labels.y, parts.of_instance, k=NEAREST).score
    out.points["score"] = _with_unlabeled(votes, Z, labels.y)
    if own is not None:
        _named_area(out, by_own_scores(own, parts), labels.bags, parts)
    if fits.affordable:
        try:
            found = fits.held_out(X, labels, parts, Portion(watch, 0.2, 1.0))
            _held_out(out, found, Z, labels, parts, area=own is None)
        except EmberscopeError as error:
            out.notes.append(NO_FOLD.format(error))
    elif own is None:
        out.metrics["method_bag_auc_seconds"] = fits.seconds
        out.notes.append(TOO_LONG.format(len(np.unique(parts.fold[parts.fold >= 0])), fits.seconds))
    return joined(out)


def _purity(out: Scores, Z: NDArray, y: NDArray, bags: Bags) -> None:
    found = neighborhood_purity(Z, y, bags)
    if np.isfinite(found).any():
        out.points["purity"] = found
        out.metrics["purity"] = float(np.nanmean(found))
        out.arrays["bag_purity"] = bag_purity(found, bags).astype(np.float32)


def _held_out(
    out: Scores, found: HeldOut, Z: NDArray, labels: Labels, parts: Parts, *, area: bool = True
) -> None:
    """Out-of-fold scores of bags and instances, with intervals."""
    assert labels.bags is not None
    if area:
        _named_area(out, found, labels.bags, parts)
    _named(out, "knn_balanced", balanced(found, labels.y, parts))
    out.points["score"] = _with_unlabeled(found.votes, Z, labels.y)


def _named_area(out: Scores, found: HeldOut, bags: Bags, parts: Parts) -> None:
    """The mean of the clips and on what it rests; the table of clips and classes."""
    areas, rows = areas_by_part(found, bags, parts)
    _named(out, "method_bag_auc", areas.mean)
    out.arrays["held_score"] = found.score.astype(np.float32)
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
    found = knn_cross_validated(A, y, parts.of_instance, k=NEAREST).predictions
    done = found != 0
    return auc(np.sign(y[done]), np.sign(found[done]).astype(np.float64))


def _with_unlabeled(share: NDArray, Z: NDArray, y: NDArray) -> NDArray:
    """Instances without a label get the share of target among their nearest labeled ones in the
    embedding."""
    out = np.array(share, np.float64)
    unknown, known = np.flatnonzero(y == 0), np.flatnonzero(y)
    if len(unknown):
        out[unknown] = knn_classify(Z[known], y[known], Z[unknown], k=NEAREST)[1]
    return out


SEPARATION = Separation("separation")
