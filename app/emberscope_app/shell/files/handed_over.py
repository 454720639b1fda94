"""Files that the system hands to the program while it runs."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFileOpenEvent


class HandedOver(QObject):
    """Filter of the application's events that opens them: on macOS a double-click on a file is an
    event, and no argument of the program."""

    def __init__(self, parent: QObject, open_files: Callable[[Sequence[str]], None]) -> None:
        super().__init__(parent)
        self._open = open_files

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return False
        self._open([event.file()])
        return True
