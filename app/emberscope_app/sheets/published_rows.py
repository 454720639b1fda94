"""Lists of the published tables: the tables there are, and the rows of one with published, ours,
difference."""

import math
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope.reproduction.tables import Line, Table
from emberscope.reproduction.written import shown, verdict
from emberscope_app.lists import cells
from emberscope_app.lists.cells import REST, RIGHT, Blank, Ground, Row, Spot, Words, heading, line
from emberscope_app.lists.layout import words_height
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.paint import paint_ground, paint_row
from emberscope_app.lists.view import RowList
from emberscope_app.state.runs.published_tables import Published, head
from emberscope_app.theme import tokens
from emberscope_app.words import counted, percent, plural

HEADING, NOTE = 30, 16  # px: a heading of the list of tables, a line of a note
COLUMNS = (("published", 84), ("ours", 104), ("difference", 92), ("", 16), ("draws", 60))
_VERDICTS = {True: "agrees", False: "differs", None: ""}


# --- the tables


def grouped(tables: dict[str, Table]) -> list[tuple[str, str]]:
    """(heading, "") and ("", name of a table): generated data first, what cannot be measured
    last."""
    groups: dict[str, list[str]] = {"Generated data": [], "Public sets": [], "Not measured": []}
    for name, table in tables.items():
        measured = any(not row.unavailable for row in table.rows)
        data = "Public sets" if table.data else "Generated data"
        groups[data if measured else "Not measured"].append(name)
    found: list[tuple[str, str]] = []
    for title, names in groups.items():
        found += [(title, ""), *(("", name) for name in names)] if names else []
    return found


def needs(table: Table) -> str:
    """"Needs musk1, about 7 min": what the second line of a table says."""
    rows = len(table.rows)
    if all(row.unavailable for row in table.rows):
        return f"{counted(rows, 'row')}, each says why"
    words = f"Needs {table.data}" if table.data else counted(rows, "row")
    if not table.minutes:
        return words
    about = "under a minute" if table.minutes < 1 else f"about {table.minutes:g} min"
    return f"{words}, {about}"


class TablesModel(RowModel[tuple[str, str]]):
    """Headings and tables; a row tells how far its table is."""

    def __init__(self, published: Published) -> None:
        super().__init__()
        self._published = published
        self.show_rows(grouped(published.tables))

    def words(self, entry: tuple[str, str], column: int) -> str:
        title, name = entry
        return title or head(self.table(name))

    def spoken(self, entry: tuple[str, str], column: int) -> str:
        title, name = entry
        return title or ", ".join(
            filter(None, (head(self.table(name)), needs(self.table(name)), self.state(name)))
        )

    def tip(self, entry: tuple[str, str], column: int) -> str:
        return self.table(entry[1]).title if entry[1] else ""

    def usable(self, entry: tuple[str, str]) -> bool:
        return bool(entry[1])

    def height(self, entry: tuple[str, str], width: int) -> int:
        return tokens.METHOD_ROW if entry[1] else HEADING

    def row(self, entry: tuple[str, str], spot: Spot) -> Row:
        title, name = entry
        if title:
            return heading(title, HEADING)
        small = tokens.PX_SMALL
        state = Words(self.state(name), px=small, color="t2", align=RIGHT, before=8)
        return Row((
            line(Words(head(self.table(name)), weight=600, wide=REST), state, top=5, high=17),
            line(Words(needs(self.table(name)), px=small, color="t2", wide=REST), top=22, high=16),
        ))  # fmt: skip

    def state(self, name: str) -> str:
        """"45 %" while it runs, "3 of 16" afterwards, "" where nothing was measured."""
        measured, of = self._published.count(name)
        if self._published.active(name):
            return (
                percent(self._published.fraction(name)) if self._published.is_now(name) else "waits"
            )
        return f"{measured} of {of}" if measured else ""

    def table(self, name: str) -> Table:
        return self._published.tables[name]

    def tell_of(self, name: str) -> None:
        """A table moved."""
        self.tell(self.row_of(name))

    def row_of(self, name: str) -> int:
        return self.rows.index(("", name))


# --- the rows of a table


@dataclass(frozen=True, slots=True)
class Shown:
    """A row as it stands: its line, and what is being done about it."""

    line: Line
    state: str


class RowsModel(RowModel[Shown]):
    """The rows of one table: name and numbers on one line, the note below, wrapped."""

    unit = ""

    def show_table(self, rows: list[Shown], unit: str) -> None:
        """The rows of another table, or the same with new numbers."""
        if unit != self.unit:
            self.show_rows([])
        self.unit = unit
        self.show_rows(rows)

    def same(self, old: Shown, new: Shown) -> bool:
        return (old.line.name, old.line.note) == (new.line.name, new.line.note)

    def words(self, row: Shown, column: int) -> str:
        return row.line.name

    def spoken(self, row: Shown, column: int) -> str:
        return spoken(row, self.unit)

    def tip(self, row: Shown, column: int) -> str:
        return judged(row.line, self.unit)

    def height(self, row: Shown, width: int) -> int:
        """Whole lines of the note."""
        if not row.line.note:
            return tokens.ROW
        tall = words_height(row.line.note, max(width - 2 * tokens.PAD, 80), tokens.PX_SMALL)
        return tokens.ROW + NOTE * math.ceil(tall / NOTE)

    def row(self, row: Shown, spot: Spot) -> Row:
        printed, small = row.line, tokens.PX_SMALL
        published, measured, apart = shown(printed, self.unit)
        weight = 600 if printed.agrees is False else 400
        waits = row.state if not measured else ""
        numbers = in_columns(
            Words(printed.name, wide=REST),
            Words(published, color="t2"),
            Words(waits or measured, px=small if waits else tokens.PX_BODY,
                  color="t3" if waits else "t1"),
            Words(apart, weight=weight), Words(verdict(printed), weight=weight),
            Words(str(printed.seeds or ""), px=small, color="t2"),
        )  # fmt: skip
        note = Words(
            printed.note[:1].upper() + printed.note[1:], px=small, color="t2", wraps=True, wide=REST
        )
        below = line(note, top=tokens.ROW - 4, high=self.height(row, spot.width) - tokens.ROW + 4)
        return Row((numbers, *((below,) if printed.note else ())), Ground(rule=tokens.PAD))


def in_columns(name: Words, *numbers: Words) -> cells.Line:
    """A line whose numbers stand in the columns of the table."""
    placed = (
        replace(words, wide=wide, align=RIGHT)
        for words, (_, wide) in zip(numbers, COLUMNS, strict=True)
    )
    return line(name, Blank(wide=8), *placed, high=tokens.ROW)


def points(unit: str, count: float) -> str:
    """"4 points" of percent; a bare number where there is no unit."""
    if unit != "%":
        return f"{count:g}"
    return f"{count:g} {'point' if count == 1 else plural('point')}"


def judged(line: Line, unit: str) -> str:
    """The verdict in words; "" where there is none."""
    if line.agrees is None or line.tolerance is None:
        return ""
    return f"{_VERDICTS[line.agrees].capitalize()}: the table allows {points(unit, line.tolerance)}"


def spoken(row: Shown, unit: str) -> str:
    """A row for those who cannot see it."""
    line = row.line
    published, ours, difference = shown(line, unit)
    parts = [
        line.name,
        f"published {published}" if published else "",
        f"ours {ours}" if ours else row.state,
        f"difference {difference}" if difference else "",
        _VERDICTS[line.agrees],
        counted(line.seeds, "draw") if line.seeds else "",
        line.note,
    ]
    return ", ".join(part for part in parts if part)


class RowsHead(QWidget):
    """The names of the columns, over the columns."""

    def __init__(self, view: RowList, model: RowsModel) -> None:
        super().__init__()
        self._view, self._model = view, model
        self.setFixedHeight(tokens.ROW)
        view.viewport().installEventFilter(self)
        model.modelReset.connect(self.update)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        unit = f", {self._model.unit}" if self._model.unit else ""
        titles = (title + (unit if title in ("published", "ours") else "") for title, _ in COLUMNS)
        names = (Words(title, px=tokens.PX_SMALL, color="t2") for title in titles)
        place = QRect(0, 0, self._view.viewport().width(), self.height())
        paint_row(painter, place, Row((in_columns(Words("", wide=REST), *names),)))
        paint_ground(painter, self.rect(), Ground(rule=0), first=False)
