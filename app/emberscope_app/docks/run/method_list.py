"""The method list of the Run dock: methods as rows, those that lack labels locked."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope_app.lists.cells import REST, Blank, Ground, Icon, Radio, Row, Spot, Tag, Words, line
from emberscope_app.lists.model import THING, RowModel
from emberscope_app.lists.view import RowList
from emberscope_app.state.runs.method_choices import Choice
from emberscope_app.theme import tokens


class _Choices(RowModel[Choice]):
    """Radio, title, second line; `suggested` as a tag, a lock where something is missing."""

    def words(self, choice: Choice, column: int) -> str:
        return f"{choice.title}, {choice.about}"

    def tip(self, choice: Choice, column: int) -> str:
        return choice.method.summary

    def usable(self, choice: Choice) -> bool:
        return not choice.missing

    def height(self, choice: Choice, width: int) -> int:
        return tokens.METHOD_ROW

    def row(self, choice: Choice, spot: Spot) -> Row:
        faint, small = bool(choice.missing), tokens.PX_SMALL
        title = Words(choice.title, weight=600, color="t3" if faint else "t1", wide=REST)
        about = Words(choice.about, px=small, color="t3" if faint else "t2", wide=REST)
        tag = (
            (Tag("suggested", ground="bg1" if spot.chosen else "bg3", before=4),)
            if choice.suggested
            else ()
        )
        lock = (line(Blank(), Icon("lock", "t3", side=14), right=20),) if faint else ()
        return Row((
            line(Radio(taken=spot.chosen, faint=faint), left=19), *lock,
            line(title, *tag, top=5, high=17, left=42, right=40 if faint else 17),
            line(about, top=22, high=16, left=42, right=17),
        ), Ground(hovered=False if faint else None, inset=(8, 1)))  # fmt: skip


class MethodList(RowList):
    """All methods at once; `chosen` carries the id the person took."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._model, self._quiet = _Choices(), False
        super().__init__(self._model, "Method", parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._on_current)

    @property
    def rows(self) -> list[Choice]:
        return [*self._model.rows]

    @property
    def method(self) -> str:
        """Id of the method that is taken, "" for none."""
        choice = self.currentIndex().data(THING)
        return choice.method.id if choice is not None else ""

    def show_choices(self, rows: list[Choice], method_id: str) -> None:
        """The methods, one of them taken."""
        self._quiet = True
        if rows != self._model.rows:
            self._model.show_rows(rows)
            self.setFixedHeight(len(rows) * tokens.METHOD_ROW)
        at = next((i for i, c in enumerate(rows) if c.method.id == method_id), -1)
        if at >= 0:
            self.setCurrentIndex(self._model.index(at, 0))
        self._quiet = False

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid() and not self._quiet:
            self.chosen.emit(index.data(THING).method.id)
