"""What a run keeps of the target concepts its method found, beside the method's state."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, NoOutOfSample
from emberscope.base.monitor import Monitor
from emberscope.pipeline.scores import Scores
from emberscope.project.concepts import DISTANCES, ELLIPSES, HALVES, STARS, has_concepts
from emberscope.project.model import Run


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


def mapped_centers_task(arguments: dict[str, Any], monitor: Monitor) -> NDArray[np.float64] | None:
    """Arguments: "run" with concepts, "other", the run of the map. Returns `mapped_centers`."""
    monitor.step(0.0, "Concepts on the map")
    return mapped_centers(arguments["run"], arguments["other"])


def mapped_centers(run: Run, other: Run) -> NDArray[np.float64] | None:
    """(K, d) where the map of another run takes the centers of the concepts of `run`, for `concepts_on`.

    None where it has no rule for new points of its own, is of other features, or `run` has no concepts. O(K) places.
    """
    row = catalogue.method(other.recipe.method)
    if not has_concepts(run) or row.out_of_sample == "none" or run.recipe.features != other.recipe.features:
        return None
    X = np.asarray(run.state["centers_"], np.float64)
    first, then = run.state.get("reduction"), other.state.get("reduction")
    if first is not None:
        X = X @ np.asarray(first["components"]).T + np.asarray(first["mean"])
    if then is not None:
        X = (X - np.asarray(then["mean"])) @ np.asarray(then["components"])
    state = {name: value for name, value in other.state.items() if name != "reduction"}
    try:
        return np.asarray(catalogue.load(row.id).from_state(state).transform(X.astype(np.float32)), np.float64)
    except (NoOutOfSample, DataError):
        return None
