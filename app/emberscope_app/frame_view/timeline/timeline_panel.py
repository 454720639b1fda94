"""The Timeline dock: transport on top, tracks below."""

from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QLayout,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.project import Changes
from emberscope_app.frame_view.timeline.action_tools import ActionTools
from emberscope_app.frame_view.timeline.seek import seek_key, step_frame
from emberscope_app.frame_view.timeline.timeline_view import TimelineView
from emberscope_app.state.core.player import SPEEDS
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import IconButton, Scrolling, Strip, without_data
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted


class _Transport(Strip):
    """Where it is narrow, what can be spared goes, and nothing is cut.

    spare : buttons whose keys do the same.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.spare: list[QWidget] = []
        self.row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def minimumSizeHint(self) -> QSize:
        shown = [part for part in self.spare if not part.isHidden()]
        spared = sum(part.sizeHint().width() + self.row.spacing() for part in shown)
        return super().minimumSizeHint() - QSize(spared, 0)

    def fit(self) -> None:
        """Show as much as there is room for."""
        for part in self.spare:
            part.show()
        if self.row.minimumSize().width() > self.width():
            for part in self.spare:
                part.hide()


class TimelinePanel(Panel):
    """Transport on top, tracks below."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.view = TimelineView(session)
        self.tools = ActionTools(session, self.view.action_row)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self.loop = IconButton("loop", "Loop", checkable=True)
        self.play = IconButton("play", "Play", key="K")
        self.play.clicked.connect(lambda _=False: session.player.toggle())
        self.loop.toggled.connect(self._set_loop)
        self.speed_button = QToolButton()
        self.speed_button.setText("1.0×")
        self.speed_button.setFixedSize(52, 28)
        self.speed_button.setAccessibleName("Speed")
        self.speed_button.clicked.connect(self._choose_speed)
        # From here inwards: what is moved goes through the style sheet once more
        self.stack = QStackedWidget(self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)
        self.stack.addWidget(without_data("Labels you draw appear here."))
        full = QWidget(self.stack)
        self.stack.addWidget(full)
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._transport(full))
        column.addWidget(Scrolling(self.view), 1)
        session.changed.connect(self._project_changed)
        session.focus.changed.connect(self._focus_changed)
        session.player.changed.connect(self._show_player)
        self.reload()

    def _transport(self, parent: QWidget) -> Strip:
        strip = _Transport(parent)
        first = self._step_button("first", "First frame", "Home", -(10**9))
        before = self._step_button("prev", "Previous frame", "A", -1)
        after = self._step_button("next", "Next frame", "D", 1)
        last = self._step_button("last", "Last frame", "End", 10**9)
        strip.row.setSpacing(4)
        strip.row.addWidget(self.tools)
        strip.row.addStretch(1)
        for part in (first, before, self.play, after, last, self.loop):
            strip.row.addWidget(part)
        strip.row.addStretch(1)
        strip.row.addWidget(self.speed_button)
        strip.spare = [first, last]
        self.tools.paint.toggled.connect(lambda _: strip.fit())
        return strip

    def _step_button(self, icon: str, title: str, key: str, step: int) -> IconButton:
        button = IconButton(icon, title, key=key)
        button.clicked.connect(lambda _=False: self._go(step))
        return button

    def _go(self, step: int) -> None:
        if abs(step) == 1:
            step_frame(self.session, step)
        else:
            self.session.go(frame=self.session.focus.frame + step)

    def reload(self) -> None:
        self.view.reload()
        ref = self.session.project.sources.get(self.session.focus.source or -1)
        self.stack.setCurrentIndex(1 if ref else 0)
        rate = self.session.player.rate() if ref else None
        self.set_count(
            (counted(ref.n_frames, "frame") + (f" · {rate:g} Hz" if rate else "")) if ref else ""
        )

    def _show_player(self) -> None:
        player = self.session.player
        self.play.set_icon("pause" if player.playing else "play")
        self.play.setAccessibleName("Pause" if player.playing else "Play")
        self.loop.setChecked(player.loop)
        self.speed_button.setText(f"{player.speed:g}×" if player.speed != 1 else "1.0×")

    def _open_menu(self, at: QPoint) -> None:
        menu = self.view.menu(at)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.view.mapToGlobal(at))

    def _set_loop(self, on: bool) -> None:
        self.session.player.loop = on

    def _choose_speed(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for speed in SPEEDS:
            menu.addAction(f"{speed:g}×", partial(self.session.player.set_speed, speed))
        menu.popup(self.speed_button.mapToGlobal(self.speed_button.rect().bottomLeft()))

    # --- signals

    def _project_changed(self, changes: Changes) -> None:
        if changes.touch("labels", "classes", "sources"):
            self.in_sight(self._read_soon)
        elif changes.touch("side", "runs"):
            self.in_sight(self.view.action_row.read)
        elif changes.touch("settings"):
            self.view.update()

    def _read_soon(self) -> None:
        self.session.turns.take(self.reload)

    def _focus_changed(self, names: set[str]) -> None:
        if "source" in names:
            self.view.span = None
            self.in_sight(self._read_soon)
        elif "frame" in names:
            self.view.keep_in_view()
            self.view.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_K:
            self.session.player.toggle()
        elif not seek_key(self.session, event):
            super().keyPressEvent(event)
