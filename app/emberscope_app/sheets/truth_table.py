"""The table of whose truth is whose: clip, truth and why, before any of it becomes labels."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from emberscope.base.plain_text import middle_out
from emberscope.project.exchange.truth_places import TruthCount
from emberscope_app.theme.controls import Fitting, empty_out, line, text
from emberscope_app.theme.text import Text
from emberscope_app.words import counted

_MOST = 200   # rows that are shown
_LEFT_OUT = "Left out"
_NAME = 40    # letters of a name


class TruthTable(Fitting):
    """A row per truth and clip: the clip, how many objects, the truth and why it is of that clip.

    What may be of several clips has a list of them to choose from; `chosen` says the path of the
    truth and the id of the clip, 0 for none.
    """

    chosen = Signal(str, int)

    def __init__(self, names: Mapping[int, str]) -> None:
        inside = QWidget()
        super().__init__(inside)
        self.show_names(names)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(4)
        self.setAccessibleName("Whose truth is whose")
        self.hide()

    def show_names(self, names: Mapping[int, str]) -> None:
        """What clips are called in rows to come, by their ids."""
        self._names = names

    def show_rows(self, found: Sequence[TruthCount]) -> None:
        """Show the lines of the table, as `project.TruthCount` has them; what has to be chosen
        comes first."""
        empty_out(self._column)
        rows = sorted(found, key=lambda row: ("tie", "none", "given").index(row.state))
        for row in rows[:_MOST]:
            self._column.addWidget(self._row(row))
        if len(rows) > _MOST:
            self._column.addWidget(text(f"and {counted(len(rows) - _MOST, 'line')} more", "hint"))
        self._column.addStretch(1)
        self.setVisible(bool(rows))

    def _row(self, row: TruthCount) -> QWidget:
        out = QWidget()
        column = QVBoxLayout(out)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        head = QHBoxLayout()
        if row.could_be:
            head.addWidget(self._choice(row), 1)
        else:
            name = middle_out(self._names.get(row.source, ""), _NAME) or _LEFT_OUT
            head.addWidget(text(name, "" if row.source else "secondary"), 1)
        if row.state == "given" and not row.wrong:
            head.addWidget(text(counted(sum(row.objects.values()), "object"), "secondary"))
        column.addLayout(head)
        path = Path(row.truth)
        column.addWidget(_wrapped(f"{path.parent.name}/{path.name}: {row.why}", "hint"))
        for note in row.notes:
            column.addWidget(_wrapped(note, "hint"))
        if row.wrong:
            column.addWidget(_wrapped(row.wrong, "error"))
        column.addWidget(line())
        return out

    def _choice(self, row: TruthCount) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(f"Clip of {Path(row.truth).name}")
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.addItem("Choose the clip, or it is left out", 0)
        for source in row.could_be:
            box.addItem(middle_out(self._names.get(source, ""), _NAME), source)
        box.activated.connect(lambda _, truth=row.truth: self.chosen.emit(truth, box.currentData()))
        return box


def _wrapped(words: str, role: str) -> Text:
    out = text(words, role)
    out.setWordWrap(True)
    return out
