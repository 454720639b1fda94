"""One row of a published table, measured by its name."""

from pathlib import Path

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.tables import Line, benchmark, measured, read_table


def measure_row(
    table_name: str,
    name: str,
    *,
    data: Path | None = None,
    seeds: int = 0,
    seed: int = 0,
    monitor: Monitor,
) -> Line:
    """The row of that name. data : folder of public sets. seeds : draws, 0 = as the table says.

    Raises DataError where the table has no such row, FormatError where its data are missing.
    """
    table = read_table(table_name)
    row = next((row for row in table.rows if row.name == name), None)
    if row is None:
        raise DataError(f"the table has no row {name!r}", hint="Its rows changed; open it again.")
    monitor.step(0.0, row.name)
    points = benchmark(table.data, data) if table.data and not row.unavailable else None
    return measured(table, row, MEASURES, points=points, seeds=seeds, seed=seed, monitor=monitor)
