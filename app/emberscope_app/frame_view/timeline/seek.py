"""Moving through frames by key: the same on the canvas and on the timeline."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from emberscope_app.state.core.session import Session

_LETTERS = (Qt.Key.Key_A, Qt.Key.Key_D)


def seek_key(session: Session, event: QKeyEvent) -> bool:
    """A / D and arrows, Shift 10, Ctrl+arrow next labeled, Home, End, PgUp, PgDn: the same on
    canvas and timeline."""
    if event.key() in _LETTERS and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return False  # Ctrl+A selects all
    step = {Qt.Key.Key_A: -1, Qt.Key.Key_Left: -1, Qt.Key.Key_D: 1, Qt.Key.Key_Right: 1}.get(
        Qt.Key(event.key()), 0
    )
    frame = session.focus.frame
    if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
        session.go(frame=0 if event.key() == Qt.Key.Key_Home else 10**9)
    elif step and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        go_to_labeled(session, step)
    elif event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
        go_to_clip(session, -1 if event.key() == Qt.Key.Key_PageUp else 1)
    elif step and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        session.go(frame=frame + 10 * step)
    elif step:
        step_frame(session, step, held=event.isAutoRepeat())
    else:
        return False
    return True


def step_frame(session: Session, step: int, *, held: bool = False) -> None:
    """One frame on (+1) or back (-1); over the end of a clip into the next, unless the key is held
    down."""
    focus = session.focus
    ref = session.project.sources.get(focus.source) if focus.source is not None else None
    if ref is not None and not 0 <= focus.frame + step < ref.n_frames:
        if not held:
            go_to_clip(session, step, frame=0 if step > 0 else 10**9)
    else:
        session.go(frame=focus.frame + step)


def go_to_clip(session: Session, step: int, *, frame: int | None = None) -> None:
    """The next (+1) or previous (-1) clip in the order they were added, at a frame or where it was
    left."""
    sources, here = list(session.project.sources), session.focus.source
    at = sources.index(here) + step if here in sources else -1
    if 0 <= at < len(sources):
        session.go(sources[at], frame)


def go_to_labeled(session: Session, direction: int) -> None:
    """The next (+1) or previous (-1) frame that carries a label."""
    focus = session.focus
    if focus.source is None:
        return
    frames = session.project.labels.frames(focus.source)
    found = [f for f in frames if (f > focus.frame if direction > 0 else f < focus.frame)]
    if found:
        session.go(frame=min(found) if direction > 0 else max(found))
