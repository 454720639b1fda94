"""What a widget on screen shows, as data: faults of its layout, and a digest that a person can
review."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QPaintDevice, QPainter, QTextOption
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QRadioButton,
    QSplitterHandle,
    QStackedWidget,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from emberscope_app.lists.table import Header
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.shell.dock_areas import Group
from emberscope_app.shell.dock_title import _Count
from emberscope_app.theme import tokens
from emberscope_app.theme.look import font
from emberscope_app.theme.text import Shortening

# These paint as many of their words as there is room for: the check of painted words sees what they
# show.
FITTING = {"_Count", "Hint", "QualityPlate", "Shortening"}
# Drawn over what lies below on purpose; `Glass` takes the mouse of the 3-D map and paints what is
# being selected, the card of a point moves with the pointer, messages go by themselves, the two
# others with the next click.
ON_TOP = {"FramePopover", "Glass", "HoverCard", "Messages", "Palette"}
_VARIES = re.compile(r"[\d.]+ [GM]B|Software rendering")  # with time, and with the graphics card
SLACK = 1  # px that rounding may take


def shown(root: QWidget) -> Iterator[QWidget]:
    """Every widget below `root` that is on screen, parents first; Qt's own parts of scroll areas
    are left out."""
    for child in root.children():
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
            yield child
            yield from shown(child)


def faults(root: QWidget) -> list[str]:
    """Sentences: what is cut, what sticks out of its parent, which neighbors overlap, once layouts
    have settled."""
    for _ in range(3):  # a layout that changes may ask its parent for another
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    found = []
    for widget in (root, *shown(root)):
        found += _cut(widget) + _homeless(widget) + _untold(widget)
        if widget is not root:
            found += _outside(widget)
        found += _overlaps(widget)
        if isinstance(widget, QHeaderView):
            found += _cut_headings(widget)
    return found


def name_of(widget: QWidget) -> str:
    """Class, and the words by which a person knows it."""
    words = widget.accessibleName() or _words(widget)
    return f"{type(widget).__name__} {words[:60]!r}" if words else type(widget).__name__


def _words(widget: QWidget) -> str:
    if isinstance(widget, QLabel | QAbstractButton):
        return widget.text()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    return widget.displayText() or widget.placeholderText() if isinstance(widget, QLineEdit) else ""


def _path(widget: QWidget) -> str:
    """The widget, and the sheet or the panel it stands in."""
    inside, parent = name_of(widget), widget.parentWidget()
    while parent is not None and not parent.isWindow():
        if (
            isinstance(parent, Sheet)
            or hasattr(parent, "title")
            or type(parent).__name__.endswith(("Panel", "Page"))
        ):
            return f"{inside} in {type(parent).__name__}"
        parent = parent.parentWidget()
    return inside


# --- widgets that were made and never put anywhere


def _homeless(widget: QWidget) -> list[str]:
    """Widgets that a widget keeps by a name and that lie in no other: nobody will ever see them."""
    kept = {
        name: value
        for name, value in vars(widget).items()
        if isinstance(value, QWidget) and isValid(value)
    }
    return [
        f"{name} of {_path(widget)} lies in no widget"
        for name, value in kept.items()
        if value.parentWidget() is None
        and value.windowType() == Qt.WindowType.Window
        and not value.isVisible()
    ]


# --- words that have too little room


def _cut(widget: QWidget) -> list[str]:
    if type(widget).__name__ in FITTING or not _words(widget):
        return []
    needs, has = _needed(widget)
    if needs.width() > has.width() + SLACK or needs.height() > has.height() + SLACK:
        return [
            f"{_path(widget)} needs {needs.width()} x {needs.height()} px and has {has.width()} x "
            f"{has.height()}"
        ]
    return []


def _untold(widget: QWidget) -> list[str]:
    """Words that are shortened where no tooltip has the whole."""
    if (
        not isinstance(widget, Shortening | _Count)
        or widget.shown() == widget.text()
        or widget.toolTip()
    ):
        return []
    parent = widget.parentWidget()
    return (
        []
        if parent is not None and parent.toolTip()
        else [f"{_path(widget)} is shortened and has no tooltip"]
    )


def _cut_headings(header: QHeaderView) -> list[str]:
    """Headings of a table that need more room than their section has."""
    model = header.model()
    found = []
    for at in range(header.count()):
        words = str(model.headerData(at, header.orientation()) or "")
        needs, has = _heading(header, at, words), header.sectionSize(at)
        if words and not header.isSectionHidden(at) and needs > has + SLACK:
            found.append(f"heading {words!r} of {_path(header)} needs {needs} px and has {has}")
    return found


def _heading(header: QHeaderView, at: int, words: str) -> int:
    """Width of a heading; a `Header` of ours writes small between its own margins, with an arrow
    where it sorts."""
    if not isinstance(header, Header):
        return header.sectionSizeHint(at)
    margins = (tokens.PAD if at == 0 else 6) + (tokens.PAD if at == header.count() - 1 else 6)
    arrow = 14 if header.isSortIndicatorShown() and header.sortIndicatorSection() == at else 0
    return QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance(words) + margins + arrow


def menu_faults(menu: QMenu, room: QSize) -> list[str]:
    """Sentences on a menu and those inside it: larger than the window, entries without words, the
    same words twice."""
    entries = [entry for entry in menu.actions() if entry.isVisible() and not entry.isSeparator()]
    words = [entry.text().replace("&", "").partition("\t")[0] for entry in entries]
    size, found = menu.sizeHint(), []
    if size.width() > room.width() or size.height() > room.height():
        found.append(f"menu {menu.title()!r} needs {size.toTuple()} and has {room.toTuple()}")
    found += [
        f"menu {menu.title()!r} has an entry without words" for entry in words if not entry.strip()
    ]
    found += [
        f"menu {menu.title()!r} says {entry!r} twice"
        for entry in sorted(set(words))
        if words.count(entry) > 1
    ]
    for entry in entries:
        inner = entry.menu()
        if isinstance(inner, QMenu):
            found += menu_faults(inner, room)
    return found


def _needed(widget: QWidget) -> tuple[QSize, QSize]:
    """The room that the words of a widget need, and the room they have."""
    metrics = QFontMetrics(widget.font())
    if isinstance(widget, QLabel):
        if widget.wordWrap():
            width = max(metrics.horizontalAdvance(word) for word in widget.text().split())
            return QSize(
                min(width, widget.sizeHint().width()), widget.heightForWidth(widget.width())
            ), widget.size()
        return widget.sizeHint(), widget.size()
    style, words = widget.style(), _words(widget)
    bare = re.sub(r"&(.)", r"\1", words)
    size = QSize(
        max(map(metrics.horizontalAdvance, bare.split("\n"))), metrics.height() - metrics.leading()
    )
    if isinstance(widget, QComboBox):
        choices = [widget.itemText(row) for row in range(widget.count())] or [words]
        size.setWidth(max(map(metrics.horizontalAdvance, choices)))  # each may be the one on show
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        return size, style.subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, part, widget
        ).size()
    if isinstance(widget, QLineEdit):
        return (QSize(0, 0) if widget.displayText() else size), widget.rect().size()
    if (
        isinstance(widget, QToolButton)
        and widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
    ):
        return (QSize(0, 0) if not widget.icon().isNull() else size), widget.size()
    if isinstance(widget, QPushButton | QCheckBox | QRadioButton | QToolButton):
        mark = 20 if isinstance(widget, QCheckBox | QRadioButton) else 0
        mark += widget.iconSize().width() + 4 if not widget.icon().isNull() else 0
        return size + QSize(mark, 0), widget.size()
    return size, widget.size()


# --- places


def _outside(widget: QWidget) -> list[str]:
    parent = widget.parentWidget()
    area = parent.parentWidget() if parent is not None else None
    if parent is None or isinstance(widget, QSplitterHandle):
        return []
    if isinstance(area, QAbstractScrollArea) and parent is area.viewport():
        return []
    if parent.rect().contains(widget.geometry()) or widget.geometry().isEmpty():
        return []
    return [
        f"{_path(widget)} at {_tuple(widget.geometry())} sticks out of {name_of(parent)} "
        f"{_tuple(parent.rect())}"
    ]


def _overlaps(parent: QWidget) -> list[str]:
    if isinstance(parent, QStackedWidget | QAbstractScrollArea | QHeaderView):
        return []
    children = [
        child for child in parent.children()
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow()
        and not _on_top(child)
    ]  # fmt: skip
    return [
        f"{_path(one)} {_tuple(one.geometry())} overlaps {name_of(other)} "
        f"{_tuple(other.geometry())}"
        for one, other in combinations(children, 2)
        if not (one.geometry() & other.geometry()).isEmpty()
    ]


def _on_top(widget: QWidget) -> bool:
    """What is there to cover others."""
    return isinstance(widget, Sheet | QSplitterHandle) or type(widget).__name__ in ON_TOP


def _tuple(rect: QRect) -> tuple[int, int, int, int]:
    return rect.x(), rect.y(), rect.width(), rect.height()


# --- words that are painted


@dataclass(frozen=True, slots=True)
class Written:
    """Words on a paint device: where they are, in px of the device, and the room they were given
    (None: no limit)."""

    device: QPaintDevice
    words: str
    place: QRectF
    room: QRectF | None

    @property
    def ink(self) -> QRectF:
        """Without what is clipped, and without the room above and below letters, which lines may
        share."""
        seen = self.place if self.room is None else self.place & self.room
        return seen.adjusted(1, 3, -1, -3)


def written(root: QWidget) -> list[Written]:
    """What Python code paints in words while `root` is drawn once: delegates and widgets of our
    own."""
    found: list[Written] = []
    draw = QPainter.drawText

    def record(painter: QPainter, *given: Any) -> Any:
        words = next(value for value in given if isinstance(value, str))
        room, place = _place(painter, given, words)
        move = painter.worldTransform()
        found.append(Written(
            painter.device(), words, move.mapRect(place),
            move.mapRect(room) if room is not None else None
        ))  # fmt: skip
        return draw(painter, *given)

    QPainter.drawText = record
    try:
        root.grab()
    finally:
        QPainter.drawText = draw
    return found


def _place(painter: QPainter, given: tuple[Any, ...], words: str) -> tuple[QRectF | None, QRectF]:
    first = given[0]
    if isinstance(first, QRect | QRectF):
        room = QRectF(first)
        flags = given[1] if len(given) > 2 else Qt.AlignmentFlag.AlignLeft
        flags = int(getattr(flags, "value", flags)) if not isinstance(flags, QTextOption) else 0
        place = painter.boundingRect(room, flags, words)
        return (None if flags & Qt.TextFlag.TextDontClip.value else room), place
    x, y = (first.x(), first.y()) if isinstance(first, QPoint | QPointF) else given[:2]
    return None, QRectF(QFontMetricsF(painter.font()).tightBoundingRect(words).translated(x, y))


def paint_faults(root: QWidget, *, shortens: bool = False) -> list[str]:
    """Sentences: painted words that are cut, or painted over other words, or, unless `shortens`,
    shortened."""
    texts = [text for text in written(root) if text.words.strip()]
    found = [f"{text.words!r} is shortened" for text in texts if "…" in text.words and not shortens]
    found += [
        f"{text.words!r} needs {text.place.width():.0f} px and has {text.room.width():.0f}"
        for text in texts if text.room is not None
        and text.place.width() > text.room.width() + SLACK
    ]  # fmt: skip
    found += [
        f"{one.words!r} is painted over {other.words!r}"
        for one, other in combinations(texts, 2)
        if one.device is other.device and one.words != other.words and one.ink.intersects(other.ink)
    ]  # fmt: skip
    return list(dict.fromkeys(found))


# --- the digest


def digest(root: QWidget) -> list[str]:
    """What a person sees, a line per dock, sheet and control in order, docks and sheets with their
    place.

    Places are rounded to 8 px: they follow from splitters and fixed sizes, so that they do not
    depend on fonts.
    """
    lines = []
    for widget in (root, *shown(root)):
        words = " · ".join(dict.fromkeys(filter(None, (widget.accessibleName(), _words(widget)))))
        if isinstance(widget, Group | Sheet):
            x, y = widget.mapTo(root.window(), QPoint(0, 0)).toTuple()
            place = [8 * round(value / 8) for value in (x, y, widget.width(), widget.height())]
            title = f"{type(widget).__name__} {words}".rstrip()
            lines.append(f"{title} at {place[0]}, {place[1]}: {place[2]} x {place[3]}")
        elif words and not _VARIES.fullmatch(words):
            lines.append(f"    {type(widget).__name__}: {words.replace(str(Path.home()), '~')}")
    return lines
