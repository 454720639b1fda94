"""Where dialogs begin: beside what was chosen last in one of their kind, also after a restart."""

from pathlib import Path

from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.qt_paths import from_qt, to_qt

# kinds of dialogs
DATA, PROJECT, TRUTH, TABLE, OUT = "data", "project", "truth", "table", "export"
NETWORK = "network"


def last_folder(kind: str, otherwise: str | Path | None = None) -> str:
    """The folder a dialog of a kind was left in; where there is none any more `otherwise`, else
    beside the data that was opened last, else home."""
    for folder in (_left(kind), otherwise, _left(DATA)):
        if folder and Path(folder).is_dir():
            return to_qt(folder)
    return to_qt(Path.home())


def remember_folder(kind: str, chosen: str | Path) -> None:
    """A file or folder was chosen: the next dialog of its kind begins beside it."""
    Preferences().set_text(f"folder/{kind}", to_qt(Path(chosen).absolute().parent))


def _left(kind: str) -> Path | None:
    left = Preferences().text(f"folder/{kind}")
    return from_qt(left) if left else None
