"""What the user is looking at: source, frame, run, class, tool, selected labels, colors."""

from typing import Any

from PySide6.QtCore import QObject, Signal

# Tools that make new labels: a digit is the class of the next one.
DRAWING_TOOLS = frozenset({"box", "relaxed", "scribble", "spot", "ignore"})


class Focus(QObject):
    """What the user is looking at: shared by all workspaces, not part of the project, not undoable."""

    changed = Signal(object)  # set of the names below that changed

    def __init__(self) -> None:
        super().__init__()
        self.source: int | None = None
        self.frame = 0
        self.run: int | None = None
        self.class_id = 1          # the class that new labels get
        self.tool = "select"       # id of the label tool: select box relaxed scribble spot frame ignore erase
        self.labels: tuple[int, ...] = ()  # label ids selected on the canvas
        self.hidden: frozenset[int] = frozenset()  # class ids whose labels are not drawn
        self.color_by = "class"    # class | bag | source | imputed | any name in run.point_scores
        self.round: int | None = None  # of the imputed labels that "imputed" shows; None = the one that was kept

    def set(self, **values: Any) -> None:
        """Change several at once; one signal."""
        moved = {name for name, value in values.items() if getattr(self, name) != value}
        for name in moved:
            setattr(self, name, values[name])
        if moved:
            self.changed.emit(moved)
