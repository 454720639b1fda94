"""One undo command class, which wraps any operation."""

from typing import Protocol

from PySide6.QtGui import QUndoCommand

from emberscope.project import Changes, Operation, Project, PutLabels
from emberscope_app.state.focus import Focus

_MERGES, _ALONE = 1, -1  # QUndoCommand.id(): commands of one number may merge


class Target(Protocol):
    """What operations act on and who tells the views: the session."""

    project: Project
    focus: Focus

    def publish(self, changes: Changes, *, earlier_run: int | None = None) -> None: ...


class OperationCommand(QUndoCommand):
    """Applies an operation when pushed or redone, reverts it when undone.

    Edits of the same labels in a row with the same `merge` key become one step: from the first "before" to the
    last "after".
    """

    def __init__(self, target: Target, operation: Operation, *, merge: str = "") -> None:
        super().__init__(operation.title or "Edit")
        self._target = target
        self.operation = operation
        self.merge = merge
        self._run_before: int | None = None  # the run that was on show

    def redo(self) -> None:
        self._run_before = self._target.focus.run
        self._target.publish(self.operation.apply(self._target.project))

    def undo(self) -> None:
        self._target.publish(self.operation.revert(self._target.project), earlier_run=self._run_before)

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
