"""Strips that never force a dock wide: where there is no room, the parts needed least go first,
into a menu."""

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QMenu, QWidget

from emberscope_app.plain import menu_text
from emberscope_app.theme.controls import IconButton, Strip


class More(IconButton):
    """Opens a menu of the buttons and lists of a strip that have no room; shown where there are
    any."""

    def __init__(
        self, parent: QWidget | None = None, *, icon: str = "more", title: str = "More"
    ) -> None:
        super().__init__(icon, title, parent=parent)
        self.hidden: list[QWidget] = []
        self.clicked.connect(
            lambda: self.menu_of_hidden().popup(self.mapToGlobal(self.rect().bottomLeft()))
        )
        self.hide()

    def menu_of_hidden(self) -> QMenu:
        """What the hidden parts do, in their order."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for part in self.hidden:
            if isinstance(part, QComboBox):
                _add_choices(menu.addMenu(part.accessibleName()), part)
            elif isinstance(part, QAbstractButton):
                action = menu.addAction(part.accessibleName(), part.click)
                action.setCheckable(part.isCheckable())
                action.setChecked(part.isChecked())
                action.setEnabled(part.isEnabled())
                action.setToolTip(part.toolTip())
        return menu


def _add_choices(menu: QMenu, box: QComboBox) -> None:
    for at in range(box.count()):
        action = menu.addAction(menu_text(box.itemText(at)), partial(_choose, box, at))
        action.setCheckable(True)
        action.setChecked(at == box.currentIndex())


def _choose(box: QComboBox, at: int) -> None:
    box.setCurrentIndex(at)
    box.activated.emit(at)


def fit_strip(
    strip: Strip, width: int, groups: Sequence[Sequence[QWidget]], *, more: More | None = None,
    absent: Collection[QWidget] = (),
) -> None:
    """Show of a strip what `width` px hold; the first of the groups goes first, what is in no group
    stays.

    more : lists the buttons and lists that have no room; it stands in the strip itself. absent :
    parts that have nothing to say now; they take no room and are in no menu.
    """
    row = strip.row
    items = [row.itemAt(i) for i in range(row.count())]
    all_parts = [part for item in items if item is not None and (part := item.widget()) is not None]
    parts = [part for part in all_parts if part not in absent]
    for part in absent:
        part.hide()
    wide = {part: _wide(part) + row.spacing() for part in parts}
    margins = row.contentsMargins()
    needed = (
        sum(wide.values())
        - row.spacing()
        + margins.left()
        + margins.right()
        - (wide[more] if more else 0)
    )
    gone: list[QWidget] = []
    for group in ([part for part in group if part not in absent] for group in groups):
        room = width - (wide[more] if more and gone else 0)
        fits = needed <= room
        needed -= 0 if fits else sum(wide[part] for part in group)
        gone += (
            []
            if fits
            else [part for part in group if isinstance(part, QAbstractButton | QComboBox)]
        )
        for part in group:
            part.setVisible(fits)
    if more is not None:
        more.hidden = [part for part in parts if part in gone]
        more.setVisible(bool(gone))


def _wide(part: QWidget) -> int:
    """Px; a list of a fixed width may hold longer words than it is wide."""
    return min(max(part.sizeHint().width(), part.minimumWidth()), part.maximumWidth())
