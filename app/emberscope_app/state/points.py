"""How the instances of a run look: class, color, glyph and legend, computed once for maps, chips and lists."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import bag_name
from emberscope.labels.model import BACKGROUND
from emberscope.project import Project, Run
from emberscope.project.coloring import IGNORED_SLOT, class_slots, instance_classes, rgb, slot_colors
from emberscope.project.concepts import RunConcepts
from emberscope.project.headline import made_from_words
from emberscope.project.witness import witness_scores
from emberscope_app.state.concepts import CONCEPT, concept_color, concept_colors, concept_name, run_concepts
from emberscope_app.state.imputed_rounds import IMPUTED, rounds_of
from emberscope_app.state.scores import Scale, scale_of, score_title, shades
from emberscope_app.state.shown_axes import WHOLE, ShownAxes
from emberscope_app.theme.tokens import Tokens

_NAMED = 12  # groups up to which each has its entry in the legend


@dataclass(frozen=True, slots=True)
class LegendEntry:
    slot: int          # glyph
    color: str
    title: str
    count: int
    key: int = 0       # the value in PointStyle.group that this entry stands for


@dataclass(frozen=True, slots=True)
class PointStyle:
    """Row n belongs to row n of the run.

    slot : (N,) uint8 glyph slot of the class, 0 unknown, 255 ignored. rgb : (N, 3) uint8.
    group : (N,) what the color stands for: class id, bag number or source id; the legend's keys are its values.
    legend : entries, most frequent first. scale : of a number coloring, else None. note : what the colors mean
    where no entry can say it.
    """

    slot: NDArray[np.uint8]
    rgb: NDArray[np.uint8]
    group: NDArray[np.int64]
    legend: tuple[LegendEntry, ...]
    scale: Scale | None = None
    note: str = ""


def style_points(
    project: Project, run: Run, color_by: str, tokens: Tokens, *, number: int | None = None,
    shown: ShownAxes | None = None,
) -> PointStyle:
    """Colors of a run's instances: "class", "bag", "source", "imputed", "concept", or the name of a per-point score.

    number : the round of imputed labels, None = the one that was kept. shown : the axes on show, of which scores about
    the map then speak.
    """
    classes = instance_classes(project, run)
    rounds = rounds_of(run) if color_by == IMPUTED else None
    if rounds is not None:
        classes = imputed_classes(run, rounds.at(number))
        return _by_class(project, classes, class_slots(project, classes), tokens)
    slots = class_slots(project, classes)
    name = color_by.removesuffix(WHOLE)
    if name in run.point_scores:
        found, of = shown.scores(run, color_by) if shown is not None else (run.point_scores[name], "")
        scores = witness_scores(project, run) if color_by == "witness" else None
        values = scores if scores is not None else found if found is not None else np.full(len(run.ids), np.nan)
        title = ", ".join(filter(None, (score_title(name), of, "not measured yet" if found is None else "")))
        scale, note = scale_of(name, values, tokens), title[:1].upper() + title[1:]
        if color_by == "purity" or (color_by == "score" and "method_bag_auc" not in run.metrics):  # not held out
            note = ", ".join(filter(None, (note, made_from_words(run.metrics))))
        return PointStyle(slots, shades(values, scale, tokens), classes, (), scale, note)
    concepts = run_concepts(project, run) if color_by == CONCEPT else None
    if concepts is not None:
        return _by_concept(project, concepts, slots, tokens)
    if color_by == "bag":
        first = run.bags.first_bag(len(run.ids))
        return _by_group(slots, first, lambda k: _bag_title(run, k), "bags", tokens)
    if color_by == "source":
        names = {source.id: source.name for source in project.sources.values()}
        return _by_group(slots, run.source, lambda source: names.get(source, f"Source {source}"), "sources", tokens)
    return _by_class(project, classes, slots, tokens)


def imputed_classes(run: Run, labels: NDArray[np.int8]) -> NDArray[np.int64]:
    """(N,) class ids of imputed labels: targets that of their bag, others background, 0 without label."""
    bags = run.bags
    out = np.where(labels < 0, BACKGROUND, 0).astype(np.int64)
    of_member, sign = bags.classes[bags.bag_of_member], bags.labels[bags.bag_of_member]
    for wanted in (-1, 1):
        use = (sign == wanted) & (labels[bags.members] == wanted)
        out[bags.members[use]] = of_member[use]
    return out


def top_of_bag(project: Project, run: Run, row: int, bag: int) -> int:
    """With how many instances of its positive bag a row has the most evidence: 1 = alone, 0 = it has not.

    What is marked as background is out of the running at once.
    """
    rows = run.bags.of(bag) if bag >= 0 and run.bag_labels[bag] > 0 else np.empty(0, np.int64)
    found = witness_scores(project, run, rows)
    if found is None or not len(rows):
        return 0
    values = np.nan_to_num(found, nan=-1.0)
    top = float(values.max())
    return int(np.sum(values == top)) if top > 0 and (values[rows == row] == top).any() else 0


def top_words(project: Project, run: Run, row: int, bag: int) -> str:
    """What may be said of the first of a bag; only a method that reads bags tells the witness from its company."""
    equal = top_of_bag(project, run, row, bag)
    if not equal:
        return ""
    if equal > 1:
        return "shares the top score"
    return "likely witness" if "witness" in run.point_scores else "top score of its bag"


def _bag_title(run: Run, k: int) -> str:
    return f"Bag {bag_name(run.bag_ids[k])}" if k >= 0 else "No bag"


def _by_class(project: Project, classes: NDArray, slots: NDArray[np.uint8], tokens: Tokens) -> PointStyle:
    legend = [
        LegendEntry(info.slot, tokens.classes[info.slot], info.name, int(np.sum(classes == info.id)), info.id)
        for info in project.classes.values()
    ]
    legend.append(LegendEntry(0, tokens.classes[0], "Unknown", int(np.sum(classes == 0)), 0))
    legend.append(LegendEntry(IGNORED_SLOT, tokens.classes[0], "Ignored", int(np.sum(classes == -1)), -1))
    return PointStyle(slots, slot_colors(slots, tokens.name), classes, tuple(entry for entry in legend if entry.count))


def _by_concept(project: Project, found: RunConcepts, slots: NDArray[np.uint8], tokens: Tokens) -> PointStyle:
    keys = np.array([0, *(number + 1 for number in found.numbers)])
    colors, group = concept_colors(found, tokens), keys[found.concept + 1]
    counts = np.bincount(found.concept + 1, minlength=len(found) + 1)
    if len(found) > _NAMED:
        return PointStyle(slots, colors, group, (), None, f"{len(found)} concepts, colors repeat")
    legend = [
        LegendEntry(1, concept_color(number, tokens), concept_name(project, found, k), int(counts[k + 1]), number + 1)
        for k, number in enumerate(found.numbers)
    ]
    legend.append(LegendEntry(0, tokens.classes[0], "No concept", int(counts[0]), 0))
    return PointStyle(slots, colors, group, tuple(entry for entry in legend if entry.count))


def _by_group(
    slots: NDArray[np.uint8], groups: NDArray, title: Callable[[int], str], many: str, tokens: Tokens
) -> PointStyle:
    values, index, counts = np.unique(groups, return_inverse=True, return_counts=True)
    palette = np.array([rgb(color) for color in tokens.classes[1:]], np.uint8)
    if len(values) > _NAMED:
        note = f"{len(values)} {many}, colors repeat"
        return PointStyle(slots, palette[index % len(palette)], np.asarray(groups, np.int64), (), None, note)
    order = np.argsort(-counts, kind="stable")
    legend = tuple(
        LegendEntry(1, tokens.classes[1 + int(i) % len(palette)], title(int(values[i])), int(counts[i]), int(values[i]))
        for i in order
    )
    return PointStyle(slots, palette[index % len(palette)], np.asarray(groups, np.int64), legend)
