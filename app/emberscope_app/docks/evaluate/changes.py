"""What changed between two runs."""

import msgspec

from emberscope.findings.judged.pair import Change, Compared, Paired
from emberscope_app.lists.cells import REST, RIGHT, TOP, Cell, Ground, Icon, Row, Words, line
from emberscope_app.lists.layout import words_height
from emberscope_app.lists.stack import RowStack
from emberscope_app.theme import tokens
from emberscope_app.words import method_title


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
        rows = [(self._row(change), tokens.ROW) for change in self._changes]
        room = width - 2 * tokens.PAD
        return rows + [_sentence(words, room) for words in self.words]

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


def _sentence(words: str, room: int) -> tuple[Row, int]:
    """A sentence on as many lines as it takes."""
    high = words_height(words, room, tokens.PX_SMALL)
    said = Words(words, px=tokens.PX_SMALL, color="t2", align=TOP, wide=REST, wraps=True)
    return Row((line(said, top=6, high=high),), Ground()), high + 8


def _with_titles(change: Change) -> Change:
    """With the titles of methods in place of their ids."""
    if change.title != "Method":
        return change
    return msgspec.structs.replace(
        change, before=method_title(change.before), after=method_title(change.after))


def _flipped(pair: Paired) -> Change:
    """How many entries of a level are judged otherwise."""
    lost, won = pair.only_first, pair.only_second
    title = f"{pair.level.capitalize()}s"
    return Change(title, f"{lost} lost", f"{won} won", (won > lost) - (won < lost))
