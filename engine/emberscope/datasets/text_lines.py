"""What the text formats of benchmarks share: lines that count, numbers, labels, rows put together
to bags."""

import gzip
import math
import re
import zlib
from array import array
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import EmberscopeError, FormatError
from emberscope.base.files import GROWTH, open_to_read
from emberscope.datasets.model import Points
from emberscope.datasets.parquet_text import PARQUET, open_parquet

LINE_BYTES = 64 << 20
# bytes of a line, and of all lines before the first instance, looked at to tell what a file is
_LINE = 1 << 22
_COMMENTS = 1000
# bytes that any file is unpacked to; how many times its size a larger one is
_UNPACKED, _TEXT_GROWTH = 16 << 20, 16
_WRITTEN_OUT = 256 << 20  # bytes of a table of numbers, whatever the size of the file that holds it
_GZIP = b"\x1f\x8b"
_EDGES = "\ufeff \t\r\n"
_POSITIVE = {"1", "positive", "pos", "true", "yes", "+", "musk", "target"}
_NEGATIVE = {"0", "-1", "negative", "neg", "false", "no", "-", "nonmusk", "background"}
_MISSING = {"", "?", "na", "n/a", "nan", "null", "none"}
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_MEND = "Mend the line, or get the file again."


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers, from 1, and texts of the lines that are not empty or comments (from % or #); .gz is
    unpacked, Parquet written out."""
    with _opened(path) as file:
        for number, line in enumerate(_unpacked(file, path), 1):
            try:
                text = line.decode("utf-8").strip(_EDGES)
            except UnicodeDecodeError:
                raise at(path, number, "it is not text in UTF-8") from None
            if not _is_comment(text):
                yield number, text


def first_line(path: Path) -> str:
    """The first line that is not empty or a comment; "" where there is none near the top, or it is
    no text."""
    left = _LINE
    try:
        with _opened(path) as file:
            for _ in range(_COMMENTS):
                line = file.readline(left)
                left -= len(line)
                text = line.decode("utf-8", errors="replace").strip(_EDGES)
                if not line or not _is_comment(text):
                    return "" if "\0" in text else text
    except (EOFError, gzip.BadGzipFile, zlib.error, EmberscopeError):
        pass
    return ""


def _opened(path: Path) -> IO[bytes]:
    with open_to_read(path) as file:
        first = file.read(len(PARQUET))
    if first == PARQUET:
        return open_parquet(path)
    return cast(IO[bytes], gzip.open(path)) if first.startswith(_GZIP) else open_to_read(path)


def _unpacked(file: IO[bytes], path: Path) -> Iterator[bytes]:
    packed = isinstance(file, gzip.GzipFile)
    most, unpacked = max(_UNPACKED, _TEXT_GROWTH * path.stat().st_size), 0
    try:
        while line := file.readline(LINE_BYTES):
            unpacked += len(line)
            if packed and unpacked > most:
                what = f"it unpacks to more than {most >> 20} MiB of text"
                raise FormatError(str(path), None, what,
                                  "Unpack it (gunzip), and give the file that comes out.")
            if len(line) == LINE_BYTES:
                what = f"a line is longer than {LINE_BYTES >> 20} MiB"
                raise FormatError(str(path), None, what, "Check what file it is.")
            yield line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(str(path), None, "the file ends early or is damaged",
                          "Get it again.") from error


def _is_comment(line: str) -> bool:
    return not line or line[0] in "%#"


def at(path: Path, number: int, what: str, hint: str = _MEND) -> FormatError:
    """The error about a line of a file: what is wrong there, and what to do."""
    return FormatError(f"{path}, line {number}", None, what, hint)


def check_size(path: Path, n: int, width: int) -> None:
    """Raise FormatError where a table is too large to be written out: a small file announces it, as
    sparse ones can."""
    there = sum(file.stat().st_size
                for file in path.glob("*")) if path.is_dir() else path.stat().st_size
    if 8 * n * width > max(_WRITTEN_OUT, GROWTH * there):
        what = (
            f"it holds {n} instances of {width} features, which take {n * width * 8 / 2**30:.1f} "
            "GiB"
        )
        raise FormatError(str(path), None, f"{what} in a file of {there} bytes",
                          "Keep fewer features, or reduce them first (TruncatedSVD).")


def label(text: str) -> int:
    """-1 or 1 of a text such as 0, 1., -1, True, NON-MUSK."""
    word = text.strip("'\" ").removesuffix(".").lower()
    if is_number(word):
        word = f"{float(word):g}"
    elif len(word) > 1:
        word = word.replace("-", "").replace("_", "")
    if word in _POSITIVE or word in _NEGATIVE:
        return 1 if word in _POSITIVE else -1
    known = "write 0 or 1 (or -1 and 1, no and yes, negative and positive)"
    raise ValueError(f"{text!r:.80} does not say whether a bag is positive: {known}")


def numbers(fields: Iterable[str]) -> list[float]:
    """Finite numbers of a line, in order. Raises ValueError at the first field that is none."""
    return [number(field) for field in fields]


def number(field: str) -> float:
    """A field as a finite number. Raises ValueError, which names missing values as such."""
    try:
        value = float(field)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in field:
        why = ""
        if field.lower() in _MISSING:
            why = " (a missing value: fill it, or leave the row out)"
        elif _COMMA.fullmatch(field):
            why = " (its decimals have a comma: save the table with decimal points)"
        raise ValueError(f"{field!r:.80} is no finite number{why}")
    return value


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


class Rows:
    """Instances as they are read, line by line: a number takes eight bytes, the name of a bag is
    held once.

    n : how many there are. width : their number of features, that of the first one.
    """

    def __init__(self) -> None:
        self.n = self.width = 0
        self._values, self._labels, self._own, self._owner = (array("d"), array("b"), array("b"),
                                                              array("q"))
        self._number: dict[Hashable, int] = {}
        # line of the first row of a bag, and the label it gives
        self._first, self._bag_label = array("q"), array("b")

    def add(
        self, line: int, bag: Hashable, label: int, features: Iterable[float],
        own: int | None = None
    ) -> None:
        """One more instance. label : of its bag; own : of itself, for all instances or none.

        Raises ValueError where it has another number of features than the first one.
        """
        before = len(self._values)
        self._values.extend(features)
        width = len(self._values) - before
        if self.n == 0:
            self.width = width
        elif width != self.width:
            raise ValueError(f"there are {width} features, {self.width} before it")
        number = self._number.setdefault(bag, len(self._number))
        if number == len(self._first):
            self._first.append(line)
            self._bag_label.append(label)
        self._owner.append(number)
        self._labels.append(label)
        if own is not None:
            self._own.append(own)
        self.n += 1

    def first_otherwise(self, bag: Hashable, label: int) -> int | None:
        """The line of the first row of a bag, where it gives the bag another label."""
        number = self._number.get(bag)
        return None if number is None or self._bag_label[number] == label else self._first[number]

    def points(self) -> Points:
        """All of them."""
        X = as_numbers(self._values).reshape(self.n, self.width)
        y = as_numbers(self._own).astype(np.int64) if self._own else None
        return points_of_rows(X, as_numbers(self._owner), as_numbers(self._labels), y)


def as_numbers(values: "array[int] | array[float]") -> NDArray:
    """The same numbers, not copied."""
    return np.frombuffer(values, values.typecode) if values else np.empty(0, values.typecode)


def points_of_rows(
    X: NDArray, bags: NDArray, labels: ArrayLike, y: NDArray[np.int64] | None = None
) -> Points:
    """Bags in order of first appearance; their rows need not follow each other.

    bags : (N,) of each instance. labels : (N,) -1 or 1, those of the bags, repeated in their rows.
        Where rows of a bag differ in it, labels are those of instances: they become y, and a bag is
        positive where one of its instances is.
    """
    _, first, owner = np.unique(bags, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    owner = place[owner.reshape(-1)]
    labels = np.asarray(labels, np.int64)
    highest, lowest = np.full(len(first), -1, np.int64), np.ones(len(first), np.int64)
    np.maximum.at(highest, owner, labels)
    np.minimum.at(lowest, owner, labels)
    if y is None and not np.array_equal(highest, lowest):
        y = labels
    return Points(X, y, Bags.from_column(owner, highest))
