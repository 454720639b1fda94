"""How long a label takes to draw: by the times that signed labels carry, else as is usual."""

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from emberscope.labels.model import Label, is_sampled, kind
from emberscope.labels.origins import MANUAL, code_of

# s for a label with the look for its target, where nobody was timed: chosen, not measured
USUAL = {"spot": 2.0, "frame": 2.0, "relaxed": 4.0, "box": 7.0, "scribble": 4.0, "polygon": 15.0,
         "ellipse": 6.0, "line": 6.0}  # fmt: skip
_PAUSE = 60.0  # s between two labels from which on somebody did something else
_LEAST = 5     # labels of a kind from which on their times count


class Took(NamedTuple):
    """Seconds for a label of a kind; timed : by how many labels, 0 for the usual ones."""

    seconds: float
    timed: int


def label_times(labels: Iterable[Label]) -> dict[str, Took]:
    """Of every kind that is drawn, the median time since the label that its author drew before."""
    signed = dict[str, list[tuple[float, str]]]()
    for label in labels:
        about, drawn = label.about, code_of(label.origin) == MANUAL and not is_sampled(label)
        at = _seconds(about.time) if about is not None and about.author and drawn else None
        if at is not None and about is not None:
            signed.setdefault(about.author, []).append((at, kind(label)))
    gaps = dict[str, list[float]]()
    for drawn_by in signed.values():
        for (before, _), (at, of_kind) in pairwise(sorted(drawn_by)):
            if 0 < at - before <= _PAUSE:
                gaps.setdefault(of_kind, []).append(at - before)
    return {of_kind: Took(median(gaps[of_kind]), len(gaps[of_kind]))
            if len(gaps.get(of_kind, ())) >= _LEAST else Took(usual, 0)
            for of_kind, usual in USUAL.items()}


def seconds_of(label: Label, times: dict[str, Took]) -> float:
    """What a label costs."""
    return times[kind(label)].seconds


def times_words(times: dict[str, Took]) -> str:
    """"Labels take: a spot 2.0 s (assumed), a tight box 6.3 s (of 40 that were timed)." of the
    kinds that a study draws."""
    named = {"spot": "a spot", "frame": "a frame label", "relaxed": "a relaxed box",
             "box": "a tight box"}  # fmt: skip
    parts = [
        f"{words} {times[name].seconds:.1f} s "
        + (f"(of {times[name].timed} that were timed)" if times[name].timed else "(assumed)")
        for name, words in named.items()
    ]
    return f"Labels take: {', '.join(parts)}. Signed labels are timed."


def _seconds(time: str) -> float | None:
    try:
        return datetime.fromisoformat(time).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
