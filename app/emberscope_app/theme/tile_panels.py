"""Shows the tables of a study: as many beside each other as there is room for, one of their places
chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from emberscope.findings.studied.grid import Panel
from emberscope_app.theme.controls import empty_out, text
from emberscope_app.theme.text import Text
from emberscope_app.theme.tile_view import TileView

_HEADS, _ROW = 74, 30  # px of a table: headings and color scale, and each of its rows
_SAYS = "Click says what it reached."


class TilePanels(QWidget):
    """`chosen(number)` : of the place behind a tile that was asked for.

    wide : px that a table asks for beside others.
    """

    chosen = Signal(int)

    def __init__(self, wide: int = 320) -> None:
        super().__init__()
        self.views: list[TileView] = []
        self._titles: list[Text] = []
        self._holders: list[QWidget] = []
        self._panels: list[Panel] = []
        self._wide = wide
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 4, 0, 4)
        self._grid.setSpacing(12)

    def show_panels(self, panels: Sequence[Panel], chosen: int = -1) -> None:
        """Show other tables. chosen : number of the place that has a ring, -1 for none."""
        self._panels = list(panels)
        if len(self.views) != len(self._panels):
            empty_out(self._grid)
            self.views = [self._make(at) for at in range(len(self._panels))]
            self._titles = [text("", "title") for _ in self.views]
            self._holders = [_held(*both) for both in zip(self._titles, self.views, strict=True)]
            self._place()
        for title, view, panel in zip(self._titles, self.views, self._panels, strict=True):
            title.setText(panel.tiles.title)
            view.setFixedHeight(_HEADS + _ROW * len(panel.tiles.rows))
            view.show_tiles(panel.tiles)
            view.ring(next(((i, j) for i, row in enumerate(panel.places)
                            for j, number in enumerate(row) if number == chosen >= 0), None))

    def _make(self, at: int) -> TileView:
        view = TileView(f"Grid {at + 1}", says=_SAYS)
        view.wanted.connect(
            lambda row, column, _keys: self.chosen.emit(self._panels[at].places[row][column]))
        return view

    def _place(self) -> None:
        columns = max(min(self.width() // self._wide, len(self._holders)), 1)
        for row in range(self._grid.rowCount() + 1):
            self._grid.setRowStretch(row, 0)
        for at, holder in enumerate(self._holders):
            self._grid.addWidget(holder, at // columns, at % columns)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(column < columns))
        self._grid.setRowStretch(-(-len(self._holders) // columns), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()


def _held(title: Text, view: TileView) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(4)
    column.addWidget(title)
    column.addWidget(view)
    column.addStretch(1)
    return holder
