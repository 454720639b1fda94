"""What the text formats of benchmarks share: lines that count, numbers, labels, rows put together to bags."""

import gzip
import math
import zlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import FormatError
from emberscope.base.files import GROWTH, UNASKED, open_to_read
from emberscope.datasets.model import Points

LINE_BYTES = 64 << 20
_LINE = 1 << 22  # bytes of a line, and comment lines before the first instance, looked at to tell what a file is
_COMMENTS = 1000
_LARGEST = 1 << 28  # numbers of a sparse table, written out: 2 GiB
_GZIP = b"\x1f\x8b"
_EDGES = "\ufeff \t\r\n"
_POSITIVE = {"1", "positive", "pos", "true", "yes", "+", "musk", "target"}
_NEGATIVE = {"0", "-1", "negative", "neg", "false", "no", "-", "nonmusk", "background"}
_MISSING = {"", "?", "na", "n/a", "nan", "null", "none"}
_MEND = "Mend the line, or get the file again."


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers, from 1, and texts of the lines that are not empty or comments (from % or #); .gz is unpacked."""
    with _opened(path) as file:
        for number, line in enumerate(_unpacked(file, path), 1):
            try:
                text = line.decode("utf-8").strip(_EDGES)
            except UnicodeDecodeError:
                raise at(path, number, "it is not text in UTF-8") from None
            if not _is_comment(text):
                yield number, text


def first_line(path: Path) -> str:
    """The first line that is not empty or a comment; "" where there is none near the top, or it is no text."""
    try:
        with _opened(path) as file:
            for _ in range(_COMMENTS):
                line = file.readline(_LINE)
                text = line.decode("utf-8", errors="replace").strip(_EDGES)
                if not line or not _is_comment(text):
                    return "" if "\0" in text else text
    except (EOFError, gzip.BadGzipFile, zlib.error):
        pass
    return ""


def _opened(path: Path) -> IO[bytes]:
    with open_to_read(path) as file:
        packed = file.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path)) if packed else open_to_read(path)


def _unpacked(file: IO[bytes], path: Path) -> Iterator[bytes]:
    most, unpacked = max(UNASKED, GROWTH * path.stat().st_size), 0
    try:
        while line := file.readline(LINE_BYTES):
            unpacked += len(line)
            if len(line) == LINE_BYTES or unpacked > most:
                what = f"a line is longer than {LINE_BYTES >> 20} MiB" if unpacked <= most else "it unpacks to too much"
                raise FormatError(str(path), None, what, "Check what file it is.")
            yield line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(str(path), None, "the file ends early or is damaged", "Get it again.") from error


def _is_comment(line: str) -> bool:
    return not line or line[0] in "%#"


def at(path: Path, number: int, what: str, hint: str = _MEND) -> FormatError:
    """The error about a line of a file: what is wrong there, and what to do."""
    return FormatError(f"{path}, line {number}", None, what, hint)


def check_size(path: Path, n: int, width: int) -> None:
    """Raise FormatError where a sparse table is too large to be written out."""
    if n * width > _LARGEST:
        what = f"it holds {n} instances of {width} features, mostly 0, which take {n * width * 8 / 2**30:.0f} GiB"
        raise FormatError(str(path), None, what, "Keep fewer features, or reduce them first (TruncatedSVD).")


def label(text: str) -> int:
    """-1 or 1 of a text such as 0, 1., -1, True, NON-MUSK."""
    word = text.strip("'\" ").removesuffix(".").lower()
    if is_number(word):
        word = f"{float(word):g}"
    elif len(word) > 1:
        word = word.replace("-", "").replace("_", "")
    if word in _POSITIVE or word in _NEGATIVE:
        return 1 if word in _POSITIVE else -1
    raise ValueError(f"{text!r} is no label 0 or 1")


def numbers(fields: Iterable[str]) -> list[float]:
    """Finite numbers of a line, in order. Raises ValueError at the first field that is none."""
    return [number(field) for field in fields]


def number(field: str) -> float:
    """A field as a finite number. Raises ValueError, which names missing values as such."""
    if not is_number(field):
        missing = " (a missing value: fill it, or leave the row out)" if field.lower() in _MISSING else ""
        raise ValueError(f"{field!r} is no finite number{missing}")
    return float(field)


def whole(text: str) -> str:
    """A field as a whole number in its shortest form: 3.0 as 3. Raises ValueError."""
    if not (is_number(text) and float(text).is_integer()):
        raise ValueError(f"{text!r} is no whole number")
    return str(int(float(text)))


def is_number(text: str) -> bool:
    """Whether a field is a finite number."""
    try:
        return math.isfinite(float(text)) and "_" not in text  # 1_0 is a number to Python only
    except ValueError:
        return False


def points_of_rows(
    X: NDArray, bags: Sequence[Hashable] | NDArray, labels: ArrayLike, y: NDArray[np.int64] | None = None
) -> Points:
    """Bags in order of first appearance; their rows need not follow each other.

    labels : (N,) -1 or 1, those of the bags, repeated in their rows. Where rows of a bag differ in it, labels are those
        of instances: they become y, and a bag is positive where one of its instances is.
    """
    found: dict[Hashable, int] = {}
    owner = np.array([found.setdefault(bag, len(found)) for bag in bags], np.int64)
    labels = np.asarray(labels, np.int64)
    highest, lowest = np.full(len(found), -1, np.int64), np.ones(len(found), np.int64)
    np.maximum.at(highest, owner, labels)
    np.minimum.at(lowest, owner, labels)
    if y is None and not np.array_equal(highest, lowest):
        y = labels
    return Points(X, y, Bags.from_column(owner, highest))
