"""One undo command class, which wraps any operation."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from emberscope.project import Operation

if TYPE_CHECKING:
    from emberscope_app.session import Session


class OperationCommand(QUndoCommand):
    """Applies an operation when pushed or redone, reverts it when undone."""

    def __init__(self, session: "Session", operation: Operation) -> None:
        super().__init__(operation.title or "Edit")
        self._session = session
        self.operation = operation

    def redo(self) -> None:
        self._session.publish(self.operation.apply(self._session.project))

    def undo(self) -> None:
        self._session.publish(self.operation.revert(self._session.project))
