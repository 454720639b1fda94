"""Features of a network, as a person sets them: its file, which of its values, how it sees
images."""

from dataclasses import dataclass

from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu

from emberscope.base.errors import ParamError
from emberscope.base.files import is_there
from emberscope.base.param import Param
from emberscope_app.docks.run.fields import NumberField
from emberscope_app.state.core.last_folders import NETWORK, last_folder, remember_folder
from emberscope_app.state.core.qt_paths import from_qt
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import look

_KIND = ("kind", "cnn")
_FILTERS = "Networks (*.onnx);;All files (*)"


class FileField(NumberField):
    """A path that can be typed, or chosen behind the folder at its right."""

    def __init__(self, param: Param) -> None:
        super().__init__(param)
        self.choose = self.addAction(icon("folder"), QLineEdit.ActionPosition.TrailingPosition)
        self.choose.setText(f"Choose the {param.label.lower()} …")
        self.choose.setToolTip(f"Choose the {param.label.lower()}")
        self.choose.triggered.connect(self._ask)
        look().changed.connect(self._tint)

    def menu(self) -> QMenu:
        """As of other fields, and the dialog."""
        menu = super().menu()
        menu.addAction(self.choose)
        return menu

    def _tint(self) -> None:
        self.choose.setIcon(icon("folder"))

    def _ask(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Network", last_folder(NETWORK), _FILTERS)
        if name:
            remember_folder(NETWORK, name)
            self.setText(str(from_qt(name)))


@dataclass(frozen=True, slots=True)
class File(Param):
    """The path of a file that is there."""

    def make_field(self) -> NumberField:
        """A field with a folder to choose behind."""
        return FileField(self)

    def check(self, value: str) -> None:
        if not value:
            raise ParamError("no file is chosen", hint="Choose an ONNX file.")
        if not is_there(value):
            raise ParamError(f"{value} is not there", hint="There is no such file.")


@dataclass(frozen=True, slots=True)
class Numbers(Param):
    """Numbers, none or more, as a person writes them: "0.5, 0.4"."""

    def parse(self, text: str) -> tuple[float, ...]:
        try:
            found = tuple(float(part) for part in text.replace(",", " ").split())
        except ValueError:
            raise ParamError(
                f"{self.name} is {text!r}", hint="Give numbers, for example 0.5, 0.4."
            ) from None
        self.check(found)
        return found

    def check(self, value: tuple[float, ...]) -> None:
        if len(value) not in (0, 1, 3):
            raise ParamError(f"{self.name} has {len(value)}", hint="Give one number or three.")


NETWORK_PARAMS = (
    File(
        "file", "str", "", title="Network", when=_KIND,
        help="An ONNX file on this computer. It is read where it lies; another one under its name "
             "is not taken for it.",
    ),
    Param(
        "output", "str", "", title="Value", when=_KIND,
        help="Name of the output that is taken, or of a value inside of the network; nothing: "
             "its first output.",
    ),
    Numbers(
        "mean", "str", (), title="Mean", when=_KIND, advanced=True,
        help="Subtracted from chips of 0 to 1, for each channel; nothing: what the file says, or "
             "what is usual.",
    ),
    Numbers(
        "std", "str", (), title="Deviation", when=_KIND, advanced=True,
        help="What chips are divided by then, for each channel; nothing: what the file says, or "
             "what is usual.",
    ),
)
