"""What the user is looking at: source, frame, run, class, tool, selected labels, colors."""

from typing import TypedDict, Unpack

from PySide6.QtCore import QObject, Signal

from emberscope.findings.coloring import FOUND
from emberscope.labels import Label
from emberscope.labels.origins import code_of

# Tools that make new labels: a digit is the class of the next one.
DRAWING_TOOLS = frozenset(
    {"box", "relaxed", "polygon", "ellipse", "line", "scribble", "spot", "ignore"}
)


class FocusValues(TypedDict, total=False):
    """Some of what `Focus` holds, by name."""

    tool: str
    source: int | None
    frame: int
    run: int | None
    class_id: int
    labels: tuple[int, ...]
    hidden: frozenset[int]
    hidden_origins: frozenset[int]
    color_by: str
    attribute: str
    round: int | None
    axes: tuple[int, int]


class Focus(QObject):
    """What the user is looking at: shared by all workspaces, not part of the project, not
    undoable."""

    changed = Signal(object)  # set of the names below that changed

    def __init__(self) -> None:
        super().__init__()
        # Id of the label tool: select erase frame, or one of `DRAWING_TOOLS`
        self.tool = "select"
        self.maps: frozenset[int] = frozenset()  # dimensions of the maps in sight
        self.forget(source=None, run=None, class_id=1)

    def forget(self, *, source: int | None, run: int | None, class_id: int) -> None:
        """Start with these and nothing else: another project was opened. Only the tool in hand and
        the maps in sight stay. Tells nobody."""
        self.source = source
        self.frame = 0
        self.run = run
        self.class_id = class_id   # the class that new labels get
        self.labels: tuple[int, ...] = ()  # label ids selected on the canvas
        self.hidden: frozenset[int] = frozenset()  # class ids whose labels are not drawn
        # Places in `labels.origins.ORIGINS`, likewise
        self.hidden_origins: frozenset[int] = frozenset()
        # Class | bag | source | imputed | concept | any name in run.point_scores
        self.color_by = FOUND
        self.axes = (0, 1)         # which two axes the flat map shows of a run of more
        self.attribute = ""        # what the next pair of chips is compared by
        # Of the imputed labels that "imputed" shows; None = the one that was kept
        self.round: int | None = None

    def shows(self, label: Label) -> bool:
        """Whether a label is drawn: neither its class nor its origin is hidden."""
        return label.class_id not in self.hidden and (
            not self.hidden_origins or code_of(label.origin) not in self.hidden_origins)

    def announce(self) -> None:
        """Say that all of it is new, also where a value is what it was (an id of another
        project)."""
        self.changed.emit({name for name in vars(self) if name not in ("tool", "maps")})

    def see_map(self, dimensions: int, *, there: bool) -> None:
        """A map of so many dimensions is in sight now, or not. Tells nobody: it is asked for where
        it matters."""
        self.maps = self.maps | {dimensions} if there else self.maps - {dimensions}

    def set(self, **values: Unpack[FocusValues]) -> None:
        """Change several at once; one signal."""
        moved = {name: value for name, value in values.items() if getattr(self, name) != value}
        for name, value in moved.items():
            setattr(self, name, value)
        if moved:
            self.changed.emit(set(moved))
