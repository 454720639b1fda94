"""The grid of a study as small tables of colored tiles beside each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import msgspec

from emberscope.findings.judged.tiles import Heading, Tile, Tiles, scale_ends
from emberscope.findings.measures import lower_is_better, title_of


class PlaceScore(msgspec.Struct, frozen=True):
    """One combination of the values of all axes of a study but the seed.

    mean : over its seeds that are done, None where none has the number. low, high : 95 % interval.
    sd : over seeds. seeds : how many have the number. missing : cells that are not done. errors :
    why others have no number.
    """

    values: dict[str, Any]
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    seeds: int = 0
    missing: int = 0
    errors: list[str] = []

    @property
    def words(self) -> str:
        """ "method pca, d 2"."""
        return words_of(self.values)

    @property
    def spoken(self) -> str:
        """All of it in a line."""
        if self.mean is None:
            return f"{self.words}: {self.errors[0] if self.errors else 'to do'}"
        between = "" if self.low is None or self.high is None else (
            f", 95 % {self.low:.2f} to {self.high:.2f}")
        spread = "" if self.sd is None else f", seeds differ by {self.sd:.3f}"
        left = f", {self.missing} to do" if self.missing else ""
        return f"{self.words}: {self.mean:.3f}{between}{spread}{left}"


def words_of(values: Mapping[str, Any]) -> str:
    """Values of axes in words: "method pca, d 2"."""
    return ", ".join(f"{axis} {value}" for axis, value in values.items()
                     if value is not None) or "the recipe"


@dataclass(frozen=True, slots=True)
class Panel:
    """A table of tiles, and the number of the place behind each, row by row; -1 for none."""

    tiles: Tiles
    places: tuple[tuple[int, ...], ...]


def grid_panels(places: Sequence[PlaceScore], score: str) -> list[Panel]:
    """Panels of one color scale: the axis with the most values goes down, the next one across, and
    every combination of the others has a panel of its own. Places that are to do are hatched."""
    if not places:
        return []
    values = {axis: list(dict.fromkeys(repr(place.values[axis]) for place in places))
              for axis in places[0].values}
    shown = {repr(place.values[axis]): _words(place.values[axis])
             for axis in values for place in places}
    ranked = sorted(values, key=lambda axis: -len(values[axis]))
    down, across = [*ranked, "", ""][:2]
    others = [axis for axis in values if axis not in (down, across)]
    ends = _ends(places)
    at = {tuple(repr(place.values[axis]) for axis in values): n for n, place in enumerate(places)}
    panels = []
    for chosen in product(*(values[axis] for axis in others)):
        fixed = dict(zip(others, chosen, strict=True))
        numbers = [[at.get(tuple({**fixed, down: row, across: column}[axis] for axis in values), -1)
                    for column in values.get(across, [""])] for row in values.get(down, [""])]
        if all(number < 0 for row in numbers for number in row):
            continue
        title = ", ".join(f"{axis} {shown[value]}" for axis, value in fixed.items())
        tiles = Tiles(
            title or title_of(score),
            tuple(Heading(f"{down} {shown[row]}" if down else "")
                  for row in values.get(down, [""])),
            tuple(Heading(shown[column]) for column in values[across]) if across else
            (Heading(title_of(score)),),
            tuple(tuple(_tile(places[n] if n >= 0 else None, ends) for n in row)
                  for row in numbers),
            across, ends,
        )  # fmt: skip
        panels.append(Panel(tiles, tuple(map(tuple, numbers))))
    return panels


def best_place(places: Sequence[PlaceScore], score: str) -> int:
    """Number of the place of the best mean, of several the first; -1 where none has a number."""
    known = {n: place.mean for n, place in enumerate(places) if place.mean is not None}
    sign = -1.0 if lower_is_better(score) else 1.0
    return max(known, key=lambda n: sign * known[n], default=-1)


def study_rows(places: Sequence[PlaceScore], score: str) -> list[list[object]]:
    """The names of the columns, then a row for each place: values of its axes, the mean of the
    score with its 95 % interval, how far seeds differ, how many there are and are to do."""
    axes = list(dict.fromkeys(axis for place in places for axis in place.values))
    rows: list[list[object]] = [[*axes, score, "low", "high", "sd", "seeds", "to_do", "errors"]]
    for place in places:
        numbers = ("" if value is None else value
                   for value in (place.mean, place.low, place.high, place.sd))
        rows.append([*("" if (value := place.values.get(axis)) is None else value
                       for axis in axes), *numbers, place.seeds, place.missing,
                     "; ".join(place.errors)])
    return rows


def _words(value: Any) -> str:
    return "\u2013" if value is None else str(value)


def _ends(places: Sequence[PlaceScore]) -> tuple[float, float] | None:
    """The ends of the color scale; None where nothing is known yet."""
    means = [place.mean for place in places if place.mean is not None]
    return scale_ends(means) if means else None


def _tile(place: PlaceScore | None, ends: tuple[float, float] | None) -> Tile:
    if place is None:
        return Tile(0.0, "", hatched=True, empty=True, spoken="says nothing here")
    if place.mean is None or ends is None:
        return Tile(0.0, "", hatched=True, empty=not place.errors, spoken=place.spoken)
    share = (place.mean - ends[0]) / (ends[1] - ends[0])
    return Tile(share, f"{place.mean:.2f}", spoken=place.spoken)
