"""The current theme: palette, style sheet, fonts. `look()` is read while painting; a switch needs
no restart."""

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QWidget
from shiboken6 import getCppPointer, isValid

from emberscope_app.theme import tokens
from emberscope_app.theme.sheet import style_sheet
from emberscope_app.theme.tokens import THEMES, Tokens
from emberscope_app.when.timers import Later

_FONT_FOLDERS = tuple(
    f"/usr/share/fonts/{kind}"
    for kind in ("opentype/inter", "truetype/inter", "truetype/jetbrains-mono", "truetype/dejavu")
)
_SANS = ["Inter", "Segoe UI", "SF Pro Text", "Cantarell", "DejaVu Sans"]
_MONO = ["JetBrains Mono", "DejaVu Sans Mono", "monospace"]
_POLISHED = Qt.WidgetAttribute.WA_WState_Polished  # what Qt gives a new style to
_SLICE = 0.01  # s of a turn in which widgets are polished


class Look(QObject):
    """Holds the tokens in force; `changed` asks every painter to repaint.

    Qt gives all widgets a new style in one piece, 60 ms of a full window. So it is made to believe
    that they never had one, and they get it some at a time: those in sight before the window is
    painted again, the others, four in five, afterward, and at once where a panel is shown before.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.tokens: Tokens = tokens.DARK
        # Addresses of widgets that are still in the style before: those that Qt made may go
        # unnoticed.
        self._rest: set[int] = set()
        self._next = Later(self, self._polish_some)
        self._steps: Iterator[None] = iter(())  # the rest of a switch
        self._step = Later(self, self._take_step, 1)

    def apply(self, name: str) -> None:
        """Switch the running application to a theme."""
        self.switch(name)
        for _ in self._steps:
            pass

    def switch(self, name: str) -> None:
        """As `apply`, a step in each turn of the event loop. Nothing is painted in between."""
        for _ in self._steps:  # of the switch before
            pass
        self.tokens = THEMES[name]
        self._steps = self._switch()
        self._step.start()

    def _take_step(self) -> None:
        if next(self._steps, self) is None:
            self._step.start()

    def _switch(self) -> Iterator[None]:
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            self.changed.emit()
            return
        inside = [
            widget
            for widget in _widgets()
            if widget.testAttribute(_POLISHED) and not widget.isWindow()
        ]
        for widget in inside:
            widget.setAttribute(_POLISHED, False)
        self._rest |= set(map(_address, inside))
        windows = [
            window
            for window in app.topLevelWidgets()
            if window.isVisible() and window.updatesEnabled()
        ]
        for window in windows:
            window.setUpdatesEnabled(False)
        with _nothing_collected():
            app.setStyleSheet("")  # Qt takes a fifth of the time without one to be replaced
        yield
        with _nothing_collected():
            app.setPalette(_palette(self.tokens))
            app.setStyleSheet(style_sheet(self.tokens))
        yield
        while not self._polish(_SLICE, QWidget.isVisible):
            yield
        if self._rest:
            self._next.start()
        for window in filter(isValid, windows):
            window.setUpdatesEnabled(True)
        self.changed.emit()

    def finish(self) -> None:
        """Give the style to everything that still lacks it: some of that is about to be seen."""
        self._polish_all(math.inf)

    def _polish_some(self) -> None:
        if not self._polish_all(_SLICE):
            self._next.start()

    def _polish_all(self, seconds: float) -> bool:
        over = not self._rest or self._polish(seconds, lambda widget: True)
        if over:
            self._rest.clear()
        return over

    def _polish(self, seconds: float, wanted: Callable[[QWidget], bool]) -> bool:
        """Polish what lacks it for so long; whether all that is wanted has it then."""
        end = time.thread_time() + seconds
        for widget in _widgets():
            if (
                not widget.testAttribute(_POLISHED)
                and wanted(widget)
                and _address(widget) in self._rest
            ):
                _give_style(widget)
                widget.setAttribute(_POLISHED)
                if time.thread_time() > end:
                    return False
        return True


def _give_style(widget: QWidget) -> None:
    style: object = widget.style()
    if isinstance(style, QStyle):
        style.polish(widget)
    else:  # PySide took the place in memory for what lay there before: Qt itself knows better
        QApplication.sendEvent(widget, QEvent(QEvent.Type.Polish))


def _widgets() -> list[QWidget]:
    """All there are."""
    with _nothing_collected():
        return QApplication.allWidgets()


def _address(widget: QWidget) -> int:
    return int(getCppPointer(widget)[0])


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Where Qt lists or walks over all widgets, those of a window that is gone must not be
    collected on the way: it crashed."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


_look: list[Look] = []


def look() -> Look:
    """The one Look of the process."""
    if not _look:
        _look.append(Look())
    return _look[0]


def current() -> Tokens:
    """The tokens in force."""
    return look().tokens


def prepare(app: QApplication, theme: str = "dark") -> None:
    """Fusion, fonts, palette, style sheet: once, before the first window."""
    app.setStyle("Fusion")
    _register_fonts(app)
    app.setFont(font())
    look().apply(theme)


def font(px: int = tokens.PX_BODY, weight: int = 400, *, mono: bool = False) -> QFont:
    """A font of the scale (px/weight): 11/400, 12/400, 12/500, 12/600, 13/600, 20/600; tabular
    figures."""
    return QFont(_font(px, weight, mono))  # painters ask for every row, and may change it


@cache
def _font(px: int, weight: int, mono: bool) -> QFont:
    found = QFont()
    found.setFamilies(_MONO if mono else _SANS)
    found.setPixelSize(px)
    found.setWeight(QFont.Weight(weight))
    found.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    found.setFeature(QFont.Tag("tnum"), 1)
    return found


def _register_fonts(app: QApplication) -> None:
    # The offscreen platform finds no font by itself; the others have their own data base.
    if app.platformName() not in ("offscreen", "minimal"):
        return
    for folder in _FONT_FOLDERS:
        for path in sorted(Path(folder).glob("*.[ot]tf")):
            QFontDatabase.addApplicationFont(str(path))


def _palette(t: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: t.bg1,
        role.WindowText: t.t1,
        role.Base: t.bg1,
        role.AlternateBase: t.bg2,
        role.Text: t.t1,
        role.Button: t.bg2,
        role.ButtonText: t.t1,
        role.BrightText: t.ink,
        role.Highlight: t.bg3,
        role.HighlightedText: t.t1,
        role.ToolTipBase: t.bg3,
        role.ToolTipText: t.t1,
        role.PlaceholderText: t.t3,
        role.Link: t.t1,
        role.Mid: t.line,
        role.Light: t.bg3,
        role.Dark: t.line,
        role.Shadow: t.bg0,
    }
    for key, value in pairs.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(t.t3))
    return palette
