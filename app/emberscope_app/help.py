"""Help pages: Markdown of the resources in a sheet."""

from importlib import resources

from PySide6.QtGui import QColor, QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from emberscope import __version__
from emberscope_app.overlay import Sheet
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font, look

TITLES = {"first-steps": "First steps", "labels": "Kinds of labels", "maps": "Reading the maps", "about": "About"}


class HelpSheet(Sheet):
    """One page; its links open other pages."""

    def __init__(self, page: str, parent: QWidget) -> None:
        super().__init__(TITLES[page], parent, width=480)
        self._page = page
        self.view = QTextBrowser()
        self.view.setOpenLinks(False)
        self.view.setFont(font())
        self.view.anchorClicked.connect(lambda url: self.show_page(url.toString()))
        self.body.setContentsMargins(0, 1, 0, 0)
        self.body.addWidget(self.view)
        look().changed.connect(self._fill)
        self._fill()

    def show_page(self, page: str) -> None:
        if page in TITLES:
            self._page = page
            self._fill()

    def _fill(self) -> None:
        self.view.document().setDocumentMargin(16)
        words = (resources.files("emberscope_resources") / "help" / f"{self._page}.md").read_text(encoding="utf-8")
        self.view.document().setMarkdown(words.replace("VERSION", __version__))
        self.view.document().setDefaultFont(font())
        _space_out(self.view.document())


def _space_out(document: QTextDocument) -> None:
    """Room between blocks, headings in the sizes of the scale, links underlined in ink: Markdown knows none of this."""
    block = document.begin()
    while block.isValid():
        level = block.blockFormat().headingLevel()
        space = QTextBlockFormat(block.blockFormat())
        space.setTopMargin({0: 0, 1: 0}.get(level, 14))
        space.setBottomMargin(8 if level == 0 else 4)
        space.setLineHeight(140 if level == 0 else 100, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(block)
        cursor.setBlockFormat(space)
        if level:
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            style = QTextCharFormat()
            style.setFont(font(tokens.PX_BIG if level == 1 else tokens.PX_HEADER, 600))
            cursor.setCharFormat(style)
        _tint_links(block)
        block = block.next()


def _tint_links(block: QTextBlock) -> None:
    """The iterator over fragments of Qt is not for Python: walk the text, anchor by anchor."""
    cursor = QTextCursor(block)
    for _ in range(block.length() - 1):
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
        style = cursor.charFormat()
        if style.isAnchor():
            style.setForeground(QColor(current().t1))
            style.setFontUnderline(True)
            cursor.setCharFormat(style)
        cursor.clearSelection()
