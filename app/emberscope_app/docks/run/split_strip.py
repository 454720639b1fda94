"""The strip of a split: a segment for each clip, as long as its bags, on which side they lie."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope.bags.clip_sides import ClipSides
from emberscope.project.nouns import OF_FRAMES
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, look
from emberscope_app.words import counted

_HEIGHT, _BAR, _GAP = 22, 14, 2  # px
_LEAST = 3  # px of a clip
_FEW = 12  # clips up to which the tip names each


class SplitStrip(QWidget):
    """What is held out is ink, what is only learned from gray, what takes no part an outline; a
    clip with frames on both sides is half and half."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sides: tuple[ClipSides, ...] = ()
        self.nouns = OF_FRAMES
        self.setFixedHeight(_HEIGHT)
        look().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)

    def show_sides(self, sides: Sequence[ClipSides]) -> None:
        """Show the clips of a split; nothing where there are none."""
        self.sides = tuple(sides)
        words = self.words()
        lines = [f"{clip.name}: {_clip_words(clip)}" for clip in self.sides[:_FEW]]
        self.setToolTip("\n".join(lines) or words)
        self.setAccessibleName(f"Split, {words}")
        self.setVisible(bool(self.sides))
        self.update()

    def words(self) -> str:
        """"5 folds of 6 clips, none on both sides"."""
        if not self.sides:
            return "nothing is held out"
        folds = len({number for clip in self.sides for number in clip.folds})
        held = sum(clip.held > 0 for clip in self.sides)
        mixed = sum(clip.mixed for clip in self.sides)
        out = sum(clip.left_out for clip in self.sides)
        both = f"frames of {counted(mixed, 'clip')} on both sides" if mixed else "no clip on both"
        words = f"{counted(held, 'clip')} held out in {counted(folds, 'fold')}, {both}"
        if self.nouns is not OF_FRAMES and mixed:  # its bags do not follow each other in time
            bags = sum(clip.held for clip in self.sides)
            words = f"{counted(bags, 'bag')} held out in {counted(folds, 'fold')}"
        words = self.nouns.say(words)
        return f"{words}, {counted(out, 'bag')} left out" if out else words

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        bags = [clip.held + clip.learned + clip.left_out for clip in self.sides]
        room = self.width() - 2 * tokens.PAD - _GAP * max(len(bags) - 1, 0)
        total, left = max(sum(bags), 1), float(tokens.PAD)
        top = (self.height() - _BAR) / 2
        for clip, count in zip(self.sides, bags, strict=True):
            wide = max(room * count / total, _LEAST)
            box = QRectF(left, top, wide, _BAR)
            painter.fillRect(box, QColor(t.bg4))
            if clip.left_out == count:
                painter.fillRect(box.adjusted(1, 1, -1, -1), QColor(t.bg1))
            elif clip.held and not clip.mixed:
                painter.fillRect(box, QColor(t.t2))
            elif clip.mixed:
                painter.fillRect(QRectF(left, top, wide, _BAR / 2), QColor(t.t2))
            left += wide + _GAP


def _clip_words(clip: ClipSides) -> str:
    """"40 bags held out in fold 2, 3 left out"."""
    parts = []
    if clip.held:
        where = f"fold {clip.folds[0] + 1}" if len(clip.folds) == 1 else counted(
            len(clip.folds), "fold")
        parts.append(f"{counted(clip.held, 'bag')} held out in {where}")
    parts += [f"{clip.learned} learned from"] if clip.learned else []
    parts += [f"{clip.left_out} left out"] if clip.left_out else []
    return ", ".join(parts)
