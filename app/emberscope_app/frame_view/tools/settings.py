"""Parameters of the label tools, as the tool strip shows them. Not part of the project."""

from PySide6.QtCore import QObject, Signal


class ToolSettings(QObject):
    """looseness: r of new relaxed boxes. rho: uncertainty of new spots and scribbles, px.
    line_width: of new lines, px. certain: each patch a scribble touches is a positive. brush:
    eraser radius, px. whole_frame: Ignore means the frame. copies: how many frames M copies to."""

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.looseness = 0.8
        self.rho = 5.0
        self.line_width = 4.0
        self.certain = True
        self.brush = 8.0
        self.whole_frame = False
        self.copies = 10

    def set(self, name: str, value: object) -> None:
        if getattr(self, name) != value:
            setattr(self, name, value)
            self.changed.emit(name)
