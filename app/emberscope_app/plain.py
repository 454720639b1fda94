"""Whatever the window shows is text: Qt guesses whether words are markup, loads files that an image
in them names, and takes "&" for a key. `install` leaves no guess to tooltips, whoever sets them;
labels are `theme.text.Text`."""

import html
from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QAction, QStandardItem, Qt
from PySide6.QtWidgets import QToolTip, QWidget

from emberscope.base.plain_text import middle_out, plain, showable

_LONGEST_TIP = 2000  # letters
_SETTERS = (
    (QWidget, "setToolTip"),
    (QWidget, "setStatusTip"),
    (QWidget, "setWhatsThis"),
    (QAction, "setToolTip"),
    (QAction, "setStatusTip"),
    (QAction, "setWhatsThis"),
    (QStandardItem, "setToolTip"),
)


def install() -> None:
    """Have every tooltip show its words as they are."""
    for owner, name in _SETTERS:
        setattr(owner, name, _plainly(getattr(owner, name)))
    show = QToolTip.showText
    plainly = staticmethod(lambda at, words, *rest: show(at, tip(words), *rest))
    setattr(QToolTip, "showText", plainly)  # noqa: B010


def tip(words: str) -> str:
    """Words for a tooltip that Qt shows as they are; of a model, for its `ToolTipRole`."""
    words = middle_out(plain(words), _LONGEST_TIP)
    return (
        f"<p style='white-space: pre-wrap'>{html.escape(words)}</p>"
        if Qt.mightBeRichText(words)
        else words
    )


def menu_text(words: str) -> str:
    """Words for a menu or a button, in which "&" is a letter."""
    return words.replace("&", "&&")


def window_title(name: str) -> str:
    """A name in the title of a window, where "[*]" would be the place of its star."""
    return showable(name).replace("[*]", "[*][*]")


def _plainly(setter: Callable[..., None]) -> Callable[..., None]:
    def set_plain(self: Any, words: str) -> None:
        setter(self, tip(words))

    set_plain.__name__ = setter.__name__  # to ask for its docstring costs a tenth of the start
    return set_plain
