"""Tables of colored tiles as data: a confusion, slices by two axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.grouping import spaced
from emberscope.findings.judged.levels import (
    Estimate,
    Level,
    SliceAxis,
    Tally,
    found_in_cells,
    slice_interval,
)

ON_GROUND, NOT_REPORTED = "On ground", "None"  # in place of background, of detections
PALEST, BRIGHTEST = 0.08, 0.80  # of the color scale
_STEPS = 50  # of its ends between 0 and 1


@dataclass(frozen=True, slots=True)
class Tile:
    """share : 0..1 of the color. big, small : what stands on it. hatched : it says nothing, and
    has no color. spoken : all of it in words. empty : there is nothing behind it."""

    share: float
    big: str
    small: str = ""
    hatched: bool = False
    spoken: str = ""
    empty: bool = False

    @property
    def tone(self) -> float:
        """Where its color lies on the color scale, 0..1."""
        return PALEST + (BRIGHTEST - PALEST) * min(max(self.share, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Heading:
    """A row or a column. slot : of the glyph of a class, -1 for none."""

    words: str
    slot: int = -1


@dataclass(frozen=True, slots=True)
class Tiles:
    """rows, columns : their headings. tiles : row by row. across : what columns are. ends : numbers
    at the ends of the color scale, None for shares of a row. note : below it. apart : the last row
    and the last column are something else than the others, and stand apart from them."""

    title: str
    rows: tuple[Heading, ...]
    columns: tuple[Heading, ...]
    tiles: tuple[tuple[Tile, ...], ...]
    across: str = ""
    ends: tuple[float, float] | None = None
    note: str = ""
    apart: bool = False

    @property
    def spoken(self) -> str:
        """What it says to somebody who cannot see it."""
        return f"{self.title}, {len(self.rows)} by {len(self.columns)}"


def confusion_tiles(tally: Tally, threshold: float, kinds: Sequence[Heading]) -> Tiles:
    """Shares of each row that are said to be this or that. kinds : headings of the classes of
    `tally`, ground last; detections on ground are no target and no background, they stand apart."""
    per_frame = tally.level.per_frame
    columns = [*kinds[:-1], Heading(NOT_REPORTED)] if per_frame else kinds
    kinds = [*kinds[:-1], Heading(ON_GROUND)] if per_frame else kinds
    counts = tally.confusion(threshold)
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    rows = []
    for i, mine in enumerate(kinds):
        row = []
        for j, said in enumerate(columns):
            share, count = float(counts[i, j] / totals[i, 0]), int(counts[i, j])
            row.append(Tile(share, f"{100 * share:.0f} %", spaced(count), empty=count == 0,
                            spoken=f"{mine.words} said to be {said.words}: {count}, "
                                   f"{100 * share:.0f} %"))
        rows.append(tuple(row))
    return Tiles("Confusion", tuple(kinds), tuple(columns), tuple(rows), "Predicted",
                 apart=per_frame)


def area_tiles(
    areas: Sequence[Estimate], known: NDArray, targets: NDArray, groups: NDArray,
    axes: tuple[SliceAxis, SliceAxis | None], least: int,
) -> Tiles:
    """Areas of slices, those that say nothing hatched: of few entries, or whose interval holds
    nearly every area. areas, known, targets, groups : (C,) of each, as `SliceAreas` has them.
    least : entries below which a slice says nothing."""
    words = [f"AUC {one.value:.2f}, {slice_interval(one, count)}"
             for one, count in zip(areas, groups.tolist(), strict=True)]
    unsure = np.array([one.says_nothing for one in areas], bool)
    note = f"hatched: under {least}" + (", or few groups" if (unsure & known).any() else "")
    shown = np.where(unsure, np.nan, np.array([one.value for one in areas]))
    return _sliced("AUC", shown, known, targets, words, axes, note)


def found_tiles(
    level: Level, threshold: float, axes: tuple[SliceAxis, SliceAxis | None],
    cell: NDArray, least: int,
) -> Tiles:
    """Shares of the targets that are found at a threshold, slice by slice. cell : (M,) the slice of
    each entry."""
    count = len(axes[0].names) * (len(axes[1].names) if axes[1] is not None else 1)
    share, targets = found_in_cells(level, cell, count, threshold)
    known = targets >= least
    words = [f"Found {value:.2f}" for value in share.tolist()]
    return _sliced("Found", share, known, targets, words, axes, f"hatched: under {least}")


def scale_ends(values: ArrayLike) -> tuple[float, float]:
    """The ends of the color scale of numbers, (n,) with n > 0. Where all are equal it goes on
    below them, down to 0: no share is more than 1."""
    low, high = int(np.floor(np.min(values) * _STEPS)), int(np.ceil(np.max(values) * _STEPS))
    if low == high:
        low, high = (low - 1, high) if low > 0 else (low, high + 1)
    return low / _STEPS, high / _STEPS


def _sliced(
    what: str, value: NDArray, known: NDArray, targets: NDArray, words: list[str],
    axes: tuple[SliceAxis, SliceAxis | None], note: str,
) -> Tiles:
    """value : (C,), NaN where a slice that is known bears no number. words : that say each."""
    first, second = axes
    columns = second.names if second is not None else [what]
    shown = value[known & np.isfinite(value)]
    low, high = scale_ends(shown) if len(shown) else (0.0, 1.0)
    rows = []
    for i, name in enumerate(first.names):
        row = []
        for j, other in enumerate(columns):
            at = i * len(columns) + j
            place = f"{name}, {other}" if second is not None else name
            spoken = f"{place}: {words[at]}, {targets[at]} targets"
            if known[at] and np.isfinite(value[at]):
                share = (float(value[at]) - low) / (high - low)
                row.append(Tile(share, f"{value[at]:.2f}", spoken=spoken))
            elif known[at]:
                row.append(Tile(0.0, "", hatched=True, spoken=spoken))
            else:
                row.append(Tile(0.0, "", hatched=True, empty=not targets[at],
                                spoken=f"{place}: {targets[at]} targets, too few"))
        rows.append(tuple(row))
    return Tiles(f"{what} by slice", tuple(map(Heading, first.names)),
                 tuple(map(Heading, columns)), tuple(rows),
                 second.title if second is not None else "", (low, high), note)
