"""The Frame dock: tool strip, canvas, contrast strip; empty where no frame is open."""

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from emberscope_app.frame_view.canvas.frame_canvas import FrameCanvas
from emberscope_app.frame_view.contrast_bar import ContrastBar
from emberscope_app.frame_view.tool_strip import ToolStrip
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import Empty, IconButton, without_data
from emberscope_app.theme.panel import Panel
from emberscope_app.words import NO_FRAMES


class FramePanel(Panel):
    """The frame in focus."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.canvas = self.takes_messages = FrameCanvas(session)
        self.strip = ToolStrip(session, self.canvas)
        self.contrast = ContrastBar(session, self.canvas)
        self.empty = without_data("No frame open.")
        self.without = Empty(NO_FRAMES)
        # From here inwards: what is moved goes through the style sheet once more
        self.stack = QStackedWidget(self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)
        self.stack.addWidget(self.empty)
        full = QWidget(self.stack)
        self.stack.addWidget(full)
        self.stack.addWidget(self.without)
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self.canvas, 1)
        column.addWidget(self.contrast)
        self.setFocusProxy(self.canvas)
        session.focus.changed.connect(self._focus_changed)
        session.changed.connect(lambda _changes: self._show())
        self.canvas.image_changed.connect(self._show)  # by now the file of the frame is known
        self._show()

    def icons(self) -> list[QWidget]:
        """Buttons of the dock's title row."""
        fit = IconButton("fit", "Fit", key="Ctrl+0", size=24)
        fit.clicked.connect(lambda _=False: self.canvas.fit())
        return [fit]

    def _focus_changed(self, names: set[str]) -> None:
        if names & {"source", "frame"}:
            self._show()

    def _show(self) -> None:
        focus, project = self.session.focus, self.session.project
        ref = project.sources.get(focus.source) if focus.source is not None else None
        if project.of_points:
            self.stack.setCurrentWidget(self.without)
            self.set_count("")
            return
        self.stack.setCurrentIndex(0 if ref is None else 1)
        known = self.session.readers.known(ref) if ref is not None else None
        file = (
            f" · {known.names[focus.frame]}"
            if known is not None and focus.frame < len(known.names)
            else ""
        )
        self.set_count(
            f"frame {focus.frame + 1} of {ref.n_frames} · {ref.name}{file}" if ref else ""
        )
