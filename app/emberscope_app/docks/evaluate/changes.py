"""What changed between two runs, and the split by which the active one was judged."""

import msgspec
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope.findings.judged.pair import Change, Compared, Paired
from emberscope.findings.split_sides import Fold, folds_of_run, split_words
from emberscope.project import Run
from emberscope.project.nouns import OF_FRAMES, nouns_of_run
from emberscope_app.lists.cells import REST, RIGHT, Cell, Ground, Icon, Row, Words, line
from emberscope_app.lists.stack import RowStack
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, look
from emberscope_app.words import counted, method_title

_WORDS_HIGH = 34  # px of a sentence below the rows
_MOST = 24  # bars of the strip of one fold


class Changes(RowStack):
    """Setting or number, what it was, what it is now, whether that is better; then sentences."""

    def __init__(self) -> None:
        super().__init__()
        self.compared: Compared | None = None

    def show_pair(self, compared: Compared | None) -> None:
        self.compared = compared
        said = [f"{row.title} {row.before}, now {row.after}" for row in self._changes]
        self.setAccessibleName(". ".join([*said, *self.words]))
        self.setToolTip("\n".join(self.words))
        self.fit()

    @property
    def _changes(self) -> list[Change]:
        if self.compared is None:
            return []
        pairs = self.compared.pairs
        flipped = [_flipped(pair) for pair in pairs if pair.only_first or pair.only_second]
        return [*map(_with_titles, self.compared.changes), *flipped]

    @property
    def words(self) -> list[str]:
        """Sentences of the comparison."""
        return self.compared.words if self.compared is not None else []

    def rows_of(self, width: int) -> list[tuple[Row, int]]:
        return [(self._row(change), tokens.ROW) for change in self._changes]

    def _row(self, change: Change) -> Row:
        sign: Cell = Words("", wide=16)
        if change.better:
            name, color = ("up", "ok") if change.better > 0 else ("down", "err")
            sign = Icon(name, color, side=12, before=4)
        cells = (
            Words(change.title, wide=REST, whole_start=True),
            Words(change.before, color="t2", align=RIGHT), Icon("right", "t3", side=10, before=6),
            Words(change.after, weight=600, align=RIGHT, before=6), sign,
        )  # fmt: skip
        return Row((line(*cells),), Ground(rule=0))


def _with_titles(change: Change) -> Change:
    """With the titles of methods in place of their ids."""
    if change.title != "Method":
        return change
    return msgspec.structs.replace(
        change, before=method_title(change.before), after=method_title(change.after))


def _flipped(pair: Paired) -> Change:
    """How many entries of a level are judged otherwise."""
    lost, won = pair.only_first, pair.only_second
    title = f"{pair.level.capitalize()}s flipped"
    return Change(title, f"{lost} lost", f"{won} won", (won > lost) - (won < lost))


class FoldStrip(QWidget):
    """A bar for each fold: what it holds out is light, what is learned from meanwhile dark. Where
    one side judges once, the light part of the one bar is its share of the bags."""

    def __init__(self) -> None:
        super().__init__()
        self.folds: list[Fold] = []
        self.setFixedHeight(24)
        look().changed.connect(self.update)

    def show_run(self, run: Run | None) -> str:
        """Show the split of a run; what it is in a few words."""
        self.folds = folds_of_run(run) if run is not None else []
        words = split_words(run) if run is not None else ""
        self.setToolTip(words)
        self.setAccessibleName(f"Split: {words}")
        self.update()
        if not self.folds:
            return "nothing is held out" if run is not None else ""
        if run is not None and nouns_of_run(run) is not OF_FRAMES:
            held = sum(fold.held.bags for fold in self.folds)
            return f"{counted(len(self.folds), 'fold')}, {counted(held, 'bag')} held out"
        shared = len({source for fold in self.folds for source in fold.shared})
        leak = f"{counted(shared, 'clip')} on both sides" if shared else "no clip on both sides"
        if len(self.folds) == 1:
            return f"{counted(self.folds[0].held.clips, 'clip')} held out, {leak}"
        more = f", {len(self.folds) - _MOST} more not drawn" if len(self.folds) > _MOST else ""
        return f"{counted(len(self.folds), 'fold')}{more}, {leak}"

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        count = min(len(self.folds), _MOST)
        if not count:
            return
        if count == 1:
            self._paint_sides(painter, self.folds[0])
            return
        wide = (self.width() - 2 * tokens.PAD - 8 * (count - 1)) / count
        for at in range(count):
            left = tokens.PAD + at * (wide + 8)
            for k in range(count):
                x0, x1 = (round(left + wide * edge / count) for edge in (k, k + 1))
                color = t.t2 if k == at else t.line2
                painter.fillRect(QRect(x0, 2, max(x1 - x0 - 2, 1), 20), QColor(color))

    def _paint_sides(self, painter: QPainter, fold: Fold) -> None:
        t, left, wide = current(), tokens.PAD, self.width() - 2 * tokens.PAD
        held = round(wide * fold.held.bags / max(fold.held.bags + fold.learned.bags, 1))
        painter.fillRect(QRect(left, 2, max(held - 2, 1), 20), QColor(t.t2))
        painter.fillRect(QRect(left + held, 2, max(wide - held - 2, 1), 20), QColor(t.line2))
