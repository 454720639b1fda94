"""Published tables, measured again: which there are, and published, ours, difference and note of
the one chosen."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.errors import EmberscopeError
from emberscope.reproduction.tables import Line, Table, draws
from emberscope.reproduction.written import as_csv, as_markdown, write_table
from emberscope_app.lists.view import RowList
from emberscope_app.sheets.published_rows import (
    RowsHead,
    RowsModel,
    Shown,
    TablesModel,
    points,
)
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.last_folders import OUT, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt, to_qt
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.published_tables import WAITING, Published
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Segmented, line, primary, text
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

TITLE, WIDTH, LIST_WIDTH = "Published tables", 1080, 280
ONE, ALL = "one", "all"


class PublishedSheet(Sheet):
    """The tables at the left, one of them at the right. What runs goes on when the sheet is
    closed."""

    of_project = False

    def __init__(self, published: Published, session: Session, parent: QWidget) -> None:
        super().__init__(TITLE, parent, width=WIDTH)
        self._published = published
        self.model = TablesModel(published)
        self.view = RowList(self.model, TITLE)
        self.view.setFixedWidth(LIST_WIDTH)
        self.page = TablePage(published, session)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.view)
        between = line(vertical=True)
        between.setMaximumHeight(16_777_215)
        row.addWidget(between)
        row.addWidget(self.page, 1)
        self.body.setContentsMargins(0, 1, 0, 0)
        self.body.addLayout(row, 1)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._show())
        published.changed.connect(self._on_changed)
        self.choose(next(found for _, found in self.model.rows if found))
        self.view.setFocus()

    @property
    def table(self) -> str:
        """The table on show."""
        return self.model.rows[self.view.currentIndex().row()][1]

    def choose(self, name: str) -> None:
        self.view.setCurrentIndex(self.model.index(self.model.row_of(name), 0))

    def _show(self) -> None:
        self.page.show_table(self.table)

    def _on_changed(self, name: str) -> None:
        self.model.tell_of(name)
        if name == self.table:
            self.page.read()


class TablePage(QWidget):
    """What a table shows, where it was printed, its rows, and what can be done with it."""

    def __init__(self, published: Published, session: Session) -> None:
        super().__init__()
        self._published, self._session, self._name = published, session, ""
        self._at = -1  # row that is being measured
        self.title, self.about, self.source = text("", "title"), text(""), text("", "secondary")
        self.data = DataRow(published)
        self.model = RowsModel()
        self.view = RowList(self.model, "Rows of the table")
        self.head = RowsHead(self.view, self.model)
        self.legend, self.summary = text("", "secondary"), text("", "secondary")
        self.summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.draws = Segmented([(ONE, "1 draw"), (ALL, "All draws")])
        self.draws.set_value(ALL)
        self.csv, self.markdown, self.save = (
            QPushButton(words) for words in ("Copy CSV", "Copy Markdown", "Save...")
        )
        self.cancel, self.run = QPushButton("Cancel"), primary("Run")
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        for label in (self.title, self.about, self.source):
            label.setWordWrap(True)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, tokens.PAD, 0, tokens.PAD)
        column.setSpacing(4)
        for part in (self.title, self.about, self.source, self.data):
            column.addLayout(_padded(part))
        column.addSpacing(4)
        column.addWidget(self.head)
        column.addWidget(self.view, 1)
        column.addWidget(line())
        words = QHBoxLayout()
        words.setSpacing(tokens.PAD)
        words.addWidget(self.summary, 1)
        words.addWidget(self.legend)
        foot = QHBoxLayout()
        foot.addStrut(tokens.PRIMARY_H)  # as tall with Cancel as with Run
        foot.setSpacing(8)
        for button in (self.csv, self.markdown, self.save):
            foot.addWidget(button)
        foot.addStretch(1)
        self.run.setMinimumWidth(120)
        for control in (self.draws, self.cancel, self.run):
            foot.addWidget(control)
        below = QVBoxLayout()
        below.setContentsMargins(tokens.PAD, 4, tokens.PAD, 0)
        below.setSpacing(8)
        below.addLayout(words)
        below.addWidget(self.bar)
        below.addLayout(foot)
        column.addLayout(below)

    def _connect(self) -> None:
        self.run.clicked.connect(lambda: self._published.start(self._name, self.seeds))
        self.cancel.clicked.connect(lambda: self._published.cancel(self._name))
        self.draws.chosen.connect(lambda _: self.read())
        self.csv.clicked.connect(lambda: self._copy(as_csv(self._lines), "CSV"))
        self.markdown.clicked.connect(
            lambda: self._copy(
                as_markdown(self._published.tables[self._name], self._lines), "Markdown"
            )
        )
        self.save.clicked.connect(self._save)

    @property
    def seeds(self) -> int:
        """Draws per row that were chosen; 0 = as the table says."""
        return 1 if self.draws.value == ONE else 0

    def show_table(self, name: str) -> None:
        self._name, self._at, table = name, -1, self._published.tables[name]
        self.title.setText(table.title)
        self.about.setText(table.about)
        self.about.setVisible(bool(table.about))
        self.source.setText(f"Source: {table.source}.")
        self.data.show_table(table)
        self.legend.setText(legend(table))
        counts = [draws(table, row) for row in table.rows if not row.unavailable] or [0]
        few = "" if min(counts) == max(counts) else f"{min(counts)} to "
        self.draws.button(ALL).setText(f"{few}{counted(max(counts), 'draw')}")
        self.draws.setVisible(max(counts) > 1)
        self.head.setVisible(max(counts) > 0)
        self.read()
        self.view.scrollToTop()

    def read(self) -> None:
        """The numbers as they are now."""
        published, name = self._published, self._name
        table, active = published.tables[name], published.active(name)
        # Looks at the disk: not with every step of a row
        lacks = "" if active else published.lacks(name)
        if not active:
            self.data.show_table(table)
        rows = [Shown(found, published.state(name, found.name)) for found in published.lines(name)]
        self.model.show_table(rows, table.unit)
        self.bar.setValue(round(1000 * published.fraction(name)))
        self.bar.setAccessibleName(
            f"Rows measured, {round(100 * published.fraction(name))} percent"
        )
        self.bar.setVisible(active)
        self.cancel.setVisible(active)
        self.run.setVisible(not active and bool(published.count(name)[1]))
        self.run.setEnabled(not lacks)
        self.run.setToolTip(lacks)
        self.run.setText(run_words(published, name, self.seeds))
        self.draws.setEnabled(not active)
        self.data.button.setEnabled(not active)
        self.summary.setText(summary(published, name))
        self.summary.setToolTip(self.summary.text())
        self._go_along(
            next((at for at, row in enumerate(rows) if row.state not in ("", WAITING)), -1)
        )

    def _go_along(self, at: int) -> None:
        """Keep the row that is measured in view, unless the one before it was scrolled out of
        view."""
        before, self._at = self.view.visualRect(self.model.index(self._at, 0)), at
        if at >= 0 and self.view.viewport().rect().intersects(before):
            self.view.scrollTo(self.model.index(at, 0))

    def _copy(self, words: str, form: str) -> None:
        QGuiApplication.clipboard().setText(words)
        self._session.say(f"Copied {counted(len(self.model.rows), 'row')} as {form}.")

    def _save(self) -> None:
        """As Markdown, CSV or JSON, whichever the name ends with."""
        start = last_folder(OUT, self._session.path.parent if self._session.path else None)
        forms = "Markdown (*.md);;CSV (*.csv);;JSON (*.json)"
        name, form = QFileDialog.getSaveFileName(
            self, "Save the table", to_qt(Path(start) / f"{self._name}.md"), forms
        )
        if not name:
            return
        remember_folder(OUT, name)
        name += "" if Path(name).suffix else form.partition("*")[2].rstrip(")") or ".md"
        path = from_qt(name)
        try:
            write_table(path, self._published.tables[self._name], self._lines)
        except EmberscopeError as error:
            self._session.say(str(error), level="err")
        except OSError as error:
            self._session.say(
                f"Cannot write {path}: {error.strerror}. Choose another folder.", level="err"
            )
        else:
            self._session.say(f"Saved {path.name}.")

    @property
    def _lines(self) -> list[Line]:
        return self._published.lines(self._name)


class DataRow(QWidget):
    """Which public set a table needs, where it is looked for, and a button to say where it is."""

    def __init__(self, published: Published) -> None:
        super().__init__()
        self._published = published
        self.words = Text()
        self.words.setWordWrap(True)
        self.button = QPushButton("Choose folder...")
        self.button.clicked.connect(self._choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 0)
        row.setSpacing(tokens.PAD)
        row.addWidget(self.words, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)

    def show_table(self, table: Table) -> None:
        self.setVisible(bool(table.data))
        self.words.setText(data_words(table, self._published))

    def _choose(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self, "Folder of public sets", self._published.folder
        )
        if folder:
            self._published.set_folder(folder)


def data_words(table: Table, published: Published) -> str:
    """Where a set is, or what to do where it is not."""
    if not table.data:
        return ""
    what = f"the folder that holds {table.data}, as a file or a folder of that name."
    if not published.folder:
        return f"Needs {table.data}, a public set that does not come with Emberscope. Choose {what}"
    name = next(name for name, found in published.tables.items() if found is table)
    there = not published.lacks(name)
    return (
        f"{table.data} of {published.folder}"
        if there
        else f"{published.lacks(name)}. Choose {what}"
    )


def legend(table: Table) -> str:
    """What the signs beside differences mean; "" where the table gives no verdict."""
    printed = [row for row in table.rows if row.published is not None]
    allowed = sorted({row.tolerance or table.tolerance or 0.0 for row in printed} - {0.0})
    if not allowed:
        return ""
    few = "" if len(allowed) == 1 else f"{allowed[0]:g} to "
    return f"\u2248 within {few}{points(table.unit, allowed[-1])} of print, \u2260 further away"


def run_words(published: Published, name: str, seeds: int) -> str:
    """What Run would do."""
    measured, of = published.count(name)
    left = len(published.left(name, seeds))
    if not measured or left == of:
        return "Run"
    return "Run again" if not left else f"Run {counted(left, 'more row')}"


def summary(published: Published, name: str) -> str:
    """What is being done, else why it stopped, else what came of it."""
    words = published.summary(name)
    measured, of = published.count(name)
    if words or not measured:
        return words
    lines = published.lines(name)
    agree, differ = (sum(found.agrees is kind for found in lines) for kind in (True, False))
    verdicts = f": {agree} agree, {differ} differ" if agree + differ else ""
    return f"{measured} of {counted(of, 'row')} measured{verdicts}"


def _padded(part: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
    column.addWidget(part)
    return column
