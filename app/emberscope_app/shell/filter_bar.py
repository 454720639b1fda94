"""The filter bar: by which columns maps, chips, bags, frames and clips are filtered, and how much
is left."""

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from emberscope_app.plain import menu_text
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.filter import filter_of
from emberscope_app.theme.controls import IconButton, Strip, text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look
from emberscope_app.words import counted, spaced

CLEAR_KEY = "F9"
_MOST_LEVELS = 40  # of a column in its menu


class FilterBar(Strip):
    """A button for each column that keeps something out; shown while there is one, or somebody
    asked for the bar."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filter = filter_of(session)
        self._asked = False
        self._buttons: dict[str, QPushButton] = {}
        self.add = QPushButton("Column")
        self.add.setAccessibleName("Filter by a column")
        self.add.setToolTip("Filter by a column")
        self.add.setIconSize(QSize(16, 16))
        self.add.clicked.connect(lambda _=False: self.open_columns())
        self.counted = text("", "title")
        self.clear = IconButton("x", "Let everything through", size=26, key=CLEAR_KEY)
        self.clear.clicked.connect(lambda _=False: self.close_bar())
        self._middle = QHBoxLayout()
        self._middle.setSpacing(6)
        self.row.addWidget(self.add)
        self.row.addLayout(self._middle)
        self.row.addStretch(1)
        self.row.addWidget(self.counted)
        self.row.addWidget(self.clear)
        self._filter.changed.connect(self._read)
        self._filter.read.connect(self._read)
        look().changed.connect(self._tint)
        self._tint()
        self._read()

    def ask(self) -> None:
        """Show the bar and offer the columns."""
        self._asked = True
        self._read()
        self.open_columns()

    def close_bar(self) -> None:
        """Let everything through; the bar goes."""
        self._asked = False
        self._filter.clear()
        self._read()

    def open_columns(self) -> None:
        """The menu of all columns."""
        menu = self.columns_menu()
        menu.popup(self.add.mapToGlobal(self.add.rect().bottomLeft()))

    def columns_menu(self) -> QMenu:
        """A menu of the values of each column."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in self._filter.columns:
            self._fill(menu.addMenu(menu_text(name)), name)
        if not self._filter.columns:
            menu.addAction("Nothing is known of these clips").setEnabled(False)
        return menu

    def column_menu(self, name: str) -> QMenu:
        """The values of one column."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill(menu, name)
        menu.addSeparator()
        menu.addAction("Let all through", partial(self._filter.choose, name, frozenset()))
        return menu

    def _fill(self, menu: QMenu, name: str) -> None:
        levels = self._filter.levels(name)
        kept = self._filter.conditions.get(name, frozenset())
        for level in levels[:_MOST_LEVELS]:
            action = menu.addAction(f"{menu_text(level.words)}\t{spaced(level.number)}")
            action.setCheckable(True)
            action.setChecked(level.words in kept)
            action.triggered.connect(partial(self._toggle, name, level.words))
        if len(levels) > _MOST_LEVELS:
            menu.addAction(f"and {len(levels) - _MOST_LEVELS} more").setEnabled(False)

    def _toggle(self, name: str, value: str, _checked: bool = False) -> None:
        self._filter.toggle(name, value)

    def _read(self) -> None:
        names = list(self._filter.conditions)
        for name in set(self._buttons) - set(names):
            button = self._buttons.pop(name)
            self._middle.removeWidget(button)
            button.deleteLater()
        for name in names:
            if name not in self._buttons:
                self._buttons[name] = self._button(name)
                self._middle.addWidget(self._buttons[name])
            words = self._filter.words(name)
            self._buttons[name].setText(menu_text(words))
            self._buttons[name].setAccessibleName(f"Filter, {words}")
        shown, n = self._filter.counts
        self.counted.setText(f"{spaced(shown)} of {counted(n, 'instance')}" if n else "")
        self.setVisible(self._filter.on or self._asked)

    def _button(self, name: str) -> QPushButton:
        button = QPushButton()
        button.setToolTip("Choose other values")
        button.clicked.connect(lambda _=False: self._open(name))
        return button

    def _open(self, name: str) -> None:
        button = self._buttons[name]
        menu = self.column_menu(name)
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _tint(self) -> None:
        self.add.setIcon(icon("filter"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        look().finish()
