"""Which folders are Zarr, and what the arrays in them say of themselves."""

import json
import math
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.frames.readers.parts.base import DAMAGED

_ARRAY, _GROUP, _BOTH = ".zarray", ".zgroup", "zarr.json"  # of version 2, and of version 3
_LONGEST = 4 << 20  # bytes of what describes an array
_MOST, _DEEP = 1000, 4  # folders that are looked at, and levels of them
_SAVE = "Save it with blosc, zstd, gzip, lz4 or no compression."
_PACKED = ("blosc", "zstd", "gzip", "zlib", "lz4")


class ZarrArray(NamedTuple):
    """One array: its folder, shape, chunks, type as it is stored, how chunks are packed and named,
    and the value of chunks that are not there."""

    folder: Path
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    disk: np.dtype
    packing: tuple[str, ...]
    fortran: bool
    separator: str
    prefix: str
    fill: float

    def chunk(self, place: tuple[int, ...]) -> Path:
        """The file of a chunk, by its place in the grid of chunks."""
        return self.folder / f"{self.prefix}{self.separator.join(map(str, place))}"

    @property
    def chunk_bytes(self) -> int:
        """What a whole chunk takes, unpacked."""
        return math.prod(self.chunks) * self.disk.itemsize


def is_zarr(folder: Path) -> bool:
    """Whether a folder is an array or a group of Zarr."""
    return any((folder / name).is_file() for name in (_ARRAY, _GROUP, _BOTH))


def arrays_of(uri: str, folder: Path) -> dict[str, ZarrArray]:
    """Arrays of numbers below a folder by their names, "" for the folder itself; links are not
    followed.

    Raises FormatError where the only ones cannot be read.
    """
    found: dict[str, ZarrArray] = {}
    wrong: list[FormatError] = []
    waiting = [(folder, "")]
    for _ in range(_MOST):
        if not waiting:
            break
        place, name = waiting.pop(0)
        try:
            described = _described(uri, place)
        except FormatError as error:
            wrong.append(error)
            continue
        if described is not None:
            found[name] = described
        elif name.count("/") < _DEEP:
            inner = sorted(
                entry for entry in place.iterdir() if entry.is_dir() and not entry.is_symlink()
            )
            waiting += [
                (entry, f"{name}/{entry.name}".strip("/")) for entry in inner if is_zarr(entry)
            ]
    if not found and wrong:
        raise wrong[0]
    return found


def _described(uri: str, folder: Path) -> ZarrArray | None:
    """The array that a folder is; None for a group."""
    if (folder / _ARRAY).is_file():
        return _second(uri, folder, _read(uri, folder / _ARRAY))
    if (folder / _BOTH).is_file():
        said = _read(uri, folder / _BOTH)
        return _third(uri, folder, said) if said.get("node_type") == "array" else None
    return None


def _read(uri: str, path: Path) -> dict[str, Any]:
    with open_to_read(path) as file:
        text = file.read(_LONGEST)
    try:
        said = json.loads(text)
    except ValueError as error:
        raise FormatError(uri, None, f"{path.name} is damaged", DAMAGED) from error
    if not isinstance(said, dict):
        raise FormatError(uri, None, f"{path.name} is damaged", DAMAGED)
    return said


def _second(uri: str, folder: Path, said: dict[str, Any]) -> ZarrArray:
    packing = said.get("compressor")
    if said.get("filters"):
        raise FormatError(uri, None, "its chunks went through filters", _SAVE)
    packed = (_packing(uri, str(packing.get("id"))),) if packing else ()
    shape, chunks = _sides(uri, said.get("shape")), _sides(uri, said.get("chunks"))
    disk = _type(uri, str(said.get("dtype")))
    return _checked(uri, ZarrArray(folder, shape, chunks, disk, packed, said.get("order") == "F",
                                   str(said.get("dimension_separator", "."))[:1], "", _fill(said)))


def _third(uri: str, folder: Path, said: dict[str, Any]) -> ZarrArray:
    grid, keys = said.get("chunk_grid", {}), said.get("chunk_key_encoding", {})
    chunks = _sides(uri, grid.get("configuration", {}).get("chunk_shape"))
    packed: list[str] = []
    order: Literal["<", ">"] = "<"
    for codec in said.get("codecs", []):
        name, how = codec.get("name"), codec.get("configuration", {})
        if name == "bytes":
            order = ">" if how.get("endian") == "big" else "<"
        elif name == "crc32c":
            packed.append("crc32c")
        else:
            packed.append(_packing(uri, str(name)))
    usual = keys.get("name", "default") == "default"
    separator = str(keys.get("configuration", {}).get("separator", "/" if usual else "."))[:1]
    disk = _type(uri, str(said.get("data_type"))).newbyteorder(order)
    array = ZarrArray(
        folder,
        _sides(uri, said.get("shape")),
        chunks,
        disk,
        tuple(packed),
        False,
        separator,
        f"c{separator}" if usual else "",
        _fill(said),
    )
    return _checked(uri, array)


def _packing(uri: str, name: str) -> str:
    if name not in _PACKED:
        raise FormatError(uri, None, f"its chunks are packed by {name[:40]}", _SAVE)
    return name


def _sides(uri: str, sides: Any) -> tuple[int, ...]:
    if not isinstance(sides, list) or not all(
        isinstance(side, int) and 0 < side < 2**40 for side in sides
    ):
        raise FormatError(uri, None, f"it gives {str(sides)[:40]} for a shape", DAMAGED)
    return tuple(sides)


def _type(uri: str, name: str) -> np.dtype:
    try:
        found = np.dtype(name)
    except (TypeError, ValueError, SyntaxError) as error:
        raise FormatError(
            uri, None, f"its numbers are {name[:40]}", "Save integers or floats."
        ) from error
    if found.kind not in "buif":
        raise FormatError(
            uri, None, f"its values are {found}, not plain numbers", "Save integers or floats."
        )
    return found


def _fill(said: dict[str, Any]) -> float:
    value = said.get("fill_value")
    return float(value) if isinstance(value, int | float) else math.nan if value == "NaN" else 0.0


def _checked(uri: str, array: ZarrArray) -> ZarrArray:
    if len(array.chunks) != len(array.shape):
        raise FormatError(
            uri, None, f"its chunks {array.chunks} do not fit its shape {array.shape}", DAMAGED
        )
    if array.chunk_bytes > 2**31:
        raise FormatError(uri, None, "its chunks exceed 2 GiB", "Save it with smaller chunks.")
    return array
