"""The current theme: palette, style sheet, fonts. `look()` is read while painting; a switch needs no restart."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from emberscope_app.theme import tokens
from emberscope_app.theme.sheet import style_sheet
from emberscope_app.theme.tokens import THEMES, Tokens

_FONT_FOLDERS = tuple(
    f"/usr/share/fonts/{kind}"
    for kind in ("opentype/inter", "truetype/inter", "truetype/jetbrains-mono", "truetype/dejavu")
)
_SANS = ["Inter", "Segoe UI", "SF Pro Text", "Cantarell", "DejaVu Sans"]
_MONO = ["JetBrains Mono", "DejaVu Sans Mono", "monospace"]


class Look(QObject):
    """Holds the tokens in force; `changed` asks every painter to repaint."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.tokens: Tokens = tokens.DARK

    def apply(self, name: str) -> None:
        """Switch the running application to a theme."""
        self.tokens = THEMES[name]
        app = QApplication.instance()
        if isinstance(app, QApplication):
            with _nothing_collected():
                app.setStyleSheet("")  # Qt takes a fifth of the time without one to be replaced (90 ms of 820 widgets)
                app.setPalette(_palette(self.tokens))
                app.setStyleSheet(style_sheet(self.tokens))
        self.changed.emit()


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Qt walks over all widgets: those of a window that is gone must not be collected on the way (seen to crash)."""
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
    """A font of the scale (px/weight): 11/400, 12/400, 12/500, 12/600, 13/600, 20/600; tabular figures."""
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
        role.Window: t.bg1, role.WindowText: t.t1, role.Base: t.bg1, role.AlternateBase: t.bg2, role.Text: t.t1,
        role.Button: t.bg2, role.ButtonText: t.t1, role.BrightText: t.ink, role.Highlight: t.bg3,
        role.HighlightedText: t.t1, role.ToolTipBase: t.bg3, role.ToolTipText: t.t1, role.PlaceholderText: t.t3,
        role.Link: t.t1, role.Mid: t.line, role.Light: t.bg3, role.Dark: t.line, role.Shadow: t.bg0,
    }
    for key, value in pairs.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(t.t3))
    return palette
