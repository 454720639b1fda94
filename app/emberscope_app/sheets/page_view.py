"""Shows one page of help; a click on a link is passed on."""

import re
from collections.abc import Iterator
from importlib import resources

from PySide6.QtCore import QSizeF, Qt, QUrl, Signal
from PySide6.QtGui import QImage, QShowEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser

from emberscope_app.sheets.page_text import dress, heading
from emberscope_app.theme.look import current, font, look
from emberscope_app.when.timers import Later

_LONG = 12_000  # characters of a page from which on it is made in steps
_IMAGE = re.compile(r"images/[a-z0-9-]+\.png")


class PageView(QTextBrowser):
    """Markdown in our type and colors. `followed(QUrl)`: a link was clicked, as the page writes
    it."""

    followed = Signal(QUrl)

    def __init__(self) -> None:
        super().__init__()
        # The page, and the theme in whose colors it is
        self._markdown, self._dressed = "", current().name
        self._making: Iterator[None] = iter(())  # the rest of a long page
        self._page: QTextDocument | None = None  # what is on show
        self._top = 0                      # where it is to be scrolled to, px, or
        self._section: str | None = None   # the heading
        self._next = Later(self, self._go_on)
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(font())
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.anchorClicked.connect(self.followed)
        look().changed.connect(self._tint)

    def show_markdown(self, words: str) -> None:
        """Show a page; one that is there already keeps its place. A long one comes some turns of
        the event loop later: it takes more than 50 ms together."""
        if (words, current().name) == (self._markdown, self._dressed):
            return
        self._next.stop()
        self._top = self.verticalScrollBar().value() if words == self._markdown else 0
        self._markdown, self._dressed, self._section = words, current().name, None
        self._making = self._make(words)
        long, bar = len(words) >= _LONG, Qt.ScrollBarPolicy
        # a bar that came with the page would change its width, and everything would be laid out
        # once more
        self.setVerticalScrollBarPolicy(bar.ScrollBarAlwaysOn if long else bar.ScrollBarAsNeeded)
        if not long:
            self.finish()
        else:
            self._next.start()

    def finish(self) -> None:
        """Show the rest of a long page now."""
        for _ in self._making:
            pass

    def _go_on(self) -> None:
        if next(self._making, self) is None:
            self._next.start()

    def _make(self, words: str) -> Iterator[None]:
        """Read, dress and lay out a page in a document of its own, a part at each step; show it at
        the last one."""
        document = QTextDocument(self)
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(4)
        document.setIndentWidth(14)
        document.setMarkdown(words)
        document.setDefaultFont(font())
        yield
        yield from dress(document)
        yield
        yield from self._lay_out(document)
        self.setDocument(document)
        if self._page is not None:
            self._page.deleteLater()
        self._page = document
        self.verticalScrollBar().setValue(self._top)
        if self._section is not None:
            self._scroll_to(self._section)

    def _lay_out(self, document: QTextDocument) -> Iterator[None]:
        """Down to the end of each table: what lies between two of them, and a table, is what Qt
        does in one piece."""
        document.setPageSize(QSizeF(self.viewport().width(), -1))
        layout = document.documentLayout()
        yield
        for frame in document.rootFrame().childFrames():
            layout.blockBoundingRect(document.findBlock(frame.lastPosition() + 1))
            yield

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Images of the page, which lie with the help; nothing else, whatever a page names."""
        path = name.toString() if isinstance(name, QUrl) else name
        if kind != QTextDocument.ResourceType.ImageResource.value or not _IMAGE.fullmatch(path):
            return None
        file = resources.files("emberscope_resources") / "help" / path
        return QImage.fromData(file.read_bytes()) if file.is_file() else None

    def go_to(self, section: str) -> None:
        """Put a heading at the top ("kinds-of-labels"), or the begin of the page where there is no
        such heading."""
        self._section = section  # of a page that is not there yet
        if not self._next.isActive():
            self._scroll_to(section)

    def _scroll_to(self, section: str) -> None:
        document = self.document()
        block = heading(document, section)
        self.setTextCursor(QTextCursor(block if block is not None else document.begin()))
        top = (
            int(document.documentLayout().blockBoundingRect(block).top()) - 8
            if block is not None
            else 0
        )
        self.verticalScrollBar().setValue(top)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._dressed != current().name:
            self.show_markdown(self._markdown)

    def _tint(self) -> None:
        if self.isVisible():  # else once it is shown
            self.show_markdown(self._markdown)
