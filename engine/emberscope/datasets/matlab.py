"""Numeric variables of MATLAB files (level 5, what `save` writes up to -v7), read with nothing but NumPy.

SciPy's reader takes the process down with it on some damaged files; this one checks every length before it is used.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_NUMERIC = range(6, 16)  # classes double, single, int8 ... uint64
_COMPLEX = 0x0800
_NAME_LENGTH = 1 << 12  # bytes of a variable that hold its name and shape


@dataclass(frozen=True, slots=True)
class Variable:
    """values : None where it is not a dense array of real numbers, or was not asked for."""

    name: str
    values: NDArray | None


def read_variables(path: str | Path, *, names_only: bool = False) -> Iterator[Variable]:
    """The variables of a file, one after the other. Raises ValueError where it is damaged, OSError."""
    path = Path(path)
    with path.open("rb") as file:
        size, header = path.stat().st_size, file.read(_HEADER)
        order = {b"IM": "<", b"MI": ">"}.get(header[126:])
        if order is None:
            raise ValueError("the header is damaged")
        at = _HEADER
        while at < size:
            file.seek(at)
            tag = file.read(8)
            if len(tag) < 8:
                raise ValueError("it ends early")
            kind, length = struct.unpack(f"{order}II", tag)
            at += 8 + length
            if at > size:
                raise ValueError("it ends early")
            inside = memoryview(file.read(min(length, _NAME_LENGTH) if names_only else length))
            if kind == _COMPRESSED:
                inside = memoryview(_unpacked(inside, _NAME_LENGTH if names_only else 0))
                kind, start, end = _tag(inside, 0, order, partly=names_only)
                inside = inside[start:end]
            if kind == _MATRIX:
                yield _matrix(inside, order, names_only)


def _unpacked(packed: memoryview, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error as error:
        raise ValueError(f"a variable cannot be unpacked: {error}") from error


def _tag(data: memoryview, at: int, order: str, *, partly: bool = False) -> tuple[int, int, int]:
    """Kind of the element at a place, where its bytes begin and end. partly : it may reach over the end of the data."""
    if len(data) < at + 8:
        raise ValueError("it ends early")
    kind, size = struct.unpack_from(f"{order}II", data, at)
    start = at + 8
    if kind >> 16:  # up to four bytes, inside the tag
        kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
        if size > 4:
            raise ValueError("a length is damaged")
    end = start + size
    if end > len(data) and not partly:
        raise ValueError("it ends early")
    return kind, start, min(end, len(data))


def _matrix(data: memoryview, order: str, names_only: bool) -> Variable:
    parts, at = [], 0
    for _ in range(3):  # flags, shape, name
        kind, start, end = _tag(data, at, order)
        parts.append((kind, data[start:end]))
        at = _next(at, start, end)
    flags = int(_numbers(*parts[0], order)[0]) if len(parts[0][1]) >= 4 else 0
    shape = [int(length) for length in _numbers(*parts[1], order)]
    name = bytes(parts[2][1]).decode("ascii", errors="replace")
    if names_only or (flags & 0xFF) not in _NUMERIC or flags & _COMPLEX:
        return Variable(name, None)
    kind, start, end = _tag(data, at, order)
    values = _numbers(kind, data[start:end], order)
    if min(shape, default=0) < 0 or int(np.prod(shape, dtype=object)) != len(values):
        raise ValueError(f"variable {name} announces shape {shape} and holds {len(values)} numbers")
    return Variable(name, values.reshape(shape, order="F"))


def _next(at: int, start: int, end: int) -> int:
    """Where the following element begins: elements fill whole groups of eight bytes."""
    return at + 8 if start == at + 4 else start + -(-(end - start) // 8) * 8


def _numbers(kind: int, data: memoryview, order: str) -> NDArray:
    if kind not in _TYPES:
        raise ValueError(f"there is no kind of numbers {kind}")
    dtype = np.dtype(order + _TYPES[kind])
    if len(data) % dtype.itemsize:
        raise ValueError("a length is damaged")
    return np.frombuffer(data, dtype)
