"""The context menu of the canvas: what can be done with the label under the pointer, or with the
frame."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from emberscope.labels import Box, FrameLabel, Ignore, Label
from emberscope_app.frame_view.canvas.canvas_actions import CanvasActions
from emberscope_app.frame_view.class_picker import glyph_icon
from emberscope_app.frame_view.tools import edit
from emberscope_app.frame_view.tools.box import ignore_frame
from emberscope_app.plain import menu_text
from emberscope_app.state.labels.class_keys import in_order, key_of_class, set_class
from emberscope_app.state.labels.done import frame_is_done, toggle_frame
from emberscope_app.words import labels_name


def canvas_menu(canvas: CanvasActions, parent: QWidget) -> QMenu:
    """A menu for the selected labels, else for the frame; it deletes itself when closed."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chosen = canvas.place.selected()
    if chosen:
        _label_actions(menu, canvas, chosen)
    else:
        _frame_actions(menu, canvas)
    return menu


def _label_actions(menu: QMenu, canvas: CanvasActions, chosen: list[Label]) -> None:
    session, place = canvas.session, canvas.place
    classes = menu.addMenu("Class")
    for info in in_order(session.project):
        words = f"{menu_text(info.name)}\t{key_of_class(session.project, info.id)}"
        classes.addAction(glyph_icon(info.slot), words, partial(set_class, session, info.id))
    classes.setEnabled(not all(isinstance(label, Ignore | FrameLabel) for label in chosen))
    if any(isinstance(label, Box) and label.looseness > 0 for label in chosen):
        menu.addAction("Make tight", partial(edit.relax_to, place, 0.0))
    menu.addAction(f"Copy to next {canvas.settings.copies}\tM", canvas.copy_to_next)
    menu.addSeparator()
    menu.addAction(f"Delete {labels_name(chosen)}\tDel", partial(edit.delete, place))


def _frame_actions(menu: QMenu, canvas: CanvasActions) -> None:
    whole = any(isinstance(label, Ignore) and label.x0 is None for label in canvas.place.labels())
    menu.addAction("Frame label...\tI", canvas.controller.open_frame_labels)
    menu.addAction(
        "Use frame again" if whole else "Ignore frame", partial(ignore_frame, canvas.place)
    )
    menu.addAction(f"Copy to next {canvas.settings.copies}\tM", canvas.copy_to_next)
    done = menu.addAction("Frame is done\tCtrl+D", partial(toggle_frame, canvas.session))
    done.setCheckable(True)
    done.setChecked(frame_is_done(canvas.session))
    menu.addSeparator()
    menu.addAction("Fit\tCtrl+0", canvas.fit)
    menu.addAction("One to one\tCtrl+1", canvas.one_to_one)
