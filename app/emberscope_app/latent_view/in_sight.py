"""Which maps a person has in sight: the focus keeps it."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from emberscope_app.state.core.session import Session


class InSight(QObject):
    """Tells the focus when a map of so many dimensions comes into sight and when it goes."""

    def __init__(self, panel: QWidget, session: Session, dimensions: int) -> None:
        super().__init__(panel)
        self._focus, self._dimensions = session.focus, dimensions
        panel.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._focus.see_map(self._dimensions, there=event.type() == QEvent.Type.Show)
        return False
