"""A Parquet file as the text of its columns, separated by commas, for the readers of text."""

import importlib
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, cast

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth, open_to_read
from emberscope.base.tables.parquet import parquet_library

PARQUET = b"PAR1"  # what such a file begins with


def open_parquet(path: Path) -> IO[bytes]:
    """A line of the names of its columns, then one a row; null is an empty field. Read a batch of
    rows at a time.

    Raises ParamError where pyarrow is not installed, FormatError for a damaged file, for columns
    that hold more than one value a row, and for more rows than a file of its size is believed to
    hold.
    """
    parquet, arrow = parquet_library(), importlib.import_module("pyarrow")
    with ExitStack() as opened:
        source = opened.enter_context(open_to_read(path))
        try:
            file = parquet.ParquetFile(source)
        except (arrow.ArrowException, OSError, ValueError) as error:
            raise _damaged(path) from error
        _check(file.schema_arrow, path, arrow.types.is_nested)
        counts = file.metadata
        check_growth(str(path), 8 * counts.num_rows * counts.num_columns, path.stat().st_size,
                     what="a table")
        opened.pop_all()  # the reader closes it
    return cast(IO[bytes], io.BufferedReader(_Parts(source, _text(file, path))))


def _check(columns: Iterable[Any], path: Path, is_nested: Callable[[Any], bool]) -> None:
    for column in columns:
        if is_nested(column.type):
            raise FormatError(str(path), None, f"its column {column.name!r:.80} holds lists",
                              "Write a column for each number of them.")


def _text(file: Any, path: Path) -> Iterator[bytes]:
    arrow, table = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    plain = table.WriteOptions(include_header=False, quoting_style="needed")

    def lines(rows: Any) -> bytes:
        out = io.BytesIO()
        table.write_csv(rows, out, plain)
        return out.getvalue()

    names = file.schema_arrow.names
    try:
        yield lines(arrow.Table.from_arrays([arrow.array([name]) for name in names], names=names))
        for batch in file.iter_batches():
            yield lines(batch)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> FormatError:
    return FormatError(str(path), None, "it begins like Parquet, and cannot be read",
                       "Get it again, or write it as CSV.")


class _Parts(io.RawIOBase):
    """Reads bytes that come in parts, of a file that it closes."""

    def __init__(self, source: IO[bytes], parts: Iterator[bytes]) -> None:
        self._source, self._parts, self._left = source, parts, b""

    def close(self) -> None:
        self._source.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._left = part
        taken = self._left[: len(buffer)]
        buffer[: len(taken)] = taken
        self._left = self._left[len(taken) :]
        return len(taken)
