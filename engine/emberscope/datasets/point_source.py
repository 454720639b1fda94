"""A point set as a source: each of its bags is a frame whose rows are the instances of the bag."""

import functools
import re
import zipfile
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError, EmberscopeError
from emberscope.base.files import check_file, open_to_read
from emberscope.base.grouping import how_many
from emberscope.datasets.benchmarks import is_benchmark, read_benchmark
from emberscope.datasets.matlab_bags import is_matlab_bags
from emberscope.datasets.model import Points
from emberscope.datasets.points import read_points
from emberscope.frames.readers.folder import contents
from emberscope.frames.readers.npy import holds_points
from emberscope.frames.readers.parts.base import MAX_SIDE, Source, fingerprint, fingerprint_files

_KEPT = 4  # files that are not read again while they are as they were

_FIRST = 1 << 16  # bytes that hold the first line


def begins_points(path: Path, *, numbers: bool) -> bool:
    """Whether a file or folder is a point set with labels or bags. numbers : it could be a table of
    temperatures too, so that all of its lines must say otherwise; so must those of numbers that
    nothing names, which may be tracks."""
    try:
        if path.is_dir():
            return is_matlab_bags(path) and not contents(path).frames
        check_file(path)
        if zipfile.is_zipfile(path):
            return holds_points(path)
        if not is_benchmark(path):
            return False
        doubtful = numbers or _names_nothing(path)
        bags = read_benchmark(path).bags if doubtful else None
        return not doubtful or (bags is not None and len(np.unique(bags.labels)) > 1)
    except (EmberscopeError, OSError, ValueError, zipfile.BadZipFile):
        return False


def _names_nothing(path: Path) -> bool:
    """Whether the first line of a table is numbers alone."""
    with open_to_read(path) as file:
        line = file.read(_FIRST).partition(b"\n")[0]
    return bool(line.strip()) and not re.search(rb"[^\d\s.,;eE+-]", line)


class PointSource(Source):
    """Rows that are no pixels, where a project wants frames.

    Frame k is bag k, in the order of the file, and after them each row in no bag by itself. Row r
    of the frame is the r-th instance of the bag, column j feature j; where a bag has fewer
    instances than the largest, its last row is repeated.

    With the option `bags_only`, labels of single instances in bags teach nothing: they only judge.

    Attributes
    ----------
    points : what the file holds. sizes : (n_frames,) int64, instances of each frame. numbers :
        (n_frames,) int64, the number of the bag of a frame, -1 for a row in no bag.
    """

    format = "points"
    accepts: ClassVar[tuple[str, ...]] = ("bags_only",)
    is_file: ClassVar[bool] = False  # nor a folder: `read_points` looks at it
    points: Points
    sizes: NDArray[np.int64]
    numbers: NDArray[np.int64]

    def _open(self) -> None:
        found = self._place.stat()
        self.points = _read(self.uri, found.st_size, found.st_mtime_ns)
        if self.options.get("bags_only") and self.points.bags is None:
            raise DataError("there are no bags to learn from alone", where=self.uri,
                            hint="Leave out bags_only, or give bags.")
        self._X = np.asarray(self.points.X, np.float32)
        self._indptr, self._rows, self.numbers = _frames(self.points)
        self.sizes = np.diff(self._indptr)
        self.n_frames, self.dtype = len(self.sizes), np.dtype(np.float32)
        self.shape = (int(self.sizes.max()), self._X.shape[1])
        self.units = "features"
        self._refuse_too_large()
        shared = len(self._rows) - len(self._X)
        if shared:
            more = f"{how_many(shared, 'time')} more"
            self.warnings.append(f"Instances in several bags stand in each of them, {more}.")

    def _refuse_too_large(self) -> None:
        rows, cols = self.shape
        if cols > MAX_SIDE:
            raise DataError(f"it has {cols} features", where=self.uri,
                            hint=f"Reduce them to {MAX_SIDE} or fewer first (TruncatedSVD).")
        if rows > MAX_SIDE:
            raise DataError(f"a bag has {rows} instances", where=self.uri,
                            hint=f"Split it into bags of {MAX_SIDE} or fewer.")
        if not np.isfinite(self._X).all():
            raise DataError("a feature is too large for single precision", where=self.uri,
                            hint="Scale the features to ordinary numbers.")

    def _check_size(self) -> None:
        """There are no frames to be allocated."""

    def _read(self, index: int) -> NDArray:
        own = self.rows_of(index)
        return self._X[np.append(own, np.repeat(own[-1], self.shape[0] - len(own)))]

    def fingerprint(self) -> str:
        """Of all of the file; of a folder of MATLAB files, of these."""
        if self._place.is_dir():
            return fingerprint_files(self._place.glob("*.mat"))
        return fingerprint(self.uri, whole=True)

    def columns(self) -> dict[str, list[str | None]]:
        """What the file says of its bags besides, by name: n_frames texts each, None where rows of
        a bag differ. "group" is the number of the bags that are tested together."""
        out: dict[str, list[str | None]] = {}
        for name, texts in self.points.columns.items():
            said = [{texts[row] for row in self.rows_of(k)} for k in range(self.n_frames)]
            out[name] = [next(iter(one)) or None if len(one) == 1 else None for one in said]
        groups = self.points.groups
        if groups is not None:
            own = self.numbers if self.points.bags is not None else np.arange(self.n_frames)
            out["group"] = [str(int(groups[k])) if k >= 0 else None for k in own.tolist()]
        return {name: values for name, values in out.items() if any(values)}

    def rows_of(self, index: int) -> NDArray[np.int64]:
        """Rows of X of the instances of a frame, in order."""
        return self._rows[self._indptr[index] : self._indptr[index + 1]]

    def labels_of(self, frame: NDArray, row: NDArray) -> NDArray[np.int8]:
        """(N,) labels +1 and -1 of instances that are rows (N,) of frames (N,); 0 for unknown."""
        y = self.points.y
        if y is None:
            return np.zeros(len(frame), np.int8)
        return np.sign(y[self._rows_at(frame, row)]).astype(np.int8)

    @functools.cached_property
    def spread(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(D,) mean and standard deviation of each feature over all rows, 1 for one that is the
        same in all."""
        deviation = self._X.std(axis=0)
        return self._X.mean(axis=0), np.where(deviation > 0, deviation, 1).astype(np.float32)

    def values(self, frame: NDArray, row: NDArray) -> NDArray[np.float32]:
        """(N, D) features of instances that are rows (N,) of frames (N,). Raises DataError where
        the file has no such instance."""
        return self._X[self._rows_at(frame, row)]

    def _rows_at(self, frame: NDArray, row: NDArray) -> NDArray[np.int64]:
        if len(frame) and (frame.max() >= self.n_frames or (row >= self.sizes[frame]).any()):
            raise DataError("it has fewer bags or instances than the labels of the project",
                            where=self.uri,
                            hint="It changed since it was added: put the old file back, or remove "
                                 "it from the project and add it again.")
        return self._rows[self._indptr[frame] + row]


@functools.lru_cache(maxsize=_KEPT)
def _read(uri: str, size: int, changed: int) -> Points:
    return read_points(uri)


def _frames(points: Points) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Frames as CSR of rows of X, and the bag of each: bags with instances, then rows in none."""
    n, bags = len(points.X), points.bags
    if bags is None:
        return np.arange(n + 1), np.arange(n), np.full(n, -1)
    full = np.flatnonzero(bags.sizes)
    kept = bags.take(full)
    alone = np.setdiff1d(np.arange(n), kept.members)
    indptr = np.concatenate([kept.indptr, kept.indptr[-1] + 1 + np.arange(len(alone))])
    return indptr, np.concatenate([kept.members, alone]), np.append(full, np.full(len(alone), -1))
