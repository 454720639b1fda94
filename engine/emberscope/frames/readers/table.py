"""Tables of temperatures as text, as programs of cameras export them: one frame, or several with a
head each."""

import io
import re
from array import array
from collections.abc import Iterator
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError, ParamError
from emberscope.base.files import open_to_read
from emberscope.base.monitor import monitored
from emberscope.frames.radiometry import ZERO_C
from emberscope.frames.readers.parts.base import Source, check_frame, to_read
from emberscope.frames.readers.parts.table_text import (
    cells_of,
    encoding_of,
    fits,
    is_row,
    number_in,
    style_of,
)

_HEAD = 1 << 18        # bytes in which the first row of numbers is looked for
_MOST_WIDE = 256 << 20  # bytes of a text in UTF-16, which is held in memory
_REPORTED = 20_000      # lines between two reports of progress
_UNITS = ("counts", "degC", "K", "degF")
_SAID = (
    ("degF", re.compile(r"fahrenheit|\u00b0\s*F\b|\bdeg\s*F\b|[(\[]\s*F\s*[)\]]", re.IGNORECASE)),
    (
        "degC",
        re.compile(
            r"celsius|centigrade|\u00b0\s*C\b|\u2103|\bdeg\s*C\b|[(\[]\s*C\s*[)\]]", re.IGNORECASE
        ),
    ),
    ("K", re.compile(r"kelvin|[(\[]\s*K\s*[)\]]|\bunits?\W+K\b", re.IGNORECASE)),
    (
        "counts",
        re.compile(r"\bcounts?\b|\bdigital level|\braw (?:signal|values?)\b", re.IGNORECASE),
    ),
)
_COMMAS = "Save it with ; or tabs between its numbers."


class TableSource(Source):
    """A text of numbers, one frame or several: rows of one width that follow each other are a
    frame.

    Cells are parted by commas, semicolons, tabs or blanks; decimals have a point or a comma. Lines
    around the numbers are looked through for their unit: degrees Fahrenheit are read as degrees
    Celsius. `units`: what the numbers are, where the text does not say; else what they are to be
    read as. Rows and columns that only number the others are left out. Of all frames the place in
    the file is kept, and one is taken apart at a time.
    """

    format = "table"
    accepts: ClassVar[tuple[str, ...]] = ("units",)

    def _open(self) -> None:
        self._file = open_to_read(self.path)
        head = self._file.read(_HEAD)
        encoding = encoding_of(head) or "latin-1"
        self._text = self._as_bytes(encoding)
        self._codec = "cp1252" if encoding == "cp1252" else "utf-8"
        lines = [line for _, line in self._lines(0, _HEAD)]
        style = style_of(lines, encoding)
        if style is None:
            raise FormatError(
                self.uri,
                0,
                "it holds no rows of numbers",
                "Save one row of the image in each line.",
            )
        self._style = style
        self._rows = self._cols = 0
        self._find_frames()
        self._say_what_else()
        self._units_of(lines)
        first = self._numbers(0)
        self._refuse_two_commas(first)
        self._skip = _numbering(first)
        self.shape = (first.shape[0] - self._skip[0], first.shape[1] - self._skip[1])
        check_frame(self.uri, self.shape, 4)
        self.dtype = np.dtype(np.float32)
        self._name_units(first)

    def _as_bytes(self, encoding: str) -> BinaryIO:
        """The text in an encoding where every line ends with one byte."""
        if not encoding.startswith("utf-16"):
            return self._file
        if self.path.stat().st_size > _MOST_WIDE:
            raise FormatError(
                self.uri, None, "it is a text in UTF-16 of more than 256 MiB", "Save it as UTF-8."
            )
        self._file.seek(0)
        return io.BytesIO(self._file.read().decode(encoding, "replace").encode())

    def _lines(self, at: int, most: int = -1) -> Iterator[tuple[int, str]]:
        """Lines from a byte on, and where each begins, until so many bytes were read."""
        self._text.seek(at)
        start = at
        while (most < 0 or at - start < most) and (line := self._text.readline(1 << 24)):
            yield at, line.decode(self._codec, "replace")
            at += len(line)

    def _find_frames(self) -> None:
        """Where frames begin: runs of rows of the width and number of the first one."""
        watch, size = monitored(self._monitor), max(self.path.stat().st_size, 1)
        self._starts, self._others = array("q"), 0
        begin, rows, cols = 0, 0, 0
        last = 0
        for number, (at, line) in enumerate(self._lines(0)):
            if number % _REPORTED == 0:
                watch.step(min(at / size, 1.0), "Finding frames")
            width = self._width(line, cols)
            if width != cols:
                self._take_run(begin, rows, cols)
                begin, rows, cols = at, 0, width
            rows, last = rows + 1, number
        self._take_run(begin, rows, cols, is_last=True)
        if not self._starts:
            raise FormatError(self.uri, None, f"none of its {last + 1} lines begins a frame",
                              "Save one row of the image in each line, at least 16 numbers wide.")
        self.n_frames = len(self._starts)

    def _width(self, line: str, cols: int) -> int:
        """Cells of a row, 0 for a line that is none.

        Of a row as wide as that before, or as frames are, only its ends are looked at: a word in
        the middle costs the frame, and moves no other.
        """
        cells = cells_of(line, self._style)
        if len(cells) > 2 and len(cells) in (cols, self._cols):
            return (
                len(cells)
                if number_in(cells[1]) is not None and number_in(cells[-1]) is not None
                else 0
            )
        return len(cells) if is_row(cells) else 0

    def _take_run(self, begin: int, rows: int, cols: int, *, is_last: bool = False) -> None:
        if not cols or (not fits(rows, cols) and not (self._starts and cols == self._cols)):
            return
        if not self._starts:
            self._rows, self._cols = rows, cols
        if (rows, cols) == (self._rows, self._cols):
            self._starts.append(begin)
        elif is_last and cols == self._cols and rows < self._rows:
            self._cut_short(len(self._starts), len(self._starts) + 1)
        else:
            self._others += 1

    def _say_what_else(self) -> None:
        if self._others:
            s = "s" if self._others > 1 else ""
            self.warnings.append(f"{self._others} table{s} of another size in it: left out.")

    def _units_of(self, lines: list[str]) -> None:
        wanted = self.options.get("units")
        if wanted is not None and wanted not in _UNITS:
            raise ParamError(
                f"there are no units {wanted}", where=self.uri, hint=f"Known: {', '.join(_UNITS)}."
            )
        row = next((k for k, line in enumerate(lines) if self._width(line, 0)), len(lines))
        around = "\n".join(line[:1000] for line in lines[: row + 1])
        self._said = next((unit for unit, words in _SAID if words.search(around)), None)

    def _name_units(self, first: NDArray) -> None:
        """What the numbers are, and what they are read as."""
        finite = first[np.isfinite(first)]
        wanted = self.options.get("units")
        stored = self._said or wanted or ("degC" if (finite != np.rint(finite)).any() else "counts")
        if self._said is None and wanted is None and stored == "degC":
            self.warnings.append("It names no unit: its numbers are taken for degrees Celsius. "
                                 f"{to_read('them otherwise', '--units K or degF')}")
        if wanted is not None and (wanted == "counts") != (stored == "counts"):
            raise FormatError(
                self.uri, None, f"its numbers are {stored}, not {wanted}", "Leave the units out."
            )
        self._stored, self.units = (
            stored,
            "degC" if wanted is None and stored == "degF" else wanted or stored,
        )
        if self.units == "degF":
            self.units = "degC"
        self._facts = {"stored units": stored}

    def _numbers(self, index: int) -> NDArray[np.float64]:
        """All cells of a frame, (rows, cells)."""
        out = np.empty((self._rows, self._cols))
        for row, (at, line) in enumerate(self._lines(self._starts[index])):
            if row == self._rows:
                break
            cells = cells_of(line, self._style)
            try:
                out[row] = [float(cell) for cell in cells]
            except ValueError:
                out[row] = self._slowly(cells, at)
        return out

    def _slowly(self, cells: list[str], at: int) -> list[float]:
        values = [number_in(cell) for cell in cells]
        if len(values) != self._cols or None in values:
            bad = next(
                (cell for cell, value in zip(cells, values, strict=True) if value is None), ""
            )
            what = (
                f"{bad[:20]!r} is no number"
                if bad
                else f"a row has {len(cells)} cells, not {self._cols}"
            )
            raise FormatError(self.uri, at, what, "Mend this line.")
        return [value for value in values if value is not None]

    def _refuse_two_commas(self, first: NDArray) -> None:
        """Of 20,123,20,456 nobody can know whether commas part numbers or their decimals."""
        if self._style.separator != "," or self._cols % 2:
            return
        with_rest = first[:, 1::2]
        whole = bool((first == np.rint(first)).all())
        line = next(line for _, line in self._lines(self._starts[0]))
        rest = [cell.strip() for cell in cells_of(line, self._style)[1::2]]
        if (
            whole
            and len({len(cell) for cell in rest}) == 1
            and any(len(c) > 1 and c[0] == "0" for c in rest)
            and with_rest.std() > 4 * first[:, 0::2].std()
        ):
            raise FormatError(
                self.uri,
                self._starts[0],
                "commas part its numbers and their decimals alike",
                _COMMAS,
            )

    def _read(self, index: int) -> NDArray:
        values = self._numbers(index)[self._skip[0] :, self._skip[1] :]
        if self._stored == "degF":
            values = (values - 32.0) / 1.8 + (ZERO_C if self.units == "K" else 0.0)
        elif self._stored != self.units:
            values = values + (ZERO_C if self.units == "K" else -ZERO_C)
        return values.astype(np.float32)

    def _close(self) -> None:
        for name in ("_text", "_file"):
            if name in self.__dict__:
                self.__dict__[name].close()


def _numbering(first: NDArray) -> tuple[int, int]:
    """Rows and columns at the start that only number the others, 0 or 1 of each."""

    def counts(values: NDArray) -> bool:
        start = values[0]
        return (
            len(values) >= 4
            and start in (0.0, 1.0)
            and bool((values == start + np.arange(len(values))).all())
        )

    row = (
        counts(first[0])
        or (bool(np.isnan(first[0, 0])) and counts(first[0, 1:]))
        or counts(first[0, 1:])
    )
    column = counts(first[:, 0]) or (row and counts(first[1:, 0]))
    return int(row), int(column)


