"""Edits: the named steps of the undo stack; a click goes there."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope_app.lists.cells import REST, RIGHT, Ground, Row, Spot, Words, line
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.view import RowList
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.look import look
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted, frames_words


class _Model(RowModel[int]):
    """Row 0 is the state that was opened, row n the state after step n."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._stack = session, session.undo_stack

    def read(self) -> None:
        self.show_rows(range(self._stack.count() + 1))

    def words(self, step: int, column: int) -> str:
        return self._stack.text(step - 1) if step else "As opened"

    def tip(self, step: int, column: int) -> str:
        return ": ".join(words for words in (self.words(step, column), self._place(step)) if words)

    def _place(self, step: int) -> str:
        """Which frames a step is about, "" where none; the clip where the project has several."""
        frames = self._stack.command(step - 1).frames() if step else []
        return frames_words(self._session.project, frames)

    def row(self, step: int, spot: Spot) -> Row:
        here = self._stack.index()
        undone, now = step > here, step == here
        beside = (self._place(step), "saved" if step == self._stack.cleanIndex() else "")
        return Row((line(
            Words(self.words(step, 0), weight=600 if now else 400, color="t3" if undone else "t1",
                  whole_start=True,
                  wide=REST),
            Words(", ".join(filter(None, beside)), px=tokens.PX_SMALL,
                  color="t3" if undone else "t2", align=RIGHT,
                  before=12),
        ),), Ground(active=now))  # fmt: skip


class UndoHistoryPanel(Panel):
    """Every step has a name; going back and forth loses nothing until a new edit is made."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack = session.undo_stack
        self.model = _Model(session)
        self.view = RowList(self.model, "Edits")
        self.view.setUniformItemSizes(True)
        self.view.clicked.connect(lambda index: self._stack.setIndex(index.row()))
        self.view.entered_row.connect(lambda index: self._stack.setIndex(index.row()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self._stack.indexChanged.connect(self._refresh)
        self._stack.cleanChanged.connect(self._refresh)
        look().changed.connect(self._refresh)
        self._refresh()

    def _refresh(self, *_: object) -> None:
        self.model.read()
        self.view.scrollTo(self.model.index(self._stack.index(), 0))
        count = self._stack.count()
        self.set_count(counted(count, "step") if count else "")
