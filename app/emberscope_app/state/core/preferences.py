"""What the program remembers between starts: theme, layout, recent projects. One ini file in the
user's folder."""

import hashlib
import os
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from emberscope.base.files import is_there
from emberscope.base.text import as_bytes, escaped, unescaped

_KEPT = 12
_PLACES = "places/"


def _key(path: Path) -> str:
    """A project in the name of a setting, which takes few letters."""
    return hashlib.sha256(as_bytes(str(path))).hexdigest()[:16]


def folder() -> Path:
    """The user's configuration folder; EMBERSCOPE_CONFIG moves it (tests, portable
    installations)."""
    given = os.environ.get("EMBERSCOPE_CONFIG")
    if given:
        return Path(given)
    from platformdirs import user_config_path

    return user_config_path("emberscope", appauthor=False)


class Preferences:
    """Named values on disk. A file that cannot be written is no reason to stop: then nothing is
    remembered."""

    def __init__(self) -> None:
        self._settings = QSettings(str(folder() / "window.ini"), QSettings.Format.IniFormat)

    def text(self, name: str, default: str = "") -> str:
        return str(self._settings.value(name, default))

    def set_text(self, name: str, value: str) -> None:
        self._settings.setValue(name, value)

    def state(self, name: str) -> QByteArray | None:
        """A saved geometry or splitter state."""
        found = self._settings.value(name)
        return found if isinstance(found, QByteArray) and not found.isEmpty() else None

    def set_state(self, name: str, value: QByteArray) -> None:
        self._settings.setValue(name, value)

    def forget(self, prefix: str) -> None:
        """Drop everything under a prefix."""
        self._settings.remove(prefix)

    @property
    def recent(self) -> list[Path]:
        """Projects opened last, newest first; those that are gone are left out."""
        found = self._settings.value("recent", [])
        names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
        return [path for path in (Path(unescaped(name)) for name in names) if is_there(path)]

    def add_recent(self, path: Path) -> None:
        others = [known for known in self.recent if known != path]
        self._settings.setValue(
            "recent", [escaped(str(known)) for known in [path, *others][:_KEPT]]
        )

    def place(self, path: Path) -> tuple[int, int] | None:
        """Source and frame on which a project was left."""
        found = self._settings.value(f"{_PLACES}{_key(path)}", "")
        parts = str(found).split(",")
        return (
            (int(parts[0]), int(parts[1]))
            if len(parts) == 2 and all(map(str.isdecimal, parts))
            else None
        )

    def set_place(self, path: Path, source: int, frame: int) -> None:
        """Of the projects opened last, so that the file does not grow."""
        self._settings.setValue(f"{_PLACES}{_key(path)}", f"{source},{frame}")
        known = {_key(recent) for recent in self.recent}
        for key in self._settings.allKeys():
            if key.startswith(_PLACES) and key.removeprefix(_PLACES) not in known:
                self._settings.remove(key)

    def sync(self) -> None:
        self._settings.sync()
