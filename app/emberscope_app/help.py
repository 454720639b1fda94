"""Help pages: Markdown of the resources in a sheet."""

from importlib import resources

from PySide6.QtWidgets import QTextBrowser, QWidget

from emberscope import __version__
from emberscope_app.overlay import Sheet
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
        t = current()
        self.view.document().setDefaultStyleSheet(
            f"h1 {{ font-size: 20px; font-weight: 600; }} h2 {{ font-size: 13px; font-weight: 600; }}"
            f"a {{ color: {t.t1}; }} code {{ color: {t.t1}; }}"
        )
        self.view.document().setDocumentMargin(16)
        words = (resources.files("emberscope_resources") / "help" / f"{self._page}.md").read_text(encoding="utf-8")
        self.view.document().setMarkdown(words.replace("VERSION", __version__))
        self.view.document().setDefaultFont(font())
