"""A map in parts, side by side: the instances of a run by class, clip, concept or any other
coloring, and by quarters of a number."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.point_looks import COLUMN, LegendEntry, style_points
from emberscope.labels.columns import NUMBER, Column
from emberscope.project.model.project import Project, Run
from emberscope.project.run_columns import columns_of_run

MOST = 9  # that are shown side by side
_PARTS = 4  # of a number


@dataclass(frozen=True, slots=True)
class Facet:
    """A part of a map. rows : (N,) which instances it has. slot, color : of the glyph of its
    legend entry, slot 0 and "" where it has none."""

    title: str
    rows: NDArray[np.bool_]
    slot: int = 0
    color: str = ""

    @property
    def count(self) -> int:
        """How many instances it has."""
        return int(np.count_nonzero(self.rows))


def facets_of(project: Project, run: Run, by: str, theme: str) -> list[Facet]:
    """The parts of a run, the largest first, `MOST` at most; numbers are cut into four of the same
    count, from the lowest on, what has none left out; of few numbers each is a part. by : a
    coloring of `point_looks`."""
    if by in run.point_scores:
        return _quarters(np.asarray(run.point_scores[by], float))
    if by == "frame":
        return _frames(run)
    if by.startswith(COLUMN):
        column = columns_of_run(project, run, filled=True).get(by.removeprefix(COLUMN))
        if column is not None and column.kind == NUMBER:
            return _numbers(column)
    style = style_points(project, run, by, theme)
    entries = {entry.key: entry for entry in style.legend}
    names = {ref.id: ref.name for ref in project.sources.values()} if by == "source" else {}
    keys, counts = np.unique(style.group, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST]
    return [_of_group(int(keys[at]), style.group, entries, names) for at in order]


def _of_group(
    key: int, group: NDArray, entries: dict[int, LegendEntry], names: dict[int, str]
) -> Facet:
    entry = entries.get(key)
    if entry is None:
        return Facet(names.get(key, str(key)), group == key)
    return Facet(entry.title or entry.says, group == key, entry.slot, entry.color)


def _numbers(column: Column) -> list[Facet]:
    """One part for each number where these are few."""
    values = column.values
    found = np.unique(values[np.isfinite(values)])
    if len(found) > MOST:
        return _quarters(values)
    return [Facet(column.words(float(one)), values == one) for one in found]


def _frames(run: Run) -> list[Facet]:
    """Four parts of the frames that have instances, one clip after the other."""
    places, at = np.unique(np.column_stack([run.source, run.frame]), axis=0, return_inverse=True)
    parts = np.array_split(np.arange(len(places)), min(_PARTS, len(places)))
    several = len(np.unique(places[:, 0])) > 1
    found = []
    for part in parts:
        low, high = (part[0], part[-1]) if several else (places[part[0], 1], places[part[-1], 1])
        title = f"frames {low + 1} \N{EN DASH} {high + 1}"
        rows = np.isin(at.reshape(-1), part)
        found.append(Facet(f"{title} of all clips" if several else title, rows))
    return found


def _quarters(values: NDArray) -> list[Facet]:
    known = values[np.isfinite(values)]
    if not len(known):
        return []
    ends = np.unique(np.quantile(known, np.linspace(0, 1, _PARTS + 1)))
    if len(ends) == 1:
        return [Facet(f"{ends[0]:.2f}", values == ends[0])]
    part = np.clip(np.searchsorted(ends, values, side="right") - 1, 0, len(ends) - 2)
    return [
        Facet(f"{low:.2f} \N{EN DASH} {high:.2f}", np.isfinite(values) & (part == at))
        for at, (low, high) in enumerate(pairwise(ends))
    ]
