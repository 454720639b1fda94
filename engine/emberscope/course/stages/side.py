"""Side information that the method and the metric get."""

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.side import side_of
from emberscope.course.stage import Given, Stage
from emberscope.course.stages.given import MADE, MARKED
from emberscope.course.stages.reduce import REDUCED
from emberscope.labels.side_info import SideInfo


class Side(Stage[SideInfo | None]):
    """What persons marked, and pairs that follow from bag labels; None where neither reads any."""

    inputs = (REDUCED, MARKED, MADE)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> SideInfo | None:
        return side_of(given[REDUCED].X, given[MARKED], given[MADE], plan)

    def content(self, plan: Plan, given: Given) -> object:
        side = given[self]
        return None if side is None else side.to_state()


SIDE = Side("side information")
