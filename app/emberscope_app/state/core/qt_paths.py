"""Paths on their way to Qt and back. Qt writes U+FFFD for bytes of a name that are no UTF-8, and
loses them."""

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QUrl

_LOST = "\ufffd"


def to_qt(path: str | Path) -> str:
    """A path as Qt writes it."""
    return os.fsencode(path).decode("utf-8", "replace")


def from_qt(name: str) -> Path:
    """The path that Qt means: a name that is no UTF-8 is the one that lies there and that Qt writes
    so."""
    path = Path(name)
    if _LOST not in name:
        return path
    found = Path(path.anchor)
    for part in path.relative_to(found).parts if path.anchor else path.parts:
        found /= _entry(found, part)
    return found


def from_url(url: QUrl) -> Path:
    """The path that somebody dragged here."""
    name = url.toLocalFile()
    if os.name == "posix" and _LOST in name:  # its bytes are in the address
        return Path(
            os.fsdecode(unquote_to_bytes(url.path(QUrl.ComponentFormattingOption.FullyEncoded)))
        )
    return Path(name)


def _entry(folder: Path, name: str) -> str:
    if _LOST not in name or (folder / name).exists():
        return name
    try:
        meant = [
            entry.name
            for entry in folder.iterdir()
            if _squeezed(to_qt(entry.name)) == _squeezed(name)
        ]
    except OSError:
        return name
    return meant[0] if len(meant) == 1 else name


def _squeezed(name: str) -> str:
    """How many of them stand for how many bytes is no matter."""
    return re.sub(f"{_LOST}+", _LOST, name)
