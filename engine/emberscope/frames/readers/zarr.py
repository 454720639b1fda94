"""An array of Zarr, version 2 or 3, as frames: only chunks of a frame are unpacked."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import imagecodecs
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth, read_bytes
from emberscope.frames.readers.parts.axes import layout, others_note
from emberscope.frames.readers.parts.base import (
    COPY_AGAIN,
    Source,
    check_frame,
    fingerprint_files,
    native_dtype,
    reading,
)
from emberscope.frames.readers.parts.gray import COLOR_WARNING, bands_of, check_band, one_channel
from emberscope.frames.readers.parts.zarr_files import ZarrArray, arrays_of

_KEPT = 64 << 20           # bytes of unpacked chunks
_IN_FINGERPRINT = 10_000   # files of chunks
_CHECKSUM = 4              # bytes behind a chunk


class ZarrSource(Source):
    """One array of a Zarr folder. `dataset`: its name; default the largest of the most axes. `axis`
    counts frames."""

    format = "zarr"
    is_file = False
    accepts: ClassVar[tuple[str, ...]] = ("dataset", "axis", "band")

    def _open(self) -> None:
        found = {
            name: array
            for name, array in arrays_of(self.uri, self.path).items()
            if len(array.shape) in (2, 3, 4)
        }
        asked = self.options.get("dataset", "").strip("/")
        name = asked or max(
            found,
            key=lambda key: (len(found[key].shape), np.prod(found[key].shape, dtype=object)),
            default=None,
        )
        if name is None or name not in found:
            what = f"no array {name}" if name else "no array"
            names = ", ".join(sorted(found)[:20]) or "none"
            raise FormatError(
                self.uri,
                None,
                f"it has {what} of 2 to 4 dimensions and numbers",
                f"Usable: {names}.",
            )
        self._array = array = found[name]
        self._layout = layout(
            self.uri, array.shape, axis=self.options.get("axis"), what=name or "it"
        )
        self.n_frames, self.shape = self._layout.n_frames, self._layout.size
        check_band(self.uri, self.options.get("band", 1), bands_of(self._layout.n_samples))
        self.dtype = native_dtype(self.uri, array.disk)
        check_frame(self.uri, self.shape, self.dtype.itemsize)
        there = sum(path.stat().st_size for path in self._files())
        check_growth(self.uri, self.shape[0] * self.shape[1] * self.dtype.itemsize, there)
        if self._layout.note:
            self.warnings.append(self._layout.note)
        if self._layout.samples is not None:
            self.units = "display8"
            if "band" not in self.options:
                self.warnings.append(COLOR_WARNING)
        alike = sorted(
            key for key in found if key != name and len(found[key].shape) == len(array.shape)
        )
        if alike and not asked:
            self.warnings.append(others_note(name, alike))
        self._kept: dict[tuple[int, ...], NDArray] = {}
        self._facts = {"stored_shape": list(array.shape), "dataset": name,
                       "other_datasets": sorted(key for key in found if key != name)}
        if self._layout.samples is not None:
            self._facts["bands"] = bands_of(self._layout.n_samples)

    def _read(self, index: int) -> NDArray:
        wanted = [slice(index, index + 1) if axis == self._layout.frames else slice(0, side)
                  for axis, side in enumerate(self._array.shape)]
        part = self._region(wanted)
        key = tuple(0 if axis == self._layout.frames else entry
                    for axis, entry in enumerate(self._layout.key(0)))
        frame = self._layout.upright(part[key])
        return one_channel(self.uri, frame, self.options.get("band")).image

    def _region(self, wanted: list[slice]) -> NDArray:
        """A part of the array, put together of chunks."""
        array = self._array
        out = np.empty([part.stop - part.start for part in wanted], self.dtype)
        grid = [range(part.start // side, (part.stop - 1) // side + 1)
                for part, side in zip(wanted, array.chunks, strict=True)]
        for place in itertools.product(*grid):
            chunk = self._chunk(place)
            here, there = [], []
            for part, at, side in zip(wanted, place, array.chunks, strict=True):
                low, high = max(part.start, at * side), min(part.stop, (at + 1) * side)
                here.append(slice(low - part.start, high - part.start))
                there.append(slice(low - at * side, high - at * side))
            out[tuple(here)] = chunk[tuple(there)]
        return out

    def _chunk(self, place: tuple[int, ...]) -> NDArray:
        if place not in self._kept:
            while self._kept and (len(self._kept) + 1) * self._array.chunk_bytes > _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[place] = self._unpacked(place)
        return self._kept[place]

    def _unpacked(self, place: tuple[int, ...]) -> NDArray:
        array, path = self._array, self._array.chunk(place)
        if not path.is_file():
            fill = array.fill if array.disk.kind == "f" else int(np.nan_to_num(array.fill))
            return np.broadcast_to(np.array(fill, array.disk), array.chunks)  # takes no memory
        data = read_bytes(path)
        check_growth(str(path), array.chunk_bytes, len(data), what="a chunk")
        with reading(str(path)):
            for name in reversed(array.packing):
                data = bytes(_UNPACK[name](data, array))
        if len(data) != array.chunk_bytes:
            raise FormatError(
                str(path), None, f"a chunk of {array.chunk_bytes} bytes has {len(data)}", COPY_AGAIN
            )
        return np.frombuffer(data, array.disk).reshape(
            array.chunks, order="F" if array.fortran else "C"
        )

    def fingerprint(self) -> str:
        """A hash over names, sizes and times of the files of the array."""
        with reading(self.uri):
            return fingerprint_files(self._files())

    def _files(self) -> list[Path]:
        """What the array is made of; of very many the first ones."""
        every = (path for path in self._array.folder.rglob("*") if path.is_file())
        return sorted(itertools.islice(every, _IN_FINGERPRINT))

    def _close(self) -> None:
        self._kept = {}


def _blosc(data: bytes, array: ZarrArray) -> bytes | bytearray:
    """Its header says how long it is, and how much it unpacks to, for which memory is taken."""
    if (int.from_bytes(data[4:8], "little"), int.from_bytes(data[12:16], "little")) != (
        array.chunk_bytes,
        len(data),
    ):
        raise ValueError("it announces another size than it has")
    return imagecodecs.blosc_decode(data)


_UNPACK: dict[str, Callable[[bytes, ZarrArray], bytes | bytearray]] = {
    "blosc": _blosc,
    "zstd": lambda data, array: imagecodecs.zstd_decode(data, out=array.chunk_bytes),
    "gzip": lambda data, array: (
        imagecodecs.zlib_decode(data, out=array.chunk_bytes)
        if data[:2] != b"\x1f\x8b"
        else imagecodecs.gzip_decode(data, out=array.chunk_bytes)
    ),
    "zlib": lambda data, array: imagecodecs.zlib_decode(data, out=array.chunk_bytes),
    "lz4": lambda data, array: imagecodecs.lz4_decode(data[4:], out=array.chunk_bytes),
    "crc32c": lambda data, array: data[:-_CHECKSUM],
}
