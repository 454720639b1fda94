"""Sources: the clips of the project, their thumbnails and how far they are labeled."""

import contextlib
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.errors import EmberscopeError
from emberscope.project import Changes, Operation, PutSources, Together, remove_sources
from emberscope.project.nouns import nouns_of
from emberscope.project.run_columns import NOVELTY
from emberscope_app.docks.sources.rows import COLUMN, NOVEL, ORDERS, SourceModel
from emberscope_app.lists.model import THING
from emberscope_app.lists.view import RowList
from emberscope_app.pixels.source_checks import source_checks
from emberscope_app.pixels.thumbnails import Thumbnails
from emberscope_app.plain import menu_text
from emberscope_app.state.core.last_folders import DATA, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt, to_qt
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.done import toggle_clip
from emberscope_app.state.labels.judging import toggle_judging
from emberscope_app.state.points.filter import filter_of
from emberscope_app.state.runs.scored import Scored
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import IconButton, offer_data, trigger, without_data
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted

_MOVES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Up, Qt.Key.Key_Down)
# "To label": clips with frames that carry no label and that nobody is done with.
_CHIPS = (("all", "All"), ("todo", "To label"), ("done", "Done"), ("warn", "Warnings"))
_RARE = ("done", "warn")  # shown where there are some


class _List(RowList):
    """Click opens a clip; a click on one of its small frames goes there."""

    menu_wanted = Signal(int, QPoint)
    chosen = Signal(int, object)  # source id, frame or None

    def __init__(self, model: SourceModel) -> None:
        super().__init__(model, "Sources")
        self._sources = model

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._sources.room = self.width()
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()  # the height of the open row follows the width

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            cell = self.delegate.cell_at(event.position().toPoint())
            self.chosen.emit(index.data(THING), cell.does if cell is not None else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        index = self.currentIndex()
        if event.key() in _MOVES and index.isValid():
            self.chosen.emit(index.data(THING), None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if index.isValid():
            self.menu_wanted.emit(index.data(THING), event.globalPos())


class SourcesPanel(Panel):
    """Search, three filters, rows of 72 px; the clip on show unfolds six of its frames."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.thumbnails = Thumbnails(session, self)
        self.model = SourceModel(session, self.thumbnails)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Filter by name")
        self.field.setClearButtonEnabled(False)
        self.field.setAccessibleName("Filter sources by name")
        self.field.setFixedHeight(28)
        self.field.textChanged.connect(self._filter)
        self._glass = self.field.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.view = _List(self.model)
        self.view.verticalScrollBar().valueChanged.connect(lambda _value: self.thumbnails.cancel())
        self.view.chosen.connect(session.go)
        self.view.menu_wanted.connect(self._menu)
        self._empty = without_data("Drop IR files or folders here.")
        self._pages = QStackedWidget(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._filled())
        self._add = IconButton("plus", "Open files or a folder", size=24, parent=self)
        self._add.clicked.connect(lambda _=False: offer_data(self._add))
        self._add.hide()
        self._sort = IconButton("sort", "Order of the sources", size=24, parent=self)
        self._sort.clicked.connect(self._choose_order)
        self._sort.hide()
        session.changed.connect(self._on_changed)
        session.focus.changed.connect(self._on_focus)
        filter_of(session).changed.connect(lambda: self.in_sight(self._reload))
        filter_of(session).read.connect(lambda: self.in_sight(self._filter))
        self.thumbnails.arrived.connect(self._arrived)
        source_checks(session).updated.connect(self._arrived)
        look().changed.connect(self._tint)
        self.model.look()
        self._reload()

    def icons(self) -> list[QWidget]:
        return [self._sort, self._add]

    def _filled(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, tokens.PAD, 0, 0)
        column.setSpacing(8)
        row = QHBoxLayout()
        row.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        row.addWidget(self.field)
        column.addLayout(row)
        for line in self._chip_rows():
            column.addLayout(line)
        column.addWidget(self.view, 1)
        return page

    def _chip_rows(self) -> tuple[QHBoxLayout, QHBoxLayout]:
        """One row; what does not fit into it goes into the second."""
        self._rows = (QHBoxLayout(), QHBoxLayout())
        for row in self._rows:
            row.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
            row.setSpacing(4)
            row.addStretch(1)
        group = QButtonGroup(self)
        self.chips: dict[str, QToolButton] = {}
        self._seen = {key: key not in _RARE for key, _ in _CHIPS}  # those on show
        for key, title in _CHIPS:
            chip = QToolButton()
            chip.setProperty("role", "chip")
            chip.setText(title)
            chip.setAccessibleName(f"{title}, filter")
            chip.setCheckable(True)
            chip.setFixedHeight(24)
            chip.clicked.connect(self._filter)
            group.addButton(chip)
            self.chips[key] = chip
        self._fold_chips()
        self.chips["all"].setChecked(True)
        return self._rows

    def _fold_chips(self) -> None:
        """The chips on show beside each other; those that have no room begin the second row."""
        room, used, at = self.width() - 2 * tokens.PAD, 0, [0, 0]
        for key, chip in self.chips.items():
            used += chip.sizeHint().width() + 4 if self._seen[key] else 0
            line = int(used - 4 > room)
            self._rows[1 - line].removeWidget(chip)
            self._rows[line].insertWidget(at[line], chip)
            at[line] += 1

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold_chips()

    def _on_changed(self, changes: Changes) -> None:
        if changes.touch("sources"):
            self.model.look()
            if changes.everything:
                self.choose("all")
            self._reload()
        elif changes.touch("labels", "classes", "settings"):
            self.in_sight(self._count_soon)

    def _count_soon(self) -> None:
        self._session.turns.take(self._count_labels)

    def _count_labels(self) -> None:
        """Labels came or went, or a clip is done: of which clips something is left to do."""
        self.model.read()
        self._say_count()
        self._count_chips()
        if (
            self.model.order != "added"
            or self.chips["todo"].isChecked()
            or self.chips["done"].isChecked()
        ):
            self._filter()
        self.view.viewport().update()

    def _on_focus(self, names: set[str]) -> None:
        if "source" in names:
            self._reload()
        elif "frame" in names:
            self.view.viewport().update()

    def _arrived(self) -> None:
        self._count_chips()
        if self.chips["warn"].isChecked():
            self.model.show("warn", self.field.text())
        self.view.viewport().update()

    def choose(self, kind: str) -> None:
        """Show clips of one kind: "all", "todo", "done" or "warn"."""
        self.field.clear()
        self.chips[kind].setChecked(True)
        self._count_chips()
        self._filter()

    def _reload(self) -> None:
        sources = self._session.project.sources
        self._pages.setCurrentIndex(1 if sources else 0)
        self.model.read()
        self._say_count()
        self._count_chips()
        self._filter()

    def _say_count(self) -> None:
        clips, done = len(self._session.project.sources), self.model.count("done")
        words, passing = nouns_of(self._session.project).clip, self.model.count("all")
        words = counted(clips, words)
        words = f"{passing} of {words}" if passing < clips else words
        words += f", {done} done" if done else ""
        self.set_count(words if clips else "")

    def _choose_order(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for order, words in self.orders():
            action = menu.addAction(words, partial(self.set_order, order))
            action.setCheckable(True)
            action.setChecked(order == self.model.order)
        menu.popup(self._sort.mapToGlobal(self._sort.rect().bottomLeft()))

    def orders(self) -> list[tuple[str, str]]:
        """What the clips can be sorted by: usual orders, then the columns that they have values
        of."""
        known = filter_of(self._session)
        names = known.of_clips_known
        new = [(NOVEL, "Most novel first")] if NOVELTY in known.columns else []
        return [*ORDERS, *new, *((f"{COLUMN}{name}", menu_text(f"By {name}")) for name in names)]

    def set_order(self, order: str) -> None:
        """Sort the clips: one of `orders`."""
        self.model.order = order
        self._filter()

    def _count_chips(self) -> None:
        for key, title in _CHIPS:
            count = self.model.count(key)
            self.chips[key].setText(f"{title} {count}")
            self._seen[key] = bool(count) or key not in _RARE or self.chips[key].isChecked()
        self._fold_chips()
        for key, seen in self._seen.items():
            self.chips[key].setVisible(seen)

    def _filter(self, *_: object) -> None:
        kind = next(key for key, chip in self.chips.items() if chip.isChecked())
        self.model.show(kind, self.field.text())
        row = self.model.row_of(self._session.focus.source)
        if row >= 0:
            index = self.model.index(row, 0)
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
        self.view.doItemsLayout()

    def _menu(self, source: int, where: QPoint) -> None:
        menu = QMenu(self)
        changed = source_checks(self._session).changed
        if source in changed:
            menu.addAction("Take as it is now", lambda: self.take_as_they_are([source]))
            if len(changed) > 1:
                menu.addAction(
                    f"Take all {len(changed)} that changed",
                    lambda: self.take_as_they_are(sorted(changed)),
                )
        say = nouns_of(self._session.project).say
        done = menu.addAction(say("Clip is done"), partial(toggle_clip, self._session, source))
        done.setCheckable(True)
        done.setChecked(self.model.facts(source).done)
        if not self._session.project.of_points:
            score = menu.addAction("Score this clip", partial(self._scored().score, [source]))
            score.setEnabled(not self._scored().why_not())
            menu.addSeparator()
            menu.addAction("How it is read...", lambda: self._sheet_of(source, "file.reading"))
        else:
            judges = menu.addAction(
                "Labels of instances only judge", partial(toggle_judging, self._session, source)
            )
            judges.setCheckable(True)
            judges.setChecked(self._session.project.sources[source].only_judges)
        menu.addAction("Range, aspect, light...", lambda: self._sheet_of(source, "file.known"))
        menu.addAction("Locate file...", lambda: self.locate(source))
        menu.addAction("Copy path", lambda: self._copy_path(source))
        menu.addSeparator()
        menu.addAction("Remove with its labels", lambda: self.remove(source))
        menu.popup(where)

    def _scored(self) -> Scored:
        return self._session.only(Scored)

    def _sheet_of(self, source: int, action: str) -> None:
        """The sheet of an action that is about the clip in focus."""
        self._session.focus.set(source=source)
        trigger(self, action)

    def remove(self, source: int) -> None:
        """Take a clip and its labels out of the project; one undo brings both back."""
        self._session.do(remove_sources(self._session.project, [source]))

    def take_as_they_are(self, sources: list[int]) -> None:
        """What changed files hold now is what their labels are on: one undo step."""
        from emberscope.project.exchange.sources import relocate

        session = self._session
        steps: list[Operation] = []
        for source in sources:
            try:
                steps.append(
                    relocate(session.project, source, session.project.sources[source].path)
                )
            except EmberscopeError as error:
                session.say(str(error), level="err")
        if steps:
            title = (
                steps[0].title if len(steps) == 1 else f"Read {counted(len(steps), 'source')} again"
            )
            session.do(Together(title=title, steps=steps))

    def locate(self, source: int) -> None:
        """Ask where a clip lies now."""
        ref = self._session.project.sources[source]
        there = Path(ref.path).parent
        title, start = f"Locate {ref.name}", to_qt(there) if there.is_dir() else last_folder(DATA)
        if ref.format == "folder":
            name = QFileDialog.getExistingDirectory(self, title, start)
        else:
            name, _ = QFileDialog.getOpenFileName(self, title, start)
        if name:
            remember_folder(DATA, name)
            self.relocate(source, from_qt(name))

    def relocate(self, source: int, path: Path) -> None:
        """A clip lies there now; others that are missing and lie beside it come along, as one
        step."""
        from emberscope.project.exchange.sources import relocate, same_content

        session, old = self._session, self._session.project.sources[source]
        try:
            found = relocate(session.project, source, path)
        except EmberscopeError as error:
            session.say(str(error), level="err")
            return
        more = self._beside(path.parent, but=source)
        title = f"Locate {counted(len(more) + 1, 'source')}" if more else found.title
        session.do(Together(title=title, steps=[found, *more]))
        if not same_content(old, found.after[0].fingerprint):
            words = (
                f"{path.name} has other content than {old.name} had. Labels stay where they "
                "were in the frames."
            )
            session.say(words, level="warn", action="Undo", on_action=session.undo_stack.undo)

    def _beside(self, folder: Path, *, but: int) -> list[PutSources]:
        """Missing clips that lie in a folder under their name, with the content they had."""
        from emberscope.project.exchange.sources import missing_sources, relocate, same_content

        found = []
        for ref in missing_sources(self._session.project):
            path = folder / Path(ref.path).name
            if ref.id == but or not path.exists():
                continue
            with contextlib.suppress(EmberscopeError):
                step = relocate(self._session.project, ref.id, path)
                found += [step] if same_content(ref, step.after[0].fingerprint) else []
        return found

    def _copy_path(self, source: int) -> None:
        QGuiApplication.clipboard().setText(to_qt(self._session.project.sources[source].path))

    def _tint(self) -> None:
        self._glass.setIcon(icon("search"))
        self.view.viewport().update()
