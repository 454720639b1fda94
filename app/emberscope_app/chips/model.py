"""What the gallery shows, as arrays: which instances, in which groups and order, and where each
chip lies."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import bag_name
from emberscope.findings.coloring import IGNORED_SLOT, class_slots, instance_classes
from emberscope.findings.concept_looks import concept_name
from emberscope.findings.point_looks import COLUMN
from emberscope.labels.columns import Column
from emberscope.project import Project, Run
from emberscope.project.model.membership import class_words
from emberscope.project.model.witness import witness_scores
from emberscope_app.state.core.best_first import best_first, best_first_among
from emberscope_app.state.core.row_index import Rows
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.labels.classes import class_title

GROUPS = (
    ("class", "class"),
    ("bag", "bag"),
    ("concept", "concept"),
    ("source", "source"),
    ("nothing", "nothing"),
)
SORTS = (("witness", "witness"), ("score", "score"), ("novelty", "novelty"), ("time", "time"),
         ("size", "size"))  # fmt: skip
SHOWS = (
    ("selected", "selected"),
    ("all", "all"),
    ("conflicts", "conflicts"),
    ("unlabeled", "unlabeled"),
)

HEADER, GAP, BAR = 32, 6, 10  # px: a group's header, between chips, the score bar with its distance
SMALLEST, LARGEST = 32, 160


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above a group. concept : where the group is one, whose sign it gets, its number
    from 0 and whether it tells anything."""

    title: str
    slot: int | None
    count: int
    concept: tuple[int, bool] | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Chips in order. rows : (M,) rows of the run. keys (G,), starts (G+1,): group g is
    rows[starts[g]:starts[g+1]]."""

    rows: Rows
    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    describe: Callable[[int], tuple[str, int | None]]
    # By key, where the groups are concepts: the number of each, and whether it tells anything
    concepts: tuple[tuple[int, bool], ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def heading(self, g: int) -> Heading:
        key = int(self.keys[g])
        title, slot = self.describe(key)
        concept = self.concepts[key] if 0 <= key < len(self.concepts) else None
        return Heading(title, slot, int(self.starts[g + 1] - self.starts[g]), concept)

    def group_of(self, position: int) -> int:
        return int(np.searchsorted(self.starts, position, side="right") - 1)


NOTHING = Arrangement(
    np.empty(0, np.int64), np.empty(0, np.int64), np.zeros(1, np.int64), lambda key: ("", None)
)


def shown_rows(project: Project, run: Run, show: str, chosen: Rows) -> Rows:
    """Rows of the run that `show` asks for; "selected" falls back to all where nothing is."""
    every = np.arange(len(run.ids))
    if show == "conflicts":
        return run.bags.conflicts(len(run.ids))
    if show == "unlabeled":
        return every[instance_classes(project, run) == 0]
    return chosen if show == "selected" and len(chosen) else every


def arrange(
    project: Project,
    run: Run,
    rows: Rows,
    *,
    group: str,
    sort: str,
    columns: Mapping[str, Column] | None = None,
) -> Arrangement:
    """Rows in groups, classes of targets first, larger ones before smaller; in each in the order
    asked for. columns : of the instances, by which they may be grouped and sorted ("column:" and
    the name)."""
    if not len(rows):
        return NOTHING
    known = {f"{COLUMN}{name}": column for name, column in (columns or {}).items()}
    if group in known:
        key, describe = _by_column(known[group])
    else:
        key, describe = _grouping(project, run, group)
    key = key[rows]
    values, index, counts = distinct(key)
    rank = np.arange(len(values))
    if group == "class":
        other = np.array([project.role(int(value)) <= 0 for value in values])
        rank = np.argsort(np.lexsort((-counts, other)))
    if sort in known:
        order = np.lexsort((known[sort].values[rows], rank[index]))
    else:
        order = _in_order(project, run, rows, sort, rank[index])
    by_rank = np.argsort(rank)
    starts = np.concatenate([[0], np.cumsum(counts[by_rank])]).astype(np.int64)
    found = run_concepts(project, run) if group == "concept" else None
    concepts = (
        tuple(zip(found.numbers, found.tells.tolist(), strict=True)) if found is not None else ()
    )
    return Arrangement(rows[order], values[by_rank].astype(np.int64), starts, describe, concepts)


def _grouping(
    project: Project, run: Run, group: str
) -> tuple[NDArray, Callable[[int], tuple[str, int | None]]]:
    classes = instance_classes(project, run)
    if group == "class":
        return classes, functools.cache(lambda key: _class_heading(project, run, key, classes))
    if group == "bag":
        first = run.bags.first_bag(len(run.ids))
        return first, lambda key: _bag_heading(project, run, key)
    if group == "concept":
        return _by_concept(project, run)
    if group == "source":
        names = {ref.id: ref.name for ref in project.sources.values()}
        return run.source, lambda key: (names.get(key, f"Source {key}"), None)
    return np.zeros(len(run.ids), np.int64), lambda key: ("All chips", None)


def _by_column(column: Column) -> tuple[NDArray, Callable[[int], tuple[str, int | None]]]:
    """The values of a column, numbers in ranges where there are many; what has none at the end."""
    group, words = column.levels()
    key = np.where(group < 0, len(words), group)
    return key, lambda k: (
        f"{column.name} {words[k]}" if k < len(words) else f"No {column.name}",
        None,
    )


def _class_heading(
    project: Project, run: Run, class_id: int, classes: NDArray[np.int64]
) -> tuple[str, int | None]:
    """Most patches of a loose label are ground: of a class of targets it says in how many labels
    they lie."""
    words = class_words(project, run, class_id, classes) if project.role(class_id) > 0 else ""
    return words or class_title(project, class_id), _slot(project, class_id)


def _by_concept(
    project: Project, run: Run
) -> tuple[NDArray, Callable[[int], tuple[str, int | None]]]:
    """The strongest concept first, what is of none at the end."""
    found = run_concepts(project, run)
    if found is None:
        return np.zeros(len(run.ids), np.int64), lambda key: ("This run has no concepts", None)
    rank = np.where(found.concept < 0, len(found), found.concept)
    return rank, lambda key: (
        concept_name(project, found, key) if key < len(found) else "No concept",
        None,
    )


def distinct(key: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Values ascending, which of them each entry is, and how often each comes. O(n) where they lie
    close together."""
    low = int(key.min())
    if int(key.max()) - low > 4 * len(key):
        return np.unique(key, return_inverse=True, return_counts=True)
    counts = np.bincount(key - low)
    values = np.flatnonzero(counts)
    index = np.zeros(len(counts), np.int64)
    index[values] = np.arange(len(values))
    return values + low, index[key - low], counts[values]


def _in_order(
    project: Project, run: Run, rows: Rows, sort: str, rank: NDArray
) -> NDArray[np.int64]:
    """(M,) order of `rows`, ascending ones: by rank (M,), then as asked for, then by time."""
    source, frame = run.source[rows], run.frame[rows]
    scores = None
    if sort == "size":
        box = run.box[rows]
        values = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    elif sort == "time":
        values = None
    else:
        scores = (
            witness_scores(project, run) if sort == "witness" else run.point_scores.get(sort)
        )
        values = None if scores is None else scores[rows]
    ordered = bool(
        np.all(
            (source[1:] > source[:-1]) | ((source[1:] == source[:-1]) & (frame[1:] >= frame[:-1]))
        )
    )
    # Most runs have their rows in time
    time = np.arange(len(rows)) if ordered else np.lexsort((frame, source))
    if values is None:
        return time[np.argsort(rank[time], kind="stable")]
    if scores is not None and ordered:
        return best_first_among(scores, rows, rank)
    return time[best_first(values[time], rank[time])]


def _slot(project: Project, class_id: int) -> int:
    return IGNORED_SLOT if class_id == -1 else int(class_slots(project, np.array([class_id]))[0])


def _bag_heading(project: Project, run: Run, k: int) -> tuple[str, int | None]:
    if k < 0:
        return "In no bag", None
    return f"Bag {bag_name(int(run.bag_ids[k]))}", _slot(project, int(run.bag_classes[k]))


class GridLayout:
    """Where headers and chips lie in a column of a width: chips of about `size` px that fill it
    exactly.

    Headers of groups are 32 px; a collapsed group is its header only. x of chip i in a row follows
    from the width, so that rounding never leaves a gap at the right.
    """

    def __init__(
        self, chips: Arrangement, width: int, size: int, pad: int, *, collapsed: frozenset[int]
    ) -> None:
        self._chips, self._pad = chips, pad
        inner = max(width - 2 * pad, 1)
        self.columns = max((inner + GAP) // (size + GAP), 1)
        self._pitch_x = (inner + GAP) / self.columns
        self.side = max(int(self._pitch_x) - GAP, 1)
        self.pitch = self.side + BAR + GAP
        counts = np.diff(chips.starts)
        lines = -(-counts // self.columns)
        folded = np.isin(chips.keys, list(collapsed)) if collapsed else np.zeros(len(counts), bool)
        heights = HEADER + np.where(folded, 0, lines * self.pitch + GAP * (lines > 0))
        self.tops = np.concatenate([[0], np.cumsum(heights)]).astype(np.int64)
        self.folded = folded

    @property
    def height(self) -> int:
        return int(self.tops[-1])

    def rect(self, position: int) -> tuple[int, int, int]:
        """x, y, side of a chip."""
        g = self._chips.group_of(position)
        line, column = divmod(position - int(self._chips.starts[g]), self.columns)
        x = self._pad + round(column * self._pitch_x)
        right = self._pad + round((column + 1) * self._pitch_x) - GAP
        return x, int(self.tops[g]) + HEADER + line * self.pitch, max(right - x, 1)

    def groups_between(self, top: int, bottom: int) -> range:
        """Groups with something in [top, bottom)."""
        last = len(self.tops) - 1
        first = max(int(np.searchsorted(self.tops, top, side="right")) - 1, 0)
        return range(first, min(int(np.searchsorted(self.tops, bottom, side="left")), last))

    def positions_between(self, g: int, top: int, bottom: int) -> range:
        """Chips of group g with something in [top, bottom)."""
        if self.folded[g]:
            return range(0)
        start, stop = int(self._chips.starts[g]), int(self._chips.starts[g + 1])
        y = int(self.tops[g]) + HEADER
        first = max((top - y) // self.pitch, 0)
        last = max(-(-(bottom - y) // self.pitch), 0)
        return range(
            min(start + first * self.columns, stop), min(start + last * self.columns, stop)
        )

    def at(self, x: float, y: float) -> int:
        """The chip under a point, -1 where there is none."""
        for g in self.groups_between(int(y), int(y) + 1):
            for position in self.positions_between(g, int(y), int(y) + 1):
                left, top, side = self.rect(position)
                if left <= x < left + side and top <= y < top + self.side + BAR - 4:
                    return position
        return -1

    def header_at(self, y: float) -> int:
        """The group whose header is at y, -1 where there is none."""
        g = int(np.searchsorted(self.tops, y, side="right")) - 1
        return g if 0 <= g < len(self._chips.keys) and y < self.tops[g] + HEADER else -1

    def sticky(self, top: int) -> int:
        """The group whose header sticks to the top of a view that starts at `top`; -1 where its own
        header is there."""
        g = next(iter(self.groups_between(top, top + 1)), -1)
        return g if g >= 0 and top > self.tops[g] else -1

    def inside(self, left: float, top: float, right: float, bottom: float) -> list[int]:
        """Chips touched by a rectangle."""
        found = []
        for g in self.groups_between(int(top), int(bottom) + 1):
            for position in self.positions_between(g, int(top), int(bottom) + 1):
                x, y, side = self.rect(position)
                if x < right and x + side > left and y < bottom and y + self.side > top:
                    found.append(position)
        return found

    def moved(self, position: int, key: str, page: int) -> int:
        """The chip that a move by keyboard leads to: left, right, up, down, pageup, pagedown, home,
        end."""
        last = len(self._chips) - 1
        if key in ("home", "end"):
            return 0 if key == "home" else last
        if key in ("left", "right"):
            return min(max(position + (1 if key == "right" else -1), 0), last)
        if key in ("up", "down"):
            return self._line(position, 1 if key == "down" else -1)
        for _ in range(max(page // self.pitch, 1)):
            position = self._line(position, 1 if key == "pagedown" else -1)
        return position

    def _line(self, position: int, step: int) -> int:
        """One line up or down, into the next group where this one ends."""
        starts = self._chips.starts
        g = self._chips.group_of(position)
        line, column = divmod(position - int(starts[g]), self.columns)
        lines = -(-int(starts[g + 1] - starts[g]) // self.columns)
        line += step
        if 0 <= line < lines:
            return min(int(starts[g]) + line * self.columns + column, int(starts[g + 1]) - 1)
        g += step
        if not 0 <= g < len(self._chips.keys):
            return position
        lines = -(-int(starts[g + 1] - starts[g]) // self.columns)
        line = 0 if step > 0 else lines - 1
        return min(int(starts[g]) + line * self.columns + column, int(starts[g + 1]) - 1)
