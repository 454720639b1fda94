"""Strips that never force a dock wide: where there is no room, the parts needed least go first."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from emberscope_app.theme.controls import Strip


def fit_strip(strip: Strip, width: int, groups: Sequence[Sequence[QWidget]]) -> None:
    """Show of a strip what `width` px hold; the first of the groups goes first, what is in no group stays."""
    row = strip.row
    items = [row.itemAt(i) for i in range(row.count())]
    parts = [part for item in items if item is not None and (part := item.widget()) is not None]
    wide = {part: max(part.sizeHint().width(), part.minimumWidth()) + row.spacing() for part in parts}
    margins = row.contentsMargins()
    needed = sum(wide.values()) - row.spacing() + margins.left() + margins.right()
    for group in groups:
        fits = needed <= width
        needed -= 0 if fits else sum(wide[part] for part in group)
        for part in group:
            part.setVisible(fits)
