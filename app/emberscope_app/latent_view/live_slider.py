"""A slider on the map that moves its points: the run at another strength, or another softness, as
it would be."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from emberscope.findings.maps.softness import (
    has_softness,
    map_at_softness,
    position_of_softness,
    softness_at,
    softness_of,
)
from emberscope.findings.maps.strength import (
    has_strengths,
    map_at,
    position_of,
    strength_at,
    strength_of,
)
from emberscope.project import Run
from emberscope_app.latent_view.plates import paint_plate
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.cloud import Cloud
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import IconButton, quiet, text
from emberscope_app.theme.look import font
from emberscope_app.when.timers import Share

_STEPS = 500
_WIDEST, _NARROW = 420, 340  # px; below the second the words at the ends go
_HEIGHT = 36


@dataclass(frozen=True, slots=True)
class Dial:
    """A parameter that the map of a run can follow at once.

    name : of the parameter. title, low, high : for a person, low and high what its ends show. has :
    whether a run keeps what it needs. own : the value of a run. at, position : place on the slider,
    0 to 1, to value and back. map : the coordinates at a value, laid on those that are shown.
    """

    name: str
    title: str
    low: str
    high: str
    has: Callable[[Run], bool]
    own: Callable[[Run], float]
    at: Callable[[float], float]
    position: Callable[[float], float]
    map: Callable[[Run, float, NDArray | None], NDArray[np.float32]]


DIALS = (
    Dial(
        "strength",
        "Strength",
        "Clusters",
        "Sequence",
        has_strengths,
        strength_of,
        strength_at,
        position_of,
        map_at,
    ),
    Dial(
        "softness",
        "Softness",
        "Pairs count",
        "As it was",
        has_softness,
        softness_of,
        softness_at,
        position_of_softness,
        map_at_softness,
    ),
)


def dial_of(run: Run | None) -> Dial | None:
    """The parameter whose values the map of a run can show, None where it keeps none."""
    return next((dial for dial in DIALS if run is not None and dial.has(run)), None)


def at_size(Z: NDArray, like: NDArray) -> NDArray[np.float32]:
    """Z moved and scaled to the middle and the size of another map: laid on each other again and
    again, maps shrink."""
    known = np.isfinite(like).all(axis=1)
    if not known.any():
        return Z
    middle, center = (
        Z[known].mean(axis=0, dtype=np.float64),
        like[known].mean(axis=0, dtype=np.float64),
    )
    size = float(np.linalg.norm(Z[known] - middle))
    scale = float(np.linalg.norm(like[known] - center)) / size if size > 0 else 1.0
    return ((Z - middle) * scale + center).astype(np.float32)


class LiveSlider(QWidget):
    """Shown for runs that keep other maps. A double click on the slider, or Back, returns to the
    run's own value."""

    def __init__(self, session: Session, cloud: Cloud, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._cloud = session, cloud
        self._share = Share(self._move, self)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _STEPS)
        self.slider.setPageStep(_STEPS // 20)
        self.slider.setMinimumWidth(80)
        self.low, self.high, self.value = text("", "secondary"), text("", "secondary"), text("")
        self.value.setFont(font(tokens.PX_BODY, 500))
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.value.setFixedWidth(QFontMetrics(self.value.font()).horizontalAdvance("0.8888") + 4)
        self.back = IconButton("undo", "Back to the value of the run", size=24)
        self.keep = quiet("Run it")
        self.keep.setToolTip("Run with this value: a run of its own, beside this one")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 6, 0)
        row.setSpacing(8)
        for part in (self.low, self.slider, self.high, self.value, self.back, self.keep):
            row.addWidget(part, int(part is self.slider))
        self.slider.installEventFilter(self)
        self.slider.valueChanged.connect(lambda _: self._share.ask())
        self.slider.sliderPressed.connect(lambda: self._hold(True))
        self.slider.sliderReleased.connect(lambda: self._hold(False))
        self.back.clicked.connect(self.go_back)
        self.keep.clicked.connect(self.run_it)
        self.hide()

    def read(self) -> None:
        """Show the run that is on the map, and at which value."""
        run, dial = self._cloud.run, dial_of(self._cloud.run) if self._cloud.pickable else None
        self.setVisible(dial is not None)
        if dial is None or run is None:
            return
        value = dial.own(run) if self._cloud.at is None else self._cloud.at
        if not self.slider.isSliderDown():
            self.slider.blockSignals(True)
            self.slider.setValue(round(dial.position(value) * _STEPS))
            self.slider.blockSignals(False)
        self.low.setText(dial.low)
        self.high.setText(dial.high)
        self.value.setText(f"{value:.4g}")
        self.slider.setAccessibleName(f"{dial.title}, {value:.4g}")
        self.slider.setToolTip(
            f"{dial.title}: the map as it would be. Double click: as the run has it."
        )
        moved = self._cloud.at is not None
        self.back.setEnabled(moved)
        self.keep.setEnabled(moved)

    def arrange(self, width: int) -> None:
        """Take the size that at most `width` px allow."""
        for words in (self.low, self.high):
            words.setVisible(width >= _NARROW)
        self.resize(min(width, _WIDEST), _HEIGHT)

    def go_back(self) -> None:
        """The map as the run has it."""
        self._cloud.show_at(None, None)

    def run_it(self) -> None:
        """Run the recipe of the run on show at the value of the slider."""
        run, dial = self._cloud.run, dial_of(self._cloud.run)
        if run is None or dial is None or self._cloud.at is None:
            return
        recipe = msgspec.structs.replace(
            run.recipe, params={**run.recipe.params, dial.name: self._cloud.at}
        )
        draft = self._session.runs.draft
        draft.show(recipe)
        if draft.method == recipe.method:
            self._session.runs.start()
            return
        missing = next(
            (choice.missing for choice in draft.choices if choice.method.id == recipe.method), ""
        )
        self._session.say(
            f"This cannot run again: {missing[:1].lower()}{missing[1:]}.", level="warn"
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonDblClick:
            self.slider.setSliderDown(False)
            self.go_back()
            return True
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_plate(QPainter(self), QRectF(self.rect()), framed=True)

    def _hold(self, held: bool) -> None:
        self._cloud.slides = held

    def _move(self) -> None:
        run, dial = self._cloud.run, dial_of(self._cloud.run)
        if run is None or dial is None or not self._cloud.pickable:
            return
        value = float(f"{dial.at(self.slider.value() / _STEPS):.6g}")
        if self.slider.value() == round(dial.position(dial.own(run)) * _STEPS):
            self.go_back()
        else:
            self._cloud.show_at(value, at_size(dial.map(run, value, self._cloud.Z), run.Z))
