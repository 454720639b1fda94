"""Clip by clip and class by class: the numbers of a run in a table, with their intervals and what
they rest on."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from emberscope.findings.headline import NOTHING, with_interval
from emberscope.project.nouns import Nouns
from emberscope_app.lists.cells import REST, RIGHT, Ground, Row, Words, line
from emberscope_app.lists.stack import RowStack
from emberscope_app.theme import tokens
from emberscope_app.words import counted, spaced

COLUMNS = (("method_bag_auc", "Bag AUC"), ("witness_found", "Witness"), ("inside_auc", "Inside"),
           ("map_accuracy", "Map"))
_NAME = 108                # px of the name of a class, with its counts
_TITLE, _LINE = 20, 15     # px of the line of a title, of a line in small print
_CLIP, _PART = 24, 40      # px of the name of a clip, of a row below it


class Cell(NamedTuple):
    """A number in words. small : lines below it: its interval, what chance gives, what could be
    reached."""

    value: str
    small: tuple[str, ...] = ()


class PartRow(NamedTuple):
    """Of one clip, or of the mean of clips, and one class. clip : "" below the first row of a
    clip."""

    clip: str
    name: str
    counts: str
    cells: list[Cell]


class Parts(RowStack):
    """The mean of the clips, then clip by clip, each with its classes."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[PartRow] = []
        self.columns: list[str] = []
        self._small = 1  # lines below a figure
        self.setAccessibleName("By source and class")

    def show_records(self, records: Sequence[dict[str, Any]], nouns: Nouns) -> bool:
        """Show `headline.part_records`; whether there is anything that the headline does not
        say."""
        keys = [key for key, _ in COLUMNS if any(record[key] is not None for record in records)]
        self.columns = [title for key, title in COLUMNS if key in keys]
        self.rows, before = [], ""
        for record in records:
            clip = record["clip"] or nouns.say("Mean of clips")
            cells = [_cell(record, key) for key in keys]
            self.rows.append(
                PartRow(
                    clip if clip != before else "",
                    record["class"] or "All classes",
                    _counts(record),
                    cells,
                )
            )
            before = clip
        self._small = max((len(cell.small) for row in self.rows for cell in row.cells), default=1)
        self.fit()
        self.setToolTip("\n".join(self.said()[:40]))
        self.setAccessibleDescription("; ".join(self.said()[:40]))
        return len(self.rows) > 2

    def said(self) -> list[str]:
        """The rows as sentences."""
        found, clip = [], ""
        for row in self.rows:
            clip = row.clip or clip
            each = (", ".join((f"{title} {cell.value}", *cell.small))
                    for title, cell in zip(self.columns, row.cells, strict=True))
            found.append(f"{clip}, {row.name}, {row.counts}: {'; '.join(each)}")
        return found

    def rows_of(self, width: int) -> list[tuple[Row, int]]:
        each = (width - _NAME) // max(len(self.columns), 1)
        titles = (
            Words(title, px=tokens.PX_SMALL, color="t2", align=RIGHT, wide=each)
            for title in self.columns
        )
        found = [(Row((line(*titles, left=_NAME, right=0),)), _TITLE)]
        for row in self.rows:
            if row.clip:
                name = line(Words(row.clip, weight=600, wide=REST), top=4, high=17, left=0, right=0)
                found.append((Row((name,), Ground(rule=0, above=True)), _CLIP))
            found.append((_shown(row, each), _PART + max(self._small - 1, 0) * _LINE))
        return found


def _shown(row: PartRow, each: int) -> Row:
    """Name and counts at the left; numbers in columns of `each` px, what belongs to them below."""
    small = tokens.PX_SMALL
    name = Words(row.name, whole_start=True, wide=_NAME - 8)
    values = (
        Words(
            cell.value,
            weight=600 if cell.small else 400,
            color="t1" if cell.small else "t2",
            align=RIGHT,
            wide=each,
        )
        for cell in row.cells
    )
    lines = [line(name, *values, top=4, high=17, left=8, right=0)]
    for at in range(max(len(cell.small) for cell in row.cells) if row.cells else 0):
        beside = (
            Words(
                cell.small[at] if at < len(cell.small) else "",
                px=small,
                color="t2",
                align=RIGHT,
                wide=each,
            )
            for cell in row.cells
        )
        lines.append(line(*beside, top=20 + at * _LINE, high=_LINE, left=_NAME, right=0))
    counts = Words(row.counts, px=small, color="t2", wide=_NAME - 8)
    return Row((*lines, line(counts, top=20, high=_LINE, left=8, right=0)))


def _counts(record: Mapping[str, Any]) -> str:
    """"12 + 40 bags": positive ones, and negative ones beside them; else those with truth."""
    sides = [
        round(record[name])
        for name in ("positive_bags", "negative_bags")
        if record[name] is not None
    ]
    *first, last = sides or [round(record["witness_found_bags"] or 0)]
    return " + ".join([*map(spaced, first), counted(last, "bag")])


def _cell(record: Mapping[str, Any], key: str) -> Cell:
    """A number, and its interval; of one that is missing, or says nothing, why."""
    numbers = {name: value for name, value in record.items() if isinstance(value, float)}
    words = with_interval(numbers, key)
    if not words:
        return Cell("not judged" if key == "method_bag_auc" else "\u2013")
    value, _, interval = words.partition(" (")
    if f"{key}_low" not in numbers or not value[:1].isdigit():
        return Cell("all target" if words == NOTHING else words.replace("to judge ", ""))
    beside = {name: numbers.get(f"{key}_{name}") for name in ("chance", "ceiling")}
    lines = [f"{name} {other:.2f}" for name, other in beside.items() if other is not None]
    return Cell(value, (interval[:-1].replace(" ", ""), *lines))
