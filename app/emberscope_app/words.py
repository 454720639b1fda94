"""How numbers, units, names and durations are written: one function for each. No Qt."""

import math
from collections.abc import Sequence

from emberscope import catalogue
from emberscope.labels import Label, kind

THIN = "\u2009"  # thin space



def spaced(number: int) -> str:
    """A whole number with thin spaces between thousands: "12\u2009345"."""
    return f"{number:,}".replace(",", "\u2009")


def distance_words(value: float) -> str:
    """A distance with the digits that fit under a chip."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def pixel_value(value: float | int, units: str) -> str:
    """ "11 482 cts", "18.4 °C", "no value"."""
    if math.isnan(value):
        return "no value"
    unit = {"counts": "cts", "degC": "°C", "K": "K", "display8": "gray", "radiance": "W/(m² sr)"}.get(units, units)
    number = spaced(value) if isinstance(value, int) else f"{value:.4g}"
    if units in ("degC", "K") and not isinstance(value, int):
        number = f"{value:.1f}"
    return f"{number} {unit}".strip()


def duration(seconds: float) -> str:
    """"under 1 s", "6 s", "4 min", "2 h"."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{round(seconds / 3600)} h"


def in_sentence(name: str) -> str:
    """A class name inside a sentence: "background", but "SUV"."""
    return name[:1].lower() + name[1:] if name[1:] == name[1:].lower() else name


def method_title(method_id: str) -> str:
    """The short title, or the id of a method this version does not know."""
    known = {method.id: method for method in catalogue.METHODS}
    return known[method_id].short if method_id in known else method_id


LABEL_TITLES = {
    "box": "box",
    "relaxed": "relaxed box",
    "scribble": "scribble",
    "spot": "spot",
    "ignore": "ignore region",
    "frame": "frame label",
}


def labels_name(labels: Sequence[Label]) -> str:
    """ "box" or "3 labels"."""
    return LABEL_TITLES[kind(labels[0])] if len(labels) == 1 else f"{len(labels)} labels"
