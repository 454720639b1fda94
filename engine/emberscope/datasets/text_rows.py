"""Benchmarks of one instance per line, without names of columns: C4.5, comma- and blank-separated,
sparse."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from emberscope.base.text_tables import check_fields
from emberscope.datasets.model import Points
from emberscope.datasets.text_lines import (
    Rows,
    as_numbers,
    at,
    check_size,
    is_number,
    label,
    lines,
    number,
    numbers,
    whole,
)

_DIGITS = 9  # of the number of a feature
_ORDER = (
    "Columns in another order are read by their names: put a line such as bag,label,x1,x2 above "
    "them."
)


@dataclass(frozen=True, slots=True)
class Row:
    """What a line says of an instance: its bag, the label of that, its own (None where not given),
    features, and what it is called ("" where nothing says so)."""

    bag: str
    bag_label: int
    label: int | None
    features: list[float]
    instance: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """How the fields of a line are read.

    row : fields -> Row; raises ValueError, saying what is wrong with the line. separators :
    characters, of which a file uses one; "" : blanks. may_differ : rows of a bag may differ in its
    label, which is then that of the instance.
    """

    name: str
    separators: str
    row: Callable[[list[str]], Row]
    may_differ: bool = False

    def begins(self, line: str) -> bool:
        """Whether a line can be read as a row."""
        try:
            self.row(_fields(line, self))
        except ValueError:
            return False
        return True

    def read(self, path: Path) -> Points:
        """All rows of a file. Raises FormatError, with the number of the line."""
        rows, named = Rows(), set[tuple[str, str]]()
        for line, text in lines(path):
            try:
                row = self.row(_fields(text, self))
            except ValueError as error:
                raise at(path, line, f"{error}, as a {self.name} benchmark",
                         *self._hint()) from None
            first = rows.first_otherwise(row.bag, row.bag_label)
            if first is not None and not self.may_differ:
                raise at(path, line, f"bag {row.bag} has another label than in line {first}",
                         *self._hint())
            if _could_be_label(row.instance):
                if (row.bag, row.instance) in named:
                    what = (f"bag {row.bag} has a second instance {row.instance}, which could be "
                            "the label of the bag as well")
                    raise at(path, line, what, _ORDER)
                named.add((row.bag, row.instance))
            try:
                rows.add(line, row.bag, row.bag_label, row.features, row.label)
            except ValueError as error:
                raise at(path, line, str(error)) from None
        return rows.points()

    def _hint(self) -> tuple[str, ...]:
        return (_ORDER,) if self.row is _table else ()


def _could_be_label(name: str) -> bool:
    try:
        return bool(label(name))
    except ValueError:
        return False


def _fields(line: str, form: Text) -> list[str]:
    separator = next((mark for mark in form.separators if mark in line), None)
    if form.separators and separator is None:
        raise ValueError("too few fields")
    check_fields(line, separator or " ")
    return [field.strip() for field in line.split(separator)]


def _c45(fields: list[str]) -> Row:
    if len(fields) < 4:
        raise ValueError("too few fields")
    if not fields[0] or (is_number(fields[0]) and is_number(fields[1])):
        raise ValueError(f"the name of the bag is {fields[0]!r}")
    return Row(fields[0], label(fields[-1]), None, numbers(fields[2:-1]), fields[1])


def _table(fields: list[str]) -> Row:
    if len(fields) < 3:
        raise ValueError("too few fields")
    return Row(whole(fields[1]), label(fields[0]), None, numbers(fields[2:]))


def _numbered(fields: list[str]) -> Row:
    if len(fields) < 5:
        raise ValueError("too few fields")
    whole(fields[2])
    return Row(whole(fields[0]), label(fields[1]), label(fields[3]), numbers(fields[4:]))


C45 = Text("C4.5", ",;\t", _c45, may_differ=True)
TABLE = Text("comma-separated", ",;", _table)
NUMBERED = Text("blank-separated", "", _numbered)


class Sparse:
    """Lines of `instance:bag:label index:value ...`, indices from 1, values that are not named 0
    (Andrews et al.)."""

    name = "sparse"

    def begins(self, line: str) -> bool:
        """Whether a line can be read as a row."""
        try:
            self._row(line)
        except ValueError:
            return False
        return True

    def read(self, path: Path) -> Points:
        """All rows of a file. Raises FormatError, with the number of the line."""
        rows, width = Rows(), 0
        at_row, columns, values = array("q", [0]), array("q"), array("d")
        for line, text in lines(path):
            try:
                bag, sign, found = self._row(text)
            except ValueError as error:
                raise at(path, line, f"{error}, as a sparse benchmark") from None
            rows.add(line, bag, sign, ())
            columns.extend(found)
            values.extend(found.values())
            at_row.append(len(columns))
            width = max(width, max(found, default=0))
        check_size(path, rows.n, width)
        X = np.zeros((rows.n, width))
        row = np.repeat(np.arange(rows.n), np.diff(as_numbers(at_row)))
        X[row, as_numbers(columns) - 1] = as_numbers(values)
        return replace(rows.points(), X=X)

    def _row(self, line: str) -> tuple[str, int, dict[int, float]]:
        check_fields(line, ":")
        head, *rest = line.partition(" #")[0].split()
        names = head.rsplit(":", 2)
        if len(names) != 3 or not names[1]:
            raise ValueError(f"{head!r} is not instance:bag:label")
        found = {}
        for pair in rest:
            index, colon, value = pair.partition(":")
            if not colon or not index.isdecimal() or int(index) < 1:
                raise ValueError(f"{pair!r} is not index:value")
            found[int(index)] = number(value)
            if len(index) > _DIGITS:
                raise ValueError(f"{index:.80} is no number of a feature")
        return names[1], label(names[2]), found


SPARSE = Sparse()
