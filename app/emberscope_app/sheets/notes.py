"""Notes of a run, one below the other, each with the buttons that do what it advises."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from emberscope.findings.notes import ACTIONS, Note
from emberscope_app.theme.controls import empty_out, quiet, text, trigger
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, look
from emberscope_app.theme.text import Text
from emberscope_app.words import grouped

# Icon, color
_GLYPHS = {"decisive": ("warn", "warn"), "warning": ("help", "warn"), "remark": ("", "")}


class NoteList(QWidget):
    """Rows of notes, the heaviest first."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[Note] = []
        # By the id of the note and the action
        self.buttons: dict[tuple[str, str], QPushButton] = {}
        self._glyphs: list[tuple[Text, str]] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        look().changed.connect(self._tint)

    def text(self) -> str:
        """All sentences, a line each."""
        return "\n".join(note.text for note in self.notes)

    def show_notes(self, notes: Sequence[Note]) -> bool:
        """Show these instead of those before; whether there are any."""
        if list(notes) != self.notes:
            empty_out(self._column)
            self.notes, self.buttons, self._glyphs = list(notes), {}, []
            for note in self.notes:
                self._column.addWidget(self._row(note))
            self._tint()
        return bool(self.notes)

    def _row(self, note: Note) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        glyph, words = Text(), text(grouped(note.text))
        glyph.setFixedWidth(16)
        words.setWordWrap(True)
        row.addWidget(glyph, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(words, 1)
        self._glyphs.append((glyph, note.weight))
        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        for action in note.actions:
            button = quiet(ACTIONS[action])
            button.setToolTip(grouped(note.text))
            button.clicked.connect(lambda _=False, action=action: trigger(self, action))
            buttons.addWidget(button)
            self.buttons[note.id, action] = button
        buttons.addStretch(1)
        row.addLayout(buttons)
        return holder

    def _tint(self) -> None:
        for glyph, weight in self._glyphs:
            name, color = _GLYPHS[weight]
            glyph.setVisible(bool(name))
            if name:
                glyph.setPixmap(pixmap(name, getattr(current(), color), 16, 2.0))
