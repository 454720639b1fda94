"""Readers of public multiple-instance benchmark files, told apart by what they hold.

Text: C4.5 (`musk1.data`: name of the bag, name of the instance, features, class), comma-separated numbers (bag label,
bag number, features) and blank-separated numbers (bag number, bag label, instance number, instance label, features;
comments from %). MATLAB: variables X (N, D), Bag2 (N,) from 1 and bagI (K,) in {0, 1}, in one file or in the files of
a folder.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import FormatError
from emberscope.datasets.matlab import read_variables
from emberscope.datasets.points import Points

_LINE = 1 << 22  # bytes of a line, and comment lines before the first instance, looked at to tell what a file is
_COMMENTS = 1000
_FILES = 16  # a folder of more MATLAB files is something else
_LABELS = {-1.0: -1, 0.0: -1, 1.0: 1}
_MATLAB = b"MATLAB 5.0 MAT-file"
_VARIABLES = ("x", "bag2", "bagi")
_KNOWN = "Known: C4.5, comma- or blank-separated text; MATLAB variables X, Bag2, bagI."


@dataclass(frozen=True, slots=True)
class Row:
    """What a line says of an instance: its bag, the label of that, its own (None where not given), features."""

    bag: str
    bag_label: int
    label: int | None
    features: list[float]


@dataclass(frozen=True, slots=True)
class Text:
    """A format of one instance per line: the separator of its fields (None: blanks) and how they are read.

    row : fields -> Row; raises ValueError, saying what is wrong with the line.
    """

    name: str
    separator: str | None
    row: Callable[[list[str]], Row]


def is_benchmark(path: str | Path) -> bool:
    """Whether a file or folder begins like a benchmark; it may still be damaged further on."""
    path = Path(path)
    try:
        return bool(_matlab_files(path)) or (path.is_file() and _text_format(path) is not None)
    except OSError:
        return False


def read_benchmark(path: str | Path) -> Points:
    """Instances (float64), their labels where the file has them, and bags in order of first appearance.

    Raises FormatError, with the number of the line.
    """
    path = Path(path)
    try:
        files = _matlab_files(path)
        if files:
            return _read_matlab(path, files)
        form = None if path.is_dir() else _text_format(path)
        if form is None:
            raise FormatError(str(path), None, "not a multiple-instance benchmark", _KNOWN)
        return _read_text(path, form)
    except OSError as error:
        raise FormatError(str(path), None, (error.strerror or str(error)).lower(), "Check the path.") from error


# --- text ------------------------------------------------------------------------------------------------------------


def _c45(fields: list[str]) -> Row:
    if len(fields) < 4:
        raise ValueError("too few fields")
    if not fields[0] or _is_number(fields[0]):
        raise ValueError(f"the name of the bag is {fields[0]!r}")
    return Row(fields[0], _label(fields[-1].removesuffix(".")), None, _numbers(fields[2:-1]))


def _table(fields: list[str]) -> Row:
    if len(fields) < 3:
        raise ValueError("too few fields")
    return Row(_whole(fields[1]), _label(fields[0]), None, _numbers(fields[2:]))


def _numbered(fields: list[str]) -> Row:
    if len(fields) < 5:
        raise ValueError("too few fields")
    _whole(fields[2])
    return Row(_whole(fields[0]), _label(fields[1]), _label(fields[3]), _numbers(fields[4:]))


TEXTS = (Text("C4.5", ",", _c45), Text("comma-separated", ",", _table), Text("blank-separated", None, _numbered))


def _text_format(path: Path) -> Text | None:
    """The format whose reader understands the first line that is not a comment."""
    first = ""
    with path.open("rb") as file:
        for _ in range(_COMMENTS):
            line = file.readline(_LINE)
            first = line.decode("utf-8", errors="replace")
            if not line or not _is_comment(first):
                break
    for form in TEXTS:
        try:
            form.row(_fields(first, form))
        except ValueError:
            continue
        return form
    return None


def _read_text(path: Path, form: Text) -> Points:
    rows: list[Row] = []
    bags: dict[str, tuple[int, int, int]] = {}  # number, label, first line
    owner: list[int] = []
    for number, line in _lines(path):
        try:
            row = form.row(_fields(line, form))
        except ValueError as error:
            raise _at(path, number, f"{error}, as a {form.name} benchmark") from None
        if rows and len(row.features) != len(rows[0].features):
            raise _at(path, number, f"there are {len(row.features)} features, {len(rows[0].features)} before it")
        k, label, first = bags.setdefault(row.bag, (len(bags), row.bag_label, number))
        if label != row.bag_label:
            raise _at(path, number, f"bag {row.bag} has another label than in line {first}")
        rows.append(row)
        owner.append(k)
    y = None if rows[0].label is None else np.array([row.label for row in rows], np.int64)
    labels = np.array([label for _, label, _ in bags.values()], np.int8)
    return Points(np.array([row.features for row in rows]), y, Bags.from_column(np.array(owner), labels))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers, from 1, and texts of the lines that are not empty or comments."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError:
                raise _at(path, number, "it is not text") from None
            if not _is_comment(text):
                yield number, text


def _is_comment(line: str) -> bool:
    line = line.strip("\ufeff \t\r\n")
    return not line or line.startswith("%")


def _fields(line: str, form: Text) -> list[str]:
    return [field.strip() for field in line.strip("\ufeff \t\r\n").split(form.separator)]


def _at(path: Path, number: int, what: str) -> FormatError:
    return FormatError(f"{path}, line {number}", None, what, "Mend the line, or get the file again.")


def _label(text: str) -> int:
    if _is_number(text) and float(text) in _LABELS:
        return _LABELS[float(text)]
    raise ValueError(f"{text!r} is no label 0 or 1")


def _whole(text: str) -> str:
    if not (_is_number(text) and float(text).is_integer()):
        raise ValueError(f"{text!r} is no whole number")
    return str(int(float(text)))


def _numbers(fields: list[str]) -> list[float]:
    for field in fields:
        if not _is_number(field):
            raise ValueError(f"{field!r} is no finite number")
    return [float(field) for field in fields]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text  # 1_0 is a number to Python only
    except ValueError:
        return False


# --- MATLAB ----------------------------------------------------------------------------------------------------------


def _matlab_files(path: Path) -> list[Path]:
    """The MATLAB files that hold variables of a benchmark; none where it is something else."""
    files = sorted(path.glob("*.mat"))[: _FILES + 1] if path.is_dir() else [path] if path.is_file() else []
    if len(files) > _FILES:
        return []
    known = [name for file in files if _is_matlab(file) for name in _names(file)]
    return files if "bag2" in known or "bagi" in known else []


def _is_matlab(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MATLAB)) == _MATLAB


def _names(path: Path) -> list[str]:
    """Names of its variables, lower case, as far as they can be read."""
    names = []
    try:
        for variable in read_variables(path, names_only=True):
            names.append(variable.name.lower())
    except ValueError:
        pass  # whoever reads the values is told
    return names


def _read_matlab(path: Path, files: list[Path]) -> Points:
    found: dict[str, NDArray] = {}
    for file in files:
        found |= _variables(file)
    missing = [name for name in ("X", "Bag2", "bagI") if name.lower() not in found]
    if missing:
        have = ", ".join(found) or "none"
        raise FormatError(str(path), None, f"there is no variable {missing[0]}", f"Variables found: {have}.")
    X, bag, labels = (found[name] for name in _VARIABLES)
    if X.ndim != 2 or not X.size or not np.isfinite(X).all():
        raise FormatError(str(path), None, f"X of shape {X.shape} is not a table of finite numbers")
    bag, labels = bag.ravel(), labels.ravel()
    if len(bag) != len(X) or not np.isin(bag, np.arange(1, len(labels) + 1)).all():
        what = f"Bag2 is not one number 1 to {len(labels)} for each of {len(X)} instances"
        raise FormatError(str(path), None, what)
    if not np.isin(labels, list(_LABELS)).all():
        raise FormatError(str(path), None, "bagI holds something other than labels 0 and 1")
    return Points(X, None, Bags.from_column(bag.astype(np.int64) - 1, np.where(labels > 0, 1, -1)))


def _variables(path: Path) -> dict[str, NDArray[np.float64]]:
    """X, Bag2 and bagI, as far as the file holds them, by their names in lower case."""
    out = {}
    try:
        for variable in read_variables(path):
            if variable.name.lower() in _VARIABLES:
                if variable.values is None:
                    raise FormatError(str(path), None, f"variable {variable.name} holds no numbers")
                out[variable.name.lower()] = np.ascontiguousarray(variable.values, np.float64)
    except ValueError as error:
        raise FormatError(str(path), None, f"the file is damaged: {error}", "Get it again.") from error
    return out
