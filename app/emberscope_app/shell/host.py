"""What actions may ask of the window they act on."""

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QMainWindow, QWidget

from emberscope_app.sheets.sheet import Sheet
from emberscope_app.shell.files.project_files import ProjectFiles
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.session import Session

if TYPE_CHECKING:
    from emberscope_app.state.runs.published_tables import Published

P = TypeVar("P", bound=QWidget)


class Host(QMainWindow):
    """The window as its actions see it; the window itself says how."""

    session: Session
    files: ProjectFiles
    preferences: Preferences
    workspace: str
    published: "Published | None" = None  # made when its sheet is first opened

    @property
    def sheet(self) -> Sheet | None:
        """The sheet that is open."""
        raise NotImplementedError

    def show_sheet(self, sheet: Sheet) -> None:
        raise NotImplementedError

    def panel(self, name: str) -> QWidget:
        raise NotImplementedError

    def dock(self, kind: type[P]) -> P:
        """The panel of a dock by its class, brought to the front."""
        raise NotImplementedError

    def show_workspace(self, name: str) -> None:
        raise NotImplementedError

    def ask_filter(self) -> None:
        """Show the filter bar and offer the columns."""
        raise NotImplementedError

    def clear_filter(self) -> None:
        """Let everything through the filter; its bar goes."""
        raise NotImplementedError

    def show_map(self) -> None:
        raise NotImplementedError

    def show_palette(self) -> None:
        raise NotImplementedError

    def cycle_docks(self, step: int) -> None:
        raise NotImplementedError

    def reset_layout(self) -> None:
        raise NotImplementedError

    def toggle_theme(self) -> None:
        raise NotImplementedError
