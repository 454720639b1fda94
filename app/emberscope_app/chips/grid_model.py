"""What the grid shows and where: chips in their order, the layout, the keyboard's place, what is
selected."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from emberscope.project import Run
from emberscope_app.chips.model import LARGEST, NOTHING, SMALLEST, Arrangement, GridLayout
from emberscope_app.state.core.row_index import Flags, RowIndex, Rows
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.class_keys import class_of_key
from emberscope_app.state.labels.side import PAIR_KEYS
from emberscope_app.theme import tokens


class GridModel(QObject):
    """Chips of rows of a run. Selection and pointing go to the session and come from it; origin is
    this object.

    changed : something looks different. laid_out : chips lie elsewhere. pointed(row) : a row is, or
    was, the one pointed at. Positions count chips as they are shown, rows those of the run.
    """

    changed = Signal()
    laid_out = Signal()
    pointed = Signal(int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.chips: Arrangement = NOTHING
        self.run: Run | None = None
        self.chip_size = 56
        self.cursor_at = 0                   # the keyboard's place
        self.selected = np.zeros(0, bool)    # (N,) rows of the run
        self.ringed = False                  # whether a ring marks the selected chips
        self.hover = -1                      # row pointed at
        self._width = 1
        self._index = RowIndex(None)
        self._collapsed: frozenset[int] = frozenset()
        self._anchor = 0
        self.layout = GridLayout(NOTHING, 1, self.chip_size, tokens.PAD, collapsed=frozenset())
        session.selection.changed.connect(lambda _origin: self._read_selection())
        session.selection.hovered.connect(lambda _origin: self._read_hover())

    # --- what is shown

    def show_chips(
        self, run: Run | None, chips: Arrangement, *, index: RowIndex, to_top: bool
    ) -> None:
        """Show rows of a run; `to_top` puts the keyboard's place at the first."""
        self.run, self.chips, self._index = run, chips, index
        self._lay_out()
        if to_top:
            self.cursor_at = self._anchor = 0
        self.cursor_at = min(self.cursor_at, max(len(chips) - 1, 0))
        self.selected, self.ringed = np.zeros(len(index.ids), bool), False  # until it is known
        self._read_selection()
        self._read_hover()

    def set_size(self, size: int) -> None:
        """Chips of about this many px."""
        self.chip_size = min(max(size, SMALLEST), LARGEST)
        self._lay_out()

    def set_width(self, width: int) -> None:
        """Lay out for a viewport of this many px."""
        self._width = width
        self._lay_out()

    def fold(self, g: int) -> None:
        """Fold or unfold a group."""
        self._collapsed = self._collapsed ^ {int(self.chips.keys[g])}
        self._lay_out()

    def unfold(self, position: int) -> None:
        """Unfold the group of a chip."""
        key = int(self.chips.keys[self.chips.group_of(position)])
        if key in self._collapsed:
            self._collapsed = self._collapsed - {key}
            self._lay_out()

    def _lay_out(self) -> None:
        self.layout = GridLayout(
            self.chips, self._width, self.chip_size, tokens.PAD, collapsed=self._collapsed
        )
        self.laid_out.emit()

    def _read_selection(self) -> None:
        self.session.turns.aside(self._find_selected, self._show_selected)

    def _find_selected(self) -> Callable[[], tuple[Arrangement, Flags, bool]]:
        index, chips, ids = self._index, self.chips, self.session.selection.ids

        def found() -> tuple[Arrangement, Flags, bool]:
            selected = index.flags(ids)
            # Where all that is shown is selected, rings on every chip would say nothing.
            return chips, selected, not bool(selected[chips.rows].all())

        return found

    def _show_selected(self, found: tuple[Arrangement, Flags, bool]) -> None:
        chips, selected, ringed = found
        if chips is self.chips:
            self.selected, self.ringed = selected, ringed
            self.changed.emit()

    def _read_hover(self) -> None:
        old, self.hover = self.hover, self._index.row(self.session.selection.hover)
        self.pointed.emit(old)
        self.pointed.emit(self.hover)

    # --- selecting

    def instance(self, position: int) -> int:
        """The instance of a chip."""
        return int(self._index.ids[self.chips.rows[position]])

    def is_selected(self, position: int) -> bool:
        return bool(self.selected[self.chips.rows[position]])

    def point_at(self, position: int) -> None:
        """Point at a chip; -1: at none."""
        instance = self.instance(position) if position >= 0 else None
        self.session.selection.set_hover(instance, origin=self)

    def select(self, positions: "range | list[int]", mode: str) -> None:
        rows: Rows = self.chips.rows[np.asarray(positions, np.int64)]
        self.session.selection.select(self._index.ids[rows], mode=mode, origin=self)

    def select_one(self, position: int, mode: str) -> None:
        """Put the keyboard's place on a chip and select it; what is extended later starts here."""
        self.cursor_at = self._anchor = position
        self.select(range(position, position + 1), mode)

    def select_span(self, position: int) -> None:
        """Put the keyboard's place on a chip and select from the last start to it."""
        self.cursor_at = position
        low, high = sorted((min(self._anchor, len(self.chips) - 1), position))
        self.select(range(low, high + 1), "replace")

    def select_group(self, g: int, mode: str) -> None:
        self.select(self._span(g), mode)

    def select_all(self) -> None:
        """The group of the keyboard's place; once more, everything shown."""
        span = self._span(self.chips.group_of(self.cursor_at))
        whole = bool(self.selected[self.chips.rows[span.start : span.stop]].all())
        self.select(range(len(self.chips)) if whole else span, "replace")

    def move(self, where: str, *, page: int, extend: bool) -> None:
        """Move the keyboard's place (see `GridLayout.moved`), with what is selected where
        `extend`."""
        position = self.layout.moved(self.cursor_at, where, page)
        if extend:
            self.select_span(position)
        else:
            self.cursor_at = self._anchor = position
        self.changed.emit()

    def mark(self, key: Qt.Key) -> bool:
        """1-9 say the class of the selected chips (else of the one at the cursor), G ignores; S and
        D pair them."""
        if key in PAIR_KEYS:
            PAIR_KEYS[key](self.session)
            return True
        named = Qt.Key.Key_1 <= key <= Qt.Key.Key_9
        info = class_of_key(self.session.project, key - Qt.Key.Key_0) if named else None
        if key != Qt.Key.Key_G and info is None:
            return False
        if not len(self.session.selection):
            self.select(range(self.cursor_at, self.cursor_at + 1), "replace")
        self.session.mark_selection(info.id if info is not None else 0)
        return True

    def _span(self, g: int) -> range:
        return range(int(self.chips.starts[g]), int(self.chips.starts[g + 1]))
