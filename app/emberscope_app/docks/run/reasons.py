"""Why a recipe was suggested, below the button that asks for one: it stays until there is another
suggestion; and that another one is on its way."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from emberscope.project.nouns import Nouns
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look
from emberscope_app.words import grouped

_ROW = 24  # px, of the fold and of what stands in its place
_ON_ITS_WAY = (
    "Sizes of patches and a few recipes are tried on bags they have not seen. The best one is "
    "filled in here, unless you set something yourself."
)


class Reasons(QWidget):
    """The sentences below a fold, which is open when a person asked for them; nothing as long as
    nothing was suggested.

    That another one is on its way stands in the place of the fold, from when the form is shown:
    nothing moves.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fold = QToolButton()
        self.fold.setText("Why this was suggested")
        self.fold.setCheckable(True)
        self.fold.setProperty("role", "fold")
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setFixedHeight(_ROW)
        self.fold.setIconSize(QSize(12, 12))
        self.words = text("", "secondary")
        self.words.setWordWrap(True)
        self.words.setContentsMargins(tokens.PAD + 3, 0, tokens.PAD, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(tokens.PAD + 14, 0, 0, 0)
        column.setSpacing(0)
        self.standing = text("", "secondary")
        self.standing.setFixedHeight(_ROW)
        self.standing.setContentsMargins(3, 0, tokens.PAD, 0)
        self.standing.setToolTip(_ON_ITS_WAY)
        column.addWidget(self.standing)
        column.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.words)
        self.fold.toggled.connect(lambda _: self._unfold())
        look().changed.connect(self._unfold)
        self.say("")

    def say(self, words: str, *, opened: bool = False) -> None:
        """Other reasons, all of them; "" for none."""
        self.words.setText(grouped(words))
        self.fold.setChecked(opened and bool(words))
        self._unfold()

    def show_nouns(self, nouns: Nouns) -> None:
        """The words for what the project holds."""
        self.standing.setToolTip(nouns.say(_ON_ITS_WAY))

    def say_standing(self, words: str) -> None:
        """What the recipe is as long as another is on its way; "" for none."""
        self.standing.setText(words)
        self._unfold()

    def _unfold(self) -> None:
        given, waiting = bool(self.words.text()), bool(self.standing.text())
        self.setVisible(given or waiting)
        self.standing.setVisible(waiting)
        self.fold.setVisible(given and not waiting)
        self.words.setVisible(given and self.fold.isChecked() and not waiting)
        self.fold.setIcon(icon("down" if self.fold.isChecked() else "right", size=12))
