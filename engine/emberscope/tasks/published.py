"""Published numbers, measured again."""

from pathlib import Path

from emberscope.base.monitor import Monitor
from emberscope.reproduction.tables import Line
from emberscope.tasks.request import Request


class MeasureRow(Request[Line], frozen=True, kw_only=True):
    """A row of a published table.

    table, row : their names. data : the folder of public sets, "" for none. seeds : draws, 0 = as
    the table says. seed : of the first one.
    """

    table: str
    row: str
    data: str = ""
    seeds: int = 0
    seed: int = 0


def measure_row(request: MeasureRow, monitor: Monitor) -> Line:
    """See `reproduction.one_row`."""
    from emberscope.reproduction import one_row

    folder = Path(request.data) if request.data else None
    return one_row.measure_row(
        request.table, request.row, data=folder, seeds=request.seeds, seed=request.seed,
        monitor=monitor,
    )  # fmt: skip
