"""Where figures for papers go: one dialog, and one message where a file cannot be written."""

from PySide6.QtWidgets import QFileDialog, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope_app.state.core.figures import Wanted
from emberscope_app.state.core.last_folders import OUT, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt, to_qt
from emberscope_app.state.core.session import Session

_TITLES = {"svg": "Vectors", "pdf": "Page", "png": "Image", "csv": "Table",
           "parquet": "Table in Parquet", "html": "Report"}
_WHAT = {"csv": "the data of the figure", "html": "the report"}


def save_wanted(window: QWidget, session: Session, wanted: Wanted) -> None:
    """Ask for the file and write it; the ending of its name, else the chosen kind, says its
    form."""
    filters = {f"{_TITLES[form]} (*.{form})": form for form in wanted.forms}
    beside = session.path.parent if session.path is not None else None
    start = from_qt(last_folder(OUT, beside)) / f"{wanted.name}.{wanted.forms[0]}"
    title = f"Save {_WHAT.get(wanted.forms[0], 'the figure')}"
    typed, kind = QFileDialog.getSaveFileName(window, title, to_qt(start), ";;".join(filters))
    if not typed:
        return
    path = from_qt(typed)
    if path.suffix.removeprefix(".").lower() not in wanted.forms:
        path = path.with_name(f"{path.name}.{filters.get(kind, wanted.forms[0])}")
    remember_folder(OUT, path)
    try:
        wanted.save(path)
    except (EmberscopeError, OSError) as error:
        session.say(f"{path.name} was not saved: {error}", level="err")
