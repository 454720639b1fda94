"""From places on a map back to features, and to chips where the features are pixels."""

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.base.errors import ParamError
from emberscope.course.finished import method_of, metric_of
from emberscope.project.model.project import Run


def features_at(run: Run, Z: NDArray) -> NDArray[np.float32]:
    """(M, D) features at places Z (M, d) of a run's map; a reduction before the method is undone
    too.

    Raises ParamError for a method without an inverse.
    """
    row = catalogue.method(run.recipe.method)
    if not row.inverse:
        what = f"{row.short} has no way back from the map"
        raise ParamError(what, hint="Choose PCA, GTM, an elastic map or charting.")
    X = method_of(run).inverse_transform(np.asarray(Z, np.float64))
    metric = metric_of(run)
    if metric is not None:
        if not hasattr(metric, "inverse_transform"):
            raise ParamError(
                f"{catalogue.method(run.recipe.metric).short} has no way back to features",
                hint="Run without a metric.",
            )
        X = metric.inverse_transform(X)
    reduction = run.state.get("reduction")
    if reduction is not None:
        X = X @ np.asarray(reduction["components"]).T + np.asarray(reduction["mean"])
    return np.asarray(X, np.float32)


def chips_at(run: Run, Z: NDArray) -> NDArray[np.float32]:
    """(M, side, side) synthetic chips at places Z (M, d) of a map of pixels, in MADs. Raises
    ParamError."""
    if not run.recipe.features.is_chip:
        raise ParamError(
            "synthetic chips need pixels as features, of one band",
            hint="Run GTM, an elastic map or PCA on pixels.",
        )
    side = run.recipe.features.chip
    return features_at(run, Z).reshape(-1, side, side)
