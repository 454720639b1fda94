"""Numbers of a run in rows: title and figure, below its interval with a mark of what could be
reached, what spoils it and what it means."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from emberscope.findings.headline import with_interval
from emberscope_app.lists import cells
from emberscope_app.lists.cells import REST, RIGHT, Blank, Interval, Words, line
from emberscope_app.lists.layout import words_height
from emberscope_app.lists.stack import RowStack
from emberscope_app.theme import tokens

_FIGURE = 140      # px of a number with its interval
_TITLE, _LINE = 20, 15  # px of the line of a title, of a line in small print
_BAR = 12          # px of the line of an interval


class Row(NamedTuple):
    """A number in words. spoiled : what makes it doubtful, "" for nothing. ends : of the interval
    of a number 0..1.
    best : the ceiling. None where there is none."""

    title: str
    value: str
    meaning: str
    spoiled: str = ""
    ends: tuple[float, float] | None = None
    best: float | None = None


class Numbers(RowStack):
    """Rows one below the other; small print goes on in further lines where it has to."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []

    def show_rows(self, rows: Sequence[Row], tip: str = "") -> None:
        """Show these; a screen reader hears titles, figures and what spoils them."""
        self.rows = list(rows)
        said = (", ".join(filter(None, (f"{row.title} {row.value}", row.spoiled))) for row in rows)
        self.setAccessibleName(", ".join(said))
        self.setToolTip(tip)
        self.fit()

    def rows_of(self, width: int) -> list[tuple[cells.Row, int]]:
        return [_shown(row, width) for row in self.rows]


def _shown(row: Row, width: int) -> tuple[cells.Row, int]:
    """Title and figure, below the small print, and at the right of it the line of an interval."""
    figure = Words(row.value, weight=600, align=RIGHT, wide=_FIGURE)
    lines, below = (
        [line(Words(row.title, weight=500, wide=REST), figure, top=4, high=17, left=0, right=0)],
        _TITLE,
    )
    if row.ends is not None:
        bar = Interval(row.ends, row.best, wide=_FIGURE - 20)
        lines.append(line(Blank(), bar, top=_TITLE + 2, high=9, left=0, right=0))
    room = _FIGURE - 8 if row.ends is not None else 0
    for words, color in ((row.spoiled, "warn"), (row.meaning, "t2")):
        if words:
            small = Words(words, px=tokens.PX_SMALL, color=color, wraps=True, wide=REST)
            high = _LINE * _lines(words, width - room)
            lines.append(line(small, top=below, high=high + _LINE, left=0, right=room))
            below += high
    ground = cells.Ground(rule=0, above=True)
    return cells.Row(tuple(lines), ground), max(below, _TITLE + (_BAR if row.ends else 0)) + 5


def _lines(words: str, wide: int) -> int:
    """Lines that small print takes."""
    return max(
        round(
            words_height(words, max(wide, 60), tokens.PX_SMALL)
            / words_height("x", 60, tokens.PX_SMALL)
        ),
        1,
    )


def figure_of(metrics: Mapping[str, float], key: str, decimals: int = 2) -> str:
    """A metric with its interval, or its standard error where it is estimated; "" where the run has
    none."""
    words = with_interval(metrics, key, digits=decimals)
    error = metrics.get(f"{key}_error", 0.0)
    return words + (
        f" \u00b1 {error:.2f}" if words and f"{key}_low" not in metrics and error >= 0.005 else ""
    )
