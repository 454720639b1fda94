"""What separates the bags: the targets, where the labels know them, or the ground."""

from emberscope.base.monitor import Monitor
from emberscope.course.background_checks import rests_on
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.given import CORES, MADE, PARTS
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.versions import code_version
from emberscope.features.cache import digest


class Rests(Saying):
    """Numbers and one sentence, of the features alone."""

    inputs = (REDUCED, MADE, CORES, PARTS)

    def key(self, plan: Plan, given: Given) -> str:
        made = given[MADE]
        bags = made.bags
        return digest([given.key(REDUCED), made.y, bags.indptr, bags.members, bags.labels,
                       list(given[CORES].items()), plan.split, code_version()])

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        made = given[MADE]
        metrics, sentence = rests_on(
            given[REDUCED].X, made, given[CORES],
            held=plan.split.of_bags(made.instances, made.bags, given[PARTS]),
            seen=plan.recipe.features.sees, seed=plan.recipe.seed, monitor=monitor,
        )
        return Scores({}, metrics, [sentence] if sentence else [])

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(0.05)


RESTS = Rests("rests")
