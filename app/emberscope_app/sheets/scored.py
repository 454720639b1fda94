"""Scored clips: what the run on show found on them, from which score on it counts, and how strong
the heat map is painted."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QSlider, QWidget

from emberscope.base.grouping import score_text
from emberscope_app.sheets.sheet import Sheet
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.scored import HEAT, Scored
from emberscope_app.theme.controls import primary, quiet, text, trigger
from emberscope_app.theme.text import Text
from emberscope_app.words import counted, grouped

_STEPS = 100  # of a slider


class ScoredSheet(Sheet):
    """Follows the session while it is open."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Scored clips", parent)
        self._session, self.scored = session, session.only(Scored)
        self.here, self.all = text(""), text("", "secondary")
        self.notes = text("", "secondary")
        for words in (self.here, self.all, self.notes):
            words.setWordWrap(True)
        self.one = self._button("Score this clip", "score.clip")
        self.every = self._button("Score all clips", "score.all", kind=quiet)
        self.take = self._button("Take detections as suggestions", "score.take", kind=QPushButton)
        self.previous = self._button("Previous hit", "score.previous", kind=QPushButton)
        self.next = self._button("Next hit", "score.next", kind=QPushButton)
        self.threshold, at = _slider("Hits from score", self.scored.set_threshold)
        self.opacity, strength = _slider("Heat map", self.scored.set_opacity)
        self.shown = QCheckBox("Heat map and hits on the frame")
        self.shown.toggled.connect(lambda on: session.layers.switch(HEAT, on))
        self.sizes = QCheckBox("Also targets of other sizes")
        self.sizes.setToolTip("0.7 and 1.4 times as large as the labeled ones: for clips from "
                              "another distance. Takes three times as long.")
        self.sizes.toggled.connect(self.scored.set_other_sizes)
        self._values: dict[QSlider, Text] = {self.threshold: at[1], self.opacity: strength[1]}
        self.body.addWidget(self.here)
        self.body.addWidget(self.all)
        self.body.addLayout(_beside(self.one, self.every))
        self.body.addWidget(self.sizes)
        for slider, (name, value) in ((self.threshold, at), (self.opacity, strength)):
            self.body.addLayout(_beside(name, value))
            self.body.addWidget(slider)
        self.body.addWidget(self.shown)
        self.body.addLayout(_beside(self.previous, self.next, alike=True))
        self.body.addWidget(self.take)
        self.body.addWidget(self.notes)
        self.body.addStretch(1)
        self.scored.changed.connect(self._read)
        session.focus.changed.connect(lambda names: self._read() if names & {"source", "frame"}
                                      else None)
        session.jobs.changed.connect(lambda _job: self._read())
        self._read()

    def _button(
        self, title: str, action: str, *, kind: Callable[[str], QPushButton] = primary
    ) -> QPushButton:
        found = kind(title)
        found.clicked.connect(lambda _=False: trigger(self, action))
        return found

    def _read(self) -> None:
        scored, focus = self.scored, self._session.focus
        found = scored.of(focus.source)
        ref = self._session.project.sources.get(focus.source if focus.source is not None else -1)
        hits = scored.hits(focus.source)
        why = scored.why_not()
        if why:
            self.here.setText(f"{why}.")
        elif ref is None:
            self.here.setText("Open data first.")
        elif found is None:
            self.here.setText(f"{ref.name} is not scored by this run yet.")
        else:
            frame = scored.hits(focus.source, focus.frame)
            part = "" if found.frames == ref.n_frames else (
                f" Scored so far: {found.frames} of {counted(ref.n_frames, 'frame')}.")
            self.here.setText(f"{ref.name}: {counted(len(hits), 'hit')}, {len(frame)} on this "
                              f"frame.{part}")
        total = sum(len(scored.hits(source)) for source in scored.clips)
        self.all.setText(f"All scored clips: {counted(len(scored.clips), 'clip')}, "
                         f"{counted(total, 'hit')}.")
        self.notes.setText(grouped(" ".join(scored.notes)))
        for button in (self.one, self.every):
            button.setEnabled(not why and ref is not None)
        for button in (self.previous, self.next):
            button.setEnabled(total > 0)
        self.take.setEnabled(len(hits) > 0)
        for slider, value in ((self.threshold, scored.threshold), (self.opacity, scored.opacity)):
            slider.blockSignals(True)
            slider.setValue(round(value * _STEPS))
            slider.blockSignals(False)
            self._values[slider].setText(score_text(value))
        self.sizes.setChecked(scored.other_sizes)
        self.shown.setChecked(self._session.layers.is_on(HEAT))


def _slider(name: str, moved: Callable[[float], None]) -> tuple[QSlider, tuple[Text, Text]]:
    """A slider from 0 to 1 that calls `moved`, its name, and a place for its value."""
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setRange(0, _STEPS)
    slider.setAccessibleName(name)
    slider.valueChanged.connect(lambda value: moved(value / _STEPS))
    return slider, (text(name), text(""))


def _beside(left: QWidget, right: QWidget, *, alike: bool = False) -> QHBoxLayout:
    """Two parts in a row, the left one with the room that is left; alike : both as wide."""
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(left, 1)
    row.addWidget(right, int(alike))
    return row
