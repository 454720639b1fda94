"""One row of a published table, measured in the worker process."""

from pathlib import Path
from typing import Any

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.tables import Line, benchmark, measured, read_table


def row_task(arguments: dict[str, Any], monitor: Monitor) -> Line:
    """Arguments: "table" and "row" (their names); optional "data" (folder of public sets), "seeds", "seed".

    Raises DataError where the table has no such row.
    """
    table, wanted = read_table(arguments["table"]), arguments["row"]
    row = next((row for row in table.rows if row.name == wanted), None)
    if row is None:
        raise DataError(f"the table has no row {wanted!r}", hint="Its rows changed; open it again.")
    monitor.step(0.0, row.name)
    folder = Path(arguments["data"]) if arguments.get("data") else None
    points = benchmark(table.data, folder) if table.data and not row.unavailable else None
    seeds, seed = arguments.get("seeds", 0), arguments.get("seed", 0)
    return measured(table, row, MEASURES, points=points, seeds=seeds, seed=seed, monitor=monitor)
