"""A row per label that is probably wrong: its chip, what would change, why, how probable it is."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from emberscope.project import Run
from emberscope.project.model.doubtful_labels import ACCEPT, KEEP, DoubtfulLabel, change, reason
from emberscope.project.nouns import nouns_of
from emberscope_app.lists.cells import REST, RIGHT, Ground, Icon, Picture, Row, Spot, Words, line
from emberscope_app.lists.model import THING, RowModel
from emberscope_app.lists.view import RowList
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.pixels.chip_cells import chip_cell
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.review import Review
from emberscope_app.theme import tokens
from emberscope_app.words import percent

ROW, CHIP = 72, 48  # px
_LEFT = tokens.PAD + CHIP + 12
_DONE = {ACCEPT: "Accepted", KEEP: "Kept"}
KEYS = {Qt.Key.Key_A: ACCEPT, Qt.Key.Key_K: KEEP}


class DoubtModel(RowModel[DoubtfulLabel]):
    """The most doubtful first; what was decided stays in its place."""

    def __init__(self, session: Session, review: Review, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._review = session, review
        self.shown = RowIndex(None)  # of the run whose chips stand beside the labels

    def read(self) -> None:
        self.shown = RowIndex(self._session.run)
        self.show_rows(self._review.rows)

    def same(self, old: DoubtfulLabel, new: DoubtfulLabel) -> bool:
        return old.label == new.label

    def words(self, row: DoubtfulLabel, column: int) -> str:
        return self._change(row)

    def spoken(self, row: DoubtfulLabel, column: int) -> str:
        done = _DONE.get(self._review.decided.get(row.label, ""), "")
        where = self._where(row)
        wrong = f"probably wrong by {percent(row.wrong)}"
        said = (self._change(row), wrong, where, reason(row, self._session.project), done)
        return ", ".join(filter(None, said))

    def tip(self, row: DoubtfulLabel, column: int) -> str:
        return self.spoken(row, column)

    def height(self, row: DoubtfulLabel, width: int) -> int:
        return ROW

    def row(self, row: DoubtfulLabel, spot: Spot) -> Row:
        done = self._review.decided.get(row.label, "")
        title = Words(self._change(row), weight=600, color="t2" if done else "t1", wide=REST)
        right = Words(_DONE[done] if done else f"{percent(row.wrong)} wrong", align=RIGHT, wide=88,
                      color="t2" if done else "t1")
        sign = (Icon("check", "ok"),) if done else ()
        why = Words(reason(row, self._session.project), px=tokens.PX_SMALL, color="t2",
                    wide=REST, wraps=True)
        where = Words(self._where(row), px=tokens.PX_SMALL, color="t3", wide=REST)
        return Row((
            line(self._chip(row), top=(ROW - CHIP) // 2, high=CHIP),
            line(title, *sign, right, top=6, high=18, left=_LEFT),
            line(why, top=24, high=30, left=_LEFT),
            line(where, top=53, high=16, left=_LEFT),
        ), Ground(rule=0))  # fmt: skip

    def _change(self, row: DoubtfulLabel) -> str:
        """As it was proposed, also where it was accepted since."""
        return change(row, self._session.project)

    def _where(self, row: DoubtfulLabel) -> str:
        source = self._session.project.sources.get(row.source)
        frame = nouns_of(self._session.project).frame
        return f"{source.name if source is not None else 'gone'}, {frame} {row.frame + 1}"

    def _chip(self, row: DoubtfulLabel) -> Picture:
        """The most telling patch, where the run on show has it; a gray square elsewhere."""
        run, at = self.shown.of, self.shown.row(row.instance)
        if not isinstance(run, Run) or at < 0:
            return Picture(None, wide=CHIP)
        return chip_cell(self._session, run, at, CHIP, hovered=False)


class DoubtList(RowList):
    """The labels. `decided(row, what)` : a key decided about one."""

    letters = frozenset(KEYS)
    decided = Signal(object, str)

    def __init__(self, session: Session, model: DoubtModel) -> None:
        super().__init__(model, "Labels that are probably wrong")
        chip_cache(session).ready.connect(self.viewport().update)

    @property
    def row(self) -> DoubtfulLabel | None:
        """The label that is chosen."""
        index = self.currentIndex()
        return index.data(THING) if index.isValid() else None

    def choose(self, at: int) -> None:
        """Choose the row at a place, the last one where there are fewer."""
        rows = self.model().rowCount()
        if rows:
            self.setCurrentIndex(self.model().index(min(at, rows - 1), 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        what = KEYS.get(Qt.Key(event.key()))
        if what is not None and not event.modifiers() and self.row is not None:
            self.decided.emit(self.row, what)
        else:
            super().keyPressEvent(event)
