"""How unlike all that taught elsewhere each instance is."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import MadeBags
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
    """Of points, those of other bags teach; of patches, those of other clips, or of other frames
    where there is one clip. Those without a label are compared with all of these, too."""

    inputs = (SEEN, MADE)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        X, made = given[SEEN].X, given[MADE]
        place = _places(made, points=plan.recipe.bags.level == ROWS)
        taught = made.y != 0
        if not taught.any():
            taught[:] = True
        known = Known(X[taught], place[taught])
        return Scores({"novelty": known.novelty(X, place)})

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(1e-10 * size.n * min(size.n, _KNOWN) * size.narrow)


def _places(made: MadeBags, *, points: bool) -> NDArray[np.int64]:
    """(N,) what instances that are near copies of each other have in common: a bag, a clip, a
    frame."""
    if points:
        return made.bags.first_bag(len(made.y))
    source = made.instances.source
    if len(source) and (source != source[0]).any():
        return source.astype(np.int64)
    return made.instances.frame.astype(np.int64)


NOVELTY = NoveltyOf("novelty")
