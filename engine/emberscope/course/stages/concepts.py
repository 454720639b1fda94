"""The target concepts that the method found, beside its state."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Given
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED, Fitted
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import MADE
from emberscope.findings.concepts import (
    CENTERS,
    DISTANCES,
    ELLIPSES,
    GROUND,
    HALVES,
    STARS,
    WEIGHTS,
    WIDTHS,
)
from emberscope.mil.scaling import z_score

ONE = ("One concept: kinds of targets nearer to each other than to background share it. Ask for "
       "more "
       "concepts to see whether it parts, best with few features, as statistics has.")


class FoundConcepts(Saying):
    """Nothing for a method that finds none."""

    inputs = (FEATURES, SEEN, MADE, EMBED)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        seen = given[SEEN]
        reduction = None if plan.recipe.metric else seen.reduction
        return concept_scores(given[FEATURES], seen.X, reduction, given[MADE].bags, given[EMBED],
                              plan.method.kind)


def concept_scores(
    X: NDArray, seen: NDArray, reduction: dict[str, NDArray] | None, bags: Bags, fitted: Fitted,
    kind: Any,
) -> Scores:
    """Distances of the instances, features X (N, D), to concepts, where these lie on the map, what
    weighs in them, and how each could be split; nothing for a method, of class `kind`, that finds
    none.

    seen : (N, D') what the method got of X, by `reduction` (empty where it got X; None where a
    metric came between, so that nothing leads back to the features). Arrays as in
    `project.model.project.Run.diagnostics`. O(N K (D + d²)).

    A star is where the method's map takes the center; an ellipse is the spread of likely instances
    around it, since the map is not linear.
    """
    if not hasattr(kind, "concepts"):
        return Scores()
    from emberscope.mil.concepts.profile import feature_weights, feature_widths, in_features
    from emberscope.mil.concepts.projection import ellipses
    from emberscope.mil.concepts.reading import Reading, witnesses
    from emberscope.mil.concepts.splitting import split_in_two

    estimator = kind.from_state(fitted.state)
    found = estimator.concepts
    if not len(found):
        return Scores()
    distance2 = found.distance2(seen)
    centers = np.asarray(estimator.transform(found.centers.astype(seen.dtype)), np.float64)
    drawn = ellipses(np.exp(-distance2), fitted.Z.astype(np.float64), centers)
    negative = estimator.negative_concepts
    ground = np.empty((0, fitted.Z.shape[1]))
    if len(negative):
        ground = estimator.transform(negative.centers.astype(seen.dtype))
    arrays = {DISTANCES: distance2, STARS: centers, ELLIPSES: drawn, GROUND: ground}
    if reduction is not None:
        axes, mean = reduction.get("components"), reduction.get("mean")
        background = X[bags.instance_labels(len(X)) < 0]
        middle, scale = z_score(X)
        arrays |= {
            WEIGHTS: feature_weights(found, background, axes=axes, mean=mean),
            CENTERS: (in_features(found.centers, axes, mean) - middle) / scale,
            WIDTHS: np.where(np.isfinite(scale), feature_widths(found, axes=axes), np.nan) / scale,
        }
    stand = [rows[rows >= 0] for rows in witnesses(distance2, Reading.of(distance2, bags), bags)]
    kept = {name: np.asarray(values, np.float32) for name, values in arrays.items()}
    return Scores(arrays={**kept, HALVES: split_in_two(seen, found.scales, stand)},
                  notes=[ONE] if len(found) == 1 else [])


CONCEPTS = FoundConcepts("concepts")
