"""Help pages: Markdown of the resources in a sheet, a list of all pages above them."""

from importlib import resources

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from emberscope import __version__, catalogue
from emberscope.catalogue import pages
from emberscope_app.sheets.page_view import PageView
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens

TITLES = {
    "first-steps": "First steps", "labels": "Kinds of labels",
    "weak-supervision": "From bags to latent spaces",
    "columns": "Columns",
    "concepts": "Target concepts",
    "side-information": "Side information",
    "features": "Features", "methods": "Methods", "maps": "Reading the maps",
    "evaluate": "Evaluate", "studies": "Studies", "formats": "Formats",
    "readers": "Readers of your own",
    "commands": "Commands", "files": "Files and folders", "promised": "What is promised",
    "troubleshooting": "Troubleshooting", "glossary": "Glossary", "about": "About",
}  # fmt: skip
METHOD_PAGES = {f"methods/{method.id}": method for method in catalogue.METHODS}


class HelpSheet(Sheet):
    """One page; its links and the list open other pages. The pages of methods stand under "Methods"
    in the list."""

    of_project = False

    def __init__(self, page: str, parent: QWidget, *, session: Session) -> None:
        super().__init__("Help", parent, width=640)
        self._page = "first-steps"
        self._params = session.runs.methods
        self.pages = QComboBox()
        self.pages.setAccessibleName("Help page")
        self.pages.setFixedWidth(220)
        for name, title in TITLES.items():
            self.pages.addItem(title, name)
        self.pages.activated.connect(lambda row: self.show_page(self.pages.itemData(row)))
        self.view = PageView()
        self.view.setAccessibleName("Help")
        self.view.followed.connect(self.follow)
        self.body.setContentsMargins(tokens.PAD, 8, 0, 0)
        row = QHBoxLayout()
        row.addWidget(self.pages)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addWidget(self.view, 1)
        self._params.ready.connect(self._fill)
        self.view.show()  # at its final width now, which the place of a heading depends on
        link = QUrl(page)
        self.follow(link if _is_page(link.path()) else QUrl(self._page))
        self.view.setFocus()

    def follow(self, link: QUrl) -> None:
        """Open the page a link names, at its heading where it names one."""
        self.show_page(link.path() or self._page, section=link.fragment())

    def show_page(self, page: str, *, section: str = "") -> None:
        """Show a page from its top, or from a heading; a name of no page is ignored."""
        if not _is_page(page):
            return
        self._page = page
        self._fill()
        self.view.go_to(section)

    def _fill(self) -> None:
        self.pages.setCurrentIndex(list(TITLES).index(self._page.partition("/")[0]))
        method = METHOD_PAGES.get(self._page)
        if method is not None:
            words = pages.page(method.id, self._params.of(method.id))
            self.view.show_markdown(f"[Methods](methods), {method.family}\n\n{words}")
            return
        words = (resources.files("emberscope_resources") / "help" / f"{self._page}.md").read_text(
            encoding="utf-8"
        )
        self.view.show_markdown(
            words.replace("VERSION", __version__) if self._page == "about" else words
        )


def _is_page(name: str) -> bool:
    return name in TITLES or name in METHOD_PAGES
