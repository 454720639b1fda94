"""A row per record of side information: its two chips, what it says, and whether others contradict
it."""

from PySide6.QtCore import QObject, Qt

from emberscope.base.ids import instance_name
from emberscope.labels.side_info import Pair, SideRecord, instances_of
from emberscope.project import Run
from emberscope_app.lists.cells import REST, Ground, Picture, Row, Spot, Words, line
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.table import Table
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.pixels.chip_cells import chip_cell
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.side import PAIR_KEYS, record_about, record_words
from emberscope_app.theme import tokens

ROW, CHIP, _GAP = 48, 32, 4  # px


class RecordModel(RowModel[SideRecord]):
    """Records, the newest first. `wrong`: ids of those that contradict each other."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.wrong: set[int] = set()
        self.shown = RowIndex(None)  # of the run whose chips stand beside the records

    def show_records(self, records: list[SideRecord], wrong: set[int]) -> None:
        self.wrong = wrong
        self.show_rows(records)

    def words(self, record: SideRecord, column: int) -> str:
        return record_words(record)

    def tip(self, record: SideRecord, column: int) -> str:
        return self.spoken(record, column)

    def spoken(self, record: SideRecord, column: int) -> str:
        """All of it: "Record 12: Same, chips 243276 and 118920, vehicle type, contradicted"."""
        names = [instance_name(i) for i in instances_of(record)[:2]]
        chips = f"chips {' and '.join(names)}" if len(names) == 2 else ""
        wrong = "contradicted by others" if record.id in self.wrong else ""
        parts = (record_words(record), chips, record_about(record), wrong)
        return f"Record {record.id}: {', '.join(part for part in parts if part)}"

    def row(self, record: SideRecord, spot: Spot) -> Row:
        wrong = record.id in self.wrong
        about = ", ".join(filter(None, ("contradicted" if wrong else "", record_about(record))))
        color = ("ok" if record.same else "err") if isinstance(record, Pair) else "t1"
        left = tokens.PAD + 2 * (CHIP + _GAP) + 8
        chips = (
            self._chip(instance, before=at * _GAP)
            for at, instance in enumerate(instances_of(record)[:2])
        )
        second = Words(
            about, px=tokens.PX_SMALL, color="warn" if wrong else "t2", whole_start=True, wide=REST
        )
        return Row((
            line(*chips, top=(ROW - CHIP) // 2, high=CHIP),
            line(Words(record_words(record), weight=600, color=color, wide=REST),
                 top=6 if about else 14, high=20,
                 left=left),
            line(second, top=26, high=16, left=left),
        ), Ground(rule=0))  # fmt: skip

    def _chip(self, instance: int, *, before: int) -> Picture:
        """The chip, where the run on show has it; a gray square elsewhere."""
        run, row = self.shown.of, self.shown.row(instance)
        if not isinstance(run, Run) or row < 0:
            return Picture(None, wide=CHIP, before=before)
        hovered = instance == self._session.selection.hover
        return chip_cell(self._session, run, row, CHIP, hovered=hovered, before=before)


class RecordTable(Table):
    """The records."""

    letters = frozenset({*PAIR_KEYS, Qt.Key.Key_Delete, Qt.Key.Key_Backspace})

    def __init__(self, session: Session, model: RecordModel) -> None:
        super().__init__(model, "Side information", row=ROW)
        chip_cache(session).ready.connect(self.viewport().update)
