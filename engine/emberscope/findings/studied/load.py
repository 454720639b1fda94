"""What the workers of a cluster do."""

import msgspec

from emberscope.base.grouping import how_many

_GIB = 1 << 30


class ClusterLoad(msgspec.Struct, frozen=True):
    """How busy the workers of a scheduler are.

    busy : share of the processors that they may use, from 0 on. memory, limit : bytes that they
    hold, and that they may hold, 0 for no bound. cells : at work now. differs : a sentence where
    one of them computes with other code, else "".
    """

    workers: int
    threads: int
    busy: float
    memory: int
    limit: int
    cells: int
    differs: str = ""

    @property
    def words(self) -> str:
        """ "2 workers, 87% busy"."""
        return f"{how_many(self.workers, 'worker')}, {self.busy:.0%} busy"

    @property
    def spoken(self) -> str:
        """ "2 workers, 87% busy, 1 cell at work, 1.2 of 16.0 GiB of memory." """
        bound = f" of {self.limit / _GIB:.1f}" if self.limit else ""
        return (f"{self.words}, {how_many(self.cells, 'cell')} at work, "
                f"{self.memory / _GIB:.1f}{bound} GiB of memory.")
