"""What is painted over a frame beside its labels: the base of all layers of the frame."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.frame_instances import FrameInstances


class FrameLayer:
    """A layer of one frame. height : below 0 under the labels, above 0 over them. with_labels : it
    goes while labels are hidden. instances : of the run on show, those on the frame."""

    height = -1
    with_labels = True

    def __init__(self, session: Session, instances: FrameInstances) -> None:
        self.session, self.instances = session, instances

    def read(self) -> None:
        """Frame, run or colors are others, or marks, classes or concepts were edited."""

    def follow(self) -> None:
        """Other instances are selected or pointed at; not called while the frame is out of
        sight."""

    def paint(self, painter: QPainter, view: Viewport) -> None:
        """In widget px."""
        raise NotImplementedError

    def legend(self, room: QRectF) -> QRectF:
        """Where in the widget its legend stands; empty where it has none."""
        return QRectF()

    def paint_legend(self, painter: QPainter, room: QRectF) -> None:
        """Above everything; called where it has one."""
