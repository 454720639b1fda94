"""What is painted over, or under, the points of a map: the base of all layers."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from emberscope.project import Run
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.cloud import cloud_of


class MapLayer(QObject):
    """A layer of one map; `LayersOn` of the session remembers whether it is on. A subclass says
    what it is:

    id : of the layer. icon, title : of its button, and of the search; without an icon it has no
    button.
    on_at_first : until a person switches it. key : a letter that does, on a map.
    height : above 0 over the points, the highest on top; below 0 under them. in_space : it is on
    the 3-D map too.
    reads : tables of the project after whose edits it is read again. plate : stands at the bottom
    right of the map. needs_below : px above the legend that points are not fitted under while it
    is on.

    changed() : it can be shown now, or no longer, or its plate is another one.
    """

    id = ""
    icon = ""
    title = ""
    on_at_first = False
    key = ""
    height = 1
    in_space = False
    reads: tuple[str, ...] = ()
    plate: QWidget | None = None
    needs_below = 0
    surface: Surface

    changed = Signal()

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(surface.canvas)
        self.session, self.cloud, self.surface = session, cloud_of(session), surface
        session.layers.begin(self.id, self.on_at_first)

    @property
    def on(self) -> bool:
        return self.session.layers.is_on(self.id)

    def why_not(self) -> str:
        """Why there is nothing to show, as a sentence without its stop; "" where there is."""
        return ""

    def read(self) -> None:
        """There are other points, or what it reads was edited: nothing it keeps is true any
        more."""

    def paint(self, painter: QPainter) -> None:
        """In logical px of the canvas; called where it is on. `surface` says where points are."""
        raise NotImplementedError

    def words(self, run: Run, row: int) -> list[str]:
        """What the card of the instance pointed at says beside the usual."""
        return []
