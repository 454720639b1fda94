"""Why a recipe was suggested, below the button that asks for one: it stays until there is another suggestion."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look


class Reasons(QWidget):
    """The sentences below a fold, which is open when they come; nothing as long as nothing was suggested."""

    def __init__(self) -> None:
        super().__init__()
        self.fold = QToolButton()
        self.fold.setText("Why this was suggested")
        self.fold.setCheckable(True)
        self.fold.setProperty("role", "fold")
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setFixedHeight(24)
        self.fold.setIconSize(QSize(12, 12))
        self.words = text("", "secondary")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setContentsMargins(tokens.PAD + 3, 0, tokens.PAD, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(tokens.PAD + 14, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.words)
        self.fold.toggled.connect(lambda _: self._unfold())
        look().changed.connect(self._unfold)
        self.say("")

    def say(self, words: str) -> None:
        """Other reasons, all of them; "" for none."""
        self.words.setText(words)
        self.setVisible(bool(words))
        self.fold.setChecked(bool(words))
        self._unfold()

    def _unfold(self) -> None:
        self.words.setVisible(self.fold.isChecked())
        self.fold.setIcon(icon("down" if self.fold.isChecked() else "right", size=12))
