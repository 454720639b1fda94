"""The 40 px strip above the canvas: the tool in hand, the class, the tool's parameters, copy to
next frames."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QSlider, QToolButton, QWidget

from emberscope.labels import Box, Label, Polyline, Scribble, Spot, kind
from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.class_picker import ClassPicker
from emberscope_app.frame_view.tools import edit
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import IconButton, Segmented, Strip, line, text
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

_COPIES = (1, 5, 10, 25, 50, 100)
_GRIPS = "Ctrl+drag a handle to change the selected label."
_CLASSLESS = ("erase", "frame", "ignore")  # tools that do not ask for a class


class Number(QWidget):
    """Title, slider, value: one parameter."""

    def __init__(
        self,
        title: str,
        low: float,
        high: float,
        step: float,
        tip: str,
        changed: Callable[[float], object],
    ) -> None:
        super().__init__()
        self._step, self._tip, self._changed = step, tip, changed
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(round(low / step), round(high / step))
        self.slider.setAccessibleName(title)
        self.value = Text()
        self.value.setFixedWidth(44)
        self.value.setProperty("role", "title")
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._title = text(title, "secondary")
        row.addWidget(self._title)
        row.addWidget(self.slider)
        row.addWidget(self.value)
        self.slider.valueChanged.connect(lambda position: self._moved(position * step))
        self.shorten(False)

    def shorten(self, short: bool) -> None:
        """Only the sign of the parameter ("r" of "Looseness r") and a shorter slider."""
        title = self.slider.accessibleName()
        self._title.setText(title.rpartition(" ")[2] if short else title)
        self.slider.setFixedWidth(48 if short else 88)
        self._row.setSpacing(4 if short else 8)
        self.updateGeometry()  # Qt would tell the row only later

    def show_value(self, value: float) -> None:
        """Set without telling."""
        self.slider.blockSignals(True)
        self.slider.setValue(round(value / self._step))
        self.slider.blockSignals(False)
        self.value.setText(self._tip.format(value))
        self.slider.setAccessibleDescription(self.value.text())

    def _moved(self, value: float) -> None:
        self.value.setText(self._tip.format(value))
        self._changed(value)


class Hint(Text):
    """The first of some sentences that fits; nothing where none does, instead of half of one."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "secondary")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._words: tuple[str, ...] = ()

    def say(self, *words: str) -> None:
        """What to say, the most wanted first."""
        self._words = words
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()

    def _choose(self) -> None:
        fit = self.fontMetrics().horizontalAdvance
        self.setText(next((words for words in self._words if fit(words) <= self.width()), ""))


class ToolStrip(Strip):
    """Shows parameters of the tool in hand; with Select, those of the selected labels of one
    kind."""

    def __init__(
        self, session: Session, canvas: FrameCanvas, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session, self.canvas, self.settings = session, canvas, canvas.settings
        self.setAccessibleName("Tool")
        self.title = text("", "title")
        self.title.setMinimumWidth(76)
        self.classes = ClassPicker(canvas.place)
        self.looseness = Number("Looseness r", 0.05, 3, 0.05, "{:.2f}", self._set_looseness)
        self.rho = Number("Uncertainty ρ", 0, 40, 0.5, "{:.1f} px", self._set_rho)
        self.line_width = Number("Width", 0, 40, 0.5, "{:.1f} px", self._set_width)
        self.brush = Number(
            "Radius", 1, 60, 1, "{:.0f} px", lambda value: self.settings.set("brush", value)
        )
        self.certain = QToolButton()
        self.certain.setCheckable(True)
        self.certain.setFixedHeight(26)
        self.certain.setStyleSheet("QToolButton { padding: 0 8px; }")
        self.certain.setToolTip(
            "Certain: each patch the scribble touches is a positive of its own. Off: at least one "
            "is."
        )
        self.certain.setAccessibleName("Certain scribble")
        self.certain.clicked.connect(self._set_certain)
        self.extent = Segmented((("region", "Region"), ("frame", "Whole frame")))
        self.extent.chosen.connect(lambda key: self.settings.set("whole_frame", key == "frame"))
        self.hint = Hint()
        self.copy = QToolButton()
        self.copy.setFixedHeight(28)
        self.copy.setToolTip(
            "Copy the selected labels, or all of this frame, to the next frames (M)"
        )
        self.copy.clicked.connect(canvas.copy_to_next)
        self.copies = IconButton("down", "Copy to how many frames", size=24)
        self.copies.clicked.connect(self._choose_copies)
        self.m_key = text("M", "hint")
        self._fill()
        session.focus.changed.connect(lambda _names: self.refresh())
        session.changed.connect(lambda _changes: self.refresh())
        self.settings.changed.connect(lambda _name: self.refresh())
        look().changed.connect(self.refresh)
        self.refresh()

    def _fill(self) -> None:
        class_word = text("Class", "secondary")
        self._class_word, self._line = class_word, line(vertical=True)
        for widget in (
            self.title,
            self._line,
            class_word,
            self.classes,
            self.looseness,
            self.rho,
            self.line_width,
            self.brush,
            self.certain,
            self.extent,
        ):
            self.row.addWidget(widget)
        self.row.addWidget(self.hint, 1)
        self.row.addWidget(self.copy)
        self.row.addWidget(self.m_key)
        self.row.addWidget(self.copies)

    def refresh(self) -> None:
        """Show what the tool in hand (or the selection) has."""
        tool = self.canvas.controller.tools.get(self.session.focus.tool)
        if tool is None:
            return
        about, chosen = self._about()
        self.title.setText(tool.title)
        self.classes.setVisible(tool.id not in _CLASSLESS)
        self.looseness.setVisible(about == "relaxed")
        self.rho.setVisible(about in ("scribble", "spot"))
        self.line_width.setVisible(about == "line")
        self.certain.setVisible(about == "scribble")
        self.brush.setVisible(tool.id == "erase")
        self.extent.setVisible(tool.id == "ignore")
        grips = tool.draws and tool.takes_handles and bool(self.canvas.place.selected())
        self.hint.say(*((f"{tool.hint} {_GRIPS}", _GRIPS) if grips else ()), tool.hint)
        self._show_values(chosen)
        self.copy.setIcon(icon("copy"))
        self.copy.setText(f" Copy to next {self.settings.copies}")
        self.copy.setEnabled(self.session.focus.source is not None)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """In a narrow dock words go one after the other, until the rest can be read whole."""
        steps = (
            self._show_copy,
            self._show_class_word,
            self._show_names,
            self._show_title,
            self._show_class_name,
            self._show_copying,
        )
        for shown in (True, False):
            for step in steps:
                if not shown and self.row.minimumSize().width() <= self.width():
                    return
                step(shown)

    def _show_copy(self, shown: bool) -> None:
        button = Qt.ToolButtonStyle
        self.copy.setToolButtonStyle(
            button.ToolButtonTextBesideIcon if shown else button.ToolButtonIconOnly
        )
        self.m_key.setVisible(shown)

    def _show_class_word(self, shown: bool) -> None:
        self._class_word.setVisible(shown and self.session.focus.tool not in _CLASSLESS)

    def _show_names(self, shown: bool) -> None:
        for number in (self.looseness, self.rho, self.line_width, self.brush):
            number.shorten(not shown)
        self.certain.setText("Every patch is a target" if shown else "Every patch")

    def _show_copying(self, shown: bool) -> None:
        for button in (self.copy, self.copies):
            button.setVisible(shown)

    def _show_class_name(self, shown: bool) -> None:
        self.classes.shorten(not shown)

    def _show_title(self, shown: bool) -> None:
        self.title.setVisible(shown)
        self._line.setVisible(shown)

    def _about(self) -> tuple[str, list[Label]]:
        """(kind whose parameters are shown, selected labels of it)."""
        tool, chosen = self.session.focus.tool, self.canvas.place.selected()
        kinds = {kind(label) for label in chosen}
        if tool == "select":
            return (kinds.pop() if len(kinds) == 1 else ""), chosen
        return tool, chosen if kinds == {tool} else []

    def _show_values(self, chosen: list[Label]) -> None:
        settings, first = self.settings, chosen[0] if chosen else None
        self.looseness.show_value(first.looseness if isinstance(first, Box) else settings.looseness)
        self.rho.show_value(first.rho if isinstance(first, Spot | Scribble) else settings.rho)
        width = first.width if isinstance(first, Polyline) else settings.line_width
        self.line_width.show_value(width)
        self.brush.show_value(settings.brush)
        self.certain.setChecked(first.certain if isinstance(first, Scribble) else settings.certain)
        self.extent.set_value("frame" if settings.whole_frame else "region")

    def _set_looseness(self, value: float) -> None:
        value = round(value, 2)
        if self._about()[1]:
            edit.relax_to(self.canvas.place, value)
        self.settings.set("looseness", value)

    def _set_rho(self, value: float) -> None:
        if self._about()[1]:
            edit.change(self.canvas.place, "Set ρ of", rho=round(value, 1))
        self.settings.set("rho", round(value, 1))

    def _set_width(self, value: float) -> None:
        if self._about()[1]:
            edit.change(self.canvas.place, "Set width of", width=round(value, 1))
        self.settings.set("line_width", round(value, 1))

    def _set_certain(self, on: bool) -> None:
        if self._about()[1]:
            edit.change(self.canvas.place, "Set certainty of", certain=on)
        self.settings.set("certain", on)

    def _choose_copies(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("How many frames M copies to").setEnabled(False)
        for count in _COPIES:
            action = menu.addAction(
                counted(count, "frame"), partial(self.settings.set, "copies", count)
            )
            action.setCheckable(True)
            action.setChecked(count == self.settings.copies)
        menu.popup(self.copies.mapToGlobal(self.copies.rect().bottomLeft()))
