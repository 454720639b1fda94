"""Labels of a project that are probably wrong, by probabilities of bags that were held out."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import MadeBags
from emberscope.base.folders import cache_folder
from emberscope.base.grouping import how_many
from emberscope.base.ids import label_of_bag
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.inputs import features, prepare
from emberscope.evaluate.doubts import LEAST, BagDoubts, bag_doubts, wrong_labels
from emberscope.evaluate.held_out import bag_clips
from emberscope.labels.model import FrameLabel, Label, TargetClass
from emberscope.neighbors.threads import one_blas_thread
from emberscope.pipeline.beside import moves
from emberscope.project.exchange.sources import changed_note, changed_sources
from emberscope.project.model.doubtful_labels import (
    DoubtfulLabel,
    DoubtfulLabels,
    Kind,
    background_of,
)
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe

AT_CHANCE = (
    "No other class is proposed for {}: held-out labels of {} are recognized no better than by "
    "chance, so that nothing tells a wrong class from a right one."
)
FEW_OF_CLASS = (
    "No other class is proposed for {}: {} has fewer than {} labels, or all of them are on one "
    "clip that holds no other class. Label {} on another clip."
)
DOUBTFUL = 0.05  # how probably wrong a label is that is listed
NONE = ("None of {} that {} judged is doubtful: each is wrong with a probability of less than "
        f"{100 * DOUBTFUL:.0f} %.")
_CHECKED = "{} that somebody checked {} left out of the list."


def doubtful_labels(
    project: Project, recipe: Recipe, *, monitor: Monitor | None = None
) -> DoubtfulLabels:
    """The labels that are wrong with a probability of 5 % or more, the most doubtful first.

    recipe : whose patches and features are looked at. A label is judged by its bags; a label of a
    whole frame is only asked whether it holds a target. Labels that are checked teach, but are not
    listed. Raises MissingLabels, FormatError, Cancelled.
    """
    watch = monitored(monitor)
    inputs = prepare(project, recipe, cache_folder())
    X = features(project.sources, inputs, recipe, Portion(watch, 0.0, 0.4))
    made = inputs.made
    group = made.bags.groups
    assert group is not None  # of a project
    clip = bag_clips(made.instances, made.bags)
    with one_blas_thread():
        found = bag_doubts(X, made.bags, group, clip=clip, seed=recipe.seed,
                           monitor=Portion(watch, 0.4, 1.0))
    rows = dict(_rows(project, made, found))
    with one_blas_thread():
        moved = moves(project, recipe, made, X, found, list(rows.values()))
    rows |= {row.label: row for row in moved}
    open_to_doubt = [row for row in rows.values() if not _is_checked(project, row.label)]
    listed = [row for row in open_to_doubt if row.wrong >= DOUBTFUL]
    listed.sort(key=lambda row: (-row.wrong, row.label))
    left = len(rows) - len(open_to_doubt)
    notes = [found.why] if found.why else _of_classes(project.classes, found)
    if open_to_doubt and not listed:
        n = len(open_to_doubt)
        notes.insert(0, NONE.format(how_many(n, "label"), "was" if n == 1 else "were"))
    if left:
        notes.append(_CHECKED.format(how_many(left, "label"), "is" if left == 1 else "are"))
    changed = changed_note(project, changed_sources(project))
    return DoubtfulLabels(rows=listed, judged=len(rows), notes=[*filter(None, [changed]), *notes])


def _of_classes(classes: Mapping[int, TargetClass], found: BagDoubts) -> list[str]:
    """Which classes are not compared with others, and why."""
    notes = []
    if found.at_chance:
        them = "each of them" if len(found.at_chance) > 1 else "it"
        notes.append(AT_CHANCE.format(_names(classes, found.at_chance), them))
    if found.too_few:
        several = len(found.too_few) > 1
        each, them = ("each", "them") if several else ("it", "it")
        notes.append(FEW_OF_CLASS.format(_names(classes, found.too_few), each, LEAST, them))
    return notes


def _names(classes: Mapping[int, TargetClass], ids: tuple[int, ...]) -> str:
    return ", ".join(classes[key].name if key in classes else "unknown" for key in ids)


def _rows(project: Project, made: MadeBags, found: BagDoubts) -> Mapping[int, DoubtfulLabel]:
    """By label; of several bags of one the most doubtful."""
    out: dict[int, DoubtfulLabel] = {}
    there = found.probability
    positive = made.bags.labels > 0
    share = float(positive[np.isfinite(there)].mean()) if np.isfinite(there).any() else 0.5
    wrong = wrong_labels(np.where(positive, there, 1 - there),
                         np.where(positive, share, 1 - share))
    for k in np.flatnonzero(np.isfinite(found.probability)):
        label = project.labels.get(label_of_bag(int(made.bags.ids[k])))
        if label is None:
            continue
        row = _row(project.classes, made, found, int(k), label, float(wrong[k]))
        if row.label not in out or row.wrong > out[row.label].wrong:
            out[row.label] = row
    return out


def _row(
    classes: Mapping[int, TargetClass], made: MadeBags, found: BagDoubts, k: int, label: Label,
    wrong: float,
) -> DoubtfulLabel:
    members, positive = made.bags.of(k), bool(made.bags.labels[k] > 0)
    kind: Kind = "no target" if positive else "target in background"
    proposed = background_of(classes) if positive else _likely(classes, made, found, k)
    other = _other_class(found, made, k) if positive and not isinstance(label, FrameLabel) else None
    if other is not None and other[1] > wrong:
        kind, proposed, wrong = "other class", other[0], other[1]
    best = members[int(np.argmax(found.score[members]))]
    instance = int(made.instances.ids[best])
    return DoubtfulLabel(
        label=label.id, source=label.source, frame=label.frame, kind=kind, wrong=wrong,
        given=label.class_id, proposed=proposed, instance=instance,
    )


def _likely(
    classes: Mapping[int, TargetClass], made: MadeBags, found: BagDoubts, k: int
) -> int:
    """The class of targets that a bag of background would get: the one that most bags have."""
    of_targets = made.bags.classes[made.bags.labels > 0]
    kinds, count = np.unique(of_targets, return_counts=True)
    if len(kinds):
        return int(kinds[count.argmax()])
    return next(key for key, info in classes.items() if info.role > 0)


def _other_class(found: BagDoubts, made: MadeBags, k: int) -> tuple[int, float] | None:
    """The likeliest other class of a positive bag, and the probability that its own is not right,
    as often as labels of its own class are."""
    shares: NDArray = found.of_kind[k]
    if not len(shares) or not np.isfinite(shares).all():
        return None
    own = found.kinds == made.bags.classes[k]
    others = np.where(own, -1.0, shares)
    alike = made.bags.classes == made.bags.classes[k]
    right = np.where(alike, found.of_kind[:, own][:, 0], np.nan)
    judged = np.isfinite(found.of_kind).all(axis=1)
    wrong = wrong_labels(right, float(alike[judged].mean()))
    return int(found.kinds[others.argmax()]), float(wrong[k])


def _is_checked(project: Project, label_id: int) -> bool:
    label = project.labels.get(label_id)
    return label is not None and label.about is not None and label.about.checked
