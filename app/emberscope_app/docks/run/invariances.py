"""The changes that do not matter, in the Run panel: a row per kind, and what it makes of a chip."""

import numpy as np
from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope.base.param import Param
from emberscope.labels.side_info import Family, Invariance
from emberscope.project import Changes
from emberscope_app.docks.run.fields import NumberField, shown
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.pixels.strips import ChipStrip, Strips
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.invariances import (
    KINDS,
    WAYS,
    Kind,
    drop_invariance,
    invariances_of,
    set_invariance,
)
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import line, quiet, text
from emberscope_app.theme.look import current, font, look

_FIELD = 56       # px
_CHIP, _WORDS = 40, 18
_GAP = 4
_NO_RUN = "A strip of chips shows what each change does, once a run has chips."
_USUAL = "Nothing is chosen: shifts of up to 2 px are taken."


class KindRow(QWidget):
    """A check box, how far, and in which steps. `edited` once something was set."""

    edited = Signal()

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.kind = kind
        self.box = QCheckBox(kind.title)
        self.box.setToolTip(kind.help)
        self.box.setAccessibleDescription(kind.help)
        self.reach = self._field(
            "up to" if kind.family != "local-filter" else "window of", kind.reach
        )
        self.step = self._field("in steps of", kind.step)
        self.step.setVisible(kind.family != "local-filter")
        self.way = QComboBox()
        self.way.addItems(list(WAYS))
        self.way.setAccessibleName("Shift, which way")
        self.way.setVisible(False)
        row = QHBoxLayout()
        row.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        row.setSpacing(8)
        row.addWidget(self.box, 1)
        row.addWidget(self.reach)
        if self.step.isVisibleTo(self):
            row.addWidget(self.step)
        else:
            row.addSpacing(_FIELD + 8)
        way = QHBoxLayout()
        way.setContentsMargins(tokens.PAD + 22, 0, tokens.PAD, 2)
        way.addStretch(1)
        way.addWidget(self.way)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 1, 0, 1)
        column.setSpacing(2)
        column.addLayout(row)
        column.addLayout(way)
        self.box.clicked.connect(lambda _: self.edited.emit())
        self.way.activated.connect(lambda _: self.edited.emit())

    def _field(self, words: str, value: float) -> NumberField:
        field = NumberField(
            Param(words, "float", value, unit=self.kind.unit, title=f"{self.kind.title}, {words}")
        )
        field.setParent(self)
        field.setFixedWidth(_FIELD)
        field.setText(shown(float(value)))
        field.editingFinished.connect(self.edited.emit)
        return field

    def show_record(self, record: Invariance | None) -> None:
        """What is set; where nothing is, the fields keep what they had."""
        self.box.setChecked(record is not None)
        for field in (self.reach, self.step):
            field.setEnabled(record is not None)
        self.way.setVisible(record is not None and self.kind.family == "translate")
        if record is not None:
            self.reach.setText(shown(float(record.reach)))
            self.step.setText(shown(float(record.step)))
            self._show_way(record.direction)

    def _show_way(self, direction: float | None) -> None:
        if direction not in WAYS.values() and self.way.count() == len(WAYS):
            self.way.addItem(f"along {direction:g}°", direction)  # of an import
        names = [name for name, degrees in WAYS.items() if degrees == direction]
        self.way.setCurrentIndex(self.way.findText(names[0]) if names else len(WAYS))

    def values(self) -> tuple[float, float, float | None]:
        """Reach, step and direction. Raises ValueError where a field holds no number."""
        reach = number_of(self.reach.text())
        step = reach if self.kind.family == "local-filter" else number_of(self.step.text())
        way = self.way.currentText()
        direction = WAYS[way] if way in WAYS else self.way.currentData()
        return reach, step, direction if self.kind.family == "translate" else None

    def mark_wrong(self, wrong: bool) -> None:
        for field in (self.reach, self.step):
            if bool(field.property("wrong")) != wrong:
                field.setProperty("wrong", wrong)
                field.style().unpolish(field)
                field.style().polish(field)


class StripView(QWidget):
    """A strip of chips with words below; of very many some, the ends and the chip itself among
    them."""

    def __init__(self) -> None:
        super().__init__()
        self.strip: ChipStrip | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()
        look().changed.connect(self.update)

    def show_strip(self, strip: ChipStrip | None) -> None:
        self.strip = strip
        self.setVisible(strip is not None)
        if strip is not None:
            self.setFixedHeight(len(strip.lines) * (_CHIP + _WORDS) + _GAP)
            self.setAccessibleName(f"What it makes of a chip: {', '.join(strip.words)}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.strip is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(current().t2))
        most = max((self.width() - 2 * tokens.PAD + _GAP) // (_CHIP + _GAP), 1)
        start = 0
        for number, end in enumerate(self.strip.lines):
            for at, shown_at in enumerate(some_of(end - start, most)):
                x, y = tokens.PAD + at * (_CHIP + _GAP), number * (_CHIP + _WORDS)
                painter.drawImage(QRect(x, y, _CHIP, _CHIP), self.strip.images[start + shown_at])
                words = (
                    self.strip.words[start + shown_at].replace("as it is", "0").replace(" down", "")
                )
                place = QRect(x - _GAP, y + _CHIP, _CHIP + 2 * _GAP, _WORDS)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)
            start = end


class InvarianceSection(QWidget):
    """Rows of kinds, a sentence where a value is wrong, and the strip of the kind that was edited
    last."""

    compare_chips = Signal()  # the method is to look at the pixels, so that what is set here counts

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._side = session, 32
        self._strips = Strips(session, self)
        self._family: Family | None = None  # whose strip is on show
        self._asked: tuple[object, ...] = ()
        self._wrong: Family | None = None
        self.rows = {kind.family: KindRow(kind) for kind in KINDS}
        self.idle = text("", "secondary")
        self.use = quiet("Compare chips")
        self.use.setToolTip(
            "Takes pixels as features, and distances after the best of these changes"
        )
        self.wrong = text("", "error")
        self.note = text("", "secondary")
        self.strip = StripView()
        self._lay_out()
        for family, row in self.rows.items():
            row.edited.connect(lambda family=family: self._edit(family))
        self.use.clicked.connect(self.compare_chips)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.selection.changed.connect(self._on_selection)
        self.read()

    def _lay_out(self) -> None:
        title = text("Does not matter", "secondary")
        title.setToolTip("Changes of a chip that are forgiven when chips are compared")
        heads = QHBoxLayout()
        heads.setContentsMargins(tokens.PAD, 0, tokens.PAD, 2)
        heads.setSpacing(8)
        heads.addWidget(title, 1)
        for words in ("up to", "steps of"):
            head = text(words, "hint")
            head.setFixedWidth(_FIELD)
            heads.addWidget(head)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(0)
        column.addWidget(line())
        column.addSpacing(6)
        column.addLayout(heads)
        for row in self.rows.values():
            column.addWidget(row)
        for label in (self.wrong, self.note, self.idle):
            label.setWordWrap(True)
            label.setContentsMargins(tokens.PAD, 4, tokens.PAD, 4)
        column.addWidget(self.wrong)
        column.addWidget(self.strip)
        column.addWidget(self.note)
        column.addWidget(self.idle)
        use = QHBoxLayout()
        use.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        use.addWidget(self.use)
        use.addStretch(1)
        column.addLayout(use)

    def show_method(self, *, takes: bool, looks: bool, side: int) -> None:
        """takes : the method can forgive such changes. looks : with its parameters, it does. side :
        px of the chips."""
        self.setVisible(takes)
        self.idle.setText(
            "" if looks else "Not looked at now: the distances are of features, not of chips."
        )
        self.idle.setVisible(not looks)
        self.use.setVisible(not looks)
        if side != self._side:
            self._side = side
            self._show_strip()

    def read(self) -> None:
        """What is set in the project."""
        known = invariances_of(self._session.project)
        for family, row in self.rows.items():
            if family != self._wrong:
                row.show_record(known.get(family))
        if self._family not in known:
            self._family = next((kind.family for kind in KINDS if kind.family in known), None)
        self._show_strip()

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("side", "runs", "sources"):
            self.read()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self.read()

    def _on_selection(self, _origin: object) -> None:
        self._show_strip()

    # --- acting

    def _edit(self, family: Family) -> None:
        row = self.rows[family]
        self._say_wrong(None, "")
        if not row.box.isChecked():
            drop_invariance(self._session, family)
            self.read()
            return
        try:
            reach, step, direction = row.values()
            set_invariance(
                self._session, family, reach=reach, step=step, direction=direction, side=self._side
            )
        except EmberscopeError as error:
            self._say_wrong(family, str(error))
        except ValueError as error:
            self._say_wrong(family, f"{row.kind.title}: {error}")
        else:
            self._family = family
            self.read()

    def _say_wrong(self, family: Family | None, words: str) -> None:
        self._wrong = family
        for key, row in self.rows.items():
            row.mark_wrong(key == family)
            if key == family:
                row.reach.setEnabled(True)
                row.step.setEnabled(True)
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))

    # --- the strip

    def _show_strip(self) -> None:
        """Of the selected chip, else of the first one of the run on show."""
        run, known = self._session.run, invariances_of(self._session.project)
        record = known.get(self._family) if self._family is not None else None
        if record is None or run is None or not len(run.ids):
            self._asked = ()
            self.strip.show_strip(None)
            self._say_note(_USUAL if not known else _NO_RUN)
            return
        chosen = np.flatnonzero(np.isin(run.ids, self._session.selection.ids[:1]))
        row = int(chosen[0]) if len(chosen) else 0
        asked = (run, row, record, self._side)
        if asked != self._asked:
            self._asked = asked
            self._say_note("")
            self._strips.ask(run, row, record, self._side, take=self._take, fail=self._fail)

    def _take(self, strip: ChipStrip) -> None:
        self.strip.show_strip(strip)
        self._say_note("")

    def _fail(self, failure: ReadFailure) -> None:
        self.strip.show_strip(None)
        self._say_note(failure.words)

    def _say_note(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))


def number_of(words: str) -> float:
    """A number as a person writes it, with a comma too. Raises ValueError."""
    try:
        return float(words.replace(",", "."))
    except ValueError:
        raise ValueError(f"{words.strip() or 'nothing'} is no number.") from None


def some_of(count: int, most: int) -> list[int]:
    """At most `most` of `count` numbers: both ends and, of an odd count, the middle among them;
    evenly spaced."""
    if count <= most:
        return list(range(count))
    most -= 1 - most % 2 if most > 1 else 0  # odd, so that one is the middle
    return np.rint(np.linspace(0, count - 1, most)).astype(int).tolist()
