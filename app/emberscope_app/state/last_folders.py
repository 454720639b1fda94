"""Where dialogs begin: beside what was chosen last in one of their kind, also after a restart."""

from pathlib import Path

from emberscope_app.state.preferences import Preferences

DATA, PROJECT, TRUTH, TABLE, OUT = "data", "project", "truth", "table", "export"  # kinds of dialogs


def last_folder(kind: str, otherwise: str | Path | None = None) -> str:
    """The folder a dialog of a kind was left in; where there is none any more `otherwise`, else home."""
    for folder in (Preferences().text(f"folder/{kind}"), otherwise):
        if folder and Path(folder).is_dir():
            return str(folder)
    return str(Path.home())


def remember_folder(kind: str, chosen: str | Path) -> None:
    """A file or folder was chosen: the next dialog of its kind begins beside it."""
    Preferences().set_text(f"folder/{kind}", str(Path(chosen).absolute().parent))
