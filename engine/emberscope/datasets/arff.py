"""Weka's ARFF: one line per instance with columns by name, or one per bag with its instances in a
relational one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from emberscope.base.errors import FormatError
from emberscope.base.text_tables import FIELDS, check_fields
from emberscope.datasets.model import Points
from emberscope.datasets.named_columns import columns_of, read_columns
from emberscope.datasets.text_lines import Rows, at, label, lines, numbers

_NAMED = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|\S+)\s+(.*)""",
                    re.IGNORECASE)
_FIELD = re.compile(r"""\s*('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^,'"]*)\s*(,|$)""", re.DOTALL)
_LABEL = ("class", "label", "target")
_LINE_END = re.compile(r"\\n|\n")
_KNOWN = "Known: a column of names of bags, a relational one or columns of numbers, a class 0 or 1."


@dataclass
class _Head:
    """names : of the columns. inner : names within the relational column, empty where there is
    none."""

    names: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    relational: int | None = None


class Arff:
    """Reader of ARFF files of bags; see `Points` for what it returns."""
    name = "ARFF"

    def begins(self, line: str) -> bool:
        """Whether a file whose first line is this one names a relation."""
        return line.lower().startswith("@relation")

    def read(self, path: Path) -> Points:
        """The bags of a file. Raises FormatError where no column names them, or a value is none."""
        rows = lines(path)
        head = _head(path, rows)
        fields = _fields(path, rows)
        if head.relational is not None:
            return _read_bags(path, head, head.relational, fields)
        try:
            columns = columns_of(head.names)
        except ValueError as error:
            raise FormatError(str(path), None, str(error), _KNOWN) from None
        if columns is None:
            raise FormatError(str(path), None, "no column is called bag or molecule_name", _KNOWN)
        return read_columns(path, columns, fields)


def _head(path: Path, rows: Iterator[tuple[int, str]]) -> _Head:
    """The header, all before @data; the rows are left behind it."""
    head, inside = _Head(), False
    for line, text in rows:
        word = text.split(None, 1)[0].lower()
        if word == "@data":
            return head
        if word == "@end":
            inside = False
        elif word == "@attribute":
            found = _NAMED.match(text)
            if not found:
                raise at(path, line, "it is no @attribute with a name and a type")
            (head.inner if inside else head.names).append(_bare(found[1]))
            if found[2].strip().lower() == "relational":
                if inside or head.relational is not None:
                    raise at(path, line, "it is a second relational column", _KNOWN)
                inside, head.relational = True, len(head.names) - 1
    raise FormatError(str(path), None, "it ends before @data", "Get the file again.")


def _fields(path: Path, rows: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    for line, text in rows:
        if text.startswith("{"):
            raise at(path, line, "rows are sparse",
                     "Write the file with Weka's filter SparseToNonSparse.")
        try:
            yield line, _split(text)
        except ValueError as error:
            raise at(path, line, str(error)) from None


def _split(text: str) -> list[str]:
    out, place, comma = [], 0, ","
    while comma:
        found = _FIELD.match(text, place)
        if found is None:
            raise ValueError("a quotation is not closed")
        out.append(_bare(found[1].strip()))
        if len(out) > FIELDS:
            raise ValueError(f"there are more than {FIELDS} fields")
        place, comma = found.end(), found[2]
    return out


def _bare(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _read_bags(
    path: Path, head: _Head, relational: int, rows: Iterator[tuple[int, list[str]]]
) -> Points:
    """One line per bag. Its name is only a name: lines are bags of their own."""
    found = Rows()
    others = [column for column in range(len(head.names)) if column != relational]
    named = [column for column in others if head.names[column].lower() in _LABEL]
    if not others:
        raise FormatError(str(path), None, "there is no column of classes", _KNOWN)
    for k, (line, fields) in enumerate(rows):
        if len(fields) != len(head.names):
            raise at(path, line, f"there are {len(fields)} fields for {len(head.names)} columns")
        try:
            sign = label(fields[(named or others)[-1]])
            for text in _inside(fields[relational]):
                check_fields(text, ",")
                values = numbers(value.strip() for value in text.split(","))
                if len(values) != len(head.inner):
                    raise ValueError(
                        f"an instance has {len(values)} numbers for {len(head.inner)} columns")
                found.add(line, k, sign, values)
        except ValueError as error:
            raise at(path, line, str(error)) from None
    if not found.n:
        raise FormatError(str(path), None, "there is no instance", "Get the file again.")
    return found.points()


def _inside(text: str) -> Iterator[str]:
    """The lines within a relational field that hold something, one at a time."""
    place = 0
    for end in _LINE_END.finditer(text):
        if line := text[place : end.start()].strip():
            yield line
        place = end.end()
    if line := text[place:].strip():
        yield line


ARFF = Arff()
