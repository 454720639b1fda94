"""The header: mark, menus, workspace switch, project name, search, theme, help."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QIcon,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMenuBar, QSizePolicy, QToolButton, QWidget

from emberscope.base.plain_text import showable
from emberscope_app.shell.workspaces import WORKSPACES
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import IconButton, Segmented
from emberscope_app.theme.icons import icon, pixmap
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.text import Shortening

_LONGEST_NAME = 48  # letters of a project in the header
_NAME, _NAME_X, _NAME_GAP = "Emberscope", 42, 8  # px before it and behind it
_MARK, _BARE_MARK = 130, 46  # px, with the name of the program and without it
_ICON = 128  # px of the icon of the program
_NARROW = 1000  # px of the header, below which words go
_BARE_SEARCH = 34  # px, the glass alone


class Mark(QWidget):
    """The ember: an open ring of ink around one glowing dot, and the name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(tokens.HEADER_H)
        self.set_bare(False)
        self.setAccessibleName("Emberscope")
        look().changed.connect(self.update)

    def set_bare(self, bare: bool) -> None:
        """Whether there is no room for the name."""
        self._bare = bare
        # On a computer without the fonts that the window asks for, the name is wider
        name = QFontMetrics(_name_font()).horizontalAdvance(_NAME)
        self.setFixedWidth(_BARE_MARK if bare else max(_MARK, _NAME_X + name + _NAME_GAP))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(painter, QPointF(23, self.height() / 2), 9.0)
        if self._bare:
            return
        painter.setPen(QColor(current().t1))
        painter.setFont(_name_font())
        room = self.rect().adjusted(_NAME_X, 0, 0, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, _NAME)


def _name_font() -> QFont:
    return font(tokens.PX_HEADER, 600)


def paint_mark(painter: QPainter, center: QPointF, radius: float) -> None:
    """The logo: an arc that opens to the upper right, where the ember sits."""
    pen = QPen(QColor(current().ink), radius * 0.22)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    ring = QRectF(center.x() - radius, center.y() - radius, 2 * radius, 2 * radius)
    painter.drawArc(ring, 80 * 16, 290 * 16)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(current().acc))
    painter.drawEllipse(
        center + QPointF(radius * 0.34, -radius * 0.34), radius * 0.36, radius * 0.36
    )


def mark_icon() -> QIcon:
    """The logo for task bars and window frames."""
    drawn = QPixmap(_ICON, _ICON)
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(current().bg0))
        painter.drawRoundedRect(QRectF(drawn.rect()), _ICON / 5, _ICON / 5)
        paint_mark(painter, QPointF(_ICON / 2, _ICON / 2), _ICON * 0.32)
    return QIcon(drawn)


class SearchField(QWidget):
    """Looks like a field, opens the palette."""

    clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(28)
        self.setMinimumWidth(_BARE_SEARCH)
        self.setMaximumWidth(260)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Search actions and data")
        self.setToolTip("Search actions and data (Ctrl+Shift+P)")
        look().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(260, 28)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(t.line2), 1))
        painter.setBrush(QColor(t.bg2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.drawPixmap(9, 6, pixmap("search", t.t2, 16, self.devicePixelRatioF()))
        painter.setFont(font())
        painter.setPen(QColor(t.t2))
        keys = QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance("Ctrl+Shift+P") + 20
        long, room = "Search actions and data", self.width() - 32 - keys
        words = long if painter.fontMetrics().horizontalAdvance(long) <= room else "Search"
        if painter.fontMetrics().horizontalAdvance(words) > self.width() - 40:
            return
        painter.drawText(self.rect().adjusted(32, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter, words)
        if painter.fontMetrics().horizontalAdvance(words) <= room:
            painter.setFont(font(tokens.PX_SMALL))
            painter.setPen(QColor(t.t3))
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(self.rect().adjusted(8, 0, -9, 0), right, "Ctrl+Shift+P")


class Header(QWidget):
    """The 44 px row on top. It shows the session's name and asks for things through its signals."""

    workspace_chosen = Signal(str)
    search_wanted = Signal()
    theme_wanted = Signal()
    help_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setFixedHeight(tokens.HEADER_H)
        self.menus = QMenuBar()
        self.menus.setFont(font())
        self.menus.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.switch = Segmented(
            [(w.id, w.title) for w in WORKSPACES.values()], role="workspaces", height=28
        )
        for workspace in WORKSPACES.values():
            self.switch.button(workspace.id).setToolTip(
                f"{workspace.title} workspace ({workspace.key})"
            )
        self.switch.chosen.connect(self.workspace_chosen)
        self.mark = Mark()
        self.name = Shortening()
        self.name.setProperty("role", "title")
        self.search = SearchField()
        self.search.clicked.connect(self.search_wanted)
        self.theme = IconButton("moon", "Dark or light")
        self.theme.clicked.connect(self.theme_wanted)
        self.help = IconButton("help", "First steps", key="F1")
        self.help.clicked.connect(self.help_wanted)
        self._lay_out()
        session.saved.connect(self._show_name)
        session.changed.connect(self._show_name)
        look().changed.connect(self._tint)
        self._tint()
        self._show_name()

    def _lay_out(self) -> None:
        left, right = QHBoxLayout(), QHBoxLayout()
        left.setSpacing(0)
        left.addWidget(self.mark)
        left.addWidget(self.menus)
        left.addStretch(1)
        right.setSpacing(4)
        right.addStretch(1)
        right.addWidget(self.name)
        right.addSpacing(20)
        right.addWidget(self.search, 2)
        right.addSpacing(8)
        right.addWidget(self.theme)
        right.addWidget(self.help)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 12, 1)
        grid.setSpacing(0)
        grid.addLayout(left, 0, 0)
        grid.addWidget(self.switch, 0, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addLayout(right, 0, 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)

    def _show_name(self, *_: object) -> None:
        dirty = self._session.dirty
        name = showable(self._session.name, _LONGEST_NAME)
        self.name.about = "Changes are not saved yet" if dirty else str(self._session.path or "")
        self.name.setText(f"{name}  •" if dirty else name)

    def _tint(self) -> None:
        for more in self.menus.children():
            if isinstance(more, QToolButton):  # of menus without room; Qt's own is dark on dark
                more.setIcon(icon("more"))
        self.theme.set_icon("sun" if current().name == "dark" else "moon")
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.mark.set_bare(self.width() < _NARROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, tokens.HEADER_H)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().bg1))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(current().line))
