"""Help pages: Markdown of the resources in a sheet, a list of all pages above them."""

from importlib import resources

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTextBrowser, QWidget

from emberscope import __version__
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.shell.help_text import dress, heading
from emberscope_app.theme import tokens
from emberscope_app.theme.look import font, look

TITLES = {
    "first-steps": "First steps", "labels": "Kinds of labels", "weak-supervision": "From bags to latent spaces",
    "features": "Features", "methods": "Methods", "maps": "Reading the maps", "formats": "Formats",
    "commands": "Commands", "files": "Files and folders", "troubleshooting": "Troubleshooting", "about": "About",
}  # fmt: skip


class HelpSheet(Sheet):
    """One page; its links and the list open other pages."""

    of_project = False

    def __init__(self, page: str, parent: QWidget) -> None:
        super().__init__("Help", parent, width=640)
        self._page = page
        self.pages = QComboBox()
        self.pages.setAccessibleName("Help page")
        self.pages.setFixedWidth(220)
        for name, title in TITLES.items():
            self.pages.addItem(title, name)
        self.pages.activated.connect(lambda row: self.show_page(self.pages.itemData(row)))
        self.view = QTextBrowser()
        self.view.setOpenLinks(False)
        self.view.setFont(font())
        self.view.setAccessibleName("Help")
        self.view.anchorClicked.connect(lambda url: self.follow(url))
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.setContentsMargins(tokens.PAD, 8, 0, 0)
        row = QHBoxLayout()
        row.addWidget(self.pages)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addWidget(self.view, 1)
        look().changed.connect(self._recolor)
        self.show_page(page)
        self.view.setFocus()

    def follow(self, link: QUrl) -> None:
        """Open the page a link names, at its heading where it names one."""
        self.show_page(link.path() or self._page, section=link.fragment())

    def show_page(self, page: str, *, section: str = "") -> None:
        """Show a page from its top, or from a heading."""
        if page not in TITLES:
            return
        self._page = page
        self._fill()
        document = self.view.document()
        block = heading(document, section)
        self.view.setTextCursor(QTextCursor(block if block is not None else document.begin()))
        top = int(document.documentLayout().blockBoundingRect(block).top()) - 8 if block is not None else 0
        self.view.verticalScrollBar().setValue(top)

    def _recolor(self) -> None:
        """The page in the colors of another theme, where it was being read."""
        at = self.view.verticalScrollBar().value()
        self._fill()
        self.view.setTextCursor(QTextCursor(self.view.document().begin()))
        self.view.verticalScrollBar().setValue(at)

    def _fill(self) -> None:
        self.pages.setCurrentIndex(list(TITLES).index(self._page))
        words = (resources.files("emberscope_resources") / "help" / f"{self._page}.md").read_text(encoding="utf-8")
        document = self.view.document()
        document.setDocumentMargin(4)
        document.setIndentWidth(14)
        document.setMarkdown(words.replace("VERSION", __version__) if self._page == "about" else words)
        document.setDefaultFont(font())
        dress(document)
