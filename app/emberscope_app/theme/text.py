"""The label of all panels: what it shows is text, whatever is in it; and one that gives way where
there is no room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from emberscope.base.plain_text import plain


class Text(QLabel):
    """A label that takes nothing for markup. An empty one may carry a pixmap."""

    def __init__(self, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(words)

    def setText(self, words: str) -> None:
        """Show words as they are, with a sign for what cannot be seen."""
        super().setText(plain(words))


class Shortening(Text):
    """One line that is shortened in its middle where there is too little room; its tooltip has the
    whole then."""

    about = ""  # the tooltip of a line that is not shortened

    def __init__(self, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(words, parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def setText(self, words: str) -> None:
        super().setText(words)
        self._say_rest()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def shown(self) -> str:
        """The words that have room."""
        return self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideMiddle, self.contentsRect().width()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_rest()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), int(self.alignment()), self.shown())

    def _say_rest(self) -> None:
        self.setToolTip(self.text() if self.shown() != self.text() else self.about)
