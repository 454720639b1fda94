"""How far instances move between fits that ought to agree."""

from emberscope import catalogue
from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores, joined
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.faithful import pair_key
from emberscope.course.stages.given import LABELS
from emberscope.course.stages.side import SIDE
from emberscope.course.stages.start import START
from emberscope.evaluate.learned_from import LearnedFrom
from emberscope.evaluate.stability import stability
from emberscope.features.cache import digest

SPREAD_SECONDS = 1.0  # estimated, for the fits that show how far instances move
NO_SPREAD = "No spread between fits: "  # how the note begins that says why there is no such number


class Spread(Saying):
    """Points: stability. Metrics: spread, its opposite, overall. Nothing for a method without luck
    or neighbors, and for an embedding that an earlier one led.
    """

    inputs = (SEEN, EMBED, LABELS, SIDE, START)

    def key(self, plan: Plan, given: Given) -> str:
        return digest([pair_key(plan, given), plan.method.row.id, plan.recipe.params,
                       given.key(EMBED), plan.at_any_cost])

    def needed(self, plan: Plan, given: Given) -> bool:
        return bool(plan.fits) and given[START] is None

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        seen, labels, fits = given[SEEN], given[LABELS], plan.fits
        seconds = spread_seconds(plan, *seen.X.shape)
        if seconds > SPREAD_SECONDS and not plan.at_any_cost:
            note = f"{NO_SPREAD}{len(fits) - 1} more fits would take about {seconds:.0f} s."
            return Scores(metrics={"spread_seconds": seconds}, notes=[note])
        side = given[SIDE] if plan.reads_side else None
        try:
            found = stability(
                lambda number: plan.refitted(number, seen.distances), seen.X, bags=labels.bags,
                learned_from=LearnedFrom(labels.known_to(plan.method.row), side),
                Z=given[EMBED].Z, fits=len(fits), monitor=monitor,
            )
        except EmberscopeError as error:
            return Scores(notes=[f"{NO_SPREAD}{error}"])
        return joined(Scores({"stability": found.stability}, {"spread": found.overall}))

    def cost(self, plan: Plan, size: Size) -> Cost:
        seconds = spread_seconds(plan, size.n, size.narrow)
        return Cost(seconds if seconds <= SPREAD_SECONDS else 0.0)


def spread_seconds(plan: Plan, n: int, d: int) -> float:
    """What the fits that show how far instances move take; 0 for a method that has nothing to
    vary."""
    once = catalogue.estimate(plan.method.row.id, n, d, plan.method.values)[0]
    return max(len(plan.fits) - 1, 0) * once


SPREAD = Spread("spread")
