"""Which bags are held out together, and what spoils that."""

from collections.abc import Mapping

import numpy as np

from emberscope.bags.folds import NO_PART, sides_of
from emberscope.bags.model import Bags
from emberscope.bags.split_recipe import BAGS
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor
from emberscope.course.inputs import content_of
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores
from emberscope.course.stage import Given
from emberscope.course.stages.given import LABELS, PARTS, SOURCES
from emberscope.evaluate.held_out import Parts, labeled_bags
from emberscope.features.backbone import backbone_of
from emberscope.findings.split_sides import FOLDS
from emberscope.project.model.project import SourceRef
from emberscope.project.model.recipe import ROWS

BOTH_SIDES = (
    "Frames of one clip are on both sides of the split: neighboring frames look alike, so that "
    "numbers of held-out bags may be better than another clip would show. Hold out whole clips."
)
UNTAUGHT = "{} of targets {} held out as a whole: nothing teaches {}. Label more."
TAUGHT_ITSELF = (
    "The network of the features was tuned with labels of {} that held-out bags are of: their "
    "scores prove nothing. Tune it with the split that judges."
)
LEFT_OUT = "{} labeled bags have no value of {} that the split names, and take no part in it."


class SplitSides(Saying):
    """Arrays: "bag_fold" (K,) int64, the fold in which a bag is held out, -1 for a bag without
    label or instance, -2 for one that is only learned from. Metrics: "method_bag_by_bag", 1 where
    bags are held out one by one. Notes of a split that a person chose."""

    inputs = (SOURCES, LABELS, PARTS)

    def needed(self, plan: Plan, given: Given) -> bool:
        return given[PARTS] is not None

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        parts, bags = given[PARTS], given[LABELS].bags
        assert parts is not None
        assert bags is not None
        by_bag = {"method_bag_by_bag": 1.0} if plan.split.recipe.kind == BAGS else {}
        alone = plan.recipe.bags.level == ROWS and len(given[SOURCES]) == 1
        notes = [] if plan.split.usual else _notes(parts, bags, alone=alone)
        if plan.split.sides is not None and (left := _left_out(parts, bags)):
            notes.append(LEFT_OUT.format(left, plan.split.recipe.column))
        if clips := _taught_before(plan, given[SOURCES], parts):
            notes.append(TAUGHT_ITSELF.format(how_many(clips, "clip")))
        return Scores({}, by_bag, notes, {FOLDS: parts.fold})


def _notes(parts: Parts, bags: Bags, *, alone: bool) -> list[str]:
    """alone : whether all bags are rows of one file, which is no clip."""
    assert parts.clip is not None  # of a project
    targets = bags.labels > 0
    mixed = not alone and any(map(len, sides_of(parts.fold, parts.clip).shared))
    lost = len(sides_of(parts.fold[targets], bags.classes[targets]).alone)
    what = ("1 class", "is", "it") if lost == 1 else (f"{lost} classes", "are", "them")
    return [*([BOTH_SIDES] if mixed else []), *([UNTAUGHT.format(*what)] if lost else [])]


def _taught_before(
    plan: Plan, sources: Mapping[int, SourceRef], parts: Parts
) -> int:
    """How many clips of held-out bags have taught the network that makes the features."""
    features = plan.recipe.features
    taught = backbone_of(features).taught if features.kind == "cnn" else ()
    if not taught or parts.clip is None:
        return 0
    held = np.unique(parts.clip[parts.fold >= 0]).tolist()
    return sum(content_of(sources[key]) in taught for key in held)


def _left_out(parts: Parts, bags: Bags) -> int:
    return int((labeled_bags(bags) & (parts.fold == NO_PART)).sum())


SIDES = SplitSides("sides of the split")
