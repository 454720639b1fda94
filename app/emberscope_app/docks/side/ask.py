"""Questions "same or different?": two large chips, three answers, and what the answers are
worth."""

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.ids import instance_name
from emberscope_app.lists.paint import paint_chip, paint_ring
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.questions import Questions
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Empty, text
from emberscope_app.theme.look import current, look
from emberscope_app.theme.words_and_bars import paint_words
from emberscope_app.words import counted

OFFER = (
    "Two chips at a time: the pair whose answer teaches the metric most. S same, D different, "
    "K skip."
)
ASK_KEYS = frozenset({Qt.Key.Key_S, Qt.Key.Key_D, Qt.Key.Key_K})
_LARGEST, _SMALLEST, _NAME, _GAP = 240, 56, 20, 8  # px


class AskPage(QWidget):
    """Starts, shows the question there is, takes answers by button or key."""

    def __init__(
        self, session: Session, questions: Questions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self.questions = session, questions
        self.empty = Empty(OFFER, action="Start", on_action=self.start)
        self.cards = Cards(session)
        self.same, self.different, self.skip = (
            self._button(*words)
            for words in (
                ("Same", "S", "The two chips are alike"),
                ("Different", "D", "The two chips differ"),
                ("Skip", "K", "You cannot tell; this pair is not asked again"),
            )
        )
        self.same.clicked.connect(lambda: questions.answer(same=True))
        self.different.clicked.connect(lambda: questions.answer(same=False))
        self.skip.clicked.connect(questions.skip)
        self.progress, self.news = text(), text(role="secondary")
        self._pages = QStackedWidget(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        questions.changed.connect(self.read)
        session.focus.changed.connect(lambda _names: self.read())
        # A project that was read-only was saved under another name
        session.saved.connect(self.read)
        self.read()

    def _button(self, title: str, key: str, tip: str) -> QPushButton:
        button = QPushButton(f"{title}  {key}")
        button.setAccessibleName(title)
        button.setToolTip(f"{tip} ({key})")
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        row.setSpacing(_GAP)
        for button, share in ((self.same, 3), (self.different, 4), (self.skip, 3)):
            row.addWidget(button, share)
        below = QVBoxLayout()
        below.setContentsMargins(tokens.PAD, 6, tokens.PAD, 8)
        below.setSpacing(2)
        for label in (self.progress, self.news):
            label.setWordWrap(True)
            below.addWidget(label)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.cards, 1)
        column.addLayout(row)
        column.addLayout(below)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(body)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)

    def start(self) -> None:
        """Ask, and take the keys."""
        self.questions.start()
        self.setFocus()

    def take(self, key: Qt.Key) -> bool:
        """Answer by a key. Whether it is one of them."""
        if key in ASK_KEYS and self.questions.question is not None:
            {Qt.Key.Key_S: self.same, Qt.Key.Key_D: self.different, Qt.Key.Key_K: self.skip}[
                key
            ].click()
        return key in ASK_KEYS

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.questions.set_in_sight(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.questions.set_in_sight(False)

    def read(self) -> None:
        """The question there is, or why there is none."""
        found = self.questions
        why = found.words
        asked = found.on and (found.question is not None or found.busy)
        if asked or self._pages.currentIndex() == 0 or why:
            self._pages.setCurrentIndex(1 if asked and not why else 0)
        self.empty.wait(not found.may_start, why or OFFER)
        for button in (self.same, self.different, self.skip):
            # A blink of gray would say nothing
            button.setEnabled(found.question is not None or found.busy)
        if found.question is not None:
            self.cards.show_pair((found.question.a, found.question.b))
            if self.hasFocus():
                self.same.setFocus()  # the ring says where keys go
        self.progress.setText(progress_words(found))
        self.news.setText(news_words(found) or "\u00a0")  # the chips keep their size


def progress_words(found: Questions) -> str:
    """"12 answered, held-out agreement 81 % (70 to 89 %)"."""
    standing = found.standing
    if standing is None:
        return ""
    share = standing.agreement.share
    if share != share:
        return f"{standing.answered} answered" + (
            ", too few to hold some out" if standing.answered else ""
        )
    low, high = (round(100 * end) for end in standing.agreement.interval.tolist())
    return (f"{standing.answered} answered, held-out agreement {round(100 * share)}\u00a0% "
            f"({low}\u00a0to\u00a0{high}\u00a0%)")


def news_words(found: Questions) -> str:
    """What the newest answer did, how many were skipped, and whether answers contradict each
    other."""
    words = []
    if found.standing is not None and found.standing.moved == found.standing.moved:
        moved = round(100 * found.standing.moved)
        words.append(
            f"The last answer moved distances by {f'{moved}' if moved else 'less than 1'}\u00a0%."
        )
    if found.skipped:
        words.append(f"{found.skipped} skipped.")
    if found.contradictions:
        words.append(f"{counted(found.contradictions, 'contradiction')}: see Records.")
    return " ".join(words)


class Cards(QWidget):
    """Two chips side by side, as large as there is room. A click selects both everywhere, a double
    click goes to the frame of the one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.pair: tuple[int, ...] = ()
        self._over = -1  # number of the chip that the mouse is over
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(_SMALLEST + _NAME + 2 * _GAP)
        chip_cache(session).ready.connect(self.update)
        look().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(240, 160)

    def show_pair(self, pair: tuple[int, int]) -> None:
        """Other chips."""
        self.pair = pair
        names = " and ".join(map(instance_name, pair))
        self.setAccessibleName(f"Chips {names}: same or different?")
        self.update()

    def places(self) -> list[QRect]:
        """Where the two chips are."""
        side = min(
            (self.width() - 2 * tokens.PAD - _GAP) // 2, self.height() - _NAME - 2 * _GAP, _LARGEST
        )
        left = (self.width() - 2 * side - _GAP) // 2
        top = max((self.height() - side - _NAME) // 2, _GAP)
        return [QRect(left + at * (side + _GAP), top, side, side) for at in (0, 1)]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), QColor(current().bg1))
        run, index = self._session.run, RowIndex(self._session.run)
        hover = self._session.selection.hover
        for at, (rect, instance) in enumerate(zip(self.places(), self.pair, strict=False)):
            row = index.row(instance)
            source = int(run.source[row]) if run is not None and row >= 0 else -1
            wrong = chip_cache(self._session).errors.get(source, "")
            paint_chip(
                painter, rect, chip_image(self._session, run, row, rect.width()), failed=bool(wrong)
            )
            paint_ring(
                painter,
                rect,
                selected=False,
                hovered=at == self._over or instance == hover,
                cursor=False,
            )
            words = wrong or self._where(row)
            paint_words(
                painter,
                QRect(rect.x(), rect.bottom() + 2, rect.width(), _NAME),
                words,
                px=tokens.PX_SMALL,
                color="err" if wrong else "t2",
            )

    def _where(self, row: int) -> str:
        """"pass_03, 212": clip and frame."""
        run = self._session.run
        if run is None or row < 0:
            return ""
        ref = self._session.project.sources.get(int(run.source[row]))
        name = (
            ref.name.rpartition(".")[0] or ref.name
            if ref is not None
            else f"source {int(run.source[row])}"
        )
        return f"{name}, {int(run.frame[row]) + 1}"

    def chip_at(self, at: QPointF) -> int:
        """Number of the chip at a place, -1 beside both."""
        return next((k for k, rect in enumerate(self.places()) if rect.contains(at.toPoint())), -1)

    def _point(self, over: int) -> None:
        if over != self._over:
            self._over = over
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if over >= 0 else Qt.CursorShape.ArrowCursor
            )
            instance = self.pair[over] if 0 <= over < len(self.pair) else None
            self._session.selection.set_hover(instance, origin=self)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.chip_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (
            event.button() == Qt.MouseButton.LeftButton
            and self.chip_at(event.position()) >= 0
            and self.pair
        ):
            self._session.selection.select(np.array(self.pair, np.int64), origin=self)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.chip_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and 0 <= at < len(self.pair):
            self._session.show_instance(self.pair[at])
