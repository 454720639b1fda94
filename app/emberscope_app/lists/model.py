"""The model of every list: things, and what each looks like, says and allows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from emberscope_app.lists.cells import RIGHT, Row, Spot
from emberscope_app.plain import tip
from emberscope_app.theme import tokens

Index = QModelIndex | QPersistentModelIndex
THING = Qt.ItemDataRole.UserRole  # what a row is about
_USABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column: title, whether it holds numbers, which stand at its right, tooltip."""

    title: str = ""
    numbers: bool = False
    about: str = ""


class RowModel(QAbstractTableModel, Generic[T]):
    """A list says how a row looks in `row`, what it is called in `words`; the others where it needs
    them.

    `row` is called when a row is painted or pointed at, and may ask for images; the others may not.
    """

    columns: tuple[Column, ...] = (Column(),)

    def __init__(self, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self.rows: Sequence[T] = []

    # --- what a list says

    def row(self, thing: T, spot: Spot) -> Row:
        """What is painted."""
        raise NotImplementedError

    def words(self, thing: T, column: int) -> str:
        """What a row is called: it is found by it when letters are typed."""
        raise NotImplementedError

    def spoken(self, thing: T, column: int) -> str:
        """All that a row says, for a screen reader."""
        return self.words(thing, column)

    def tip(self, thing: T, column: int) -> str:
        """The tooltip; "" where only words that are shortened get one."""
        return ""

    def usable(self, thing: T) -> bool:
        """Whether a row can be chosen."""
        return True

    def same(self, old: T, new: T) -> bool:
        """Whether a row stays where it is, and only says something else."""
        return False

    def height(self, thing: T, width: int) -> int:
        """Px of a row that is so wide."""
        return tokens.ROW

    # --- what Qt asks

    def show_rows(self, rows: Sequence[T]) -> None:
        """Other rows; where all stay the same, only those that say something else are painted."""
        old = self.rows
        if not rows or len(rows) != len(old) or not all(map(self.same, old, rows)):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        self.rows = rows
        for at, (before, after) in enumerate(zip(old, rows, strict=True)):
            if before != after:
                self.tell(at)

    def tell(self, row: int) -> None:
        """A row looks or says something else now."""
        self.dataChanged.emit(self.index(row, 0), self.index(row, self.columnCount() - 1))

    def thing(self, row: int) -> T:
        return self.rows[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        usable = index.isValid() and self.usable(self.thing(index.row()))
        return _USABLE if usable else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        thing, column = self.thing(index.row()), index.column()
        if role == THING:
            return thing
        if role == Qt.ItemDataRole.DisplayRole:
            return self.words(thing, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(thing, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self.tip(thing, column))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole and column.numbers:
            return RIGHT
        return tip(column.about) if role == Qt.ItemDataRole.ToolTipRole and column.about else None
