"""Forms made from parameter specs: a row per parameter with unit or range, `auto`, reset, and what
is wrong with it."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.errors import ParamError
from emberscope.base.param import Param
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

FIELD = 116  # px
TEXT = 168  # px, of a field that holds words
_TITLE = 78  # px; "Bag classifier" is the longest
AUTO = "auto"


def shown(value: object) -> str:
    """A value as a person writes it."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def what_is_wrong(param: Param, value: object) -> str:
    """The sentence that says what is wrong with a value, "" if nothing."""
    try:
        param.check(value)
    except ParamError as error:
        return _in_words(param, error)
    return ""


def _in_words(param: Param, error: ParamError) -> str:
    return f"{param.label}: {error.hint[:1].lower()}{error.hint[1:]}"


class NumberField(QLineEdit):
    """A field with its unit or range at the right, or a pill that gives the value back to the
    program. Its menu brings the usual value back.

    reset(): a person wants the usual value.
    """

    reset = Signal()

    def __init__(self, param: Param) -> None:
        super().__init__()
        self.pill: QToolButton | None = None
        self._hint = text(_hint(param), "hint", parent=self)
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(TEXT if param.type == "str" else FIELD)
        self.setFont(font(tokens.PX_BODY, 500))
        self.setAccessibleName(param.label)
        self.setAccessibleDescription(param.help)
        if param.auto:
            self._hint.hide()
            self.pill = QToolButton(self)
            self.pill.setText(AUTO)
            self.pill.setFont(font(tokens.PX_SMALL))
            self.pill.setCheckable(True)
            self.pill.setCursor(Qt.CursorShape.ArrowCursor)
            self.pill.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self.pill.setToolTip(f"Auto: {param.auto}")
            self.pill.setAccessibleName(f"{param.label}, auto")

    def menu(self) -> QMenu:
        """What can be done with its words, and with its value."""
        menu = self.createStandardContextMenu()
        menu.addSeparator()
        menu.addAction("Usual value", self.reset.emit)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        inside: QWidget = self.pill or self._hint
        size = QSize(36, 18) if self.pill else inside.sizeHint()
        inside.resize(size)
        inside.move(
            self.width() - size.width() - (4 if self.pill else 8),
            (self.height() - size.height()) // 2,
        )
        self.setTextMargins(0, 0, size.width() + 2, 0)


def _hint(param: Param) -> str:
    if param.unit and len(param.unit) <= 4:
        return param.unit
    both = param.low is not None and param.high is not None and param.high < 1000
    return f"{param.low:g} – {param.high:g}" if both else ""


class _Dot(QToolButton):
    """A dot where a value is not the usual one; a click brings that back. Tab leads from field to
    field past it: what is typed next belongs into one."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setFixedSize(tokens.PAD, 24)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(f"Reset {title}")
        self._on = False

    def set_on(self, on: bool, usual: str) -> None:
        self._on = on
        self.setEnabled(on)
        self.setToolTip(f"Changed. Click for {usual or AUTO}." if on else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._on:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(current().ink))
            radius = 3.5 if self.underMouse() else 2.0
            painter.drawEllipse(QPointF(self.width() / 2, self.height() / 2), radius, radius)


class ParamRow(QWidget):
    """One parameter. `value` raises ParamError where what was typed is not allowed."""

    changed = Signal()

    def __init__(self, param: Param, value: object, usual: object) -> None:
        super().__init__()
        self.param, self.usual = param, usual
        self.dot = _Dot(param.label)
        self.label = text(param.label)
        self.label.setWordWrap(True)  # a long name must not make the dock wider than it is
        self.label.setToolTip(param.help)
        self.field: QLineEdit | QComboBox = self._make_field()
        self.field.setToolTip(param.help)
        self.label.setBuddy(self.field)
        self.wrong = text("", "error")
        self.wrong.setWordWrap(True)
        self.wrong.setContentsMargins(tokens.PAD, 0, 0, 2)
        self.wrong.hide()
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, tokens.PAD, 0)
        row.setSpacing(0)
        row.addWidget(self.dot)
        row.addWidget(self.label, 1)
        row.addSpacing(4)
        row.addWidget(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.wrong)
        self.dot.clicked.connect(lambda: self.set_value(self.usual, tell=True))
        self.set_value(value)

    def _make_field(self) -> QLineEdit | QComboBox:
        param = self.param
        if param.choices or param.type == "bool":
            return self._make_choice()
        own = getattr(param, "make_field", None)  # of parameters that are no numbers
        field: NumberField = own() if own is not None else NumberField(param)
        field.textChanged.connect(lambda _: self._on_edit())
        field.reset.connect(lambda: self.set_value(self.usual, tell=True))
        if field.pill is not None:
            field.pill.clicked.connect(self._on_pill)
        return field

    def _make_choice(self) -> QComboBox:
        box, param = QComboBox(), self.param
        if param.auto:
            box.addItem(AUTO, None)
        for choice in param.choices or (True, False):
            box.addItem({"True": "on", "False": "off"}.get(str(choice), str(choice)), choice)
        box.setFixedWidth(max(FIELD, box.sizeHint().width()))  # no choice is cut
        box.setAccessibleName(param.label)
        box.currentIndexChanged.connect(lambda _: self._on_edit())
        return box

    @property
    def value(self) -> object:
        """What the field says."""
        if isinstance(self.field, QComboBox):
            return self.field.currentData()
        return self.param.parse(self.field.text())

    def set_value(self, value: object, *, tell: bool = False) -> None:
        """Show a value; `tell` as if a person had typed it."""
        self.field.blockSignals(True)
        if isinstance(self.field, QComboBox):
            self.field.setCurrentIndex(max(self.field.findData(value), 0))
        else:
            self.field.setText(shown(value))
        self.field.blockSignals(False)
        self._show_state()
        if tell:
            self.changed.emit()

    def error(self) -> str:
        """The sentence that says what is wrong, "" if nothing."""
        try:
            value = self.value
        except ParamError as error:
            return _in_words(self.param, error)
        return what_is_wrong(self.param, value)

    def _on_edit(self) -> None:
        self._show_state()
        self.changed.emit()

    def _on_pill(self) -> None:
        """Auto takes the value; where it has it already, the person takes over."""
        assert isinstance(self.field, NumberField)
        if self.field.text():
            self.set_value(None, tell=True)
        else:
            self._show_state()
        self.field.setFocus()

    def _show_state(self) -> None:
        words = self.error()
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))
        same = not words and self.value == self.usual
        self.dot.set_on(not same, shown(self.usual))
        if isinstance(self.field, NumberField):
            if self.field.pill is not None:
                self.field.pill.setChecked(not self.field.text())
            if bool(self.field.property("wrong")) != bool(words):
                self.field.setProperty("wrong", bool(words))
                self.field.style().unpolish(self.field)
                self.field.style().polish(self.field)


class ParamForm(QWidget):
    """Rows of parameters, advanced ones behind a fold."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[str, ParamRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.fold = QToolButton()
        self.fold.setText("Advanced")
        self.fold.setCheckable(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setFixedHeight(24)
        self.fold.setProperty("role", "fold")
        self.fold.setSizePolicy(
            self.fold.sizePolicy().Policy.Fixed, self.fold.sizePolicy().Policy.Fixed
        )
        self.fold.toggled.connect(lambda _: self.show_rows())
        self._fold_count = text("", "secondary")
        self._fold_row = QWidget()
        row = QHBoxLayout(self._fold_row)
        row.setContentsMargins(4, 2, tokens.PAD, 2)
        row.addWidget(self.fold)
        row.addStretch(1)
        row.addWidget(self._fold_count)
        self._column.addWidget(self._fold_row)
        look().changed.connect(self._tint)
        self._tint()

    def show_params(
        self, params: Sequence[Param], values: Mapping[str, object], usual: Mapping[str, object]
    ) -> None:
        """Another set of parameters."""
        for row in self.rows.values():
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {
            p.name: ParamRow(p, values.get(p.name, usual[p.name]), usual[p.name]) for p in params
        }
        plain = [row for row in self.rows.values() if not row.param.advanced]
        advanced = [row for row in self.rows.values() if row.param.advanced]
        for at, row in enumerate(plain):
            self._column.insertWidget(at, row)
        for row in advanced:
            self._column.addWidget(row)
        for row in self.rows.values():
            row.changed.connect(self._on_change)
        self.show_rows()

    def values(self) -> dict[str, object]:
        """Name to value of every parameter that applies. Raises ParamError where one is wrong."""
        return {name: row.value for name, row in self.rows.items() if self._applies(row.param)}

    def changed_values(self) -> dict[str, object]:
        """Those that are not the parameter's own default."""
        return {
            name: value
            for name, value in self.values().items()
            if value != self.rows[name].param.default
        }

    def error(self) -> str:
        """The first thing that is wrong, "" if nothing."""
        return next(
            (
                words
                for row in self.rows.values()
                if self._applies(row.param) and (words := row.error())
            ),
            "",
        )

    def _applies(self, param: Param) -> bool:
        if param.when is None:
            return True
        other = self.rows.get(param.when[0])
        return other is None or bool(other.error()) or other.value == param.when[1]

    def _on_change(self) -> None:
        self.show_rows()
        self.changed.emit()

    def show_rows(self) -> None:
        advanced = sum(
            row.param.advanced and self._applies(row.param) for row in self.rows.values()
        )
        self._fold_row.setVisible(bool(advanced))
        self._fold_count.setText(counted(advanced, "setting"))
        for row in self.rows.values():
            unfolded = self.fold.isChecked() or not row.param.advanced
            row.setVisible(unfolded and self._applies(row.param))
        self._tint()

    def _tint(self) -> None:
        self.fold.setIcon(icon("down" if self.fold.isChecked() else "right", size=12))
        self.fold.setIconSize(QSize(12, 12))


class LoadingRows(QWidget):
    """Gray rows of the final size while parameters are on their way."""

    def __init__(self, count: int = 4) -> None:
        super().__init__()
        self._count = count
        self.setFixedHeight(count * 30)
        self.setAccessibleName("Loading the parameters")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, color = QPainter(self), QColor(current().bg3)
        for i in range(self._count):
            painter.fillRect(tokens.PAD, i * 30 + 9, 70 + 17 * (i % 3), 12, color)
            painter.fillRect(self.width() - tokens.PAD - FIELD, i * 30 + 2, FIELD, 26, color)


def labeled_row(title: Text, right: QWidget) -> QHBoxLayout:
    """A heading with something at the right."""
    row = QHBoxLayout()
    row.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
    row.addWidget(title)
    row.addStretch(1)
    row.addWidget(right)
    return row


def choice_row(title: Text, box: QComboBox) -> QHBoxLayout:
    """A choice beside its title: below each other all start in one column. Its list is as wide as
    its longest words."""
    box.view().setMinimumWidth(box.sizeHint().width())
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    title.setBuddy(box)
    title.setMinimumWidth(_TITLE)
    row = QHBoxLayout()
    row.setContentsMargins(tokens.PAD, 0, tokens.PAD, 4)
    row.setSpacing(0)
    row.addWidget(title)
    row.addWidget(box, 1)
    return row
