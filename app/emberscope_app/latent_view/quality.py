"""What the plate of the flat map says of a run: its numbers, those about the map of the axes on
show."""

from collections.abc import Mapping

from emberscope.findings.headline import (
    BY_TRUTH,
    NAMES,
    beside_words,
    clips_words,
    doubt_words,
    instead_words,
    says,
    split_said,
    with_interval,
)
from emberscope.findings.notes import without_number
from emberscope.findings.shown_axes import NUMBERS as OF_AXES
from emberscope.findings.shown_axes import Axes, is_part
from emberscope.project import Run
from emberscope.project.nouns import nouns_of_run
from emberscope_app.latent_view.plates import Part
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.shown_axes import shown_axes
from emberscope_app.words import spaced

QUALITY = (
    "method_bag_auc",
    "chosen_bag_auc",
    "witness_found",
    "inside_auc",
    "map_accuracy",
    "trustworthiness",
    "continuity",
    "r_nx_auc",
    "spread",
    "knn_balanced",
)
_FIRST = ("method_bag_auc", "chosen_bag_auc", *BY_TRUTH)  # go last where there is no room
# Cannot be read without what chance gives
_NEEDS_CHANCE = ("chosen_bag_auc", "witness_found", "knn_balanced")
_BOTH = ("trustworthiness", "continuity")  # are said of the axes on show and of all
NOT_MEASURED = "Held-out bag AUC not measured"


def quality_parts(session: Session, run: Run) -> list[Part]:
    """The numbers of a run with their intervals, the most important first, each with what spoils it
    behind it; before them what is decisive about a number that is not there. None where there is
    nothing of either."""
    shown = shown_axes(session)
    numbers, parts, there = shown.numbers(run), list[Part](), set[str]()
    for key in QUALITY:
        value = with_interval(numbers, key)
        if value and says(numbers, key) and not instead_words(numbers, key):
            number, whole = (
                f"{NAMES[key]} {value}{_on_axes(run, key, shown.axes(run))}",
                key not in OF_AXES or not is_part(run, shown.axes(run)),
            )
            # The clip far below a mean is known of all axes
            doubt = doubt_words(run, key) if whole else ""
            minor = key not in _FIRST
            parts.append(
                Part(
                    ", ".join(filter(None, (number, _of_all(run, key, shown.axes(run)),
                                            _rests_on(run, numbers, key)))),
                    minor=minor,
                )
            )  # fmt: skip
            parts += [Part(doubt, warns=True, minor=minor)] if doubt else []
            split = split_said(run, key)
            parts += [Part(split, minor=True)] if split else []
            there |= {key} if whole else set()
    if parts and "method_bag_auc_seconds" in run.metrics and "chosen_bag_auc" not in run.metrics:
        parts.insert(0, Part(NOT_MEASURED))
    alone = [Part(note.short, warns=True) for note in without_number(run, there)]
    return [*alone, *parts, Part(f"n {spaced(len(run.ids))}", minor=True)] if parts or alone else []


def _on_axes(run: Run, key: str, axes: Axes) -> str:
    """" on axes 1, 2" where two of more are on show."""
    there = key in _BOTH and is_part(run, axes)
    return f" on axes {axes[0] + 1}, {axes[1] + 1}" if there else ""


def _of_all(run: Run, key: str, axes: Axes) -> str:
    """What the same is in all dimensions, where two of more are on show: "all 3: 0.97"."""
    value = run.metrics.get(key)
    if key not in _BOTH or value is None or not is_part(run, axes):
        return ""
    return f"all {run.Z.shape[1]}: {value:.2f}"


def _rests_on(run: Run, numbers: Mapping[str, float], key: str) -> str:
    """The words without which a number is read wrongly."""
    if key == "method_bag_auc":
        return nouns_of_run(run).say(clips_words(numbers))
    best = numbers.get(f"{key}_ceiling")
    return (
        beside_words(numbers, key, nouns_of_run(run))
        if key in _NEEDS_CHANCE
        else f"ceiling {best:.2f}"
        if best is not None
        else ""
    )
