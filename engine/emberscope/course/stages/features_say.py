"""What the features say beside the embedding: axes of a linear method, instances that look
alike."""

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Given
from emberscope.course.stages.advice import alike_notes
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.features import FEATURES
from emberscope.evaluate.loadings import loadings


class Loadings(Saying):
    """Correlations of the features, before their reduction, with the axes of a linear method."""

    inputs = (FEATURES, EMBED)

    def needed(self, plan: Plan, given: Given) -> bool:
        return plan.method.row.linear and len(given[FEATURES]) > 1

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        return Scores(arrays={"loadings": loadings(given[FEATURES], given[EMBED].Z)})


class Alike(Saying):
    """A sentence where most instances look the same."""

    inputs = (FEATURES,)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        return Scores(notes=alike_notes(given[FEATURES]))


LOADINGS, ALIKE = Loadings("loadings"), Alike("alike")
