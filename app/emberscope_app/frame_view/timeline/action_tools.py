"""The tools of the row of actions: paint on or off, which action, and a table of them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QMenu, QWidget

from emberscope_app.frame_view.timeline.action_row import ERASE, ActionRow
from emberscope_app.state.core.last_folders import TABLE, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.actions import import_actions
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import IconButton

NO_ACTION = "no action"
USUAL = ("forward", "back", "left", "right")  # where the project has none yet
_HELP = "Actions: drag along the row of actions to say what leads from frame to frame"


class ActionTools(QWidget):
    """A toggle; the action, while it is on; a menu."""

    def __init__(self, session: Session, row: ActionRow) -> None:
        super().__init__()
        self._session, self._row = session, row
        self.paint = IconButton("brush", _HELP, checkable=True)
        self.paint.setAccessibleName("Paint actions")
        self.action = QComboBox()
        self.action.setEditable(True)
        self.action.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.action.setAccessibleName("Action")
        self.action.setToolTip("What leads from frame to frame, for example orbit +5°")
        self.action.setMinimumWidth(84)
        self.action.setMaximumWidth(132)
        self.action.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.action.hide()
        self.more = IconButton("more", "More about actions")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for part in (self.paint, self.action, self.more):
            line.addWidget(part)
        self.paint.toggled.connect(self._on_paint)
        self.action.editTextChanged.connect(self._on_action)
        self.more.clicked.connect(self._open)
        row.changed.connect(self._read)
        self._read()

    def menu(self) -> QMenu:
        """Import and removal."""
        menu = QMenu(self)
        menu.addAction("Import actions, CSV...", self.choose_file)
        gone = menu.addAction("Remove the chosen action\tDel", self._row.remove_chosen)
        gone.setEnabled(self._row.chosen is not None)
        return menu

    def choose_file(self) -> None:
        """Ask for a table of actions of the source on show, and take it."""
        if not self._session.may_edit():
            return
        start, filters = last_folder(TABLE), "Tables (*.csv);;All files (*)"
        name, _ = QFileDialog.getOpenFileName(self, "Import actions", start, filters)
        if name:
            remember_folder(TABLE, name)
            import_actions(self._session, str(from_qt(name)))

    def _open(self) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _on_paint(self, on: bool) -> None:
        self.action.setVisible(on)
        self._row.set_painting(on)

    def _on_action(self, words: str) -> None:
        words = words.strip()
        self._row.action = ERASE if words in ("", NO_ACTION) else words

    def _read(self) -> None:
        """The actions there are can be chosen; what is in the field stays."""
        names = [*(self._row.names or USUAL), NO_ACTION]
        if names == [self.action.itemText(at) for at in range(self.action.count())]:
            return
        words = self.action.currentText()
        words = names[0] if not words or (words in USUAL and words not in names) else words
        self.action.blockSignals(True)
        self.action.clear()
        self.action.addItems(names)
        self.action.setEditText(words)
        self.action.blockSignals(False)
        self.action.view().setMinimumWidth(self.action.view().sizeHintForColumn(0) + 2 * tokens.PAD)
        self._on_action(words)
