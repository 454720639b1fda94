"""Bags in MATLAB files, in one file or in the files of a folder, recognized by names and kinds of
variables.

Layouts: X (N, D), Bag2 (N,) from 1, bagI (K,); features (N, D), bag_ids (N,), labels (N,), sparse
or not (Andrews et al.); a PRTools data set with ident.milbag (MIL toolbox, MIProblems); a cell per
bag with its instances, its label and perhaps the labels of its instances (Zhou et al.), or with
instances alone beside a vector of labels; a structure per bag.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.datasets.matlab import Sparse, Variable, read_variables
from emberscope.datasets.model import Points
from emberscope.datasets.text_lines import check_size, label, points_of_rows

_FILES = 16  # a folder of more MATLAB files is something else
_MAGIC = b"MATLAB 5.0 MAT-file"
_NEWER = b"MATLAB 7.3 MAT-file"
_X = ("features", "data", "instances", "instance", "x")
_BAG = ("bag_ids", "bag_id", "bagid", "bagids", "xtb", "milbag", "bag", "bags")
_LABEL = ("labels", "label", "y", "bag_labels", "bag_label", "class")
_DAMAGED = "Get it again."
_SAVE = (
    "In MATLAB: save('set.mat', 'features', 'bag_ids', 'labels', '-v7'), a row, a bag number, a "
    "label per instance."
)


def is_matlab_bags(path: Path) -> bool:
    """Whether variables are there that a layout knows, or that only MATLAB can turn into such."""
    files = _files(path)
    if any(_starts(file, _NEWER) for file in files):
        return len(files) == 1
    known = [variable for file in files if _starts(file, _MAGIC) for variable in _known(file)]
    names = {variable.name.lower() for variable in known}
    return bool(names & {"bag2", "bagi"} or names & set(_BAG) or any(
        variable.has_fields or variable.opaque or _is_cells(variable) for variable in known
    ))


def matlab_facts(path: Path) -> dict[str, Any] | None:
    """Sizes of a MATLAB file that holds no bags by itself, with what is missing in "notes"; None
    for any other file.

    Its largest table is taken for the instances, vectors of as many entries for their labels. No
    values are read.
    """
    if not path.is_file() or not _starts(path, _MAGIC):
        return None
    known = [variable for variable in _known(path) if len(variable.shape) == 2]
    n, width = max((variable.shape for variable in known), key=np.prod, default=(0, 0))
    labels = [v.name for v in known if min(v.shape) == 1 < n == max(v.shape) and width > 1]
    facts = {
        "kind": "points", "instances": n, "features": width, "labels": ", ".join(labels) or "none",
        "bags": 0, "variables": ", ".join(f"{v.name} {v.shape[0]} x {v.shape[1]}" for v in known),
    }
    if is_matlab_bags(path.parent):
        return (facts
                | {"notes": [f"The other files of its folder say which bags: give {path.parent}"]})
    return facts | {"notes": [f"Nothing in it says which instances make a bag. {_SAVE}"]}


def _is_cells(variable: Variable) -> bool:
    return variable.is_cell and len(variable.shape) == 2 and variable.shape[0] > 1


def read_matlab_bags(path: Path) -> Points:
    """Raises FormatError, OSError."""
    files = _files(path)
    if any(_starts(file, _NEWER) for file in files):
        raise FormatError(str(path), None, "MATLAB wrote it as -v7.3 (HDF5), which is not read",
                          _SAVE)
    found: list[Variable] = []
    for file in files:
        try:
            found.extend(read_variables(file))
        except ValueError as error:
            raise FormatError(str(file), None, f"the file is damaged: {error}", _DAMAGED) from error
    values = {variable.name.lower(): variable.values for variable in found if variable.name}
    if {"bag2", "bagi"} & set(values):
        return _three(path, values)
    for fields in _candidates(values):
        points = _columns(path, fields)
        if points is not None:
            return points
    for value in (*_labeled_cells(values), *values.values()):
        points = _per_bag(path, value)
        if points is not None:
            return points
    if any(variable.opaque for variable in found):
        raise FormatError(str(path), None,
                          "it holds an object of a MATLAB class, which only MATLAB reads", _SAVE)
    raise FormatError(str(path), None, f"no bags in its variables ({', '.join(values) or 'none'})",
                      _SAVE)


def _files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else []
    if path.is_dir():
        files = sorted(path.glob("*.mat"))[: _FILES + 1]
    return files if len(files) <= _FILES else []


def _starts(path: Path, magic: bytes) -> bool:
    with open_to_read(path) as file:
        return file.read(len(magic)) == magic


def _known(path: Path) -> list[Variable]:
    """Names and kinds of its variables, as far as they can be read."""
    known: list[Variable] = []
    with suppress(ValueError):  # reading the values raises the error
        known.extend(read_variables(path, names_only=True))
    return known


# --- X, Bag2, bagI --------------------------------------------------------------------------------


def _three(path: Path, found: dict[str, Any]) -> Points:
    missing = [name for name in ("X", "Bag2", "bagI") if name.lower() not in found]
    if missing:
        have = ", ".join(found) or "none"
        hint = f"Variables found: {have}."
        if path.is_file() and is_matlab_bags(path.parent):
            hint += f" Give the folder, which holds the others too: {path.parent}"
        raise FormatError(str(path), None, f"there is no variable {missing[0]}", hint)
    X = _table(path, "X", found["x"])
    bag, labels = (_vector(path, name, found[name.lower()]) for name in ("Bag2", "bagI"))
    if len(bag) != len(X) or not np.isin(bag, np.arange(1, len(labels) + 1)).all():
        what = f"Bag2 is not one number 1 to {len(labels)} for each of {len(X)} instances"
        turned = len(bag) == X.shape[1] != len(X)
        raise FormatError(str(path), None, what, (
            "X has a column for each instance: save it transposed, X = X'." if turned else ""))
    if not np.isin(labels, (-1, 0, 1)).all():
        raise FormatError(str(path), None, "bagI holds something other than labels 0 and 1")
    return Points(X, None, Bags.from_column(bag.astype(np.int64) - 1, np.where(labels > 0, 1, -1)))


# --- a row, a bag and a label per instance --------------------------------------------------------


def _candidates(values: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The variables themselves, then the fields of each structure."""
    yield values
    for value in values.values():
        if isinstance(value, dict):
            fields = {name.lower(): inside for name, inside in value.items()}
            ident = fields.get("ident")
            yield fields | ({name.lower(): v for name, v in ident.items()}
                            if isinstance(ident, dict) else {})


def _columns(path: Path, fields: dict[str, Any]) -> Points | None:
    """None where instances, bags or labels are not there."""
    x, bag, sign = (next((name for name in names if name in fields), None)
                    for names in (_X, _BAG, _LABEL))
    if x is None or bag is None or not (sign or "nlab" in fields) or _is_object(fields[x]):
        return None
    X = _table(path, x, fields[x])
    bags = _vector(path, bag, fields[bag], text=True)
    if sign is None or "nlab" in fields:
        labels = _named_labels(path, fields)
    else:
        labels = _signs(path, sign, _vector(path, sign, fields[sign], text=True))
    number = {name: k for k, name in enumerate(dict.fromkeys(np.sort(bags).tolist()))}
    # a label per bag, in the order of bag numbers
    if len(bags) == len(X) and len(labels) == len(number) != len(X):
        labels = labels[[number[name] for name in bags.tolist()]]
    if not len(bags) == len(labels) == len(X):
        what = (
            f"{len(X)} instances, {len(bags)} numbers of bags and {len(labels)} labels do not fit "
            "together"
        )
        raise FormatError(str(path), None, what, _SAVE)
    return points_of_rows(X, bags, labels)


def _named_labels(path: Path, fields: dict[str, Any]) -> NDArray[np.int64]:
    """Labels of PRTools: nlab numbers the rows of lablist, from 1."""
    nlab, names = _vector(path, "nlab", fields["nlab"]), fields.get("lablist")
    while isinstance(names, np.ndarray) and names.dtype == object and names.size:
        names = names.ravel()[0]
    if not isinstance(names, np.ndarray) or not np.isin(nlab, np.arange(1, len(names) + 1)).all():
        raise FormatError(str(path), None, "nlab does not number the rows of lablist", _DAMAGED)
    signs = _signs(path, "lablist", names.ravel())
    return signs[nlab.astype(np.int64) - 1]


# --- a cell or a structure per bag ----------------------------------------------------------------


def _per_bag(path: Path, value: Any) -> Points | None:
    """None where it is something else."""
    if not _is_object(value) or value.ndim != 2 or value.shape[0] * value.shape[1] < 2:
        return None
    if all(isinstance(item, dict) for item in value.ravel()):
        rows = [_of_structure(item) for item in value.ravel()]
        if any(row is None for row in rows):
            return None
        cells: list[list[Any]] = [row for row in rows if row is not None]
    elif value.shape[1] in (2, 3):
        cells = [list(row) for row in value]
    else:
        return None
    sparse = [row[0].shape for row in cells if isinstance(row[0], Sparse)]
    check_size(path, sum(n for n, _ in sparse), max((width for _, width in sparse), default=0))
    tables = [_table(path, f"bag {k + 1}", row[0]) for k, row in enumerate(cells)]
    if len({table.shape[1] for table in tables}) > 1:
        raise FormatError(str(path), None, "bags differ in the number of features",
                          "Make tables of equal width.")
    signs = [_signs(path, f"the label of bag {k + 1}", _vector(path, "label", row[1]))
             for k, row in enumerate(cells)]
    sizes = [len(table) for table in tables]
    own = [_signs(path, "labels of instances", _vector(path, "label", row[2])) for row in cells
           if len(row) > 2]
    if any(len(sign) != 1 for sign in signs) or (own and [len(one) for one in own] != sizes):
        raise FormatError(str(path), None, "labels are not one per bag, and one per instance",
                          _SAVE)
    owner = np.repeat(np.arange(len(cells)), sizes)
    y = np.concatenate(own) if own else None
    return points_of_rows(np.concatenate(tables), owner, np.concatenate(signs)[owner], y)


def _labeled_cells(values: dict[str, Any]) -> Iterator[NDArray[np.object_]]:
    """Cells in a row or a column, each a bag, beside a vector with a label for each: with both in
    a row per bag."""
    cells = [value for value in values.values()
             if _is_object(value) and value.ndim == 2 and 1 in value.shape]
    for value in cells:
        for signs in (values[name] for name in _LABEL if name in values):
            if isinstance(signs, np.ndarray) and not _is_object(signs) and len(
                    signs.ravel()) == len(value.ravel()):
                rows = np.empty((len(value.ravel()), 2), object)
                rows[:, 0] = value.ravel()
                rows[:, 1] = np.split(signs.ravel(), len(rows))
                yield rows


def _of_structure(item: dict[str, Any]) -> list[Any] | None:
    fields = {name.lower(): value for name, value in item.items()}
    x, sign = (next((fields[name] for name in names if name in fields), None)
               for names in (_X, _LABEL))
    return None if x is None or sign is None else [x, sign]


# --- values ---------------------------------------------------------------------------------------


def _is_object(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


def _dense(path: Path, name: str, value: Any) -> NDArray:
    if isinstance(value, Sparse):
        check_size(path, *value.shape)
        out = np.zeros(value.shape)
        np.add.at(out, (value.row, value.column), value.values)
        return out
    if not isinstance(value, np.ndarray) or value.dtype == object:
        raise FormatError(str(path), None, f"variable {name} holds no numbers", _SAVE)
    return value


def _table(path: Path, name: str, value: Any) -> NDArray[np.float64]:
    X = _dense(path, name, value)
    if X.dtype.kind == "U":
        raise FormatError(str(path), None, f"variable {name} holds no numbers", _SAVE)
    check_size(path, X.size, 1)
    X = np.ascontiguousarray(X, np.float64)
    if X.ndim != 2 or not X.size or not np.isfinite(X).all():
        raise FormatError(str(path), None,
                          f"{name} of shape {X.shape} is not a table of finite numbers")
    return X


def _vector(path: Path, name: str, value: Any, *, text: bool = False) -> NDArray:
    found = _dense(path, name, value).ravel()
    if found.dtype.kind == "U" and not text:
        raise FormatError(str(path), None, f"variable {name} holds no numbers", _SAVE)
    return found


def _signs(path: Path, name: str, values: NDArray) -> NDArray[np.int64]:
    try:
        return np.array([label(str(value)) for value in values.tolist()], np.int64)
    except ValueError as error:
        raise FormatError(str(path), None, f"{name}: {error}", _SAVE) from None
