"""The split by which a run was judged: a strip of its folds, and what it is in words."""

from collections.abc import Mapping

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from emberscope.findings.split_sides import Fold, Split
from emberscope_app.state.runs.checked_runs import MOST
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, look
from emberscope_app.theme.text import Shortening

_MOST, _LEAST = 24, 3  # folds that are drawn; px of a bar with its gap
_HIGH = 24
_BESIDE = 84  # px of the strip beside its words


class FoldStrip(QWidget):
    """A group of bars for each fold: what it holds out is light, what is learned from meanwhile
    dark. Where one side judges once, the light part of the one bar is its share of the bags.

    small : beside words, with little between groups.
    """

    def __init__(self, *, small: bool = False) -> None:
        super().__init__()
        self.folds: list[Fold] = []
        self._gap, self._pad = (4, 0) if small else (8, tokens.PAD)
        self._bar = 12 if small else 20
        self.setFixedHeight(_HIGH)
        if small:
            self.setFixedWidth(_BESIDE)
        look().changed.connect(self.update)

    def show_split(self, split: Split | None) -> None:
        """Show the folds of a run; none where it held nothing out."""
        self.folds = split.folds if split is not None else []
        words = split.words if split is not None else ""
        self.setToolTip(words)
        self.setAccessibleName(f"Split: {words}")
        self.update()

    @property
    def drawn(self) -> int:
        """For how many folds there is room."""
        room, count = self.width() - 2 * self._pad, min(len(self.folds), _MOST)
        while count > 1 and (room - self._gap * (count - 1)) / count < _LEAST * count:
            count -= 1
        return count

    @property
    def left_out(self) -> str:
        """", 6 more not drawn"; "" where all are."""
        more = len(self.folds) - self.drawn
        return f", {more} more not drawn" if more else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter, count = current(), QPainter(self), self.drawn
        if not count:
            return
        top = (_HIGH - self._bar) // 2
        if count == len(self.folds) == 1:
            self._paint_sides(painter, self.folds[0], top)
            return
        wide = (self.width() - 2 * self._pad - self._gap * (count - 1)) / count
        for at in range(count):
            left = self._pad + at * (wide + self._gap)
            for k in range(count):
                x0, x1 = (round(left + wide * edge / count) for edge in (k, k + 1))
                color = t.t2 if k == at else t.line2
                painter.fillRect(QRect(x0, top, max(x1 - x0 - 1 - (self._gap > 4), 1), self._bar),
                                 QColor(color))

    def _paint_sides(self, painter: QPainter, fold: Fold, top: int) -> None:
        t, left, wide = current(), self._pad, self.width() - 2 * self._pad
        held = round(wide * fold.held.bags / max(fold.held.bags + fold.learned.bags, 1))
        painter.fillRect(QRect(left, top, max(held - 2, 1), self._bar), QColor(t.t2))
        painter.fillRect(
            QRect(left + held, top, max(wide - held - 2, 1), self._bar), QColor(t.line2)
        )


class SplitLine(QWidget):
    """Above a card: by which split its numbers came about, and below that the splits of runs that
    have another one."""

    def __init__(self) -> None:
        super().__init__()
        self.strip, self.words = FoldStrip(small=True), Shortening()
        self.others = [Shortening() for _ in range(MOST - 1)]
        row = QHBoxLayout(self)
        row.setContentsMargins(tokens.PAD, 4, tokens.PAD, 0)
        row.setSpacing(8)
        row.addWidget(self.strip)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        for words in (self.words, *self.others):
            words.setProperty("role", "secondary")
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            lines.addWidget(words)
        row.addLayout(lines, 1)
        self._parts: tuple[str, ...] = ()
        self._before, self._apart = "", list[str]()

    def show_split(
        self, run: int, split: Split | None, others: Mapping[int, Split] | None = None
    ) -> None:
        """Show the split of a run, and of which others it is not; None hides it."""
        self.setVisible(split is not None)
        if split is None:
            return
        self.strip.show_split(split)
        self.strip.setVisible(bool(split.folds))
        self._parts = tuple(filter(None, (split.head, split.shared)))
        apart = [f"run {other}: {its.head}" for other, its in (others or {}).items()
                 if its.head != split.head]  # fmt: skip
        for words in (self.words, *self.others):
            words.about = "\n".join([split.words, *apart])
        self._before = f"Run {run}: " if apart else ""
        self._apart = [line[:1].upper() + line[1:] for line in apart]
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """What frames of one clip do goes below where it has no room, and other runs do not need
        the line."""
        whole = self._before + "; ".join(self._parts)
        strip = self.strip.width() + 8 if self.strip.isVisibleTo(self) else 0
        room = self.width() - tokens.PAD - strip
        first, below = whole, self._apart
        if not below and self.words.fontMetrics().horizontalAdvance(whole) > room:
            first, *below = self._parts or ("",)
        self.words.setText(first)
        for at, words in enumerate(self.others):
            words.setText(below[at] if at < len(below) else "")
            words.setVisible(at < len(below))
