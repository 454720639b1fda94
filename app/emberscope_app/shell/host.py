"""What commands may ask of the window they act on."""

from PySide6.QtWidgets import QMainWindow, QWidget

from emberscope_app.sheets.sheet import Sheet
from emberscope_app.shell.palette import Palette
from emberscope_app.shell.project_files import ProjectFiles
from emberscope_app.state.preferences import Preferences


class Host(QMainWindow):
    """The window as its commands see it; the window itself says how."""

    files: ProjectFiles
    preferences: Preferences
    palette_sheet: Palette

    @property
    def sheet(self) -> Sheet | None:
        """The sheet that is open."""
        raise NotImplementedError

    def show_sheet(self, sheet: Sheet) -> None:
        raise NotImplementedError

    def panel(self, name: str) -> QWidget:
        raise NotImplementedError

    def show_workspace(self, name: str) -> None:
        raise NotImplementedError

    def show_picture(self) -> None:
        raise NotImplementedError

    def cycle_docks(self, step: int) -> None:
        raise NotImplementedError

    def reset_layout(self) -> None:
        raise NotImplementedError

    def toggle_theme(self) -> None:
        raise NotImplementedError
