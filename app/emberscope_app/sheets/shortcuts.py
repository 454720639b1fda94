"""The shortcut sheet: every key, by where it acts, searchable."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLineEdit, QWidget

from emberscope_app.lists.cells import REST, RIGHT, Ground, Row, Spot, Words, line
from emberscope_app.lists.layout import words_height, words_width
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.view import RowList
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.theme import tokens

Key = tuple[str, str, str]  # scope, keys, title
_END = 4  # px free at the right


class _Model(RowModel[Key]):
    """What keys do at the left, in as many lines as it takes; the keys at the right."""

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self._keys = keys
        self.search("")

    def search(self, words: str) -> None:
        """Rows with `words`, each scope under a heading (a row without keys)."""
        rows: list[Key] = []
        scope = ""
        for row in self._keys:
            if words.lower() in " ".join(row).lower():
                if row[0] != scope:
                    scope = row[0]
                    rows.append((scope, "", scope))
                rows.append(row)
        self.show_rows(rows)

    def words(self, key: Key, column: int) -> str:
        return key[2]

    def spoken(self, key: Key, column: int) -> str:
        return ", ".join(filter(None, (key[2], key[1])))

    def height(self, key: Key, width: int) -> int:
        return max(self._title_height(key, width) + 8, tokens.ROW)

    def _title_height(self, key: Key, width: int) -> int:
        return words_height(key[2], width - _right_of_title(key), weight=400 if key[1] else 600)

    def row(self, key: Key, spot: Spot) -> Row:
        _, keys, title = key
        tall = self._title_height(key, spot.width)
        top = (max(tall + 8, tokens.ROW) - tall) // 2
        name = Words(title, weight=400 if keys else 600, wraps=True, wide=REST)
        press = Words(keys, px=tokens.PX_SMALL, weight=500, color="t2", align=RIGHT, wide=REST)
        return Row(
            (
                line(name, top=top, high=tall, left=0, right=_right_of_title(key)),
                line(press, left=0, right=_END),
            ),
            Ground(active=False, hovered=False, rule=None if keys else 0),
        )


def _right_of_title(key: Key) -> int:
    """Px that the keys take."""
    return _END + (words_width(key[1], tokens.PX_SMALL, 500) + 16 if key[1] else 0)


class ShortcutSheet(Sheet):
    """Keyboard shortcuts."""

    of_project = False

    def __init__(self, keys: Sequence[Key], parent: QWidget) -> None:
        """keys : (scope, keys, title), scope by scope."""
        super().__init__("Keyboard shortcuts", parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search keys")
        self.field.setAccessibleName("Search keys")
        self.field.setFixedHeight(28)
        self.model = _Model(keys)
        self.field.textChanged.connect(self.model.search)
        self.view = RowList(self.model, "Keyboard shortcuts")
        self.view.setSelectionMode(RowList.SelectionMode.NoSelection)
        self.body.addWidget(self.field)
        self.body.addWidget(self.view, 1)
        self.field.setFocus()
