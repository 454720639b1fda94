"""One undo command class, which wraps any operation."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from emberscope.project import Operation, PutLabels

if TYPE_CHECKING:
    from emberscope_app.session import Session

_MERGES, _ALONE = 1, -1  # QUndoCommand.id(): commands of one number may merge


class OperationCommand(QUndoCommand):
    """Applies an operation when pushed or redone, reverts it when undone.

    Edits of the same labels in a row with the same `merge` key become one step: from the first "before" to the
    last "after".
    """

    def __init__(self, session: "Session", operation: Operation, *, merge: str = "") -> None:
        super().__init__(operation.title or "Edit")
        self._session = session
        self.operation = operation
        self.merge = merge
        self._run_before: int | None = None  # the run that was on show

    def redo(self) -> None:
        self._run_before = self._session.focus.run
        self._session.publish(self.operation.apply(self._session.project))

    def undo(self) -> None:
        self._session.publish(self.operation.revert(self._session.project), earlier_run=self._run_before)

    def id(self) -> int:
        return _MERGES if self.merge else _ALONE

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, OperationCommand) or other.merge != self.merge:
            return False
        mine, theirs = self.operation, other.operation
        if not (isinstance(mine, PutLabels) and isinstance(theirs, PutLabels)):
            return False
        if {label.id for label in mine.after} != {label.id for label in theirs.before}:
            return False
        self.operation = PutLabels(title=theirs.title, before=mine.before, after=theirs.after)
        return True
