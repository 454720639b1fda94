"""The undo stack: the edits that were made, how many of them stand, and which state was saved."""

from PySide6.QtCore import QObject, Signal

from emberscope_app.guard import attempt
from emberscope_app.state.core.undo import OperationCommand

_NOWHERE = -1  # index of a saved state that no step leads to any more


class UndoStack(QObject):
    """Edits in the order in which they were made; those from `index` on were undone.

    Its functions are named as those of QUndoStack, and do the same, for numbers of steps that
    there are. That one owns its commands in C++, and a process of the tests has died where its
    `clear` deletes them. A step that goes wrong is reported and counts, as there under the
    guard: it may have changed the project, which then is not saved.

    indexChanged(int): steps were done or undone, or one took in another. cleanChanged(bool):
    whether the state is the saved one.
    """

    indexChanged = Signal(int)
    cleanChanged = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands: list[OperationCommand] = []
        self._index = self._saved = 0

    # --- what is there

    def count(self) -> int:
        return len(self._commands)

    def index(self) -> int:
        """How many steps stand: the number of the next one to redo."""
        return self._index

    def cleanIndex(self) -> int:
        """The index of the saved state; -1 where no step leads there."""
        return self._saved

    def isClean(self) -> bool:
        return self._index == self._saved

    def canUndo(self) -> bool:
        return self._index > 0

    def canRedo(self) -> bool:
        return self._index < len(self._commands)

    def command(self, number: int) -> OperationCommand:
        return self._commands[number]

    def text(self, number: int) -> str:
        return self._commands[number].text

    def undoText(self) -> str:
        return self.text(self._index - 1) if self.canUndo() else ""

    def redoText(self) -> str:
        return self.text(self._index) if self.canRedo() else ""

    # --- what changes it

    def push(self, command: OperationCommand) -> None:
        """Do a step. It ends those that were undone; where the last one may, that takes it in."""
        attempt(command.redo)
        del self._commands[self._index :]
        if self._saved > self._index:
            self._saved = _NOWHERE
        if self.canUndo() and not self.isClean() and self._commands[-1].takes_in(command):
            self.indexChanged.emit(self._index)
            return
        self._commands.append(command)
        self._stand_at(self._index + 1)

    def undo(self) -> None:
        self.setIndex(self._index - 1)

    def redo(self) -> None:
        self.setIndex(self._index + 1)

    def setIndex(self, index: int) -> None:
        """Undo or redo until so many steps stand."""
        wanted = min(max(index, 0), len(self._commands))
        for command in self._commands[self._index : wanted]:
            attempt(command.redo)
        for command in reversed(self._commands[wanted : self._index]):
            attempt(command.undo)
        self._stand_at(wanted)

    def setClean(self) -> None:
        """The state is the saved one."""
        self._stand_at(self._index, saved=self._index)

    def resetClean(self) -> None:
        """No state is the saved one."""
        self._stand_at(self._index, saved=_NOWHERE)

    def clear(self) -> None:
        """Forget all steps; the state is the saved one, also where there was no step, which Qt
        leaves as it is. Nothing is undone."""
        was_clean, had_some = self.isClean(), bool(self._commands)
        self._commands.clear()
        self._index = self._saved = 0
        if had_some:
            self.indexChanged.emit(0)
        if not was_clean:
            self.cleanChanged.emit(True)

    def _stand_at(self, index: int, *, saved: int | None = None) -> None:
        was_clean, moved = self.isClean(), index != self._index
        self._index = index
        if saved is not None:
            self._saved = saved
        if moved:
            self.indexChanged.emit(index)
        if self.isClean() != was_clean:
            self.cleanChanged.emit(self.isClean())
