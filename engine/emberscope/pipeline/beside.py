"""Boxes that miss or cut their targets: places beside them, looked at as if they were labeled."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import MadeBags
from emberscope.base.errors import MissingLabels
from emberscope.base.folders import cache_folder
from emberscope.base.ids import label_of_bag
from emberscope.base.monitor import Silent
from emberscope.course.background_checks import Cores, touching
from emberscope.course.inputs import features, prepare
from emberscope.evaluate.doubts import Asked, BagDoubts, elsewhere
from emberscope.labels.geometry import as_boxes, bounds
from emberscope.labels.model import Box
from emberscope.project.model.doubtful_labels import DoubtfulLabel
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe

_MOST = 60          # boxes that are looked at, the most doubtful ones
_LEAST = 0.3        # probability that a box holds no target, from which on it is
_STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # sides of the box, both ways
_SURE, _BETTER = 0.5, 0.2  # probability of a place, and how much more likely than the box it is


def moves(
    project: Project, recipe: Recipe, made: MadeBags, X: NDArray, found: BagDoubts,
    rows: Sequence[DoubtfulLabel],
) -> list[DoubtfulLabel]:
    """The rows of boxes beside which a target probably lies, with the box moved there.

    X : (N, D) features of the instances of `made`, which `found` judges. Places are steps of half a
    side, up to a whole one; patches that meet another label of a target do not count there. Points
    have no place that a box could move to.
    """
    if project.of_points:
        return []
    there = {label_of_bag(int(bag)): float(p)
             for bag, p in zip(made.bags.ids, found.probability, strict=True)}
    worst = sorted((row for row in rows if row.kind == "no target"
                    and there[row.label] <= 1 - _LEAST), key=lambda row: there[row.label])
    asked: dict[int, tuple[DoubtfulLabel, Box]] = {}
    for row in worst[:_MOST]:
        label = project.labels.get(row.label)
        for place in _places(project, label) if isinstance(label, Box) else ():
            number = len(asked) + 1
            asked[number] = row, msgspec.structs.replace(place, id=number)
    likely = _probabilities(project, recipe, made, X, asked)
    best: dict[int, tuple[float, DoubtfulLabel, Box]] = {}
    for number, probability in likely.items():
        row, place = asked[number]
        if row.label not in best or probability > best[row.label][0]:
            best[row.label] = probability, row, place
    return [
        msgspec.structs.replace(row, kind="beside", proposed=row.given,
                                box=(place.x0, place.y0, place.x1, place.y1))
        for probability, row, place in best.values()
        if probability >= _SURE and probability - there[row.label] >= _BETTER
    ]


def _places(project: Project, label: Box) -> Iterator[Box]:
    """The box at places around it, whose middle is in the frame."""
    _, high, wide = project.frame_sizes[label.source]
    for across, down in product(_STEPS, _STEPS):
        dx, dy = across * (label.x1 - label.x0), down * (label.y1 - label.y0)
        x, y = (label.x0 + label.x1) / 2 + dx, (label.y0 + label.y1) / 2 + dy
        if (dx or dy) and 0 <= x < wide and 0 <= y < high:
            yield msgspec.structs.replace(label, x0=label.x0 + dx, x1=label.x1 + dx,
                                          y0=label.y0 + dy, y1=label.y1 + dy, core=None)


def _others(project: Project, asked: Iterable[tuple[DoubtfulLabel, Box]]) -> Cores:
    """(source, frame) -> (m, 4) bounds of labels of targets that are not asked about: what they
    hold is theirs."""
    mine = {row.label for row, _ in asked}
    out: dict[tuple[int, int], list[tuple[float, ...]]] = {}
    for place in {(box.source, box.frame) for _, box in asked}:
        for label in project.labels.on_frame(*place):
            box = bounds(label)
            if box is not None and label.id not in mine and project.role(label.class_id) > 0:
                out.setdefault(place, []).append(box)
    return {place: as_boxes(boxes) for place, boxes in out.items()}


def _probabilities(
    project: Project, recipe: Recipe, made: MadeBags, X: NDArray,
    asked: Mapping[int, tuple[DoubtfulLabel, Box]],
) -> dict[int, float]:
    """By the number of a place."""
    if not asked:
        return {}
    try:
        there = prepare(project.with_labels(place for _, place in asked.values()), recipe,
                        cache_folder())
    except MissingLabels:  # no patch fits in there
        return {}
    Q, instances = features(project.sources, there, recipe, Silent()), there.made.instances
    free = np.flatnonzero(~touching(instances, _others(project, list(asked.values()))))
    Q, bags = Q[free], there.made.bags.among(free, len(Q))
    of_label = {label_of_bag(int(bag)): k for k, bag in enumerate(made.bags.ids)}
    numbers = [label_of_bag(int(bag)) for bag in bags.ids]
    like = np.array([of_label[asked[number][0].label] for number in numbers], np.int64)
    group = made.bags.groups
    assert group is not None  # of a project
    found = elsewhere(X, made.bags, group, Asked(Q, bags, like), seed=recipe.seed)
    return dict(zip(numbers, found.tolist(), strict=True))
