"""How the instances of a run look: class, color, glyph and legend, for maps, chips, lists and
images."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from emberscope.base.grouping import spaced
from emberscope.base.ids import bag_name
from emberscope.findings.coloring import (
    CLASS_COLORS,
    FOUND,
    IGNORED_SLOT,
    SEQUENTIAL,
    class_slots,
    instance_classes,
    rgb,
    slot_colors,
)
from emberscope.findings.concept_looks import concept_color, concept_colors, concept_name
from emberscope.findings.concepts import RunConcepts, concepts_shown_with
from emberscope.findings.headline import made_from_words
from emberscope.findings.imputed_rounds import IMPUTED, rounds_of
from emberscope.findings.score_words import Scale, in_order, scale_of, score_title, shades
from emberscope.labels.columns import NUMBER, Column
from emberscope.labels.model import BACKGROUND
from emberscope.project.columns import UNITS
from emberscope.project.model.membership import bag_weights, class_words
from emberscope.project.model.project import Project, Run
from emberscope.project.model.witness import witness_scores
from emberscope.project.nouns import OF_FRAMES, Nouns, nouns_of_run
from emberscope.project.run_columns import columns_of_run, patch_sides

COLUMN = "column:"  # before the name of a column, in place of a coloring
COLORS = ("class", "bag", "source", "frame", "patch")  # by which every run can be colored
CONCEPT = "concept"
_PALE = 0.6  # weight below which a point is nearer to gray than to the color of its class
_OF_POINTS = ("class", "bag", "source")
PALE = "Pale: in labels of very many patches"
_TITLES = {"source": "clip", "patch": "patch size", IMPUTED: "imputed labels"}
_NAMED = 12  # groups up to which each has its entry in the legend


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """What one color means, and how many instances have it.

    slot : of the glyph. key : the value in PointStyle.group that this entry stands for. says : what
    a legend says in place of title and count, where a color means something else than that the
    instances are what the title says.
    """

    slot: int
    color: str
    title: str
    count: int
    key: int = 0
    says: str = ""


@dataclass(frozen=True, slots=True)
class PointStyle:
    """Row n belongs to row n of the run.

    slot : (N,) uint8 glyph slot of the class, 0 unknown, 255 ignored. rgb : (N, 3) uint8.
    group : (N,) what the color stands for: class id, bag number or source id; the legend's keys are
    its values.
    legend : entries, most frequent first. scale : of a number coloring, else None. note : what the
    colors mean where no entry can say it.
    """

    slot: NDArray[np.uint8]
    rgb: NDArray[np.uint8]
    group: NDArray[np.int64]
    legend: tuple[LegendEntry, ...]
    scale: Scale | None = None
    note: str = ""


def color_choices(
    run: Run, concepts: RunConcepts | None, columns: Iterable[str] = ()
) -> list[str]:
    """By what the instances of a run can be colored, in the order of lists. concepts : those shown
    with it. columns : names of those that are known (`project.run_columns`)."""
    found = [CONCEPT] if concepts is not None else []
    return [
        *usual_colors(nouns_of_run(run)),
        *found,
        *([IMPUTED] if rounds_of(run) is not None else []),
        *in_order(run.point_scores),
        *(f"{COLUMN}{name}" for name in columns),
    ]


def usual_colors(nouns: Nouns) -> list[str]:
    """By what every run can be colored that is made of what the words are for."""
    return [*(COLORS if nouns is OF_FRAMES else _OF_POINTS)]


def color_title(color_by: str) -> str:
    """How a coloring is called on screen."""
    if color_by.startswith(COLUMN):
        return color_by.removeprefix(COLUMN)
    return _TITLES.get(color_by) or score_title(color_by)


def shown_color(run: Run, color_by: str) -> str:
    """By what a run is colored where `color_by` is asked for: what was found stands in for
    witnesses, and its classes for what it does not have."""
    if color_by == FOUND and FOUND not in run.point_scores and "score" in run.point_scores:
        return "score"
    return color_by


def style_points(
    project: Project, run: Run, color_by: str, theme: str, *, number: int | None = None,
    concepts: RunConcepts | None = None,
) -> PointStyle:
    """Colors of a run's instances: "column:" and the name of a column, "class", "bag", "source",
    "frame", "patch", "imputed", "concept", or the name of a per-point score.

    number : the round of imputed labels, None = the one that was kept. concepts : those shown with
    the run, where they have been read; else they are read here.
    """
    color_by = shown_color(run, color_by)
    classes = instance_classes(project, run)
    rounds = rounds_of(run) if color_by == IMPUTED else None
    if rounds is not None:
        classes = imputed_classes(run, rounds.at(number))
        return _by_class(project, classes, class_slots(project, classes), theme)
    slots = class_slots(project, classes)
    if color_by in run.point_scores:
        scores = witness_scores(project, run) if color_by == "witness" else None
        values = run.point_scores[color_by] if scores is None else scores
        unheld = color_by == "purity" or (
            color_by == "score" and "method_bag_auc" not in run.metrics
        )
        return style_score(
            project, run, color_by, values, theme, made_from_words(run.metrics) if unheld else ""
        )
    if color_by == CONCEPT and concepts is None:
        concepts = concepts_shown_with(project, run)
    if color_by == CONCEPT and concepts is not None:
        return _by_concept(project, concepts, slots, theme)
    if color_by == "bag":
        first = run.bags.first_bag(len(run.ids))
        return _by_group(slots, first, lambda k: _bag_title(run, k), "bags", theme)
    if color_by == "source":
        names = {source.id: source.name for source in project.sources.values()}
        return _by_group(
            slots,
            run.source,
            lambda source: names.get(source, f"Source {source}"),
            "sources",
            theme,
        )
    if color_by.startswith(COLUMN):
        return _by_column(project, run, color_by.removeprefix(COLUMN), slots, theme)
    if color_by == "frame":
        return _by_frame(run, classes, slots, theme)
    if color_by == "patch":
        return _by_group(slots, patch_sides(run), lambda side: f"{side} px", "patch sizes", theme)
    return _by_membership(project, run, _by_class(project, classes, slots, theme), theme)


def style_score(
    project: Project, run: Run, name: str, values: NDArray, theme: str, remark: str = ""
) -> PointStyle:
    """Colors by values (N,) of a score, NaN where there is none. remark : what its title does not
    say, in a few words.
    """
    classes, title = instance_classes(project, run), score_title(name)
    scale, note = scale_of(name, values, theme), title[:1].upper() + title[1:]
    note = ", ".join(filter(None, (note, remark)))
    return PointStyle(
        class_slots(project, classes), shades(values, scale, theme), classes, (), scale, note
    )


def imputed_classes(run: Run, labels: NDArray[np.int8]) -> NDArray[np.int64]:
    """(N,) class ids of imputed labels: targets that of their bag, others background, 0 without
    label."""
    bags = run.bags
    out = np.where(labels < 0, BACKGROUND, 0).astype(np.int64)
    of_member, sign = bags.classes[bags.bag_of_member], bags.labels[bags.bag_of_member]
    for wanted in (-1, 1):
        use = (sign == wanted) & (labels[bags.members] == wanted)
        out[bags.members[use]] = of_member[use]
    return out


def _by_column(
    project: Project, run: Run, name: str, slots: NDArray[np.uint8], theme: str
) -> PointStyle:
    """By what is known of the instances; one color for each text, and for what is not known."""
    column = columns_of_run(project, run, filled=True).get(name)
    if column is None:
        column = Column(name, "number", np.full(len(run.ids), np.nan))
    if column.kind == NUMBER:
        return style_score(project, run, name, column.values, theme, UNITS.get(name, ""))
    place = np.where(column.known, column.values, -1).astype(np.int64)
    return _by_group(slots, place, lambda k: column.words(float(k) if k >= 0 else np.nan),
                     f"values of {name}", theme)


def _by_frame(run: Run, classes: NDArray, slots: NDArray[np.uint8], theme: str) -> PointStyle:
    """From the first frame that has an instance to the last one; of several clips one after the
    other."""
    places, at = np.unique(np.column_stack([run.source, run.frame]), axis=0, return_inverse=True)
    several = len(np.unique(places[:, 0])) > 1
    numbers = (spaced(int(places[0, 1]) + 1), spaced(int(places[-1, 1]) + 1))
    ends = ("first clip", "last clip") if several else numbers
    scale = Scale(0.0, float(max(len(places) - 1, 1)), SEQUENTIAL, ends, ("", ""))
    note = "Frames of one clip after the other" if several else "Frame"
    return PointStyle(slots, shades(at.ravel(), scale, theme), classes, (), scale, note)


def _bag_title(run: Run, k: int) -> str:
    return f"Bag {bag_name(run.bag_ids[k])}" if k >= 0 else "No bag"


def _by_class(
    project: Project, classes: NDArray, slots: NDArray[np.uint8], theme: str
) -> PointStyle:
    legend = [
        LegendEntry(
            info.slot,
            CLASS_COLORS[theme][info.slot],
            info.name,
            int(np.sum(classes == info.id)),
            info.id,
        )
        for info in project.classes.values()
    ]
    legend.append(LegendEntry(0, CLASS_COLORS[theme][0], "Unknown", int(np.sum(classes == 0)), 0))
    legend.append(
        LegendEntry(IGNORED_SLOT, CLASS_COLORS[theme][0], "Ignored", int(np.sum(classes == -1)), -1)
    )
    return PointStyle(
        slots, slot_colors(slots, theme), classes, tuple(entry for entry in legend if entry.count)
    )


def _by_membership(project: Project, run: Run, style: PointStyle, theme: str) -> PointStyle:
    """Classes that are those of bags: the legend counts labels, and one label of very many patches
    does not color the whole map."""
    weight = bag_weights(project, run)[:, None]
    gray = np.array(rgb(CLASS_COLORS[theme][0]), float)
    colors = np.rint(gray + weight * (style.rgb - gray)).astype(np.uint8)
    legend = tuple(
        replace(entry, says=class_words(project, run, entry.key, style.group))
        for entry in style.legend
    )
    return replace(
        style, rgb=colors, legend=legend,
        note=nouns_of_run(run).say(PALE) if (weight < _PALE).any() else style.note,
    )


def _by_concept(
    project: Project, found: RunConcepts, slots: NDArray[np.uint8], theme: str
) -> PointStyle:
    keys = np.array([0, *(number + 1 for number in found.numbers)])
    colors, group = concept_colors(found, theme), keys[found.concept + 1]
    counts = np.bincount(found.concept + 1, minlength=len(found) + 1)
    if len(found) > _NAMED:
        return PointStyle(slots, colors, group, (), None, f"{len(found)} concepts, colors repeat")
    legend = [
        LegendEntry(
            1,
            concept_color(number, theme),
            concept_name(project, found, k),
            int(counts[k + 1]),
            number + 1,
        )
        for k, number in enumerate(found.numbers)
    ]
    legend.append(LegendEntry(0, CLASS_COLORS[theme][0], "No concept", int(counts[0]), 0))
    return PointStyle(slots, colors, group, tuple(entry for entry in legend if entry.count))


def _by_group(
    slots: NDArray[np.uint8], groups: NDArray, title: Callable[[int], str], many: str, theme: str
) -> PointStyle:
    values, index, counts = np.unique(groups, return_inverse=True, return_counts=True)
    palette = np.array([rgb(color) for color in CLASS_COLORS[theme][1:]], np.uint8)
    if len(values) > _NAMED:
        note = f"{len(values)} {many}, colors repeat"
        return PointStyle(
            slots, palette[index % len(palette)], np.asarray(groups, np.int64), (), None, note
        )
    order = np.argsort(-counts, kind="stable")
    hues = CLASS_COLORS[theme][1:]
    legend = tuple(
        LegendEntry(
            1, hues[int(i) % len(hues)], title(int(values[i])), int(counts[i]), int(values[i])
        )
        for i in order
    )
    return PointStyle(slots, palette[index % len(palette)], np.asarray(groups, np.int64), legend)
