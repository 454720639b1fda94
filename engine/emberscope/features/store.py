"""Feature rows kept by instance id, so that one more label costs one more label's rows.

A store is a folder of segments: files of ids and rows, each written once and put in place whole.
Two processes may add at the same time; at worst an instance is there twice. Anything may be deleted
at any time.
"""

import contextlib
import uuid
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.cache_file import SUFFIX, read_arrays, throw_away, write_arrays
from emberscope.base.own_files import remove

MAX_SEGMENTS = 32
_IDS, _ROWS = 0, 1


@dataclass(frozen=True, slots=True)
class _Segment:
    ids: NDArray[np.int64]
    rows: NDArray[np.float32] | None = None  # only of one that could not be written


class RowStore:
    """Rows of `width` float32 by int64 id, in one folder. Opening it reads ids only.

    Rows are checked against their checksum whenever they are read; a damaged segment is as one that
    never was.
    """

    def __init__(self, folder: str | Path, *, width: int) -> None:
        self._folder = Path(folder)
        self._width = width
        self._segments: dict[str, _Segment] = {}
        self._index = _Index.of([])
        self.refresh()

    def __len__(self) -> int:
        return len(self._index.ids)

    def refresh(self) -> None:
        """See what other processes added or removed since."""
        there = {path.name
                 for path in self._folder.glob(f"*{SUFFIX}")} if self._folder.is_dir() else set()
        known = {name for name, segment in self._segments.items() if segment.rows is None}
        if there == known:
            return
        for name in known - there:
            del self._segments[name]
        for name in sorted(there - known):
            ids = self._read(name, _IDS)
            if ids is not None:
                self._segments[name] = _Segment(ids)
        self._index = _Index.of([segment.ids for segment in self._segments.values()])

    def find(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(N,) True where a row is known."""
        return self._index.find(ids)[1]

    def take(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """(N, width) rows of ids and (N,) where there is one; the others are NaN."""
        out, there = self._take(ids)
        if (there != self.find(ids)).any():  # damaged, or another process made one segment of many
            self.refresh()
            out, there = self._take(ids)
        return out, there

    def _take(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        place, known = self._index.find(ids)
        out = np.full((len(ids), self._width), np.nan, np.float32)
        there = np.zeros(len(ids), bool)
        if not known.any():
            return out, there
        segment_of, row_of = self._index.segment[place], self._index.row[place]
        for number, (name, segment) in enumerate(list(self._segments.items())):
            wanted = np.flatnonzero(known & (segment_of == number))
            if len(wanted):
                rows = self._read(name, _ROWS) if segment.rows is None else segment.rows
                if rows is not None and len(rows) == len(segment.ids):
                    out[wanted] = rows[row_of[wanted]]
                    there[wanted] = True
        return out, there

    def add(self, ids: NDArray[np.int64], rows: NDArray[np.float32]) -> None:
        """Keep rows. Where nothing can be written (full disk, read-only folder) they are kept in
        memory only."""
        if not len(ids):
            return
        name = f"{uuid.uuid4().hex}{SUFFIX}"
        on_disk = self._write(name, ids, rows)
        self._segments[name] = _Segment(ids.copy(), None if on_disk else rows.astype(np.float32))
        if len(self._segments) > MAX_SEGMENTS:
            self._compact()
        self._index = _Index.of([segment.ids for segment in self._segments.values()])

    def _compact(self) -> None:
        """One segment instead of many, each id once."""
        ids = np.unique(np.concatenate([segment.ids for segment in self._segments.values()]))
        self._index = _Index.of([segment.ids for segment in self._segments.values()])
        rows, there = self._take(ids)
        name = f"{uuid.uuid4().hex}{SUFFIX}"
        if self._write(name, ids[there], rows[there]):
            for old in self._segments:
                with contextlib.suppress(OSError):
                    remove(self._folder / old)
            self._segments = {name: _Segment(ids[there])}

    def _write(self, name: str, ids: NDArray, rows: NDArray) -> bool:
        arrays: list[NDArray] = [np.asarray(ids, np.int64), np.asarray(rows, np.float32)]
        return write_arrays(self._folder / name, self._folder.name, arrays)

    def _read(self, name: str, number: int) -> NDArray | None:
        """The ids or the rows of a segment, None where it is gone, damaged or of another kind."""
        found = read_arrays(self._folder / name, self._folder.name, [number])
        if found is None:
            return None
        wanted = (1, np.int64) if number == _IDS else (2, np.float32)
        if (found[0].ndim, found[0].dtype) != wanted or (number == _ROWS
                                                         and found[0].shape[1] != self._width):
            throw_away(self._folder / name, "its values are of another kind")
            return None
        return found[0]


class _Index:
    """Where the row of each id is: sorted ids, segment numbers and row numbers."""

    def __init__(self, ids: NDArray, segment: NDArray, row: NDArray) -> None:
        self.ids, self.segment, self.row = ids, segment, row

    @classmethod
    def of(cls, segments: list[NDArray[np.int64]]) -> "_Index":
        none = [np.empty(0, np.int64)]
        ids = np.concatenate(none + segments)
        number = np.repeat(np.arange(len(segments)), [len(found) for found in segments])
        row = np.concatenate(none + [np.arange(len(found)) for found in segments])
        ids, first = np.unique(ids, return_index=True)
        return cls(ids, number[first], row[first])

    def find(self, ids: NDArray) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Place of each id in the sorted table, and whether it is there."""
        place = np.searchsorted(self.ids, ids)
        place[place == len(self.ids)] = 0
        known = self.ids[place] == ids if len(self.ids) else np.zeros(len(ids), bool)
        return place, known
