"""The numbers that are named first, in words: how well bags are separated and targets found, with
their intervals."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from emberscope.bags.split_recipe import COLUMN, DEFAULT, SplitRecipe
from emberscope.findings.measures import MEASURES, base_of, measure_of, named
from emberscope.findings.notes import beside as notes_beside
from emberscope.findings.notes import heaviest
from emberscope.findings.shown_axes import plain
from emberscope.project.model.parts import ALL, AREAS, CEILINGS, TRUTHS, Part, parts_of_run
from emberscope.project.model.project import Project, Run
from emberscope.project.nouns import OF_FRAMES, Nouns, nouns_of, nouns_of_run

Metrics = Mapping[str, float]
BLOCKS = "blocks of frames"
MADE_FROM = "made from these labels"
OPTIMISTIC = "chose this recipe, so optimistic"
LEAST = 5        # bags with truth below which nothing is said of them
NOTHING = "nothing to find: every patch of these boxes is target"
_CERTAIN = 0.995  # chance of finding a target from which on there is nothing to find
FAR_BELOW = 0.1  # by how much the worst clip is below the mean before it is named
NAMES = {key: measure.title for key, measure in MEASURES.items()}
HEADLINE = (
    "method_bag_auc",
    "chosen_bag_auc",
    "witness_found",
    "inside_auc",
    "map_accuracy",
    "knn_balanced",
)
_HALF_IS_CHANCE = ("method_bag_auc", "chosen_bag_auc", "inside_auc", "map_accuracy", "knn_balanced")
_OF_CLASSIFIER = ("bag_auc", "bag_accuracy", "bag_instance_auc", "class_accuracy")
# Rest on bags that were held out
_OF_SPLIT = ("method_bag_auc", "knn_balanced", *_OF_CLASSIFIER)
BY_TRUTH = ("witness_found", "inside_auc", "map_accuracy")  # rest on bags whose target is known


class Line(NamedTuple):
    """A number of the headline. value : with its interval, or why there is none. beside : on what
    it rests."""

    key: str
    title: str
    value: str
    beside: str


def with_interval(metrics: Metrics, key: str, *, digits: int = 2) -> str:
    """"0.84 (0.61 - 0.94)", the interval of 95 % where it is known; "" where there is no number; of
    a number that says nothing why it says nothing (`instead_words`)."""
    value = metrics.get(key, math.nan)
    if not math.isfinite(value):
        return ""
    if instead := instead_words(metrics, key):
        return instead
    low, high = (metrics.get(f"{key}_{end}", math.nan) for end in ("low", "high"))
    interval = f" ({low:.{digits}f} \u2013 {high:.{digits}f})" if math.isfinite(low + high) else ""
    return f"{value:.{digits}f}{interval}"


def measured_words(metrics: Metrics, *, but: Collection[str] = ()) -> dict[str, str]:
    """Numbers for a person, by their name: each with its interval or its error, and its unit. but :
    keys left out."""
    out = {}
    for key in metrics:
        measure = measure_of(key)
        counted = measure is not None and measure.counted
        words = with_interval(
            metrics, key, digits=(0 if metrics[key] % 1 == 0 else 1) if counted else 3
        )
        # To a number, and stands with it
        belongs = base_of(key) != key and plain(base_of(key)) in MEASURES
        if not words or key in but or belongs:
            continue
        error = metrics.get(f"{key}_error", metrics.get(f"{key}_sd", math.nan))
        words += f" \u00b1 {error:.1g}" if math.isfinite(error) else ""
        unit = "" if measure is None else f"{' ' if counted else ', '}{measure.unit}"
        out[named(key)] = words + unit
    return out


def too_few_words(metrics: Metrics, key: str) -> str:
    """"too few to judge (1)"; "" where there are enough, or nobody counted."""
    count = metrics.get("witness_found_bags", math.nan) if plain(key) in BY_TRUTH else math.nan
    return f"too few to judge ({round(count)})" if count < LEAST else ""


def nothing_words(metrics: Metrics, key: str) -> str:
    """"nothing to find: every patch of these boxes is target", where an instance drawn at random
    finds it too: then there is no ground inside of them either."""
    judges = plain(key) in ("witness_found", "inside_auc")
    chance = metrics.get("witness_found_chance", math.nan) if judges else math.nan
    return NOTHING if chance >= _CERTAIN else ""


def instead_words(metrics: Metrics, key: str) -> str:
    """What is said in place of a number that says nothing: it rests on too few bags, or there is
    nothing to find; "" for one that says something."""
    return too_few_words(metrics, key) or nothing_words(metrics, key)


def telling(metrics: Metrics, key: str) -> float:
    """A number that runs may be compared by: NaN where there is none, or it says nothing."""
    return math.nan if instead_words(metrics, key) else metrics.get(key, math.nan)


def no_better_words(metrics: Metrics, key: str) -> str:
    """"no better than chance" of witnesses found that a draw at random finds as often, and of an
    area or an accuracy of no more than one half."""
    chance = 0.5 if plain(key) in _HALF_IS_CHANCE else math.nan
    chance = (
        metrics.get("witness_found_chance", math.nan) if plain(key) == "witness_found" else chance
    )
    return (
        "no better than chance"
        if metrics.get(key, math.nan) <= chance and not instead_words(metrics, key)
        else ""
    )


def held_out_words(metrics: Metrics, nouns: Nouns = OF_FRAMES) -> str:
    """"mean of 2 clips, 1 more not judged, held out by clip, 4 clips, interval by blocks of
    frames"; "" where no bag was held out."""
    if not math.isfinite(metrics.get("method_bag_auc", math.nan)):
        return ""
    count, how = _count(metrics, "method_bag_groups"), _held_by(metrics, nouns)
    unit = "block" if how == BLOCKS else how
    held = f"held out by {how}, {count} {unit}{'s' * (count != 1)}"
    held += f", interval by {BLOCKS}" * (how not in (BLOCKS, nouns.block))
    return nouns.say(", ".join(filter(None, (clips_words(metrics), held))))


def _held_by(metrics: Metrics, nouns: Nouns = OF_FRAMES) -> str:
    """What was held out together where the method was judged."""
    units = (unit for unit in ("clip", "bag") if metrics.get(f"method_bag_by_{unit}", 0) > 0)
    return next(units, nouns.block)


def kind_words(split: SplitRecipe) -> str:
    """"clip", "hold-out of night.arf", "column range, test 1500"."""
    if split.kind == COLUMN:
        named = [f"{what} {', '.join(values)}" for what, values in
                 (("test", split.test), ("train", split.train)) if values]
        return ", ".join([f"{split.kind} {split.column}", *named])
    return f"{split.kind} of {', '.join(split.sources)}" if split.sources else split.kind


def chosen_split_words(run: Run, key: str) -> str:
    """"split by column range, test 1500" beside a number of bags that were held out as a person
    chose it; "" for other numbers and the default."""
    split = run.recipe.split
    usual = split.kind == DEFAULT or plain(key) not in _OF_SPLIT
    return "" if usual else f"split by {kind_words(split)}"


def split_said(run: Run, key: str) -> str:
    """The split that a number of held-out bags rests on, as short as can be: "held out by clip",
    "split by column range, test 1500"; "" for other numbers, and where there is none."""
    if plain(key) not in _OF_SPLIT or not math.isfinite(run.metrics.get(key, math.nan)):
        return ""
    nouns = nouns_of_run(run)
    of_headline = f"held out by {nouns.say(_held_by(run.metrics, nouns))}"
    unit = nouns.say("clip") if run.metrics.get("bag_auc_by_clip", 0) > 0 else nouns.block
    usual = dict.fromkeys(_OF_CLASSIFIER, f"held out by {unit}")
    usual["method_bag_auc"] = of_headline
    return chosen_split_words(run, key) or usual.get(plain(key), "")


def witnesses_said(run: Run) -> str:
    """What the scores of witnesses have seen, as short as can be: "held out" of a classifier on
    frames it was not fitted on, "bags left out" of rules each of which has not seen the bag, else
    "labels seen"; "" where the run has no witnesses."""
    if "witness" not in run.point_scores:
        return ""
    if "bag_score" in run.diagnostics and "classifier" not in run.point_scores:
        return "held out"
    return "bags left out" if "held_score_" in run.state else "labels seen"


def clips_words(metrics: Metrics) -> str:
    """What the area is a mean of; "" for one clip, which it is of as a whole."""
    judged, others = (
        _count(metrics, f"method_bag_{name}") for name in ("clips", "clips_not_judged")
    )
    if metrics.get("method_bag_pooled", 0) > 0:
        return f"pooled over {others} clips, none of which has bags of both kinds"
    if judged + others < 2:
        return ""
    mean = f"mean of {judged} clips" if judged > 1 else "of 1 clip"
    return mean + (f", {others} more not judged" if others else "")


def chance_words(metrics: Metrics) -> str:
    """"chance 0.44, 120 bags" of the witnesses found; "" where truth is not known, or says
    nothing."""
    if not math.isfinite(metrics.get("witness_found", math.nan)) or instead_words(
        metrics, "witness_found"
    ):
        return ""
    bags = (
        [f"{_count(metrics, 'witness_found_bags')} bags"] if "witness_found_bags" in metrics else []
    )
    return ", ".join([f"chance {metrics['witness_found_chance']:.2f}", *bags])


def _count(metrics: Metrics, key: str) -> int:
    """A whole number; 0 where it is none, as in a project that something else wrote."""
    value = metrics.get(key, 0)
    return round(value) if math.isfinite(value) else 0


def made_from_words(metrics: Metrics) -> str:
    """"made from these labels" for an embedding whose method read labels, else ""."""
    return MADE_FROM if metrics.get("made_from_labels", 0) > 0 else ""


def beside_words(metrics: Metrics, key: str, nouns: Nouns) -> str:
    """On what a number of the headline rests, what chance gives and what its features reach at
    best; "" for a number that is not there."""
    if not with_interval(metrics, key) or instead_words(metrics, key):
        return ""
    best = metrics.get(f"{key}_ceiling", math.nan)
    ceiling = f"ceiling {best:.2f}" if math.isfinite(best) else ""
    return ", ".join(filter(None, (_rests_on(metrics, key, nouns), ceiling)))


def _rests_on(metrics: Metrics, key: str, nouns: Nouns) -> str:
    return {
        "method_bag_auc": lambda found: held_out_words(found, nouns),
        "chosen_bag_auc": lambda _: OPTIMISTIC,
        "witness_found": chance_words,
        "inside_auc": lambda _: "chance 0.50",
        "map_accuracy": lambda _: "chance 0.50",
        "knn_balanced": lambda _: "chance 0.50",
    }.get(plain(key), lambda _: "")(metrics)


def headline(project: Project, run: Run) -> list[Line]:
    """The numbers of a run that are named first, those it has; the clip that is far below a mean is
    named beside it."""
    lines = []
    for key in (key for key in HEADLINE if says(run.metrics, key)):
        value = with_interval(run.metrics, key)
        if value:
            beside = (
                _old_words(run) if key == "method_bag_auc" else "",
                beside_words(run.metrics, key, nouns_of_run(run)),
                chosen_split_words(run, key),
                no_better_words(run.metrics, key),
                worst_words(project, run, key),
            )
            lines.append(Line(key, NAMES[key], value, ", ".join(filter(None, beside))))
    return lines


def says(metrics: Metrics, key: str) -> bool:
    """Whether a number is to be named: that of the trial that chose the recipe is not beside the
    run's own."""
    return key != "chosen_bag_auc" or "method_bag_auc" not in metrics


def _old_words(run: Run) -> str:
    """That an area is pooled over clips, of a run of a version that did so."""
    clips = len(np.unique(run.source)) if "method_bag_clips" not in run.metrics else 1
    return f"pooled over {clips} clips by an older version" if clips > 1 else ""


def worst(run: Run, key: str) -> Part | None:
    """The clip that is lowest in a number of the headline, where it lies far below the mean and has
    enough bags."""
    clips = [part for part in parts_of_run(run) if part.source != ALL and part.class_id == ALL]
    found = [part for part in clips if key in part.numbers and _enough(part.numbers, key)]
    lowest = min(found, key=lambda part: part.numbers[key], default=None)
    far = lowest is not None and lowest.numbers[key] <= run.metrics.get(key, -math.inf) - FAR_BELOW
    return lowest if far else None


def _enough(numbers: Metrics, key: str) -> bool:
    if key in BY_TRUTH:
        return not instead_words(numbers, key)
    return min(numbers.get("positive_bags", 0), numbers.get("negative_bags", 0)) >= LEAST


def worst_words(project: Project, run: Run, key: str) -> str:
    """"worst day 0.75"; "" where no clip is far below the mean."""
    found = worst(run, key)
    if found is None:
        return ""
    return f"worst {clip_name(project, found.source)} {found.numbers[key]:.2f}"


def doubt_words(run: Run, key: str) -> str:
    """What spoils a number of a run most, to stand beside it: "background alone 0.92, worst clip
    0.75"; "" for none."""
    # Nothing spoils a number that is not there
    there = math.isfinite(run.metrics.get(key, math.nan))
    heavy = [note.short for note in heaviest(notes_beside(run, key))] if there else []
    heavy = [*filter(None, [no_better_words(run.metrics, key)]), *heavy]
    lowest = worst(run, key)
    if lowest is not None:
        heavy = [*heavy, f"worst {nouns_of_run(run).clip} {lowest.numbers[key]:.2f}"]
    return ", ".join(heavy)


def clip_name(project: Project, source: int) -> str:
    """The name of a source; of one that is gone, its number."""
    if source in project.sources:
        return project.sources[source].name
    return f"{nouns_of(project).clip} {source}"


def class_name(project: Project, class_id: int) -> str:
    """The name of a class; of one that is gone, its number."""
    return project.classes[class_id].name if class_id in project.classes else f"class {class_id}"


def part_records(project: Project, run: Run) -> list[dict[str, Any]]:
    """The numbers of every clip and class of a run as plain data.

    "clip" and "class" are names, None for the mean over clips and for all classes; "judged" is
    whether bags of both kinds lie on the clip; the others are columns of `project.model.parts`,
    None where there is none.
    """
    out = []
    for part in parts_of_run(run):
        clip = None if part.source == ALL else clip_name(project, part.source)
        kind = None if part.class_id == ALL else class_name(project, part.class_id)
        numbers = {name: part.numbers.get(name) for name in (*AREAS, *TRUTHS, *CEILINGS)}
        out.append(
            {
                "clip": clip,
                "class": kind,
                "judged": numbers["method_bag_auc"] is not None,
                **numbers,
            }
        )
    return out


TABLE = (
    "Clip",
    "Class",
    "Held-out bag AUC",
    "Bags",
    "Witness found",
    "Chance",
    "AUC inside bags",
    "Map accuracy",
)


def part_head(nouns: Nouns) -> tuple[str, ...]:
    """The columns of `part_rows`."""
    return tuple(nouns.say(words) for words in TABLE)


def part_rows(records: Iterable[Mapping[str, Any]], nouns: Nouns) -> list[tuple[str, ...]]:
    """`part_records` in words, the columns of `part_head`; none for a run of one clip and one
    class: the headline tells it.
    """
    rows = [_row(record, nouns) for record in records]
    return rows if len(rows) > 2 else []


def _row(record: Mapping[str, Any], nouns: Nouns) -> tuple[str, ...]:
    numbers = {name: value for name, value in record.items() if isinstance(value, float)}
    sides = [
        str(round(numbers[name])) for name in ("positive_bags", "negative_bags") if name in numbers
    ]
    known = "witness_found_chance" in numbers and not instead_words(numbers, "witness_found")
    return (
        record["clip"] or nouns.say("mean of clips"), record["class"] or "all",
        with_interval(numbers, "method_bag_auc") or ("not judged" if sides else ""),
        " + ".join(sides),
        with_interval(numbers, "witness_found"),
        f"{numbers['witness_found_chance']:.2f}" if known else "",
        with_interval(numbers, "inside_auc"), with_interval(numbers, "map_accuracy"),
    )  # fmt: skip
