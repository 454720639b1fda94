"""Which ids are free: numbers go up only, and an id that was used once is never used again."""

from typing import Self

import msgspec

_OF_TABLE = {
    "sources": "record",
    "classes": "record",
    "side": "record",
    "labels": "label",
    "runs": "run",
}


class NextIds(msgspec.Struct, frozen=True):
    """The next free ids: of sources, classes and side information, which share one row of numbers;
    of labels; of runs.

    People count labels, whose bags have their names from them, and runs from 1.
    """

    record: int = 0
    label: int = 0
    run: int = 0

    def beyond(self, other: "NextIds") -> "NextIds":
        """Those that are free of both."""
        return NextIds(
            max(self.record, other.record), max(self.label, other.label), max(self.run, other.run)
        )

    def after(self, table: str, used: int | str) -> Self:
        """Those that are free once `used` is taken in a table of the project; the same where its
        keys are no ids."""
        row = _OF_TABLE.get(table)
        if row is None or int(used) < getattr(self, row):
            return self
        return msgspec.structs.replace(self, **{row: int(used) + 1})
