"""Benchmarks whose columns have names: tables with a header line, ARFF. Which column is the bag,
which the label."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from emberscope.base.errors import FormatError
from emberscope.base.text_tables import check_fields
from emberscope.datasets.model import Points
from emberscope.datasets.text_lines import Rows, at, first_line, label, lines, number

_BAG = ("bag", "bags", "bagid", "bagname", "bagno", "bagnumber", "bagindex", "milbag",
        "moleculename", "molecule")
_OF_BAG = ("baglabel", "bagclass", "bagy", "bagtarget")
_OF_INSTANCE = ("instancelabel", "instlabel", "instanceclass", "instancey")
_LABEL = ("label", "labels", "class", "target", "y")
_NO_FEATURE = ("", "id", "unnamed0", "index", "row", "instance", "instanceid", "instancename",
               "instno", "conformation",
               "conformationname", "fold", "split", "frame", "frameid", "frameno", "framenumber",
               "patient", "patientid", "subject", "subjectid", "image", "imageid", "source", "clip",
               "video", "sequence", "track", "trackid", "targetid", "occluded", "light", "daynight",
               "date", "time", "sensor", "camera", "site", "weather", "range", "rangem",
               "nominalrange", "aspect", "aspectdeg", "altitude", "cameraangle")
_NUMBERS = ("", "id", "unnamed0", "index", "row", "instance", "instanceid", "instancename",
            "instno", "conformation", "conformationname")  # of _NO_FEATURE, those that tell no bags
_SEPARATORS = ",;\t"


@dataclass(frozen=True, slots=True)
class Columns:
    """Numbers of the columns. instance : of the labels of instances, None where there are none."""

    names: list[str]
    bag: int
    label: int
    instance: int | None
    features: list[int]

    @property
    def others(self) -> list[int]:
        """Columns that say where a row comes from; those that only number the rows are none."""
        taken = {self.bag, self.label, self.instance, *self.features}
        return [k for k, name in enumerate(self.names)
                if k not in taken and _plain(name) not in _NUMBERS]


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def columns_of(names: Sequence[str]) -> Columns | None:
    """Which column is what; None where none is called a bag. Raises ValueError, saying what is
    missing."""
    plain = [_plain(name) for name in names]
    bag = next((plain.index(word) for word in _BAG if word in plain), None)
    if bag is None:
        return None
    of_bag = [k for k, name in enumerate(plain) if name in _OF_BAG]
    free = [plain.index(word) for word in _LABEL if word in plain]
    of_instance = [k for k, name in enumerate(plain) if name in _OF_INSTANCE]
    if of_bag:
        of_instance, free = (of_instance + free)[:1], []
    labels = of_bag or free[:1]
    if not labels:
        raise ValueError("no column is called label, class or bag_label")
    # beside x it is a coordinate
    twins = [k for k in free[1:] if plain[k] != "y" or "x" not in plain]
    if twins or len(of_bag) > 1:
        both = [names[k] for k in (of_bag or [*labels, *twins])[:2]]
        raise ValueError(f"columns {both[0]} and {both[1]} could both be the label")
    instance = of_instance[0] if of_instance else None
    taken = {bag, labels[0], instance}
    features = [k for k, name in enumerate(plain) if k not in taken and name not in _NO_FEATURE]
    if not features:
        raise ValueError("there are no columns of features")
    return Columns(list(names), bag, labels[0], instance, features)


def read_columns(path: Path, columns: Columns, rows: Iterator[tuple[int, list[str]]]) -> Points:
    """Points of rows of fields, each with the number of its line. Raises FormatError."""
    found, others = Rows(), {columns.names[k]: list[str]() for k in columns.others}
    for line, fields in rows:
        if len(fields) != len(columns.names):
            raise at(path, line, f"there are {len(fields)} fields for {len(columns.names)} columns")
        try:
            bag, sign = _name(fields[columns.bag]), label(fields[columns.label])
            own = None if columns.instance is None else label(fields[columns.instance])
            found.add(line, bag, sign,
                      [_feature(fields[k], columns.names[k]) for k in columns.features], own)
            for k in columns.others:
                others[columns.names[k]].append(fields[k])
        except ValueError as error:
            raise at(path, line, str(error)) from None
    if not found.n:
        raise FormatError(str(path), None, "there is no line of data", "Get the file again.")
    return replace(found.points(), columns=others)


def _name(text: str) -> str:
    if not text:
        raise ValueError("the bag has no name")
    return text


def _feature(text: str, name: str) -> float:
    try:
        return number(text)
    except ValueError as error:
        raise ValueError(f"column {name}: {error}") from None


class Header:
    """Tables whose first line names the columns, separated by commas, semicolons or tabs."""

    name = "table with a header line"

    def begins(self, line: str) -> bool:
        """Whether a line names the columns bag and label, well or badly."""
        try:
            names = _split(line, _separator(line))
        except ValueError:
            return False
        try:
            return columns_of(names) is not None
        except ValueError:
            return True  # reading it raises the error

    def read(self, path: Path) -> Points:
        """The bags of a file. Raises FormatError where the header names no bags or no labels."""
        head = first_line(path)
        separator = _separator(head)
        try:
            columns = columns_of(_split(head, separator))
        except ValueError as error:
            hint = "Name the columns of bags and labels in the first line: bag,label."
            raise FormatError(str(path), None, f"{error} in the header line", hint) from None
        assert columns is not None
        return read_columns(path, columns, self._rows(path, separator))

    def _rows(self, path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
        rows = lines(path)
        next(rows)
        for line, text in rows:
            try:
                yield line, _split(text, separator)
            except ValueError as error:
                raise at(path, line, str(error)) from None


def _separator(line: str) -> str:
    return max(_SEPARATORS, key=line.count)


def _split(line: str, separator: str) -> list[str]:
    check_fields(line, separator)
    try:
        return [field.strip()
                for field in next(csv.reader([line], delimiter=separator, skipinitialspace=True),
                                  [])]
    except csv.Error as error:
        raise ValueError(f"it is no table: {error}") from None


HEADER = Header()
