"""How well bags are separated that were held out, in one number: for point sets, which have no
clips."""

from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Given
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.given import LABELS, PARTS
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.stages.separation import NO_FOLD, NOT_HELD_OUT, FoldFits
from emberscope.course.stages.side import SIDE
from emberscope.evaluate.held_out import bag_area, in_embedding

NONE = NOT_HELD_OUT + "positive or negative ones are too few, or all in one group."
NO_DISTANCES = NOT_HELD_OUT + "distances that are given say nothing about new instances."


class HeldOutArea(Saying):
    """Metrics: "method_bag_auc" with the ends "_low" and "_high" of its 95 % interval. The bags
    alone judge."""

    inputs = (REDUCED, SEEN, EMBED, LABELS, PARTS, SIDE)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        X, labels = given[REDUCED].X, given[LABELS]
        parts, fits = given[PARTS], FoldFits.of(plan, labels, given[SIDE], X.shape)
        if fits is not None and given[SEEN].distances is not None and not plan.measured:
            return Scores(notes=[NO_DISTANCES])
        if parts is None or labels.bags is None:
            return Scores(notes=[NONE])
        try:
            found = (in_embedding(given[EMBED].Z, labels.y, parts) if fits is None
                     else fits.held_out(X, labels, parts, monitor))
        except EmberscopeError as error:
            return Scores(notes=[NO_FOLD.format(error)])
        names = ("method_bag_auc", "method_bag_auc_low", "method_bag_auc_high")
        return Scores(metrics=dict(zip(names, bag_area(found, labels.bags, parts), strict=True)))


HELD_OUT_AREA = HeldOutArea("held-out area")
