"""Feature rows kept by instance id, so that one more label costs one more label's rows.

A store is a folder of segments: .npy files of records (id, row), each written once and put in place whole. Two
processes may add at the same time; at worst an instance is there twice. Anything may be deleted at any time.
"""

import contextlib
import os
import shutil
import uuid
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAX_SEGMENTS = 32
DEFAULT_MAX_BYTES = 4 << 30


class RowStore:
    """Rows of `width` float32 by int64 id, in one folder. Opening it reads ids only; rows are memory-mapped."""

    def __init__(self, folder: str | Path, *, width: int) -> None:
        self._folder = Path(folder)
        self._kind = np.dtype([("id", "<i8"), ("row", "<f4", (width,))])
        self._segments: dict[str, NDArray] = {}
        self._index = _Index.of([])
        self.refresh()

    def __len__(self) -> int:
        return len(self._index.ids)

    def refresh(self) -> None:
        """See what other processes added or removed since."""
        names = {path.name for path in self._folder.glob("*.npy")} if self._folder.is_dir() else set()
        if names == self._segments.keys():
            return
        self._segments = {name: found for name, found in self._segments.items() if name in names}
        for name in sorted(names - self._segments.keys()):
            segment = self._open(self._folder / name)
            if segment is not None:
                self._segments[name] = segment
        self._index = _Index.of(list(self._segments.values()))

    def find(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(N,) True where a row is known."""
        return self._index.find(ids)[1]

    def rows(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """(N, width) rows of ids that are all known. Raises KeyError otherwise."""
        place, known = self._index.find(ids)
        if not known.all():
            raise KeyError(int(ids[~known][0]))
        out = np.empty((len(ids), self._kind["row"].shape[0]), np.float32)
        segment_of, row_of = self._index.segment[place], self._index.row[place]
        for number, segment in enumerate(self._index.segments):
            wanted = np.flatnonzero(segment_of == number)
            if len(wanted):
                out[wanted] = segment["row"][row_of[wanted]]
        return out

    def add(self, ids: NDArray[np.int64], rows: NDArray[np.float32]) -> None:
        """Keep rows. Where nothing can be written (full disk, read-only folder) they are kept in memory only."""
        if not len(ids):
            return
        segment = np.empty(len(ids), self._kind)
        segment["id"], segment["row"] = ids, rows
        try:
            name = self._write(segment)
        except OSError:
            name = f"{uuid.uuid4().hex} in memory"
        self._segments[name] = segment
        if len(self._segments) > MAX_SEGMENTS:
            self._compact()
        self._index = _Index.of(list(self._segments.values()))

    def _write(self, segment: NDArray) -> str:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{uuid.uuid4().hex}.npy"
        scratch = self._folder / f".{name}"
        try:
            with scratch.open("wb") as file:
                np.save(file, segment, allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())
            scratch.rename(self._folder / name)
        finally:
            scratch.unlink(missing_ok=True)
        return name

    def _compact(self) -> None:
        """One segment instead of many, each id once."""
        every = np.concatenate(list(self._segments.values()))
        merged = every[np.unique(every["id"], return_index=True)[1]]
        with contextlib.suppress(OSError):
            name = self._write(merged)
            for old in self._segments:
                (self._folder / old).unlink(missing_ok=True)
            self._segments = {name: merged}

    def _open(self, path: Path) -> NDArray | None:
        """The records of a segment, or None where it is damaged or of another kind."""
        try:
            segment = np.load(path, mmap_mode="r", allow_pickle=False)
        except Exception:  # NumPy raises nearly anything on a damaged file
            return None
        return segment if segment.dtype == self._kind and segment.ndim == 1 else None


class _Index:
    """Where the row of each id is: sorted ids, segment numbers and row numbers."""

    def __init__(self, segments: list[NDArray], ids: NDArray, segment: NDArray, row: NDArray) -> None:
        self.segments = segments
        self.ids, self.segment, self.row = ids, segment, row

    @classmethod
    def of(cls, segments: list[NDArray]) -> "_Index":
        none = [np.empty(0, np.int64)]
        ids = np.concatenate(none + [np.asarray(found["id"]) for found in segments])
        number = np.repeat(np.arange(len(segments)), [len(found) for found in segments])
        row = np.concatenate(none + [np.arange(len(found)) for found in segments])
        ids, first = np.unique(ids, return_index=True)
        return cls(segments, ids, number[first], row[first])

    def find(self, ids: NDArray) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Place of each id in the sorted table, and whether it is there."""
        place = np.searchsorted(self.ids, ids)
        place[place == len(self.ids)] = 0
        known = self.ids[place] == ids if len(self.ids) else np.zeros(len(ids), bool)
        return place, known


def trim_stores(folder: str | Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
    """Drop the stores in `folder` used longest ago until it holds at most `max_bytes`."""
    stores = []
    for path in Path(folder).glob("*/"):
        with contextlib.suppress(OSError):
            stores.append((path.stat().st_mtime, sum(file.stat().st_size for file in path.iterdir()), path))
    total = sum(size for _, size, _ in stores)
    for _, size, path in sorted(stores, key=lambda store: store[0])[:-1]:
        if total <= max_bytes:
            return
        shutil.rmtree(path, ignore_errors=True)
        total -= size
