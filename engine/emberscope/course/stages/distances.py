"""Distances between chips, in place of those between features."""

from dataclasses import replace

from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.side import distance_notes
from emberscope.course.stage import Cost, Given, Size, Stage
from emberscope.course.stages.metric import METRIC
from emberscope.course.stages.reduce import Seen
from emberscope.course.stages.side import SIDE
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.features.extract import chip_shape
from emberscope.labels.side_info import SideInfo
from emberscope.metric.transforms import changes

# Seconds per change: to move a pixel, to compare it with one of another chip; shortest ways.
_PER_MOVED, _PER_COMPARED, _PER_WAY = 1.2e-7, 8e-11, 4e-10
_TANGENTS = 4  # squared directions of a usual chip


class Compared(Stage[Seen]):
    """What the method sees: with distances of chips where the recipe wants such, else as it is."""

    title = "Comparing chips"
    inputs = (METRIC, SIDE)
    kept = tuple

    def needed(self, plan: Plan, given: Given) -> bool:
        return plan.measured

    def absent(self, plan: Plan, given: Given) -> Seen:
        return given[METRIC]

    def key(self, plan: Plan, given: Given) -> str:
        if not plan.measured:
            return given.key(METRIC)
        rule = plan.rule(given[SIDE])
        return digest({"X": given.key(METRIC), "rule": rule, "code": code_version()})

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Seen:
        found = plan.rule(given[SIDE]).compare(given[METRIC].X, monitor=monitor)
        return self.unpack(plan, given, (found.squared, found.flat))

    def pack(self, value: Seen) -> tuple[NDArray, ...]:
        assert value.distances is not None  # nor is `flat`
        assert value.flat is not None
        return value.distances.squared, value.flat

    def unpack(self, plan: Plan, given: Given, record: tuple[NDArray, ...]) -> Seen:
        (squared, flat), side = record, given[SIDE]
        rule = plan.rule(side)
        notes = distance_notes(side, alike_to_all=int(flat.sum()), rule=rule)
        return replace(given[METRIC], distances=rule.of(squared), flat=flat, notes=notes)

    def cost(self, plan: Plan, size: Size) -> Cost:
        return distances_cost(plan, size.n, size.narrow, size.marked)


def distances_cost(plan: Plan, n: int, d: int, marked: SideInfo | None) -> Cost:
    """What distances between n chips of d pixels take, nothing where none are wanted; marked : None
    for the usual changes."""
    if not plan.measured:
        return Cost()
    rule, shape = plan.rule(marked), chip_shape(plan.recipe.features)
    count = 1 + sum(len(changes(one, (shape.rows, shape.cols))) for one in rule.invariances)
    count *= _TANGENTS if rule.kind == "tangent-correction" else 1
    ways = _PER_WAY * n**3 if rule.kind == "reconstruction" else 0.0
    return Cost(count * d * (n * _PER_MOVED + n * n * _PER_COMPARED) + ways, 16.0 * n * n)


SEEN = Compared("distances")
