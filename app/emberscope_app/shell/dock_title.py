"""The title row of a dock: its title, or the tabs of those that share its place, with the facts and
icons of the one in front. Tabs are whole: those that have no room stand in a menu at the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from emberscope_app.theme import tokens
from emberscope_app.theme.controls import IconButton, text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import current, look
from emberscope_app.theme.text import Text

_ICON = 24  # px, the buttons of this row
_TIGHTER = 10  # px that a tab with tight="true" takes less, as the style sheet says
_GAP = 10  # px before the facts


@dataclass(frozen=True, slots=True)
class Heading:
    """What a dock is called, and the icon on its tab; "" for none."""

    name: str
    title: str
    icon: str = ""


class _Count(Text):
    """Facts beside a title, the most wanted first; they give way before the title does.

    The first fact is whole or is not there: a part of a number is another number. The tooltip has
    what is not shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "secondary")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def shown(self) -> str:
        """What has room."""
        fit, words, room = self.fontMetrics(), self.text(), self.width() - _GAP
        if fit.horizontalAdvance(words) <= room:
            return words
        first, dot, _ = words.partition(" · ")
        shortened = fit.elidedText(words, Qt.TextElideMode.ElideRight, room)
        if dot and shortened.startswith(first + dot):
            return shortened
        return first if dot and fit.horizontalAdvance(first) <= room else ""

    def setText(self, words: str) -> None:
        super().setText(words)
        self._say_rest()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_rest()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(current().t2))
        painter.drawText(self.rect().adjusted(_GAP, 0, 0, 0), int(self.alignment()), self.shown())

    def _say_rest(self) -> None:
        row = self.parentWidget()
        if row is not None:  # it may have no width itself
            row.setToolTip(self.text() if self.shown() != self.text() else "")


class DockTitle(QWidget):
    """The 32 px row: a title with its count, or tabs; the icons of the dock in front at the
    right."""

    chosen = Signal(str)
    zoom_wanted = Signal()

    def __init__(self, headings: Sequence[Heading], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(tokens.TITLE_H)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0 if len(headings) > 1 else tokens.PAD, 0, 4, 1)
        self._row.setSpacing(0)
        self._buttons: dict[str, QToolButton] = {}
        self._at_right = 0  # px that the icons of the dock in front take
        self._headings = {heading.name: heading for heading in headings}
        self.more = IconButton("more", "More docks", size=_ICON)
        self.more.clicked.connect(self._open_more)
        self.more.hide()
        self.count = _Count()
        self._icons = QHBoxLayout()
        self._icons.setContentsMargins(4, 0, 0, 0)
        self._icons.setSpacing(0)
        if len(headings) > 1:
            self._add_tabs()
            self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        else:
            self._row.addWidget(text(headings[0].title, "title"))
        self._row.addWidget(self.more)
        self._row.addWidget(self.count, 1)
        self._row.addLayout(self._icons)
        self.zoom = IconButton(
            "expand", "Fill the window with this dock", checkable=True, size=_ICON
        )
        self.zoom.clicked.connect(self.zoom_wanted)
        self._row.addWidget(self.zoom)
        look().changed.connect(self._tint)
        self._tint()

    def _add_tabs(self) -> None:
        group = QButtonGroup(self)
        for name, heading in self._headings.items():
            button = QToolButton()
            button.setText(heading.title)
            button.setProperty("role", "tab")
            button.setCheckable(True)
            button.setFixedHeight(tokens.TITLE_H - 1)
            button.setIconSize(QSize(16, 16))
            if heading.icon:
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setAccessibleName(f"{heading.title}, tab")
            button.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            group.addButton(button)
            self._buttons[name] = button
            self._row.addWidget(button)

    def show_current(self, name: str, icons: list[QWidget]) -> None:
        """Name `name` in front, its icons at the right."""
        if name in self._buttons:
            self._buttons[name].setChecked(True)
        while self._icons.count():
            item = self._icons.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
        for widget in icons:
            self._icons.addWidget(widget)
            widget.show()
        self._at_right = sum(max(part.sizeHint().width(), part.minimumWidth()) for part in icons)
        self._fit()

    def menu_of_hidden(self) -> QMenu:
        """The docks whose tabs have no room."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, button in self._buttons.items():
            if button.isHidden():
                menu.addAction(self._headings[name].title, partial(self.chosen.emit, name))
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        names = list(self._buttons)
        checked = [at for at, button in enumerate(self._buttons.values()) if button.isChecked()]
        if step and checked:
            name = names[(checked[0] + step) % len(names)]
            self.chosen.emit(name)
            self._buttons[name].setFocus()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.zoom_wanted.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().bg1))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(current().line))

    def _fit(self) -> None:
        """Show the tabs that have room, closer together where that helps; the one in front in any
        case."""
        if not self._buttons:
            return
        room = self.width() - self._at_right - self._icons.contentsMargins().left() - _ICON - 4
        wide = {name: self._width(button) for name, button in self._buttons.items()}
        tight = sum(wide.values()) > room
        if tight:
            wide = {name: width - _TIGHTER for name, width in wide.items()}
        if sum(wide.values()) > room:
            room -= _ICON
        room -= sum(wide[name] for name, button in self._buttons.items() if button.isChecked())
        for name, button in self._buttons.items():
            if not button.isChecked():
                room -= wide[name]
            button.setVisible(button.isChecked() or room >= 0)
            self._set_tight(button, tight)
        self.more.setVisible(any(button.isHidden() for button in self._buttons.values()))

    def _width(self, button: QToolButton) -> int:
        return button.sizeHint().width() + (_TIGHTER if button.property("tight") else 0)

    @staticmethod
    def _set_tight(button: QToolButton, tight: bool) -> None:
        if bool(button.property("tight")) != tight:
            button.setProperty("tight", tight)
            button.style().unpolish(button)
            button.style().polish(button)

    def _open_more(self) -> None:
        self.menu_of_hidden().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _tint(self) -> None:
        for name, button in self._buttons.items():
            if self._headings[name].icon:
                button.setIcon(icon(self._headings[name].icon))
        self.update()
