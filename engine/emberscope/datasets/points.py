"""Reads a point set from an .npz, a .npy or a benchmark file: what `emberscope embed` and
`classify` read; and distances between its rows."""

import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, FormatError
from emberscope.base.files import NotAFile, check_file, check_growth, open_to_read
from emberscope.base.labels import read_labels
from emberscope.datasets.benchmarks import is_benchmark, read_benchmark
from emberscope.datasets.model import Points
from emberscope.datasets.side_arrays import new_actions, read_side
from emberscope.datasets.unread_formats import SAVEZ, of_objects, what_instead
from emberscope.frames.readers.npy import npy_header

# what zipfile and numpy raise of a damaged archive; RuntimeError of a version or an encryption they
# do not know
_DAMAGED = (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, RuntimeError)
BAG_NUMBERS = "bag_y"  # the column of numbers of bags
_LARGEST = 1e100  # of a number: beyond, sums of squares overflow
_FARTHEST = 1e18  # of a distance: squares of some are added up in single precision
_BOTH_WAYS = 1e-5  # of a distance: what both ways may differ by
_SAVE = "Write it with numpy.save(path, D)."
_ORDINARY = "Scale the features to ordinary numbers."
_IN_NONE = "Use -1 for an instance in no bag."
_NUMBER = (
    "Number the bags: names, bag = np.unique(bag, return_inverse=True); bag_y then goes by the "
    "order of names."
)
_ONE_EACH = "Give one per bag: bag_y = bag_y[np.unique(bag, return_index=True)[1]]."


def is_point_set(path: str | Path) -> bool:
    """Whether it is an archive with an array X, or begins like a benchmark; `read_points` may still
    find fault."""
    if is_benchmark(path):
        return True
    try:
        check_file(path)
        with zipfile.ZipFile(path) as archive:
            return "X.npy" in archive.namelist()
    except _DAMAGED:
        return False


def read_points(path: str | Path, *, missing: bool = False) -> Points:
    """Read a point set from an .npz or .npy file, or from a benchmark file or folder
    (`benchmarks`).

    Arrays of an .npz: X (N, D), and optionally y (N,), of -1, 0 and +1 or of any classes
    (`base.labels.read_labels`); bags as bag (N,) or indptr (K + 1,) + members, with bag_y (K,), of
    -1, 0 and +1, or of fractions: numbers of bags (`Bags.values`), NaN where unknown; and
    bag_class (K,) whole numbers from 1, the class ids of the bags (without them 1 where positive, 2
    elsewhere); group (K,) whole numbers, bags that must be tested together (without bags: rows);
    X_new (M, D), Z_at (P, d); action_new (M - 1,), words, where the rows of X_new follow each
    other; side information as in `datasets.side_arrays`.

    missing : NaN in X and X_new stands for a value that is missing.

    Raises FormatError where the file cannot be read, DataError where its arrays do not fit
    together. No pickle.
    """
    if is_benchmark(path):
        points = read_benchmark(path)
        _check_magnitude("X", points.X, str(path))
        return points
    arrays = _read_arrays(Path(path))
    if "X" not in arrays:
        have = f"it has no array X, but {', '.join(arrays)}" if arrays else "it has no array X"
        raise FormatError(str(path), None, have, SAVEZ)
    X, y, X_new = arrays["X"], arrays.get("y"), arrays.get("X_new")
    _check_table("X", X, str(path), missing=missing)
    classes = None
    if y is not None and _names_classes(y, len(X), str(path)):
        y, classes = None, y
    elif y is not None:
        y = _labels("y", y, len(X), str(path))
    if X_new is not None:
        _check_table("X_new", X_new, str(path), missing=missing)
        if X_new.shape[1] != X.shape[1]:
            what = f"X_new has shape {X_new.shape} and X {X.shape}"
            raise DataError(what, where=str(path), hint="Same columns in both.")
    if "Z_at" in arrays:
        _check_table("Z_at", arrays["Z_at"], str(path))
    bags = _read_bags(arrays, len(X), str(path))
    groups = _groups(arrays["group"], len(X) if bags is None else len(bags),
                     str(path)) if "group" in arrays else None
    return Points(X, y, bags, X_new, arrays.get("Z_at"), groups, classes,
                  read_side(arrays, len(X), str(path)),
                  new_actions(arrays, 0 if X_new is None else len(X_new), str(path)),
                  _said(bags, arrays.get("bag_y"), len(X)))


def read_distances(path: str | Path, n: int) -> NDArray[np.float64]:
    """Squared distances (n, n) between the rows of a point set, exactly symmetric, from an .npy
    file of plain ones.

    Both ways may differ by 1e-5 of a distance; their mean counts. O(n²), 24 n² bytes.

    Raises FormatError where the file is none that `numpy.save` wrote, DataError where it holds
    other than distances between n rows. No pickle.
    """
    where = str(path)
    arrays = _read_arrays(Path(path), lambda path, error: ("not a table of distances", _SAVE))
    if zipfile.is_zipfile(path):
        raise FormatError(where, None, f"an archive of arrays ({', '.join(arrays)}), not one table",
                          _SAVE)
    D = arrays["X"]
    if D.ndim != 2 or D.dtype.kind not in "iufb" or D.shape[0] != D.shape[1]:
        raise DataError(f"distances have shape {D.shape} and dtype {D.dtype}", where=where,
                        hint="Give a square table of numbers.")
    if len(D) != n:
        raise DataError(f"distances are between {len(D)} instances, and X has {n}", where=where,
                        hint="Give a row and a column for each row of X.")
    _check_distances(D, where)
    D = (D.astype(np.float64) + D.T) / 2
    return np.square(D, out=D)


def _check_distances(D: NDArray, where: str) -> None:
    """Raise DataError, with the first place where a square table D (n, n) holds no distances.
    O(n²)."""
    for i, row in enumerate(D):
        wrong = ~np.isfinite(row) | (row < 0) | (row.astype(np.float64) > _FARTHEST)
        if wrong.any():
            j = int(np.argmax(wrong))
            raise DataError(f"the distance of rows {i} and {j} is {row[j]}", where=where,
                            hint="Distances are ordinary numbers of 0 or more.")
        if row[i] != 0:
            raise DataError(f"row {i} has a distance of {row[i]} from itself", where=where,
                            hint="Give distances, not likenesses.")
    for i, row in enumerate(D):
        back = D[:, i]
        apart = np.abs(np.subtract(row, back, dtype=np.float64))
        apart = apart > _BOTH_WAYS * np.maximum(row, back)
        if apart.any():
            j = int(np.argmax(apart))
            raise DataError(f"from row {i} to row {j} the distance is {row[j]}, and back {back[j]}",
                            where=where,
                            hint="Give the mean of the table and its transpose.")


def _names_classes(y: NDArray, n: int, where: str) -> bool:
    """Whether y (n,) holds classes, not signs. Raises DataError where it can be neither."""
    if y.shape != (n,):
        return False
    try:
        return read_labels(y).names is not None
    except DataError as error:
        raise DataError(error.what, where=where, hint=error.hint) from error


def _check_table(name: str, values: NDArray, where: str, *, missing: bool = False) -> None:
    if values.ndim != 2 or values.dtype.kind not in "iufb" or not values.size:
        what = f"{name} has shape {values.shape} and dtype {values.dtype}"
        raise DataError(what, where=where,
                        hint=f"{name} is a table of numbers, one instance per row.")
    bad = np.argwhere(np.isinf(values) if missing else ~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        what = f"{name} holds {values[row, column]}, first in row {row}, feature {column}"
        raise DataError(what, where=where, hint="Remove the row or fill the value.")
    _check_magnitude(name, values, where)


def _check_magnitude(name: str, values: NDArray, where: str) -> None:
    largest = max(abs(float(np.nanmax(values))),
                  abs(float(np.nanmin(values)))) if not np.isnan(values).all() else 0.0
    if largest > _LARGEST:
        raise DataError(f"the largest value of {name} is {largest:.3g}", where=where,
                        hint=_ORDINARY)


def _why(path: Path, error: Exception) -> tuple[str, str]:
    """What is wrong with the file of a point set, and the next step."""
    if "allow_pickle=False" in str(error):
        what, hint = of_objects()
    elif zipfile.is_zipfile(path):
        what, hint = "the file is damaged", "Copy or write it again."
    else:
        what, hint = what_instead(path)
    return f"not a point set: {what}", hint


def _read_arrays(
    path: Path, why: Callable[[Path, Exception], tuple[str, str]] = _why
) -> dict[str, NDArray]:
    """The arrays of an archive by their names; one array alone is X."""
    try:
        with open_to_read(path) as file:  # numpy leaves a damaged file open
            _check_sizes(path)
            found = np.load(file, allow_pickle=False)
            if isinstance(found, np.ndarray):
                return {"X": found}
            return {name: found[name] for name in found.files}
    except NotAFile as error:
        raise FormatError(str(path), None, str(error.strerror),
                          "Save it as a file, and give that.") from error
    except FileNotFoundError:
        raise FormatError(str(path), None, "there is no such file", "Check the path.") from None
    except _DAMAGED as error:
        what, hint = why(path, error)
        raise FormatError(str(path), None, what, hint) from error


def _check_sizes(path: Path) -> None:
    """Raise FormatError where an array announces more than the file holds: before memory is taken
    for it."""
    if not zipfile.is_zipfile(path):
        with open_to_read(path) as file:
            _check_size(str(path), "it", file, path.stat().st_size)
        return
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        total = sum(member.file_size for member in members)
        check_growth(str(path), total, path.stat().st_size, what="an archive")
        for member in members:
            with archive.open(member) as file:
                _check_size(str(path), member.filename.removesuffix(".npy"), cast(BinaryIO, file),
                            member.file_size)


def _check_size(where: str, what: str, file: BinaryIO, size: int) -> None:
    shape, dtype, _ = npy_header(file)
    wanted = 0 if dtype.hasobject else int(np.prod(shape, dtype=object)) * dtype.itemsize
    if wanted > size:
        why = f"{what} announces {wanted} bytes and holds {max(size - file.tell(), 0)}"
        raise FormatError(where, None, why, "The file is cut short: write or copy it again.")


def _read_bags(arrays: dict[str, NDArray], n: int, where: str) -> Bags | None:
    if "bag" not in arrays and "indptr" not in arrays:
        return None
    if "bag_y" not in arrays:
        raise DataError("there are bags but no bag_y", where=where,
                        hint="Give bag_y, one label -1 or +1 per bag.")
    given, values = arrays["bag_y"], None
    if _are_numbers(given):
        values = _values(given, where)
        labels = np.where(np.isnan(values), 0, np.where(values > 0, 1, -1)).astype(np.int64)
    else:
        labels = _labels("bag_y", given, given.size, where)
    bags = replace(_members(arrays, labels, n, where), values=values)
    return replace(bags,
                   classes=_classes(arrays["bag_class"], len(bags),
                                    where)) if "bag_class" in arrays else bags


def _are_numbers(given: NDArray) -> bool:
    """Whether bag_y holds a number of each bag: fractions, of which one at least is no label."""
    return given.dtype.kind == "f" and not np.isin(given[np.isfinite(given)], (-1, 0, 1)).all()


def _values(given: NDArray, where: str) -> NDArray[np.float64]:
    """Numbers of bags less their median. Raises DataError where they say nothing."""
    known = given[~np.isnan(given)].astype(np.float64)
    if given.ndim != 1 or np.isinf(known).any() or np.abs(known).max() > _LARGEST:
        raise DataError("bag_y holds numbers of bags that are no ordinary ones", where=where,
                        hint="Give one number per bag, NaN where it is unknown.")
    if not np.ptp(known) > 0:
        raise DataError("bag_y holds the same number of every bag", where=where,
                        hint="Give labels -1 and +1, or numbers that differ.")
    return given.astype(np.float64) - np.median(known)


def _said(bags: Bags | None, given: NDArray | None, n: int) -> dict[str, list[str]]:
    """Column "bag_y" of the rows: the number of their bag, where bags have numbers."""
    if bags is None or given is None or bags.values is None:
        return {}
    numbers = [*(repr(value) if value == value else "" for value in given.tolist()), ""]
    return {BAG_NUMBERS: [numbers[k] for k in bags.first_bag(n).tolist()]}


def _members(arrays: dict[str, NDArray], labels: NDArray, n: int, where: str) -> Bags:
    if "bag" in arrays:
        bag = _whole(arrays["bag"])
        known = bag.shape == (n,) and bag.dtype.kind in "iu"
        if not known or (n and (bag.min() < -1 or bag.max() >= len(labels))):
            what = f"bag is not one number 0..{len(labels) - 1} for each of {n} instances"
            raise DataError(what, where=where, hint=_NUMBER if bag.shape == (n,) else _IN_NONE)
        if len(labels) == n > bag.max(initial=-1) + 1:
            what = (
                f"bag_y has a label for each of {n} instances, bag numbers "
                f"{bag.max(initial=-1) + 1} bags"
            )
            raise DataError(what, where=where, hint=_ONE_EACH)
        return Bags.from_column(bag.astype(np.int64), labels.astype(np.int8))
    if "members" not in arrays:
        raise DataError("there is indptr but no members", where=where,
                        hint="Give both, as in a CSR matrix.")
    indptr, members = arrays["indptr"], arrays["members"]
    whole = indptr.dtype.kind in "iu" and members.dtype.kind in "iu"
    if not whole or members.ndim != 1 or indptr.shape != (len(labels) + 1,):
        raise DataError("indptr and members are no row numbers of the bags", where=where,
                        hint="See a CSR matrix.")
    if members.size and not 0 <= members.min() <= members.max() < n:
        raise DataError(f"members holds {members.min()} to {members.max()}, X has rows 0 to "
                        f"{n - 1}", where=where)
    k = np.arange(len(labels), dtype=np.int64)
    classes = np.where(labels > 0, 1, 2).astype(np.int64)
    try:
        return Bags(indptr.astype(np.int64), members.astype(np.int64), labels.astype(np.int8), k,
                    classes)
    except DataError as error:
        raise DataError(error.what, where=where, hint=error.hint) from error


def _classes(values: NDArray, k: int, where: str) -> NDArray[np.int64]:
    if values.shape != (k,) or values.dtype.kind not in "iu" or (k and values.min() < 1):
        what = f"bag_class is not one whole number from 1 for each of {k} bags"
        raise DataError(what, where=where, hint="Give the class id of every bag.")
    return values.astype(np.int64)


def _groups(values: NDArray, k: int, where: str) -> NDArray[np.int64]:
    if values.shape != (k,) or values.dtype.kind not in "iu":
        raise DataError(f"group is not one whole number for each of {k} bags", where=where)
    return values.astype(np.int64)


def _labels(name: str, values: NDArray, n: int, where: str) -> NDArray[np.int64]:
    if values.shape != (n,):
        what = f"{name} has shape {values.shape} for {n} rows"
        raise DataError(what, where=where, hint="Give one label -1, 0 or +1 for each.")
    if values.dtype.kind == "b":  # False is an answer, 0 is none
        return np.where(values, 1, -1).astype(np.int64)
    values = _whole(values)
    if values.dtype.kind not in "iu" or not np.isin(values, (-1, 0, 1)).all():
        what = f"{name} is not one of -1, 0, +1 for each of {n} rows"
        raise DataError(what, where=where, hint="-1 is background, 0 unknown, +1 target.")
    return values.astype(np.int64)


def _whole(values: NDArray) -> NDArray:
    """Whole numbers as such, where they were written with a point."""
    if values.dtype.kind != "f" or np.abs(values).max(initial=0) > 2**53:
        return values
    if not np.array_equal(values, np.rint(values)):
        return values
    return values.astype(np.int64)
