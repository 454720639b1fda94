"""The Chips dock: chips of what was selected together, or of the whole run, grouped, sorted,
marked."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QMenu,
    QPushButton,
    QSlider,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from emberscope.findings.point_looks import COLUMN
from emberscope.labels.model import BACKGROUND
from emberscope.project import Changes, Run
from emberscope.project.nouns import nouns_of
from emberscope_app.chips.grid import ChipGrid
from emberscope_app.chips.model import (
    GROUPS,
    LARGEST,
    NOTHING,
    SHOWS,
    SMALLEST,
    SORTS,
    Arrangement,
    arrange,
    shown_rows,
)
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.plain import menu_text
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.selection import Ids
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited
from emberscope_app.state.labels.class_keys import in_order, key_of_class
from emberscope_app.state.labels.side import say_alike, say_different
from emberscope_app.state.points.filter import filter_of, group_columns, sort_columns
from emberscope_app.theme.controls import Empty, IconButton, MessageBar, Strip, line, text, trigger
from emberscope_app.theme.fit_strip import More, fit_strip
from emberscope_app.theme.panel import Panel
from emberscope_app.theme.text import Text
from emberscope_app.words import counted, in_sentence, spaced

_NO_RUN = "No run yet. A run shows the chips of your labels here."
_NONE = {"conflicts": "No instance lies in a positive and in a negative bag.",
         "unlabeled": "Every instance has a class."}
_FILTERED = "The filter lets no chip of these through."


class _Arranged(NamedTuple):
    """Chips of a run in their order."""

    run: Run | None
    rows: RowIndex
    chips: Arrangement


class ChipsPanel(Panel):
    """Chips of instances that were selected together elsewhere, else of the whole run. Selecting
    among them here, or one by one elsewhere, marks chips and takes none away."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._index = RowIndex(None)
        self._read_for: Run | None = None  # whose chips these are, or those that come
        self._chosen = session.selection.ids
        self._tray = _several(self._chosen)  # what was selected together elsewhere, last
        self.mark_class = BACKGROUND
        self._error = ""
        self._to_top = False  # what is shown next is shown from its first chip on
        self._labels: list[Text] = []
        self.grid = ChipGrid(session)
        self.message = MessageBar()
        self.empty = Empty(_NO_RUN, action="Run",
                           on_action=lambda: trigger(self, "run.run"))
        self.nothing = Empty("", action="Show all chips", on_action=lambda: self.set_show("all"))
        self._make_strip()
        self._pages = QStackedWidget(self)
        for page in (self.empty, self.nothing, self.grid):
            self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.strip, self.message):
            column.addWidget(part)
        column.addWidget(self._pages, 1)
        self.setFocusProxy(self.grid)
        self._connect()
        self._read_run()

    def _make_strip(self) -> None:
        self.strip = Strip(self)
        self.counted = text("", "title")
        self.strip.row.addWidget(self.counted)
        self.strip.row.addWidget(line(vertical=True))
        self.group = self._choice("Group", GROUPS)
        self.sort = self._choice("Sort", SORTS)
        self.show_box = self._choice("Show", SHOWS)
        self.size_slider = QSlider(Qt.Orientation.Horizontal)
        self.size_slider.setRange(SMALLEST, LARGEST)
        self.size_slider.setValue(self.grid.model.chip_size)
        self.size_slider.setMinimumWidth(40)
        self.size_slider.setMaximumWidth(72)
        self.size_slider.setAccessibleName("Size of the chips")
        self.size_slider.setToolTip("Size (Ctrl+wheel)")
        self._labels.append(text("Size", "secondary"))
        self.strip.row.addWidget(self._labels[-1])
        self.strip.row.addWidget(self.size_slider)
        self.strip.row.addStretch(1)
        self.more = More(self)
        self.strip.row.addWidget(self.more)
        self.mark = QPushButton()
        self.mark.clicked.connect(lambda: self.session.mark_selection(self.mark_class))
        self.mark_menu = IconButton("down", "Mark as another class", size=26)
        self.mark_menu.clicked.connect(lambda: self._open_marks(self.mark_menu))
        self.strip.row.addWidget(self.mark)
        self.strip.row.setSpacing(6)
        self.strip.row.addWidget(self.mark_menu)

    def _choice(self, title: str, choices: Sequence[tuple[str, str]]) -> QComboBox:
        box = QComboBox()
        for key, words in choices:
            box.addItem(words, key)
        box.setAccessibleName(title)
        box.setToolTip(title)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.activated.connect(lambda _: self._read(to_top=True))
        label = text(title, "secondary")
        label.setBuddy(box)
        self._labels.append(label)
        self.strip.row.addWidget(label)
        self.strip.row.addWidget(box)
        return box

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, the least needed controls go first; the size is Ctrl+wheel too, marks
        are keys too."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        sizes, *others = (
            [part] for part in (self.size_slider, self.sort, self.show_box, self.group)
        )
        fit_strip(
            self.strip, self.width(), [self._labels, sizes, *others, [self.mark]], more=self.more
        )

    def _connect(self) -> None:
        session = self.session
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(self._on_selection)
        session.jobs.changed.connect(self._on_job)
        filter_of(session).changed.connect(self._read_from_top)
        filter_of(session).read.connect(self._offer_columns)
        chip_cache(session).ready.connect(self._show_errors)
        self.size_slider.valueChanged.connect(self.grid.set_size)
        self.grid.resized.connect(self.size_slider.setValue)
        self.grid.menu_wanted.connect(self._open_menu)
        self._offer_columns()

    # --- what is shown

    def set_show(self, show: str) -> None:
        """selected, all, conflicts or unlabeled."""
        self.show_box.setCurrentIndex(self.show_box.findData(show))
        self._read(to_top=True)

    def _offer_columns(self) -> None:
        """Columns come after what every run can be grouped and sorted by."""
        columns = filter_of(self.session).columns
        for box, fixed, names in ((self.group, GROUPS, group_columns(columns)),
                                  (self.sort, SORTS, sort_columns(columns))):
            chosen = box.currentData()
            while box.count() > len(fixed):
                box.removeItem(box.count() - 1)
            for name in names:
                box.addItem(name, f"{COLUMN}{name}")
            box.setCurrentIndex(max(box.findData(chosen), 0))

    def _read_run(self) -> None:
        """Another run: nothing of the one before stays while its chips are awaited."""
        self._read_for = self.session.run
        self._tray = _several(self.session.selection.ids)
        self._read_from_top()
        if self.session.turns.waits(self._arrange):
            self._index = RowIndex(None)
            self.grid.show_chips(None, NOTHING, index=self._index, to_top=True)

    def _read_from_top(self) -> None:
        self._read(to_top=True)

    def _read(self, *, to_top: bool = False) -> None:
        self._to_top |= to_top
        self.session.turns.aside(self._arrange, self._show)

    def _arrange(self) -> Callable[[], _Arranged]:
        """What a thread puts in order."""
        run, tray, project = self.session.run, self._tray, self.session.project.frozen(labels=False)
        show, group, sort = (box.currentData() for box in (self.show_box, self.group, self.sort))

        known = filter_of(self.session)
        kept, columns = known.rows(run), known.columns if known.run is run else {}

        def arranged() -> _Arranged:
            index = RowIndex(run)
            if run is None:
                return _Arranged(run, index, NOTHING)
            rows = shown_rows(project, run, show, index.rows(tray))
            rows = rows if kept is None else rows[kept[rows]]
            chips = arrange(project, run, rows, group=group, sort=sort, columns=columns)
            return _Arranged(run, index, chips)

        return arranged

    def _show(self, found: _Arranged) -> None:
        if found.run is not self.session.run:
            return
        self._index, to_top, self._to_top = found.rows, self._to_top, False
        run, chips = found.run, found.chips
        self.grid.show_chips(run, chips, index=self._index, to_top=to_top)
        if to_top:
            self.grid.reveal_selected()
        none = _NONE.get(self.show_box.currentData(), "")
        self.nothing.sentence.setText(_FILTERED if filter_of(self.session).on else none)
        page = self.empty if run is None else self.grid if len(chips) else self.nothing
        self._pages.setCurrentWidget(page)
        self.strip.setEnabled(run is not None)
        self._read_counts()

    def _read_counts(self) -> None:
        run, shown = self.session.run, len(self.grid.model.chips)
        chosen = len(self._index.rows(self.session.selection.ids))
        self.counted.setText(f"{spaced(chosen)} selected" if chosen else counted(shown, "chip"))
        self.mark.setText(self._mark_words(self.mark_class, chosen))
        self.mark.setEnabled(bool(chosen))
        self.mark_menu.setEnabled(bool(chosen))
        self._make_room()
        self.set_count(f"{spaced(shown)} of {spaced(len(run.ids))}" if run is not None else "")
        self.grid.summarize()

    def _mark_words(self, class_id: int | None, count: int) -> str:
        info = self.session.project.classes.get(class_id or -1)
        verb = {0: "Ignore {}", None: "Remove the marks of {}"}.get(class_id, "Mark {} as {}")
        name = menu_text(in_sentence(info.name)) if info else ""
        return verb.format(spaced(count) if count else "", name).replace("  ", " ")

    # --- following the session

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self._forget()
        elif changes.touch("runs") and self.session.run is not self._read_for:
            self._read_run()
        elif changes.touch("marks", "classes", "sources") or concepts_edited(changes):
            self.in_sight(self._read)

    def _forget(self) -> None:
        """Another project: chips, class of the button and order as they are first."""
        self.mark_class, self._error = BACKGROUND, ""
        for box in (self.group, self.sort, self.show_box):
            box.setCurrentIndex(0)
        self.message.hide()
        self._read_run()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and self.session.run is not self._read_for:
            self._read_run()

    def _on_job(self) -> None:
        """Where there is no run, whether one is under way."""
        if self.session.run is None:
            job = self.session.jobs.making_run
            self.empty.wait(
                job is not None, f"{job.title} takes the chips of your labels." if job else _NO_RUN
            )

    def _on_selection(self, origin: object) -> None:
        ids = self.session.selection.ids
        before, self._tray = self._tray, self._tray_of(ids, here=origin is self.grid.model)
        if self.show_box.currentData() == "selected" and not np.array_equal(before, self._tray):
            self._read_from_top()
            return
        self._read_counts()
        if origin is not self.grid.model:
            self.grid.reveal_selected()

    def _tray_of(self, ids: Ids, *, here: bool) -> Ids:
        """What to list where `ids` are selected now; nothing for the whole run. `here`: among the
        chips on show."""
        before, self._chosen = self._chosen, ids
        if not len(ids):
            return ids
        if here or (
            _one_step(before, ids) and (not len(self._tray) or np.isin(ids, self._tray).all())
        ):
            return self._tray  # the list stays, chips are marked
        return _several(ids)

    def _show_errors(self) -> None:
        """The first source that cannot be read; a bar that was dismissed does not come again."""
        words = next(iter(chip_cache(self.session).errors.values()), "")
        if words == self._error:
            return
        self._error = words
        if words:
            self.message.show_message(words, level="err")
        else:
            self.message.hide()

    # --- marking

    def _open_marks(self, anchor: QWidget) -> None:
        menu = self._new_menu()
        self._add_marks(menu)
        menu.popup(anchor.mapToGlobal(QPoint(0, anchor.height())))

    def _open_menu(self, where: QPoint) -> None:
        self.context_menu().popup(where)

    def context_menu(self) -> QMenu:
        """What can be done with the selected chips."""
        menu = self._new_menu()
        ids = self.session.selection.ids
        there = nouns_of(self.session.project).say("Go to frame")
        menu.addAction(there, lambda: self.session.show_instance(int(ids[0])))
        menu.addAction("Select their bags", self._select_bags)
        menu.addSeparator()
        self._add_marks(menu)
        return menu

    def _new_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _add_marks(self, menu: QMenu) -> None:
        count = len(self._index.rows(self.session.selection.ids))
        for info in in_order(self.session.project):
            key = key_of_class(self.session.project, info.id)
            words = f"{self._mark_words(info.id, count)}\t{key}"
            menu.addAction(words, partial(self._mark_as, info.id))
        menu.addSeparator()
        menu.addAction(f"{self._mark_words(0, count)}\tG", lambda: self.session.mark_selection(0))
        menu.addAction(self._mark_words(None, count), lambda: self.session.mark_selection(None))
        menu.addSeparator()
        menu.addAction("Alike\tS", lambda: say_alike(self.session))
        menu.addAction("Different\tD", lambda: say_different(self.session))

    def _mark_as(self, class_id: int) -> None:
        """Mark, and keep the class on the button."""
        self.mark_class = class_id
        self.session.mark_selection(class_id)
        self._read_counts()

    def _select_bags(self) -> None:
        run = self.session.run
        if run is None:
            return
        inside = np.zeros(len(run.ids), bool)
        inside[self._index.rows(self.session.selection.ids)] = True
        bags = run.bags
        hit = np.zeros(len(bags), bool)
        hit[bags.bag_of_member[inside[bags.members]]] = True
        self.session.selection.select(run.ids[bags.members[hit[bags.bag_of_member]]])


def _several(ids: Ids) -> Ids:
    """Instances selected together; of one alone nothing, it is shown among all."""
    return ids if len(ids) > 1 else ids[:0]


def _one_step(before: Ids, ids: Ids) -> bool:
    """Whether one instance is selected, or one more or fewer than before."""
    if len(ids) == 1:
        return True
    return (
        abs(len(ids) - len(before)) == 1 and len(np.setxor1d(before, ids, assume_unique=True)) == 1
    )
