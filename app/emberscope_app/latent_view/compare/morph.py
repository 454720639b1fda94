"""How far a map has turned into another one: a slider, and what plays it."""

from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from emberscope_app.theme.controls import IconButton, text
from emberscope_app.when.timers import Every

PLAY_MS, STEPS = 600, 200
_TICK_MS = 15
_NARROW, _WIDE = 60, 140  # px of the slider


class Morph(QWidget):
    """moved(share) : of the way, 0 = the first map, 1 = the second."""

    moved = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock, self._from, self._to = QElapsedTimer(), 0.0, 1.0
        self._timer = Every(self, self._tick, _TICK_MS)
        self.play = IconButton("play", "Play from one map to the other", size=24)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 10)
        self.slider.setMinimumWidth(_NARROW)
        self.slider.setMaximumWidth(_WIDE)
        self.slider.setAccessibleName("From the first map to the second")
        self.start, self.end = text("", "secondary"), text("", "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (self.play, self.start, self.slider, self.end):
            row.addWidget(part)
        self.play.clicked.connect(self.toggle)
        self.slider.sliderPressed.connect(self.stop)
        self.slider.valueChanged.connect(lambda value: self.moved.emit(value / STEPS))

    @property
    def share(self) -> float:
        return self.slider.value() / STEPS

    @property
    def plays(self) -> bool:
        return self._timer.isActive()

    def name(self, start: str, end: str) -> None:
        """Say what the ends are."""
        self.start.setText(start)
        self.end.setText(end)

    def toggle(self) -> None:
        """Play to the end, from there back; stop where it plays."""
        if self.plays:
            self.stop()
            return
        self._from, self._to = self.share, 0.0 if self.share >= 1 else 1.0
        self.play.set_icon("pause")
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        """Stay where it is."""
        self._timer.stop()
        self.play.set_icon("play")

    def _tick(self) -> None:
        part = min(self._clock.elapsed() / PLAY_MS, 1.0)
        eased = 1 - (1 - part) ** 3
        self.slider.setValue(round(STEPS * (self._from + eased * (self._to - self._from))))
        if part >= 1:
            self.stop()
