"""Keys of the frame canvas. Letters act wherever no text is being edited, the others while the
canvas has the focus."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from emberscope_app.frame_view.canvas.canvas_actions import CanvasActions
from emberscope_app.frame_view.timeline.seek import seek_key
from emberscope_app.frame_view.tools import edit
from emberscope_app.frame_view.tools.frame_label import toggle
from emberscope_app.frame_view.tools.table import TOOL_CLASSES
from emberscope_app.state.labels.class_keys import choose_class, class_of_key

Key, Mod = Qt.Key, Qt.KeyboardModifier
_ARROWS = {Key.Key_Left: (-1, 0), Key.Key_Right: (1, 0), Key.Key_Up: (0, -1), Key.Key_Down: (0, 1)}
_TOOLS = {Key(ord(tool.key)): tool.id for tool in TOOL_CLASSES}
LETTERS = frozenset(_TOOLS) | {Key(ord(letter)) for letter in "ADCHKLMX"}


def press_key(canvas: CanvasActions, event: QKeyEvent) -> bool:
    """Do what a key says; False where it means nothing here."""
    key, mods = Key(event.key()), event.modifiers() & ~Mod.KeypadModifier
    if key == Key.Key_Control:
        canvas.controller.hold_ctrl(True)
        return True
    if key in _ARROWS:
        return _arrow(canvas, key, mods, event)
    if mods == Mod.ControlModifier:
        if key == Key.Key_Z and canvas.controller.back():
            return True
        return _with_ctrl(canvas, key) or seek_key(canvas.session, event)
    if mods & (Mod.ControlModifier | Mod.AltModifier | Mod.MetaModifier):
        return False
    return (
        seek_key(canvas.session, event)
        or _editing(canvas, key)
        or _held(canvas, key, event)
        or _display(canvas, key)
    )


def _arrow(canvas: CanvasActions, key: Qt.Key, mods: Qt.KeyboardModifier, event: QKeyEvent) -> bool:
    dx, dy = _ARROWS[key]
    shift, ctrl, alt = (
        bool(mods & m) for m in (Mod.ShiftModifier, Mod.ControlModifier, Mod.AltModifier)
    )
    focus = canvas.session.focus
    chosen = bool(focus.labels)
    if alt:
        if dy and chosen:
            edit.relax_by(canvas.place, -0.05 * dy)
        return bool(dy and chosen)
    # A label just drawn is selected too, and the next arrow is not about it
    if chosen and focus.tool == "select":
        far = 10 if shift else 1
        (edit.resize if ctrl else edit.nudge)(canvas.place, dx * far, dy * far)
        return True
    return seek_key(canvas.session, event)


def _with_ctrl(canvas: CanvasActions, key: Qt.Key) -> bool:
    if key == Key.Key_0:
        canvas.fit()
    elif key == Key.Key_1:
        canvas.one_to_one()
    elif key == Key.Key_A:
        canvas.session.select_labels()
    else:
        return False
    return True


def _editing(canvas: CanvasActions, key: Qt.Key) -> bool:
    place, session = canvas.place, canvas.session
    if key in (Key.Key_Delete, Key.Key_Backspace):
        if not canvas.controller.back():
            edit.delete(place)
    elif key in (Key.Key_Return, Key.Key_Enter):
        return canvas.controller.finish()
    elif key == Key.Key_Escape:
        _escape(canvas)
    elif key == Key.Key_0:
        toggle(place, "empty")
    elif Key.Key_1 <= key <= Key.Key_9:
        found = class_of_key(session.project, key - Key.Key_0)
        if found is not None:
            choose_class(session, found.id)
    elif key == Key.Key_M:
        canvas.copy_to_next()
    elif key == Key.Key_K:
        session.player.toggle()
    elif key in (Key.Key_BracketLeft, Key.Key_BracketRight):
        _brush(canvas, -1 if key == Key.Key_BracketLeft else 1)
    else:
        return False
    return True


def _escape(canvas: CanvasActions) -> None:
    """One step back: the draft, then the selected labels, then the selection."""
    session = canvas.session
    if canvas.controller.cancel():
        return
    if session.focus.labels:
        session.focus.set(labels=())
    else:
        session.selection.clear()


def _brush(canvas: CanvasActions, step: int) -> None:
    """[ and ]: the eraser's radius, the width of lines, else rho."""
    settings = canvas.settings
    if canvas.session.focus.tool == "erase":
        settings.set("brush", min(max(settings.brush + step, 1.0), 100.0))
    elif canvas.session.focus.tool == "line":
        settings.set("line_width", min(max(settings.line_width + step, 0.0), 100.0))
    else:
        settings.set("rho", min(max(settings.rho + step, 0.0), 100.0))


def _held(canvas: CanvasActions, key: Qt.Key, event: QKeyEvent) -> bool:
    if key == Key.Key_Space:
        canvas.controller.hold_space(True)
    elif key == Key.Key_H:
        canvas.labels_hidden = True
        canvas.update()
    elif key in _TOOLS:
        if not event.isAutoRepeat():
            canvas.controller.take_tool(_TOOLS[key], key=event.key())
    else:
        return False
    return True


def _display(canvas: CanvasActions, key: Qt.Key) -> bool:
    source = canvas.session.focus.source
    if source is None:
        return False
    contrast = canvas.session.contrast
    if key == Key.Key_C:
        contrast.reset(source)
    elif key == Key.Key_X:
        contrast.flip(source)
    elif key == Key.Key_L:
        canvas.toggle_lock()
    else:
        return False
    return True
