"""Where labels of two origins agree: a table by class, and the differences to walk through."""

import math

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget
from shiboken6 import isValid

from emberscope.labels import Label
from emberscope.labels.agreement import Agreement, Difference, agreement, by_class
from emberscope.labels.origins import IMPORTED, MANUAL, ORIGINS
from emberscope.project import Changes
from emberscope_app.lists.cells import REST, RIGHT, Glyph, Ground, Row, Spot, Words, line
from emberscope_app.lists.model import THING, RowModel
from emberscope_app.lists.view import RowList
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.classes import class_title
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import empty_out, text
from emberscope_app.when.threads import polite, threads
from emberscope_app.when.timers import Later
from emberscope_app.words import counted

Names = tuple[str, str]
AT_ONCE = 2000    # labels; more are compared in a thread
_SETTLE_MS = 200  # after an edit of labels, before they are compared again
_NONE = "No labels of these origins on one frame."


class _Model(RowModel[Difference]):
    """A row per difference: which class, where, and how it is one."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.names: Names = ("", "")  # of the two sets

    def words(self, one: Difference, column: int) -> str:
        """ "Car: only imported"."""
        project = self._session.project
        name = class_title(project, label_of(one).class_id)
        if one.a is not None and one.b is not None:
            return f"{name}, {class_title(project, one.b.class_id)}: other class"
        return f"{name}: only {self.names[0] if one.b is None else self.names[1]}"

    def where(self, one: Difference) -> str:
        """ "clip.npy, 12"."""
        ref = self._session.project.sources.get(one.source)
        return f"{ref.name if ref is not None else 'no clip'}, {one.frame + 1}"

    def spoken(self, one: Difference, column: int) -> str:
        return f"{self.words(one, column)}, {self.where(one)}"

    def row(self, one: Difference, spot: Spot) -> Row:
        label = label_of(one)
        info = self._session.project.classes.get(label.class_id)
        place = Words(self.where(one), px=tokens.PX_SMALL, color="t2", align=RIGHT, before=8)
        chosen = label.id in self._session.focus.labels
        return Row((
            line(Glyph(info.slot if info else 0, 4, wide=10),
                 Words(self.words(one, 0), wide=REST, before=8), place),
        ), Ground(active=chosen))  # fmt: skip


class AgreementSheet(Sheet):
    """Two origins to choose, how far their labels agree, and what they do not agree on; a click
    goes there."""

    _came = Signal(object, object, object)  # out of the thread

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Compare labels", parent)
        self._session = session
        self.found = Agreement()
        self.first, self.second = _origins("First labels", MANUAL), _origins("Second", IMPORTED)
        others = [code for code in _there(session) if code != MANUAL]
        if others and IMPORTED not in others:
            self.second.setCurrentIndex(others[0])
        self.share = text("", "title")
        self.rows = QGridLayout()
        self.rows.setColumnStretch(0, 1)
        self.rows.setHorizontalSpacing(12)
        self.model = _Model(session)
        self.list = RowList(self.model, "Differences")
        self.list.clicked.connect(self._go)
        self.list.entered_row.connect(self._go)
        self.list.selectionModel().currentChanged.connect(lambda at, _: self._go(at))
        self._task = object()  # the newest comparison
        self._came.connect(self._take)
        self._settle = Later(self, self._compare, _SETTLE_MS)
        for choice in (self.first, self.second):
            choice.currentIndexChanged.connect(lambda _: self._compare())
        session.changed.connect(self._follow)
        session.focus.changed.connect(self._focus_changed)
        self._lay_out()
        self._compare()

    def _lay_out(self) -> None:
        choices = QGridLayout()
        choices.setColumnStretch(1, 1)
        choices.setHorizontalSpacing(12)
        for at, (name, choice) in enumerate((("First", self.first), ("Second", self.second))):
            choices.addWidget(text(name, "secondary"), at, 0)
            choices.addWidget(choice, at, 1)
        self.share.setWordWrap(True)
        self.differ = text("", "secondary")
        self.body.addLayout(choices)
        self.body.addWidget(self.share)
        self.body.addLayout(self.rows)
        self.body.addSpacing(8)
        self.body.addWidget(self.differ)
        self.body.addWidget(self.list, 1)

    def _focus_changed(self, _names: object) -> None:
        self.list.viewport().update()

    def _follow(self, changes: Changes) -> None:
        if changes.touch("labels", "classes", "sources"):
            self._settle.start()

    def _compare(self) -> None:
        table = self._session.project.labels.table()
        codes = self.first.currentData(), self.second.currentData()
        first, second = (table.labels[table.origins == code].tolist() for code in codes)
        names = (ORIGINS[codes[0]].whose, ORIGINS[codes[1]].whose)
        self._task = task = object()
        if len(first) + len(second) <= AT_ONCE:
            self._take(task, names, agreement(first, second))
            return
        self.share.setText("Comparing...")
        threads().begin(lambda: self._run(task, names, first, second), name="agreement of labels")

    def _run(self, task: object, names: Names, first: list[Label], second: list[Label]) -> None:
        with polite():
            found = agreement(first, second)
        if isValid(self):
            self._came.emit(task, names, found)

    def _take(self, task: object, names: Names, found: Agreement) -> None:
        if task is not self._task:
            return
        self.found, self.model.names = found, names
        self.model.show_rows(self.found.differences)
        share = self.found.share
        said = f"{100 * share:.0f} % of all objects are in both."
        self.share.setText(_NONE if math.isnan(share) else said)
        self.differ.setText(counted(len(self.found.differences), "difference"))
        self._show_table()

    def _show_table(self) -> None:
        empty_out(self.rows)
        heads = ("Class", "Both", "Only first", "Only second", "Other class")
        lines = [(class_title(self._session.project, row.class_id),
                  *map(str, (row.both, row.only_a, row.only_b, row.mixed)))
                 for row in by_class(self.found)]  # fmt: skip
        for at, cells in enumerate([heads, *lines] if lines else []):
            for column, words in enumerate(cells):
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                self.rows.addWidget(text(words, "" if at else "secondary"), at, column, side)

    def _go(self, at: QModelIndex) -> None:
        if at.isValid():
            one = at.data(THING)
            self._session.go(one.source, one.frame)
            chosen = tuple(label.id for label in (one.a, one.b) if label is not None)
            self._session.focus.set(labels=chosen)


def label_of(one: Difference) -> Label:
    """The label of the first set, else that of the second."""
    found = one.a or one.b
    assert found is not None
    return found


def _there(session: Session) -> list[int]:
    """The origins of labels that the project has."""
    return sorted(set(session.project.labels.table().origins.tolist()))


def _origins(name: str, code: int) -> QComboBox:
    found = QComboBox()
    found.setAccessibleName(name)
    found.setFixedHeight(28)
    for at, origin in enumerate(ORIGINS):
        found.addItem(origin.title, at)
    found.setCurrentIndex(code)
    return found
