"""What the keys and the menu of the frame canvas may ask of it."""

from typing import Protocol

from emberscope_app.frame_view.canvas.tool_controller import ToolController
from emberscope_app.frame_view.tools.gesture import Place
from emberscope_app.frame_view.tools.settings import ToolSettings
from emberscope_app.state.core.session import Session


class CanvasActions(Protocol):
    """The canvas as its keys and its menu see it."""

    session: Session
    settings: ToolSettings
    place: Place
    controller: ToolController
    labels_hidden: bool

    def fit(self) -> None: ...

    def one_to_one(self) -> None: ...

    def toggle_lock(self) -> None: ...

    def copy_to_next(self) -> None: ...

    def update(self) -> None: ...
