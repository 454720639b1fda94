"""What the rows of a list are made of, as data: cells that stand on lines, lines on the ground of a
row."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from emberscope_app.theme import tokens

OWN, REST = -1, 0  # widths of a cell: what its content takes, what the others of its line leave
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTER = Qt.AlignmentFlag.AlignCenter
TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A part of a line. Colors are names of tokens of the theme ("t2"), or "#RRGGBB".

    wide : px, OWN or REST. before : px that are free at its left. does : what a click on it asks
    for, or what it stands for. gives_way : px of the rest of its line below which it is left out.
    """

    wide: int = OWN
    before: int = 0
    does: object = None
    gives_way: int = 0


@dataclass(frozen=True, slots=True)
class Words(Cell):
    """Text on one line, shortened in its middle where it must be, or at its end; `wraps`: on many
    lines."""

    text: str
    px: int = tokens.PX_BODY
    weight: int = 400
    color: str = "t1"
    align: Qt.AlignmentFlag = LEFT
    whole_start: bool = False
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Icon(Cell):
    """An icon of the resources."""

    name: str
    color: str = "t2"
    side: int = 16


@dataclass(frozen=True, slots=True)
class Glyph(Cell):
    """The sign of a class."""

    slot: int
    radius: float = 4.5


@dataclass(frozen=True, slots=True)
class Star(Cell):
    """The sign of a concept; a dot where it tells nothing."""

    color: str
    tells: bool


@dataclass(frozen=True, slots=True)
class Bar(Cell):
    """A share 0..1 of a track."""

    share: float
    color: str = "t2"
    high: int = 4
    is_round: bool = True


@dataclass(frozen=True, slots=True)
class Spark(Cell):
    """Values 0..1 as thin bars beside one another, the first one in a color of its own."""

    values: tuple[float, ...]
    first: str


@dataclass(frozen=True, slots=True)
class Histogram(Cell):
    """Shares 0..1 of the highest bar, side by side over a line."""

    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Interval(Cell):
    """Two ends 0..1 of an interval as a part of a thin line. best : what could be reached, a
    mark."""

    ends: tuple[float, float]
    best: float | None = None


@dataclass(frozen=True, slots=True)
class Picture(Cell):
    """An image chip or a small frame, gray until it is there, hatched where it cannot be read.

    high : px, 0 for those of the line. ring : color of the ring around it, "" for none. slots :
    signs of classes in its corner.
    """

    image: QImage | None
    high: int = 0
    failed: bool = False
    ring: str = ""
    slots: tuple[int, ...] = ()
    ground: str = "bg3"


@dataclass(frozen=True, slots=True)
class Strokes(Cell):
    """Edges of a chip as strokes. values : (rows, columns, angles), None for none."""

    values: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Button(Cell):
    """Words in a frame that can be pressed."""

    text: str


@dataclass(frozen=True, slots=True)
class Tag(Cell):
    """Words on a plate."""

    text: str
    ground: str = "bg3"
    color: str = "t2"
    weight: int = 400
    high: int = 0


@dataclass(frozen=True, slots=True)
class Radio(Cell):
    """One of several, taken or not; `faint`: it cannot be taken."""

    taken: bool
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Check(Cell):
    """A box that is checked or not. color : of its ground where it is."""

    on: bool
    color: str = "ink"


@dataclass(frozen=True, slots=True)
class Blank(Cell):
    """Nothing."""

    wide: int = REST


@dataclass(frozen=True, slots=True)
class Line:
    """Cells beside one another. Px: `top` from the top of the row, `high` 0 for the height of the
    row, `left` and `right` free at both ends. across : it runs through all columns of a table, each
    of which paints its part."""

    cells: tuple[Cell, ...]
    top: int = 0
    high: int = 0
    left: int = tokens.PAD
    right: int = tokens.PAD
    across: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """What lies under the lines of a row.

    active, hovered : what the row says of itself where the view does not know. color : of a row
    that has always one.
    rule : px from both ends of the hairline below, or `above`, None without. high : px that light
    up, 0 for all. inset : px that are left free at its sides.
    """

    active: bool | None = None
    hovered: bool | None = None
    color: str = ""
    rule: int | None = None
    above: bool = False
    high: int = 0
    inset: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Row:
    """What is painted of a row, or of one column of it. does : what a click anywhere on it asks
    for, where it stands on a page."""

    lines: tuple[Line, ...]
    ground: Ground = Ground()
    does: object = None


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a row is painted: column, px of its width, and whether it is chosen or pointed at
    there."""

    column: int = 0
    width: int = 200
    chosen: bool = False
    hovered: bool = False


def line(*cells: Cell, **place: int) -> Line:
    """A line of cells; `place` are fields of `Line`."""
    return Line(cells, **place)  # type: ignore[arg-type]


def heading(words: str, high: int) -> Row:
    """The row above those of a group; `high` px."""
    title = Words(words, px=tokens.PX_SMALL, weight=500, color="t2", wide=REST)
    ground = Ground(active=False, hovered=False, rule=tokens.PAD)
    return Row((line(title, top=8, high=high - 8),), ground)
