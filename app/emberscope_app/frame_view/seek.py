"""Moving through frames by key: the same on the canvas and on the timeline."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from emberscope_app.state.session import Session


def seek_key(session: Session, event: QKeyEvent) -> bool:
    """A / D and arrows, Shift 10, Ctrl next labeled, Home, End: the same on the canvas and the timeline."""
    step = {Qt.Key.Key_A: -1, Qt.Key.Key_Left: -1, Qt.Key.Key_D: 1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
    frame = session.focus.frame
    if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
        session.go(frame=0 if event.key() == Qt.Key.Key_Home else 10**9)
    elif step and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        go_to_labeled(session, step)
    elif step:
        session.go(frame=frame + step * (10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1))
    else:
        return False
    return True


def go_to_labeled(session: Session, direction: int) -> None:
    """The next (+1) or previous (-1) frame that carries a label."""
    focus = session.focus
    if focus.source is None:
        return
    frames = session.project.labels.frames(focus.source)
    found = [f for f in frames if (f > focus.frame if direction > 0 else f < focus.frame)]
    if found:
        session.go(frame=min(found) if direction > 0 else max(found))
