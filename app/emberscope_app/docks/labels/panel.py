"""The Labels dock: the classes, and the labels of this frame (or of the clip, or of the
project)."""

from functools import partial
from itertools import count

import numpy as np
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QMenu, QVBoxLayout, QWidget

from emberscope.labels import BACKGROUND, Label, TargetClass
from emberscope.labels.origins import ORIGINS
from emberscope.project import Changes, PutClasses, PutLabels
from emberscope.project.model.new_classes import put_new_classes
from emberscope.project.nouns import nouns_of
from emberscope_app.docks.labels.model import SCOPES, Thing, about_of, say
from emberscope_app.docks.labels.rows import EYE, LabelRows, LabelsDelegate, hide_class
from emberscope_app.lists.model import THING
from emberscope_app.lists.view import RowList
from emberscope_app.plain import menu_text
from emberscope_app.state.core.focus import author_of
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import class_of_key, set_class
from emberscope_app.state.labels.classes import why_kept, wrong_name
from emberscope_app.state.labels.label_bags import label_bags
from emberscope_app.state.labels.signing import author, own_name, set_author
from emberscope_app.theme.controls import IconButton
from emberscope_app.theme.panel import Panel
from emberscope_app.when.timers import Later
from emberscope_app.words import labels_name

_SETTLE_MS = 120  # after the last edit of labels, before their bags are made anew


class LabelsList(RowList):
    """Click = select, double = go (labels) or rename (classes); Del, 1-9, Enter; a menu on right
    click."""

    delegate_class = LabelsDelegate

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rows = LabelRows(session)
        super().__init__(self.rows, "Labels")
        # Qt asks the delegate once, not thousands of rows each time they change
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.asked.connect(self._hide)
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(self._double_clicked)
        self.entered_row.connect(self._clicked)

    def reload(self) -> None:
        """Re-read, keeping the scroll position and the current row."""
        at, row = self.verticalScrollBar().value(), self.currentIndex().row()
        self.rows.reload()
        self.verticalScrollBar().setValue(at)
        if 0 <= row < self.rows.rowCount():
            self.setCurrentIndex(self.rows.index(row, 0))

    def _hide(self, index: QModelIndex, what: object, keys: Qt.KeyboardModifier) -> None:
        """A click on the eye hides the class, Alt+click shows only it."""
        if what == EYE:
            solo = bool(keys & Qt.KeyboardModifier.AltModifier)
            hide_class(self.session, index.data(THING)[1].id, solo=solo)

    def _clicked(self, index: QModelIndex) -> None:
        what, thing = index.data(THING)
        if isinstance(thing, TargetClass):
            self.session.focus.set(class_id=thing.id)
        elif what == "add":
            self.add_class()
        elif what == "label":
            self._go(thing)

    def _double_clicked(self, index: QModelIndex) -> None:
        if isinstance(index.data(THING)[1], TargetClass):
            self.edit(index)

    def _go(self, label: Label) -> None:
        self.session.go(label.source, label.frame)
        self.session.focus.set(labels=(label.id,))

    def add_class(self) -> None:
        """A new target class; its name is edited at once."""
        project = self.session.project
        names = (f"Class {n}" for n in count(len(project.classes) + 1))
        name = next(name for name in names if not wrong_name(project, name))
        new = TargetClass(id=project.new_ids()[0], name=name, role=1, slot=1)
        if self.session.do(
            put_new_classes(project, [new], title="Add class"), focus={"class_id": new.id}
        ):
            self.reload()  # where there are very many labels its row would come a turn later
            self.edit(self.rows.index(self.rows.row_of_class(new.id), 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        thing = self.currentIndex().data(THING) if self.currentIndex().isValid() else None
        key = event.key()
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._delete(thing)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.session.select_labels()
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_9 and not event.modifiers():
            found = class_of_key(self.session.project, key - Qt.Key.Key_0)
            if found is not None:
                set_class(self.session, found.id)
        else:
            super().keyPressEvent(event)

    def _delete(self, thing: Thing | None) -> None:
        labels = self.session.project.labels
        chosen = [labels[key] for key in self.session.focus.labels if key in labels]
        if (
            not chosen
            and thing is not None
            and isinstance(thing[1], Label)
            and thing[1].id in labels
        ):
            chosen = [labels[thing[1].id]]
        if chosen:
            self.session.do(PutLabels(title=f"Delete {labels_name(chosen)}", before=chosen))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if index.isValid():
            self.menu(index).popup(event.globalPos())

    def menu(self, index: QModelIndex) -> QMenu:
        """What can be done with a row."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        what, thing = index.data(THING)
        if isinstance(thing, TargetClass):
            self._fill_class_menu(menu, index, thing)
        elif what == "label":
            menu.addAction("Go to label", lambda: self._go(thing))
            for field, words in (("uncertain", "Uncertain"), ("checked", "Checked")):
                action = menu.addAction(words)
                action.setCheckable(True)
                action.setChecked(getattr(about_of(thing), field))
                action.toggled.connect(partial(self._say, thing, field))
            menu.addAction("Note", lambda: self.edit(index))
            title = f"Delete {labels_name([thing])}"
            menu.addAction(
                "Delete\tDel", lambda: self.session.do(PutLabels(title=title, before=[thing]))
            )
        return menu

    def _say(self, label: Label, field: str, value: bool) -> None:
        say(self.session, label, **{field: value})

    def _fill_class_menu(self, menu: QMenu, index: QModelIndex, info: TargetClass) -> None:
        session = self.session
        other = TargetClass(
            id=info.id, name=info.name, role=-1 if info.role > 0 else 1, slot=info.slot
        )
        menu.addAction("Rename", lambda: self.edit(index))
        words = "Make it background" if info.role > 0 else "Make it a target"
        turn = PutClasses(title=f"{words}: {info.name}", before=[info], after=[other])
        menu.addAction(words, lambda: session.do(turn)).setEnabled(info.id != BACKGROUND)
        menu.addAction("Show only this", lambda: hide_class(session, info.id, solo=True))
        why = why_kept(session.project, info.id)
        gone = PutClasses(title=f"Delete class {info.name}", before=[info])
        words = f"Delete class ({menu_text(why)})" if why else "Delete class"
        menu.addAction(words, lambda: session.do(gone)).setEnabled(not why)


class LabelsPanel(Panel):
    """Classes and labels."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.list = LabelsList(session)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.setFocusProxy(self.list)
        self._filter: IconButton | None = None
        self._later = Later(self, self._count_bags_in_sight, _SETTLE_MS)
        label_bags(session).came.connect(self._count_bags_in_sight)
        session.changed.connect(self._project_changed)
        session.focus.changed.connect(self._focus_changed)
        self.list.rows.count()
        self._count_bags()
        self.reload()

    def icons(self) -> list[QWidget]:
        """The filter: this frame, this clip, the project."""
        self._filter = IconButton("filter", "Which labels", size=24)
        self._filter.clicked.connect(lambda _=False: self._choose_scope())
        return [self._filter]

    def read(self) -> None:
        """Count the labels of the classes, and list those on show."""
        self.list.rows.count()
        self.reload()

    def reload(self) -> None:
        """List the labels on show."""
        self.list.reload()
        where = {"frame": "on this frame", "clip": "in this clip", "project": "in the project",
                 "differences": "that differ"}[self.list.rows.scope]
        where = nouns_of(self.session.project).say(where)
        self.set_count(f"{self.list.rows.total} {where}")

    def set_scope(self, scope: str) -> None:
        """The labels listed: "frame", "clip" or "project"."""
        self.list.rows.scope = scope
        self.reload()

    def _choose_scope(self) -> None:
        menu = self.scope_menu()
        anchor = self._filter or self
        menu.popup(anchor.mapToGlobal(anchor.rect().bottomLeft()))

    def scope_menu(self) -> QMenu:
        """Which labels are listed, and which are drawn."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        say = nouns_of(self.session.project).say
        for scope, words in SCOPES.items():
            action = menu.addAction(say(words), partial(self.set_scope, scope))
            action.setCheckable(True)
            action.setChecked(scope == self.list.rows.scope)
        self._fill_origins(menu)
        self._fill_authors(menu)
        name = author() or own_name()
        if name:
            menu.addSeparator()
            action = menu.addAction(menu_text(f"Sign new labels as {name}"))
            action.setCheckable(True)
            action.setChecked(bool(author()))
            action.toggled.connect(lambda on: set_author(name if on else ""))
        return menu

    def _fill_origins(self, menu: QMenu) -> None:
        """Which labels are drawn, by where they come from; nothing to choose where all come from
        one place."""
        there = np.unique(self.session.project.labels.table().origins).tolist()
        hidden = self.session.focus.hidden_origins
        if len(there) > 1 or hidden:
            menu.addSection("Draw")
            for code in sorted({*there, *hidden}):
                action = menu.addAction(ORIGINS[code].title)
                action.setCheckable(True)
                action.setChecked(code not in hidden)
                action.toggled.connect(partial(self._draw_origin, code))

    def _fill_authors(self, menu: QMenu) -> None:
        """Whose labels are drawn; nothing to choose where all are of one."""
        hidden = self.session.focus.hidden_authors
        there = {*map(author_of, self.session.project.labels), *hidden}
        if len(there) > 1 or hidden:
            menu.addSection("Signed by")
            for name in sorted(there):
                action = menu.addAction(menu_text(name) or "Nobody")
                action.setCheckable(True)
                action.setChecked(name not in hidden)
                action.toggled.connect(partial(self._draw_author, name))

    def _draw_author(self, name: str, shown: bool) -> None:
        hidden = self.session.focus.hidden_authors
        self.session.focus.set(hidden_authors=hidden - {name} if shown else hidden | {name})

    def _draw_origin(self, code: int, shown: bool) -> None:
        focus = self.session.focus
        focus.set(
            hidden_origins=focus.hidden_origins - {code} if shown else focus.hidden_origins | {code}
        )

    def _project_changed(self, changes: Changes) -> None:
        if changes.everything:
            self.list.rows.scope = "frame"
        if changes.touch("labels", "classes", "sources", "runs"):
            self.in_sight(self._read_soon)
        if changes.touch("labels", "marks", "classes", "sources", "runs"):
            self._later.start()

    def _read_soon(self) -> None:
        self.session.turns.take(self.read)

    def _reload_soon(self) -> None:
        self.session.turns.take(self.reload)

    def _count_bags_in_sight(self) -> None:
        self._later.stop()
        self.in_sight(self._count_bags)

    def _count_bags(self) -> None:
        self.list.rows.count_bags()
        self.list.viewport().update()

    def _focus_changed(self, names: set[str]) -> None:
        if "run" in names:
            self._count_bags_in_sight()
        everywhere = self.list.rows.scope in ("project", "differences")
        if names & {"source", "frame", "run"} and not (everywhere and "run" not in names):
            self.in_sight(self._reload_soon)
        self.list.viewport().update()
