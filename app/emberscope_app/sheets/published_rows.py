"""Lists of the published tables: the tables there are, and the rows of one with published, ours, difference."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from emberscope.reproduction.tables import Line, Table
from emberscope.reproduction.written import shown, verdict
from emberscope_app.state.runs.published_tables import Published, head
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font
from emberscope_app.theme.table import RIGHT, paint_words
from emberscope_app.words import counted, percent, plural

Index = QModelIndex | QPersistentModelIndex
TOOLTIP, SPOKEN = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole
HEADING, NOTE = 30, 16  # px: a heading of the list of tables, a line of a note
_COLUMNS = (("published", 84), ("ours", 104), ("difference", 92), ("", 16), ("draws", 60))
_WRAP = Qt.AlignmentFlag.AlignLeft.value | Qt.AlignmentFlag.AlignTop.value | Qt.TextFlag.TextWordWrap.value
_VERDICTS = {True: "agrees", False: "differs", None: ""}


# --- the tables


def grouped(tables: dict[str, Table]) -> list[tuple[str, str]]:
    """(heading, "") and ("", name of a table): generated data first, what cannot be measured last."""
    groups: dict[str, list[str]] = {"Generated data": [], "Public sets": [], "Not measured": []}
    for name, table in tables.items():
        measured = any(not row.unavailable for row in table.rows)
        groups["Not measured" if not measured else "Public sets" if table.data else "Generated data"].append(name)
    found: list[tuple[str, str]] = []
    for title, names in groups.items():
        found += [(title, ""), *(("", name) for name in names)] if names else []
    return found


def needs(table: Table) -> str:
    """"Needs musk1, about 7 min": what the second line of a table says."""
    rows = len(table.rows)
    if all(row.unavailable for row in table.rows):
        return f"{counted(rows, 'row')}, each says why"
    about = "" if not table.minutes else ", under a minute" if table.minutes < 1 else f", about {table.minutes:g} min"
    return (f"Needs {table.data}" if table.data else counted(rows, "row")) + about


class TablesModel(QAbstractListModel):
    """Headings and tables; a row tells how far its table is."""

    def __init__(self, published: Published) -> None:
        super().__init__()
        self._published = published
        self.rows = grouped(published.tables)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        named = index.isValid() and self.rows[index.row()][1]
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if named else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        heading, name = self.rows[index.row()]
        if not name:
            return heading if role in (Qt.ItemDataRole.DisplayRole, SPOKEN) else None
        table = self._published.tables[name]
        if role == Qt.ItemDataRole.DisplayRole:
            return head(table)
        if role == SPOKEN:
            return ", ".join(part for part in (head(table), needs(table), self.state(name)) if part)
        return table.title if role == TOOLTIP else None

    def state(self, name: str) -> str:
        """"45 %" while it runs, "3 of 16" afterwards, "" where nothing was measured."""
        measured, of = self._published.count(name)
        if self._published.active(name):
            return percent(self._published.fraction(name)) if self._published.is_now(name) else "waits"
        return f"{measured} of {of}" if measured else ""

    def table(self, name: str) -> Table:
        return self._published.tables[name]

    def tell(self, name: str) -> None:
        """A table moved."""
        index = self.index(self.row_of(name), 0)
        self.dataChanged.emit(index, index)

    def row_of(self, name: str) -> int:
        return self.rows.index(("", name))


class TablesDelegate(QStyledItemDelegate):
    """A heading; a table as two lines, its state at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        model = index.model()
        assert isinstance(model, TablesModel)
        return QSize(120, tokens.METHOD_ROW if model.rows[index.row()][1] else HEADING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, rect = index.model(), QRect(option.rect)  # type: ignore[attr-defined]
        assert isinstance(model, TablesModel)
        t, (heading, name) = current(), model.rows[index.row()]
        inner = rect.adjusted(tokens.PAD, 0, -tokens.PAD, 0)
        if heading:
            paint_words(painter, inner.adjusted(0, 8, 0, 0), heading, px=tokens.PX_SMALL, weight=500, color="t2")
            painter.fillRect(inner.x(), rect.bottom(), inner.width(), 1, QColor(t.line))
            return
        paint_ground(painter, rect, option)
        state = model.state(name)
        wide = QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance(state) + 8 if state else 0
        title, below = QRect(inner.x(), rect.y() + 5, inner.width() - wide, 17), rect.y() + 22
        paint_words(painter, title, str(index.data()), weight=600)
        paint_words(painter, QRect(inner.right() - wide + 1, rect.y() + 5, wide, 17), state, align=RIGHT,
                    px=tokens.PX_SMALL, color="t2")
        paint_words(painter, QRect(inner.x(), below, inner.width(), 16), needs(model.table(name)), px=tokens.PX_SMALL,
                    color="t2")


# --- the rows of a table


@dataclass(frozen=True, slots=True)
class Shown:
    """A row as it stands: its line, and what is being done about it."""

    line: Line
    state: str


class RowsModel(QAbstractListModel):
    """The rows of one table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Shown] = []
        self.unit = ""

    def show_rows(self, rows: list[Shown], unit: str) -> None:
        """The rows of another table, or the same with new numbers; rows that stay as they were stay in place."""
        if (len(rows), unit) != (len(self.rows), self.unit) or any(
            (old.line.name, old.line.note) != (new.line.name, new.line.note)
            for old, new in zip(self.rows, rows, strict=True)
        ):
            self.beginResetModel()
            self.rows, self.unit = rows, unit
            self.endResetModel()
            return
        moved = [at for at, (old, new) in enumerate(zip(self.rows, rows, strict=True)) if old != new]
        self.rows = rows
        for at in moved:
            self.dataChanged.emit(self.index(at, 0), self.index(at, 0))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.line.name
        if role == SPOKEN:
            return spoken(row, self.unit)
        return judged(row.line, self.unit) if role == TOOLTIP else None


def points(unit: str, count: float) -> str:
    """"4 points" of percent; a bare number where there is no unit."""
    return f"{count:g} {'point' if count == 1 else plural('point')}" if unit == "%" else f"{count:g}"


def judged(line: Line, unit: str) -> str:
    """The verdict in words; "" where there is none."""
    if line.agrees is None or line.tolerance is None:
        return ""
    return f"{_VERDICTS[line.agrees].capitalize()}: the table allows {points(unit, line.tolerance)}"


def spoken(row: Shown, unit: str) -> str:
    """A row for those who cannot see it."""
    line = row.line
    published, ours, difference = shown(line, unit)
    parts = [line.name, f"published {published}" if published else "", f"ours {ours}" if ours else row.state,
             f"difference {difference}" if difference else "", _VERDICTS[line.agrees],
             counted(line.seeds, "draw") if line.seeds else "", line.note]
    return ", ".join(part for part in parts if part)


def columns(width: int) -> list[QRect]:
    """Where name, published, ours, difference, verdict and draws stand in a row of this width, as x and width."""
    found, right = [], width - tokens.PAD
    for _, wide in reversed(_COLUMNS):
        found.append(QRect(right - wide, 0, wide, tokens.ROW))
        right -= wide
    return [QRect(tokens.PAD, 0, right - tokens.PAD - 8, tokens.ROW), *reversed(found)]


class RowsDelegate(QStyledItemDelegate):
    """Name and numbers on one line, the note below, wrapped."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = self._view.viewport().width()
        return QSize(width, tokens.ROW + self._note_height(index.model().rows[index.row()].line.note, width))  # type: ignore[attr-defined]

    def _note_height(self, note: str, width: int) -> int:
        """Whole lines."""
        if not note:
            return 0
        bounds = QFontMetrics(font(tokens.PX_SMALL)).boundingRect(0, 0, self._note_width(width), 1000, _WRAP, note)
        return NOTE * math.ceil(bounds.height() / NOTE)

    def _note_width(self, width: int) -> int:
        return max(width - 2 * tokens.PAD, 80)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, rect = index.model(), QRect(option.rect)  # type: ignore[attr-defined]
        assert isinstance(model, RowsModel)
        row = model.rows[index.row()]
        line, t = row.line, current()
        paint_ground(painter, rect, option)
        name, published, ours, difference, sign, drawn = (
            column.translated(rect.x(), rect.y()) for column in columns(rect.width())
        )
        print_, measured, apart = shown(line, model.unit)
        weight = 600 if line.agrees is False else 400
        paint_words(painter, name, line.name)
        paint_words(painter, published, print_, align=RIGHT, color="t2")
        if row.state and not measured:
            paint_words(painter, ours, row.state, align=RIGHT, px=tokens.PX_SMALL, color="t3")
        else:
            paint_words(painter, ours, measured, align=RIGHT)
        paint_words(painter, difference, apart, align=RIGHT, weight=weight)
        paint_words(painter, sign, verdict(line), align=RIGHT, weight=weight)
        paint_words(painter, drawn, str(line.seeds) if line.seeds else "", align=RIGHT, px=tokens.PX_SMALL, color="t2")
        if line.note:
            painter.setFont(font(tokens.PX_SMALL))
            painter.setPen(QColor(t.t2))
            top = rect.y() + tokens.ROW - 4
            note = QRect(rect.x() + tokens.PAD, top, self._note_width(rect.width()), rect.height())
            painter.drawText(note, _WRAP, line.note[:1].upper() + line.note[1:])
        painter.fillRect(rect.x() + tokens.PAD, rect.bottom(), rect.width() - 2 * tokens.PAD, 1, QColor(t.line))


class RowsView(QListView):
    """A list without frame whose heights follow its width."""

    def __init__(self, model: RowsModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(RowsDelegate(self))
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName("Rows of the table")


class RowsHead(QWidget):
    """The names of the columns, over the columns."""

    def __init__(self, view: RowsView, model: RowsModel) -> None:
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
        _, *places = columns(self._view.viewport().width())
        for (title, _), place in zip(_COLUMNS, places, strict=True):
            words = title + (unit if title in ("published", "ours") else "")
            paint_words(painter, place, words, align=RIGHT, px=tokens.PX_SMALL, color="t2")
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(current().line))


def paint_ground(painter: QPainter, rect: QRect, option: QStyleOptionViewItem) -> None:
    """The ground of a row: chosen with an ink bar, lit up under the pointer."""
    t, state = current(), option.state  # type: ignore[attr-defined]
    if state & QStyle.StateFlag.State_Selected:
        painter.fillRect(rect, QColor(t.bg3))
        painter.fillRect(rect.x(), rect.y(), 2, rect.height(), QColor(t.ink))
    elif state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(rect, QColor(t.bg2))
