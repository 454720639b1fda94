"""How numbers, units, names and durations are written: one function for each. No Qt."""

import math
from collections.abc import Sequence
from datetime import datetime

from emberscope import catalogue
from emberscope.base.grouping import THIN
from emberscope.base.grouping import about as about
from emberscope.base.grouping import duration as duration
from emberscope.base.grouping import grouped as grouped  # is a way of writing numbers too
from emberscope.base.grouping import plural as plural
from emberscope.base.grouping import spaced as spaced
from emberscope.labels import Label, kind
from emberscope.project import Project, SourceRef
from emberscope.project.model.project import POINTS

NO_FRAMES = "This project has no frames. Its points are in the table."


def counted(number: int, thing: str) -> str:
    """A number of things: "1 bag", "1 280 bags", "2 boxes"."""
    return f"{spaced(number)} {thing if number == 1 else plural(thing)}"


def source_size(ref: SourceRef) -> str:
    """How much a source holds: "30 frames of 640 × 512", "92 bags of 166 features"."""
    if ref.format == POINTS:
        return f"{counted(ref.n_frames, 'bag')} of {counted(ref.cols, 'feature')}"
    return f"{counted(ref.n_frames, 'frame')} of {ref.cols} × {ref.rows}"


def verb(number: int, plural_form: str) -> str:
    """What so many things do: "1 bag holds", "2 bags hold"."""
    if number != 1:
        return plural_form
    return {"have": "has", "are": "is"}.get(plural_form, f"{plural_form}s")


def listed(things: Sequence[object]) -> str:
    """Things in a sentence: "4", "4 and 5", "4, 5 and 7"."""
    *first, last = map(str, things)
    return " and ".join([", ".join(first), last] if first else [last])


def percent(share: float, *, digits: int = 0) -> str:
    """A share in [0, 1]: "45 %", with one digit "12.5 %"."""
    return f"{100 * share:.{digits}f} %"


def level(value: float) -> str:
    """A gray level in the units of the source: "7 120"; with fractions where the range is small."""
    return (
        f"{value:,.0f}".replace(",", THIN)
        if abs(value) >= 100 or value == int(value)
        else f"{value:.2f}"
    )


def extent(width: float, height: float) -> str:
    """Width and height in px: "126 × 86"."""
    return f"{width:.0f} × {height:.0f}"


def moment(then: datetime, now: datetime | None = None) -> str:
    """A time of day today, else with its day: "09:24", "2026-01-05 10:41"."""
    today = (now or datetime.now(then.tzinfo)).date()
    return then.strftime("%H:%M" if then.date() == today else "%Y-%m-%d %H:%M")


def distance_words(value: float) -> str:
    """A distance with the digits that fit under a chip."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def pixel_value(value: float | int, units: str) -> str:
    """ "11 482 cts", "18.4 °C", "no value"."""
    if math.isnan(value):
        return "no value"
    unit = {
        "counts": "cts",
        "degC": "°C",
        "K": "K",
        "display8": "gray",
        "radiance": "W/(m² sr)",
    }.get(units, units)
    number = spaced(value) if isinstance(value, int) else f"{value:.4g}"
    if units in ("degC", "K") and not isinstance(value, int):
        number = f"{value:.1f}"
    return f"{number} {unit}".strip()


def in_sentence(name: str) -> str:
    """A class name inside a sentence: "background", but "SUV"."""
    return name[:1].lower() + name[1:] if name[1:] == name[1:].lower() else name


def method_title(method_id: str) -> str:
    """The short title, or the id of a method this version does not know."""
    known = {method.id: method for method in catalogue.METHODS}
    return known[method_id].short if method_id in known else method_id


def frames_words(project: Project, frames: Sequence[tuple[int, int]]) -> str:
    """Where something is, (source, frame) in order: "frame 3", "frames 3 to 12", "pass_01, frame
    3", "2 clips"."""
    clips = {source for source, _ in frames}
    if len(clips) != 1:
        return counted(len(clips), "clip") if clips else ""
    first, last = frames[0][1] + 1, frames[-1][1] + 1
    words = (
        f"frame {spaced(first)}" if first == last else f"frames {spaced(first)} to {spaced(last)}"
    )
    ref = project.sources.get(frames[0][0])
    return (
        f"{ref.name.rpartition('.')[0] or ref.name}, {words}"
        if ref and len(project.sources) > 1
        else words
    )


LABEL_TITLES = {
    "box": "box",
    "relaxed": "relaxed box",
    "polygon": "polygon",
    "ellipse": "ellipse",
    "line": "line",
    "scribble": "scribble",
    "spot": "spot",
    "ignore": "ignore region",
    "frame": "frame label",
}


def labels_name(labels: Sequence[Label]) -> str:
    """ "box" or "3 labels"."""
    return LABEL_TITLES[kind(labels[0])] if len(labels) == 1 else counted(len(labels), "label")
