"""The bytes of a table, as CSV or as Parquet."""

import io
from collections.abc import Iterable, Sequence

from emberscope.base.csv_cells import write_rows
from emberscope.base.tables.parquet import parquet_of
from emberscope.base.text import SHOWN

TABLES = ("csv", "parquet")


def table_file(rows: Iterable[Sequence[object]], form: str = "csv") -> bytes:
    """The file of a table whose first row names the columns. form : "csv", or "parquet", which
    raises ParamError where it is not installed."""
    if form == "parquet":
        return parquet_of(rows)
    out = io.StringIO(newline="")
    write_rows(out, rows)
    return out.getvalue().encode("utf-8", SHOWN)
