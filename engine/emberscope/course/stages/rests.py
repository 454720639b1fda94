"""What separates the bags: the targets, where the labels know them, or the ground."""

from emberscope.base.monitor import Monitor
from emberscope.course.background_checks import LEARNED, rests_on
from emberscope.course.components import components_seconds
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import CORES, MADE, PARTS
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.project.model.recipe import ROWS

_FITS = 15  # five folds of each of three judges, at most


class Rests(Saying):
    """Numbers and one sentence, of the features alone."""

    inputs = (FEATURES, REDUCED, MADE, CORES, PARTS)

    def needed(self, plan: Plan, given: Given) -> bool:
        """Rows of point sets lie at no place that background could share."""
        return plan.recipe.bags.level != ROWS

    def key(self, plan: Plan, given: Given) -> str:
        made = given[MADE]
        bags = made.bags
        return digest([given.key(REDUCED), made.y, bags.indptr, bags.members, bags.labels,
                       list(given[CORES].items()), plan.split, code_version()])

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        made, X, narrow = given[MADE], given[FEATURES], given[REDUCED].X.shape[1]
        metrics, sentence = rests_on(
            X, made, given[CORES],
            held=plan.split.of_bags(made.instances, made.bags, given[PARTS]),
            seen=plan.recipe.features.sees, components=narrow if narrow < X.shape[1] else 0,
            monitor=monitor,
        )
        return Scores({}, metrics, [sentence] if sentence else [])

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(0.05 + _FITS * components_seconds(min(size.n, LEARNED), size.wide, size.narrow))


RESTS = Rests("rests")
