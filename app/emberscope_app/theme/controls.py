"""Small controls every panel uses: strips, lines, scrolling, segmented choice, buttons, plates,
empty states."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QGuiApplication,
    QIcon,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.errors import shortened
from emberscope_app.theme import tokens
from emberscope_app.theme.icons import icon, pixmap
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.sign import Sign
from emberscope_app.theme.text import Text

LOG_ACTION = "help.log"  # of the window: brings the Log dock to the front
# A dialog of the system takes either files or a folder
DATA_ACTIONS = ("file.open-data", "file.open-folder")


def text(words: str = "", role: str = "", *, parent: QWidget | None = None) -> Text:
    """A label; `role` is "", "secondary", "hint", "title", "error", "warn" or
    "big"."""
    label = Text(words, parent)
    if role:
        label.setProperty("role", role)
    return label


def line(*, vertical: bool = False) -> QFrame:
    """A 1 px divider."""
    found = QFrame()
    found.setProperty("role", "vline" if vertical else "line")
    if vertical:
        found.setFixedHeight(20)
    return found


def empty_out(layout: QLayout) -> None:
    """Take all widgets out of a layout, for good."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


class Scrolling(QScrollArea):
    """What is `inside`, as wide as there is room, and scrolled up and down where it is taller."""

    def __init__(self, inside: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


class Fitting(Scrolling):
    """As tall as what is in it, where there is room; else it scrolls."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__(inside)
        self._inside = inside
        # Tab goes from field to field, and scrolls to each
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside.installEventFilter(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # what is inside grew or shrank
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()  # words wrap elsewhere

    def sizeHint(self) -> QSize:
        layout, size = self._inside.layout(), self._inside.sizeHint()
        if layout is not None and layout.hasHeightForWidth():
            size.setHeight(layout.totalHeightForWidth(self.viewport().width()))
        return size

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(120, self.sizeHint().height()))


class Folding(QWidget):
    """Widgets beside each other where there is room for all of them, else one below the other: none
    is cut."""

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self._widgets = widgets
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        for widget in widgets:
            self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft)
        self._row.addStretch(1)

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        # A theme or a font asks for a new layout
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            room = self.contentsRect().width()
            way = (
                QBoxLayout.Direction.LeftToRight
                if sum(self._widths()) <= room
                else QBoxLayout.Direction.TopToBottom
            )
            if way != self._row.direction():
                self._row.setDirection(way)
        return done

    def minimumSizeHint(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(
            max(self._widths()) + margins.left() + margins.right(),
            super().minimumSizeHint().height(),
        )

    def _widths(self) -> list[int]:
        return [widget.sizeHint().width() for widget in self._widgets]


class Strip(QFrame):
    """The 40 px row of controls above the thing they act on; add widgets to `row`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self.setFixedHeight(tokens.STRIP_H)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        self.row.setSpacing(8)


class IconButton(QToolButton):
    """A tool button with a themed icon, a name for screen readers and a tooltip "Name (Key)"."""

    def __init__(
        self,
        name: str,
        title: str,
        *,
        checkable: bool = False,
        tool: bool = False,
        size: int = 28,
        key: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon_name = name
        self._tool = tool
        self._tinted = ""  # the theme its icon is of
        self.setProperty("tool", tool)
        self.setCheckable(checkable)
        self.setFixedSize(size, size)
        self.setIconSize(QSize(16, 16))
        self.setAccessibleName(title)
        self.setToolTip(f"{title} ({key})" if key else title)
        self._tint()
        look().changed.connect(self._follow_look)

    def set_icon(self, name: str) -> None:
        self._icon_name = name
        self._tint()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._tinted != current().name:
            self._tint()

    def _follow_look(self) -> None:
        if self.isVisible():  # else once it is shown
            self._tint()

    def _tint(self) -> None:
        self._tinted = current().name
        self.setIcon(icon(self._icon_name, checked="onink" if self._tool else "ink"))


class Segmented(QFrame):
    """One of a few, side by side; arrow keys move. `chosen` carries the key."""

    chosen = Signal(str)

    def __init__(
        self,
        choices: Sequence[tuple[str, str]],
        *,
        role: str = "segments",
        height: int = 26,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: dict[str, QToolButton] = {}
        for key, title in choices:
            button = QToolButton()
            button.setText(title)
            button.setCheckable(True)
            button.setFixedHeight(height - 4)
            button.setSizePolicy(QSizePolicy.Policy.MinimumExpanding, QSizePolicy.Policy.Fixed)
            button.setAccessibleName(title)
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self._buttons[key] = button
            row.addWidget(button)

    @property
    def value(self) -> str:
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def set_value(self, key: str) -> None:
        """Show a choice without emitting."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def button(self, key: str) -> QToolButton:
        return self._buttons[key]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = list(self._buttons)
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step and self.value in keys:
            key = keys[(keys.index(self.value) + step) % len(keys)]
            self.set_value(key)
            self.chosen.emit(key)
        else:
            super().keyPressEvent(event)


class Primary(QPushButton):
    """The one ember button of a panel."""

    def __init__(self, title: str, *, icon_name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._icon_name = icon_name
        self.setProperty("primary", True)
        if icon_name:
            look().changed.connect(self._tint)
            self._tint()

    def _tint(self) -> None:
        found = QIcon()
        for mode, color in (
            (QIcon.Mode.Normal, current().onacc),
            (QIcon.Mode.Disabled, current().t3),
        ):
            for ratio in (1.0, 2.0):
                found.addPixmap(pixmap(self._icon_name, color, 16, ratio), mode)
        self.setIcon(found)


def primary(title: str, *, icon_name: str = "") -> QPushButton:
    """The one ember button of a panel."""
    return Primary(title, icon_name=icon_name)


def quiet(title: str) -> QPushButton:
    """A text-only button."""
    button = QPushButton(title)
    button.setProperty("quiet", True)
    return button


class Plate(Text):
    """White text on a dark plate over an image; the same in both themes."""

    def __init__(self, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(words, parent)
        self.setFont(font(tokens.PX_BODY, 500))
        self.setStyleSheet("QLabel { color: #FFFFFF; background: transparent; padding: 4px 8px; }")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(12, 14, 16, 214))
        painter.drawRoundedRect(QRectF(self.rect()), tokens.RADIUS_FIELD, tokens.RADIUS_FIELD)
        painter.end()
        super().paintEvent(event)


class Empty(QWidget):
    """An empty state: one sentence, one button, no drawing."""

    def __init__(
        self,
        sentence: str,
        *,
        action: str = "",
        on_action: Callable[[], object] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addStretch(1)
        self.sentence = text(sentence)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sentence.setWordWrap(True)
        self.sentence.setProperty("role", "secondary")
        self.sentence.setFont(font(tokens.PX_BODY))
        column.addWidget(self.sentence)
        self.button: QPushButton | None = None
        if action and on_action is not None:
            self.button = QPushButton(action)
            self.button.clicked.connect(lambda: on_action())
            column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def wait(self, waits: bool, sentence: str) -> None:
        """What to say; while what it waits for is under way there is nothing to press."""
        self.sentence.setText(sentence)
        if self.button is not None:
            self.button.setVisible(not waits)


class MessageBar(QFrame):
    """A bar: what happened, one action, of an error the way to the log, and how many messages wait
    behind it.

    dismissed() : somebody pressed its cross.
    """

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = "warn"
        row = QHBoxLayout(self)
        row.setContentsMargins(tokens.PAD, 4, 8, 4)
        row.setSpacing(8)
        self._sign = Sign()
        self._words = Text()
        self._words.setWordWrap(True)
        self._action, self._copy, self._log = quiet(""), quiet("Copy details"), quiet("Open log")
        self._close = IconButton("x", "Dismiss", size=24)
        self._close.clicked.connect(self.hide)
        self._close.clicked.connect(self.dismissed)
        self._waiting = text("", "secondary")
        row.addWidget(self._sign)
        row.addWidget(self._words, 1)
        for button in (self._action, self._copy, self._log):
            button.hide()
            row.addWidget(button)
        row.addWidget(self._waiting)
        row.addWidget(self._close)
        self._details = ""
        self._on_action: Callable[[], object] | None = None
        self._action.clicked.connect(lambda: self._on_action and self._on_action())
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._details))
        self._log.clicked.connect(lambda: trigger(self, LOG_ACTION))
        self.hide()

    @property
    def words(self) -> str:
        return self._words.text()

    def clear(self) -> None:
        """What it said is of no meaning any more."""
        self._words.setText("")
        self._on_action, self._details = None, ""
        self.hide()

    def show_message(
        self,
        words: str,
        *,
        level: str = "warn",
        action: str = "",
        on_action: Callable[[], object] | None = None,
        details: str = "",
        waiting: int = 0,
    ) -> None:
        """Show one line of at most 300 characters; `level` is "info", "warn" or "err"; `details`
        can be copied; `waiting` messages come after it."""
        self._level = level
        self._words.setText(shortened(words))
        self._on_action, self._details = on_action, details
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._copy.setVisible(bool(details))
        self._log.setVisible(
            level == "err" and self.window().findChild(QAction, LOG_ACTION) is not None
        )
        self.count(waiting)
        self._sign.set_sign("help" if level == "info" else "warn", level)
        self.show()

    def count(self, waiting: int) -> None:
        """How many messages come after this one."""
        self._waiting.setText(f"{waiting} more" if waiting else "")
        self._waiting.setVisible(bool(waiting))
        self._close.setToolTip("Dismiss, the next one comes" if waiting else "Dismiss")

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        tint = QColor(getattr(t, self._level))
        tint.setAlpha(38)
        painter.fillRect(self.rect(), QColor(t.bg2))
        painter.fillRect(self.rect(), tint)
        painter.end()


def number_field(name: str, low: int, high: int, value: int | None = None) -> QSpinBox:
    """A field of a sheet for a whole number, which begins with `value`, or with the lowest."""
    field = QSpinBox()
    field.setRange(low, high)
    if value is not None:
        field.setValue(value)
    field.setFixedSize(110, 28)
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.setAccessibleName(name)
    return field


def trigger(widget: QWidget, action_id: str) -> None:
    """Do an action of the window a widget stands in: how a panel asks for what only the window can
    do.

    Raises LookupError for an action that the window has not.
    """
    action_of(widget, action_id).trigger()


def action_of(widget: QWidget, action_id: str) -> QAction:
    """An action of the window a widget stands in. Raises LookupError where the window has none of
    that id."""
    action = widget.window().findChild(QAction, action_id)
    if action is None:
        raise LookupError(f"the window has no action {action_id!r}")
    return action


def offer_data(widget: QWidget) -> None:
    """The ways to open data, files or a folder, as a menu below a button."""
    actions = [action_of(widget, action_id) for action_id in DATA_ACTIONS]
    menu = QMenu(widget)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addActions(actions)
    menu.popup(widget.mapToGlobal(QPoint(0, widget.height() + 2)))


def without_data(sentence: str) -> Empty:
    """The empty state of a panel that waits for data."""
    found = Empty(sentence, action="Open data", on_action=lambda: offer_data(found.button or found))
    return found
