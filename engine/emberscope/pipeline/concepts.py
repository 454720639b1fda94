"""What a run keeps of the target concepts its method found, beside the method's state."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.pipeline.scores import Scores
from emberscope.project.concepts import DISTANCES, ELLIPSES, HALVES, STARS


def concept_scores(X: NDArray, Z: NDArray, bags: Bags, state: dict[str, Any], method: str) -> Scores:
    """Distances of the instances X (N, D) to concepts, and where these lie on the map Z (N, d), and how each could
    be split; nothing for a method that finds none. Arrays as in `project.model.Run.diagnostics`. O(N K (D + d²)).

    A star is where the method's map takes the center; an ellipse is the spread of instances around it, weighted by
    their probabilities, since the map is not linear.
    """
    kind = catalogue.load(method)
    if not hasattr(kind, "concepts"):
        return Scores()
    from emberscope.mil.concepts.halves import halves
    from emberscope.mil.concepts.projection import ellipses
    from emberscope.mil.concepts.reading import Reading, witnesses

    estimator = kind.from_state(state)
    found = estimator.concepts
    if not len(found):
        return Scores()
    distance2 = found.distance2(X)
    centers = np.asarray(estimator.transform(found.centers.astype(X.dtype)), np.float64)
    drawn = ellipses(np.exp(-distance2), Z.astype(np.float64), centers)
    arrays = {DISTANCES: distance2, STARS: centers, ELLIPSES: drawn}
    stand = [rows[rows >= 0] for rows in witnesses(distance2, Reading.of(distance2, bags), bags)]
    return Scores(arrays={**{name: np.asarray(values, np.float32) for name, values in arrays.items()},
                          HALVES: halves(X, found.scales, stand)})
