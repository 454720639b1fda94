"""What the plate of the flat map says of a run: its numbers, those about the map of the axes on show."""

from collections.abc import Mapping
from typing import NamedTuple

from emberscope.project import Project, Run
from emberscope.project.headline import NAMES, beside_words, with_interval, worst_words
from emberscope.project.notes import beside
from emberscope_app.state.session import Session
from emberscope_app.state.shown_axes import shown_axes
from emberscope_app.words import spaced

QUALITY = ("method_bag_auc", "witness_found", "inside_auc", "map_accuracy", "trustworthiness", "continuity", "r_nx_auc",
           "spread", "knn_balanced")
NOT_MEASURED = "Held-out bag AUC not measured"


class Part(NamedTuple):
    """A number in words. doubt : how these end where something spoils it, "" for nothing."""

    words: str
    doubt: str = ""


def quality_parts(session: Session, run: Run) -> list[Part]:
    """The numbers of a run with their intervals, the most important first; none where it has none of them."""
    numbers = shown_axes(session).numbers(run)
    parts = []
    for key in QUALITY:
        value = with_interval(numbers, key)
        if value:
            chance = _chance(numbers, key)
            doubt = doubts(session.project, run, key)
            parts.append(Part(f"{NAMES[key]} {value}{chance}{doubt}", doubt))
    if parts and "method_bag_auc_seconds" in run.metrics:
        parts.insert(0, Part(NOT_MEASURED))
    return [*parts, Part(f"n {spaced(len(run.ids))}")] if parts else []


def _chance(numbers: Mapping[str, float], key: str) -> str:
    """What chance gives, of the numbers that need it to be read."""
    chance = numbers.get("witness_found_chance") if key == "witness_found" else 0.5 if key == "knn_balanced" else None
    return f", chance {chance:.2f}" if chance is not None and beside_words(numbers, key) else ""


def doubts(project: Project, run: Run, key: str) -> str:
    """", worst day 0.75, background alone 0.92": what spoils a number of the run, to stand after it."""
    heavy = (note.short for note in beside(run, key) if note.weight == "decisive")
    return "".join(f", {words}" for words in (worst_words(project, run, key), *heavy) if words)
