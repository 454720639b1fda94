"""All methods: a searchable list that says what each keeps, reads and costs, with the page of the
chosen one."""

import re
from collections.abc import Callable
from html import escape

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from emberscope import catalogue
from emberscope.catalogue import Method
from emberscope.catalogue.pages import page
from emberscope_app.lists.cells import REST, RIGHT, Icon, Row, Spot, Words, heading, line
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.view import RowList
from emberscope_app.sheets.page_view import PageView
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.method_choices import Choice
from emberscope_app.theme import controls, tokens
from emberscope_app.theme.controls import primary
from emberscope_app.theme.text import Text
from emberscope_app.words import duration, spaced

# Px, and what stands in place of a cost
ROW, HEADING, LIST, PAGE, SUGGESTED = 44, 30, 420, 560, "suggested"
_KEEPS = {
    "local": "neighbors",
    "global": "large distances",
    "both": "neighbors and large distances",
    "classes": "classes",
}
_READS = {
    "none": "no labels",
    "instance": "labels",
    "bag": "bags",
    "positive": "bags",
    "classes": "classes of bags",
    "pairs": "pairs",
    "distances": "distances",
    "actions": "actions",
}
_NEW = {
    "exact": "by its own map",
    "reconstruction": "from the instances of the fit",
    "none": "no rule",
}
_LAID_OUT = 12  # methods whose facts are laid out to find the tallest
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
Entry = Choice | str  # a method, or the name of a family


def matching(rows: list[Choice], query: str) -> list[Entry]:
    """Methods with a word that begins like each word of the query, under the names of their
    families, in the order of the catalogue."""
    words = [re.compile(rf"(?<!\w){re.escape(word)}") for word in query.lower().split()]
    found: list[Entry] = []
    order = {method.id: at for at, method in enumerate(catalogue.EMBEDDERS)}
    family = ""
    for choice in sorted(rows, key=lambda c: order[c.method.id]):
        haystack = _searched(choice.method)
        if all(word.search(haystack) for word in words):
            if choice.method.family != family:
                family = choice.method.family
                found.append(family)
            found.append(choice)
    return found


def _searched(m: Method) -> str:
    linear = "linear" if m.linear else "nonlinear"
    searched = [
        m.id,
        m.title,
        m.family,
        _KEEPS[m.keeps],
        f"reads {_READS[m.needs]}",
        linear,
        m.summary,
        m.when,
        *m.references,
    ]
    return " ".join(searched).lower()


def traits(m: Method) -> str:
    """"Keeps neighbors, reads no labels": what tells methods of one family apart."""
    words = [
        f"keeps {_KEEPS[m.keeps]}",
        f"reads {_READS[m.needs]}",
        *(["linear"] if m.linear else []),
    ]
    sentence = ", ".join(words)
    return sentence[:1].upper() + sentence[1:]


def facts(m: Method) -> list[tuple[str, str]]:
    """What the foot of the sheet says about a method, name and value."""
    most = "no limit" if m.max_n is None else spaced(m.max_n)
    found = [
        ("New instances", _NEW[m.out_of_sample]),
        ("Optimum", "one" if m.convex else "depends on the start"),
        ("Instances at most", most),
        ("Source", "; ".join(m.references)),
    ]
    return [*found, ("Way back", "a point of the map gives features" if m.inverse else "none")]


def cost(m: Method, n: int, d: int) -> str:
    """About how long n instances of d features take; "" where nothing is known about them."""
    return duration(catalogue.estimate(m.id, n, d)[0]) if n else ""


class _Model(RowModel[Entry]):
    """A family as a heading; a method as title and traits, its cost at the right."""

    def __init__(self, n: int, d: int) -> None:
        super().__init__()
        self.n, self.d = n, d

    def words(self, entry: Entry, column: int) -> str:
        return (
            entry
            if isinstance(entry, str)
            else f"{entry.title}, {entry.missing or traits(entry.method)}"
        )

    def usable(self, entry: Entry) -> bool:
        return isinstance(entry, Choice)

    def height(self, entry: Entry, width: int) -> int:
        return HEADING if isinstance(entry, str) else ROW

    def row(self, entry: Entry, spot: Spot) -> Row:
        if isinstance(entry, str):
            return heading(entry[:1].upper() + entry[1:], HEADING)
        faint, small = bool(entry.missing), tokens.PX_SMALL
        right = SUGGESTED if entry.suggested else cost(entry.method, self.n, self.d)
        beside = (
            Icon("lock", "t3", side=14)
            if faint
            else Words(right, px=small, color="t2", align=RIGHT)
        )
        title = Words(entry.title, weight=600, color="t3" if faint else "t1", wide=REST)
        about = Words(
            entry.missing or traits(entry.method),
            px=small,
            color="t3" if faint else "t2",
            wide=REST,
        )
        return Row((line(title, beside, top=5, high=17), line(about, top=22, high=16)))


class MethodSheet(Sheet):
    """Type to narrow, arrows to walk, Enter or a double click to choose; at the right the page of
    the one chosen.

    choose, show_help : called with the id of a method that is taken, and with a link to another
    page of help. n, d : instances and features of the data at hand, for the costs; 0 where they are
    not known yet.
    """

    def __init__(
        self,
        rows: list[Choice],
        method_id: str,
        parent: QWidget,
        *,
        session: Session,
        choose: Callable[[str], object],
        show_help: Callable[[str], object],
        n: int = 0,
        d: int = 0,
    ) -> None:
        super().__init__("All methods", parent, width=LIST + PAGE)
        self._rows, self._choose, self._show_help = rows, choose, show_help
        self._params = session.runs.methods
        self.field = _Field()
        self.field.setPlaceholderText("Search methods, for instance neighbors, bags, linear, 2003")
        self.field.setAccessibleName("Search methods")
        self.field.setFixedHeight(28)
        self.model = _Model(n, d)
        self.view = RowList(self.model, "Methods")
        self.facts = _Facts()
        self.page = PageView()
        self.page.setAccessibleName("Page of the method")
        self.use = primary("Use this method")
        self._lay_out()
        self.field.textChanged.connect(lambda words: self._search(words, self.current_id))
        self.view.selectionModel().currentChanged.connect(lambda *_: self._show_chosen())
        self.page.followed.connect(self.follow)
        self._params.ready.connect(self._show_chosen)
        self.view.doubleClicked.connect(lambda _: self.accept())
        self.use.clicked.connect(self.accept)
        self.field.returnPressed.connect(self.accept)
        self.field.walked.connect(self._walk)
        self.facts.keep_room(rows, LIST - 2 * tokens.PAD)
        self._search("", method_id)
        self.field.setFocus()

    @property
    def current(self) -> Choice | None:
        at = self.view.currentIndex().row()
        row = self.model.rows[at] if 0 <= at < len(self.model.rows) else None
        return row if isinstance(row, Choice) else None

    @property
    def current_id(self) -> str:
        return self.current.method.id if self.current is not None else ""

    def accept(self) -> None:
        """Take the method; one that the labels do not allow stays."""
        chosen = self.current
        if chosen is not None and not chosen.missing:
            self.close_sheet()
            self._choose(chosen.method.id)

    def follow(self, link: QUrl) -> None:
        """Choose the method a link leads to; other pages are for the help sheet."""
        folder, _, method_id = link.path().partition("/")
        if folder == "methods" and any(choice.method.id == method_id for choice in self._rows):
            self.field.clear()
            self._search("", method_id)
        else:
            self._show_help(link.toString())

    def _lay_out(self) -> None:
        self.body.setContentsMargins(0, 0, 0, 0)
        left = QWidget()
        left.setFixedWidth(LIST)
        column = _column(left, 0)
        column.setContentsMargins(0, 8, 0, tokens.PAD)
        column.setSpacing(8)
        for widget, pad in (
            (self.field, True),
            (self.view, False),
            (controls.line(), False),
            (self.facts, True),
            (self.use, True),
        ):
            holder = QWidget()
            _column(holder, tokens.PAD if pad else 0).addWidget(widget)
            column.addWidget(holder, 1 if widget is self.view else 0)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(left)
        row.addSpacing(tokens.PAD)
        row.addWidget(self.page, 1)
        self.body.addLayout(row, 1)

    def _search(self, query: str, keep: str) -> None:
        rows = matching(self._rows, query)
        self.model.show_rows(rows)
        methods = [(at, row.method.id) for at, row in enumerate(rows) if isinstance(row, Choice)]
        at = next((at for at, name in methods if name == keep), methods[0][0] if methods else -1)
        self.view.setCurrentIndex(self.model.index(at, 0))
        self.view.scrollTo(self.view.currentIndex(), RowList.ScrollHint.PositionAtCenter)
        self._show_chosen()

    def _show_chosen(self) -> None:
        chosen = self.current
        self.facts.show_choice(chosen)
        if chosen is None:
            self.page.show_markdown(
                f"No method mentions \u201c{self.field.text()}\u201d. Try a shorter word."
            )
        else:
            self.page.show_markdown(page(chosen.method.id, self._params.of(chosen.method.id)))
        missing = self.current.missing if self.current is not None else "Nothing is chosen"
        self.use.setEnabled(not missing)
        self.use.setToolTip(missing)

    def _walk(self, step: int) -> None:
        methods = [at for at, row in enumerate(self.model.rows) if isinstance(row, Choice)]
        if methods:
            now = self.view.currentIndex().row()
            place = methods.index(now) if now in methods else -1
            self.view.setCurrentIndex(
                self.model.index(methods[min(max(place + step, 0), len(methods) - 1)], 0)
            )


class _Field(QLineEdit):
    """The search field; the keys of the list and Enter are not for it."""

    walked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if step := _STEPS.get(Qt.Key(event.key()), 0):
            self.walked.emit(step)
        else:
            super().keyPressEvent(event)


class _Facts(Text):
    """Facts of the chosen method in two columns."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setProperty("role", "secondary")

    def show_choice(self, choice: Choice | None) -> None:
        rows = "".join(
            f"<tr><td style='padding-right:12px'>{escape(name)}</td><td>{escape(value)}</td></tr>"
            for name, value in (facts(choice.method) if choice is not None else ())
        )
        self.setText(f"<table cellspacing='0' cellpadding='1'>{rows}</table>")

    def keep_room(self, rows: list[Choice], width: int) -> None:
        """As tall as the method with the most to say needs, so that nothing moves while one walks
        through the list."""
        tallest = 0
        for choice in _wordiest(rows):
            self.show_choice(choice)
            tallest = max(tallest, self.heightForWidth(width))
        self.setFixedHeight(tallest)


def _wordiest(rows: list[Choice]) -> list[Choice]:
    """Those of which one is the tallest: to lay out all takes 1 ms each."""
    def words(choice: Choice) -> int:
        return sum(len(value) for _, value in facts(choice.method))

    return sorted(rows, key=words, reverse=True)[:_LAID_OUT]


def _column(parent: QWidget, pad: int) -> QVBoxLayout:
    column = QVBoxLayout(parent)
    column.setContentsMargins(pad, 0, pad, 0)
    column.setSpacing(0)
    return column
