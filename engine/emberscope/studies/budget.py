"""What more minutes of labels bring, and which are more than all labels take."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from emberscope.base.errors import EmberscopeError
from emberscope.findings.measures import spoken
from emberscope.findings.studied.grid import words_of
from emberscope.project.model.project import Project
from emberscope.studies.cells import Cell, judging_labels
from emberscope.studies.summary import Place
from emberscope.studies.weakened import Change, drawing_minutes


def spare_words(cells: Sequence[Cell], project: Project) -> list[str]:
    """A sentence for each way to draw labels in which all are drawn before the minutes are over, so
    that cells of more minutes say nothing of more labels: "drawn spot: all labels are drawn in 6.3
    min, so 10 and 20 min bring no more of them."."""
    minutes = dict[Change, set[float]]()
    first = dict[Change, Cell]()
    for cell in cells:
        if cell.change.minutes is not None and not cell.error:
            way = replace(cell.change, minutes=None, seed=0)
            first.setdefault(way, cell)
            minutes.setdefault(way, set()).add(cell.change.minutes)
    said = list[str]()
    for way, cell in first.items():
        try:
            needed = drawing_minutes(project, way, judging_labels(cell.recipe, project))
        except EmberscopeError:  # its cells say so
            continue
        spare = sorted(each for each in minutes[way] if each > needed)
        if spare:
            named = ", ".join(f"{axis} {cell.values[axis]}" for axis in ("drawn", "r", "u", "share")
                              if cell.values.get(axis) is not None)
            more = " and ".join(f"{each:g}" for each in spare)
            said.append(f"{named + ': ' if named else ''}all labels are drawn in {needed:.1f} min, "
                        f"so {more} min bring no more of them.")
    return sorted(said)


def gain_words(places: Sequence[Place], score: str) -> list[str]:
    """A sentence for each way to draw labels, what the next minutes bring: "drawn spot: held-out
    bag AUC 0.70 after 2 min; 3 more bring +0.05, 5 more +0.01."."""
    ways = dict[str, list[Place]]()
    for place in places:
        if place.scores and "minutes" in place.values:
            rest = {axis: value for axis, value in place.values.items() if axis != "minutes"}
            ways.setdefault(words_of(rest), []).append(place)
    said = list[str]()
    for words, own in ways.items():
        own.sort(key=lambda place: float(place.values["minutes"]))
        steps = [f"{after.values['minutes'] - before.values['minutes']:g} more"
                 f"{' bring' if before is own[0] else ''} {after.mean - before.mean:+.2f}"
                 for before, after in pairwise(own)]
        if steps:
            said.append(f"{words + ': ' if words else ''}{spoken(score)} {own[0].mean:.2f} after "
                        f"{own[0].values['minutes']:g} min; {', '.join(steps)}.")
    return said
