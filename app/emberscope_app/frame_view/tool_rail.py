"""The 48 px rail of label tools at the left of the Label workspace; the tool in hand is
`session.focus.tool`."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QToolButton, QVBoxLayout, QWidget

from emberscope_app.frame_view.tools.gesture import Tool
from emberscope_app.frame_view.tools.table import TOOL_CLASSES
from emberscope_app.state.core.session import Session
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font, look

_WIDTH, _BUTTON, _ICON = 48, 36, 18
_GROUP_ENDS = ("select", "ignore")  # a line below these


class ToolButton(QToolButton):
    """The icon, and its key small in the corner; ink when in hand."""

    def __init__(self, tool: type[Tool]) -> None:
        super().__init__()
        self._tool = tool
        self.setCheckable(True)
        self.setFixedSize(_BUTTON, _BUTTON)
        self.setAccessibleName(f"{tool.title}, tool")
        self.setToolTip(f"{tool.title} ({tool.key})\n{tool.hint}")
        look().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_BUTTON, _BUTTON)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        back = (
            t.ink if self.isChecked() else (t.bg3 if self.underMouse() or self.hasFocus() else "")
        )
        if back:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(back))
            painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        front = t.onink if self.isChecked() else t.t2
        place = QRect(8, 8, _ICON, _ICON)
        painter.drawPixmap(place, pixmap(self._tool.icon, front, _ICON, self.devicePixelRatioF()))
        painter.setFont(font(11, 500))
        painter.setPen(QColor(front if self.isChecked() else t.t3))
        corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
        painter.drawText(self.rect().adjusted(0, 0, -3, -1), corner, self._tool.key)


class ToolRail(QWidget):
    """One tool is active."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName("Label tools")
        self.buttons: dict[str, ToolButton] = {}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(4)
        for tool in TOOL_CLASSES:
            button = ToolButton(tool)
            button.clicked.connect(lambda _=False, tool=tool.id: session.focus.set(tool=tool))
            self._group.addButton(button)
            self.buttons[tool.id] = button
            column.addWidget(button)
            if tool.id in _GROUP_ENDS:
                column.addSpacing(9)
        column.addStretch(1)
        session.focus.changed.connect(self._follow)
        look().changed.connect(self.update)
        self._follow()

    def _follow(self, *_: object) -> None:
        button = self.buttons.get(self._session.focus.tool)
        if button is not None:
            button.setChecked(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(t.bg1))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(t.line))
        for tool in _GROUP_ENDS:
            painter.fillRect(
                14, self.buttons[tool].geometry().bottom() + 7, _WIDTH - 28, 1, QColor(t.line2)
            )
