"""Shows one page of help; a click on a link is passed on."""

import re
from importlib import resources

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QImage, QShowEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser

from emberscope_app.sheets.page_text import dress, heading
from emberscope_app.theme.look import current, font, look

_IMAGE = re.compile(r"images/[a-z0-9-]+\.png")


class PageView(QTextBrowser):
    """Markdown in our type and colors. `followed(QUrl)`: a link was clicked, as the page writes it."""

    followed = Signal(QUrl)

    def __init__(self) -> None:
        super().__init__()
        self._markdown, self._dressed = "", current().name  # the page, and the theme in whose colors it is
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(font())
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.anchorClicked.connect(self.followed)
        look().changed.connect(self._tint)

    def show_markdown(self, words: str) -> None:
        """Show a page; a page that is there already keeps its place."""
        top = self.verticalScrollBar().value() if words == self._markdown else 0
        self._markdown, self._dressed = words, current().name
        document = self.document()
        document.setDocumentMargin(4)
        document.setIndentWidth(14)
        document.setMarkdown(words)
        document.setDefaultFont(font())
        dress(document)
        self.verticalScrollBar().setValue(top)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Images of the page, which lie with the help."""
        path = name.path() if isinstance(name, QUrl) else name
        if kind != QTextDocument.ResourceType.ImageResource.value or not _IMAGE.fullmatch(path):
            return super().loadResource(kind, name)
        file = resources.files("emberscope_resources") / "help" / path
        return QImage.fromData(file.read_bytes()) if file.is_file() else None

    def go_to(self, section: str) -> None:
        """Put a heading at the top ("kinds-of-labels"), or the begin of the page where there is no such heading."""
        document = self.document()
        block = heading(document, section)
        self.setTextCursor(QTextCursor(block if block is not None else document.begin()))
        top = int(document.documentLayout().blockBoundingRect(block).top()) - 8 if block is not None else 0
        self.verticalScrollBar().setValue(top)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._dressed != current().name:
            self.show_markdown(self._markdown)

    def _tint(self) -> None:
        if self.isVisible():  # else once it is shown
            self.show_markdown(self._markdown)
