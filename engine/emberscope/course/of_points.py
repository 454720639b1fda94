"""The course of rows of numbers that are there already: point sets, folds, published tables.
Nothing is kept."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.course.labels import Labels
from emberscope.course.plan import Plan, check_embeds, check_is_metric, parsed, plan_of
from emberscope.course.runner import run_stages
from emberscope.course.stage import Given
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.given import LABELS, PARTS
from emberscope.course.stages.reduce import REDUCED, Seen
from emberscope.course.stages.side import SIDE
from emberscope.course.stages.start import START
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.side_info import SideInfo
from emberscope.project.model.recipe import Recipe

_OF_METRIC = "metric."


def plan_of_points(
    method: str, settings: Mapping[str, Any], *, metric: str = "", seed: int = 0
) -> Plan:
    """The plan of a method and its metric, of settings as text ("k=v"); those of the metric are
    called "metric.k".

    Raises ParamError.
    """
    others = {key: text for key, text in settings.items() if not key.startswith(_OF_METRIC)}
    own = {key.removeprefix(_OF_METRIC): text for key, text in settings.items()
           if key not in others}
    check_embeds(method)
    if metric or own:
        check_is_metric(metric)
    recipe = Recipe(
        method=method, params=parsed(method, others),
        metric=metric, metric_params=parsed(metric, own) if own else {},
        features=FeatureRecipe(kind="pixels"),  # rows are pixels where a method compares chips
        reduce=0, seed=seed,
    )
    plan = plan_of(recipe, at_any_cost=True)
    row = plan.method.row
    # after a metric as well; what compares chips reads which changes do not matter
    reads_side = bool(catalogue.side_read(row) or row.compares_chips)
    return replace(plan, reads_side=reads_side)


def begin_with(X: NDArray, labels: Labels, side: SideInfo | None, plan: Plan) -> Given:
    """What the first stages read: the rows as they are, and side information where something reads
    it."""
    given = Given().put(REDUCED, Seen(X)).put(SEEN, Seen(X)).put(LABELS, labels).put(START, None)
    given.put(PARTS, plan.split.parts(labels))
    return given.put(SIDE, side if plan.metric is not None or plan.reads_side else None)


def fitted(
    plan: Plan, X: NDArray, *, y: NDArray | None = None, bags: Bags | None = None,
    side: SideInfo | None = None, monitor: Monitor | None = None,
) -> Any:
    """The method of a plan without a metric, fitted to the rows of X. Raises what the method
    raises."""
    given = begin_with(X, Labels(np.zeros(len(X), np.int8), bags, y, y), side, plan)
    return run_stages(plan, (EMBED,), given, monitor=monitor)[EMBED].method
