"""How unlike all that taught each instance of a point set is."""

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.given import MADE
from emberscope.evaluate.unlike import Known
from emberscope.project.model.recipe import ROWS

_KNOWN = 4000  # instances that are compared with, at most


class NoveltyOf(Saying):
    """Of point sets: those without a label are new, those that taught are compared with other
    bags."""

    inputs = (SEEN, MADE)

    def needed(self, plan: Plan, given: Given) -> bool:
        return plan.recipe.bags.level == ROWS

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        X, made = given[SEEN].X, given[MADE]
        bag = made.bags.first_bag(len(X))
        taught = made.y != 0
        if not taught.any():
            taught[:] = True
        known = Known(X[taught], bag[taught])
        return Scores({"novelty": known.novelty(X, bag)})

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(1e-10 * size.n * min(size.n, _KNOWN) * size.narrow)


NOVELTY = NoveltyOf("novelty")
