"""The note of a run whose map shows places: an axis, or the map, tells clips or frames apart
better than targets."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags, Instances
from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Given
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.given import MADE
from emberscope.evaluate.axis_places import Told, told_by_axes, told_by_picture


class Places(Saying):
    """A sentence where the map shows the place more than the targets."""

    inputs = (EMBED, MADE)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        made = given[MADE]
        return place_scores(given[EMBED].Z, made.instances, made.y, made.bags)


def place_scores(
    Z: NDArray, instances: Instances, y: NDArray, bags: Bags | None = None
) -> Scores:
    """A note of the axis of Z (N, d) that is the place, else of the map where it splits by place.

    y : (N,) in {-1, 0, +1}, what the bags say of the instances. bags : those that hold the
    instances; without them nothing is said of single frames. O(N d) but for some 20 000 of them.
    """
    if not len(Z) or not np.isfinite(Z).all():
        return Scores()
    bag = None if bags is None else bags.first_bag(len(Z))
    where = instances.source, instances.frame, y, bag
    axes = [(i, told) for i, told in enumerate(told_by_axes(Z, *where)) if told.is_place]
    if axes:
        i, told = max(axes, key=lambda found: found[1].place)
        which = f"Axis {i + 1} is the place: it"
        return Scores(notes=[_sentence(which, told)])
    told = told_by_picture(Z, *where)
    if not told.is_place:
        return Scores()
    return Scores(notes=[_sentence("The map splits by place: along one direction it", told)])


def _sentence(which: str, told: Told) -> str:
    """AUC of 0.5, a correlation of 0 and a share of 0 are chance."""
    if told.place == told.clips:
        place = f"tells clips apart (AUC {_area(told.clips)})"
    elif told.place == told.single:
        place = f"sets single frames apart ({told.single**2:.0%} of its variance beyond chance)"
    else:
        place = f"goes with the number of the frame (rank correlation {told.frames:.2f})"
    return (f"{which} {place} more than targets from background (AUC {_area(told.targets)}). "
            "Color by clip or frame.")


def _area(separation: float) -> str:
    return f"{(1 + separation) / 2:.2f}"


PLACES = Places("places")
