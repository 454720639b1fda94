"""Damage, drawn from a seed: what disks, networks, other programs and strangers do to a file."""

import io
import json
import math
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable

import h5py
import numpy as np

from emberscope.project.store.hdf5 import CHECKSUMS, Writer

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"\w+")
# Bytes that repeated lines may come to: two repetitions of a long one made a file of 8 GB
_LARGEST = 64 << 20
_WHOLE = (
    0,
    1,
    2,
    127,
    128,
    255,
    2**15 - 1,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**62,
    2**63 - 1,
    2**64 - 1,
)
_TEXTS = (
    b"0",
    b"-1",
    b"1e999",
    b"-1e308",
    b"NaN",
    b"nan",
    b"Infinity",
    b"9" * 400,
    b"-" + b"9" * 400,
    b"1e-320",
    b"0x10",
    b"2147483648",
    b"9223372036854775808",
    b"18446744073709551616",
    b"1.5",
    b"true",
    b"null",
    b'""',
    b"[]",
    b"{}",
    b"x" * 70_000,
    b"\0",
    b"\xff\xfe",
    "\u0663".encode(),
    b'"',
    b"<",
    b"[" * 5000,
    b"{" * 5000,
    b'{"a":' * 3000,
    b"=1+1",
    b",",
    b"\n",
    b"\r",
    b"../../../../etc/passwd",
    b"/dev/zero",
)


def damaged(data: bytes, draw: random.Random) -> bytes:
    """One to three mutations of bytes; texts get those of texts more often."""
    is_text = b"\0" not in data[:256]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        if is_text and draw.random() < 0.7:
            data = draw.choice(_OF_TEXT)(data, draw)
        else:
            data = draw.choice(_OF_BYTES)(data, draw)
    return data


def _place(data: bytes, draw: random.Random) -> int:
    """A place in the data, most often near its start, where headers are, or near its end, where
    tables are."""
    n = max(len(data), 1)
    near = min(n, draw.choice((48, 512, n, n)))
    at = draw.randrange(near)
    return at if draw.random() < 0.85 else n - 1 - at


def _flip(data: bytes, draw: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8)) if out else 0):
        out[_place(data, draw)] ^= 1 << draw.randrange(8)
    return bytes(out)


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[:_place(data, draw)]


def _block(data: bytes, draw: random.Random) -> tuple[int, int]:
    at = _place(data, draw)
    return at, at + draw.choice((1, 4, 16, 64, 512, 4096))


def _repeat(data: bytes, draw: random.Random) -> bytes:
    start, stop = _block(data, draw)
    return data[:stop] + data[start:stop] * draw.choice((1, 1, 2, 50)) + data[stop:]


def _zero(data: bytes, draw: random.Random) -> bytes:
    start, stop = _block(data, draw)
    return data[:start] + draw.choice((b"\0", b"\xff")) * len(data[start:stop]) + data[stop:]


def _remove(data: bytes, draw: random.Random) -> bytes:
    start, stop = _block(data, draw)
    return data[:start] + data[stop:]


def _number(data: bytes, draw: random.Random) -> bytes:
    """A number of 1, 2, 4 or 8 bytes in either order, or a float, becomes an extreme one."""
    size, order = draw.choice((1, 2, 4, 8)), draw.choice("<>")
    at = _place(data, draw) // size * size
    if size > 2 and draw.random() < 0.3:
        raw = struct.pack(
            order + "fd"[size // 8], draw.choice((float("nan"), float("inf"), -1e30, 1e30, 1e-40))
        )
    else:
        value = draw.choice(_WHOLE) - draw.choice((0, 0, 1))
        raw = (value % 256**size).to_bytes(size, "little" if order == "<" else "big")
    return data[:at] + raw + data[at + size:]


def _text_number(data: bytes, draw: random.Random) -> bytes:
    return _replaced(_NUMBER, data, draw)


def _text_word(data: bytes, draw: random.Random) -> bytes:
    return _replaced(_WORD, data, draw)


def _replaced(pattern: re.Pattern[bytes], data: bytes, draw: random.Random) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return _inserted(data, draw)
    which = draw.choice(found)
    return data[:which.start()] + draw.choice(_TEXTS) + data[which.end():]


def _inserted(data: bytes, draw: random.Random) -> bytes:
    at = _place(data, draw)
    return data[:at] + draw.choice(_TEXTS) + data[at:]


def _line(data: bytes, draw: random.Random) -> bytes:
    """A line is there twice, not at all, or elsewhere."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    taken = lines.pop(draw.randrange(len(lines)))
    for _ in range(min(draw.choice((0, 1, 2, 300)), _LARGEST // len(taken))):
        lines.insert(draw.randrange(len(lines) + 1), taken)
    return b"".join(lines)


_Damage = Callable[[bytes, random.Random], bytes]
_OF_BYTES: tuple[_Damage, ...] = (_flip, _cut, _repeat, _zero, _remove, _number, _number)
_OF_TEXT: tuple[_Damage, ...] = (_text_number, _text_number, _text_word, _inserted, _line)


# ---- damage behind checksums
# ---------------------------------------------------------------------------------------


def damaged_project(data: bytes, draw: random.Random) -> bytes:
    """One element of a project file is damaged, and has its right checksum again."""
    elements: dict[str, np.ndarray] = {}

    def take(name: str, item: h5py.Dataset | h5py.Group) -> None:
        if isinstance(item, h5py.Dataset):
            elements[name] = item[()]

    with h5py.File(io.BytesIO(data), "r") as file:
        file.visititems(take)
    elements.pop(CHECKSUMS)
    for _ in range(draw.choice((1, 1, 2))):
        name = draw.choice(sorted(elements))
        elements[name] = _damaged_array(elements[name], draw)
    memory = io.BytesIO()
    with h5py.File(memory, "w", libver=("v110", "v110")) as file:
        out = Writer(file)
        for name, value in elements.items():
            out.array(name, value)
        out.close()
    return memory.getvalue()


def _damaged_array(value: np.ndarray, draw: random.Random) -> np.ndarray:
    raw = damaged(value.tobytes(), draw)
    raw = raw[:len(raw) // value.dtype.itemsize * value.dtype.itemsize]
    found = np.frombuffer(raw, value.dtype)
    return found.reshape(value.shape) if found.size == value.size else found


def damaged_journal(data: bytes, draw: random.Random) -> bytes:
    """One record of a journal is damaged, and has its right checksum again."""
    records, at = [], 0
    while at + 8 <= len(data):
        (length,) = struct.unpack_from("<I", data, at)
        records.append(data[at + 8:at + 8 + length])
        at += 8 + length
    which = draw.randrange(len(records))
    records[which] = damaged(records[which], draw)
    return b"".join(
        struct.pack(
            "<II", len(record), zlib.crc32(record, zlib.crc32(len(record).to_bytes(4, "little")))
        )
        + record
        for record in records
    )


# How a cache file starts: magic, bytes of its header, their CRC-32
_ARRAYS = struct.Struct("<8sII")


def damaged_arrays(data: bytes, draw: random.Random) -> bytes:
    """The header of a cache file is damaged, or the values of one of its arrays, and has its right
    checksum again."""
    if draw.random() < 0.5:
        return damaged_header(data, draw)
    _, length, _ = _ARRAYS.unpack_from(data)
    header, values = data[_ARRAYS.size:_ARRAYS.size + length], data[_ARRAYS.size + length:]
    known = json.loads(header)
    which, at = draw.choice(known["arrays"]), 0
    for array in known["arrays"]:
        size = math.prod(array["shape"]) * np.dtype(array["dtype"]).itemsize
        if array is which:
            changed = damaged(values[at:at + size], draw)[:size].ljust(size, b"\xff")
            values = values[:at] + changed + values[at + size:]
            array["crc"] = zlib.crc32(changed)
        at += size
    return _arrays(data, json.dumps(known).encode(), values)


def damaged_header(data: bytes, draw: random.Random) -> bytes:
    """The header of a cache file is damaged, and has its right checksum again."""
    _, length, _ = _ARRAYS.unpack_from(data)
    header, values = data[_ARRAYS.size:_ARRAYS.size + length], data[_ARRAYS.size + length:]
    return _arrays(data, draw.choice((damaged, damaged_json, damaged_json))(header, draw), values)


def with_key(data: bytes, key: str) -> bytes:
    """A cache file under another key, where its header is whole; else as it is."""
    if len(data) < _ARRAYS.size:
        return data
    _, length, crc = _ARRAYS.unpack_from(data)
    header = data[_ARRAYS.size:_ARRAYS.size + length]
    try:
        known = json.loads(header)
    except (ValueError, RecursionError):
        return data
    if zlib.crc32(header) != crc or not isinstance(known, dict):
        return data
    return _arrays(data, json.dumps({**known, "key": key}).encode(), data[_ARRAYS.size + length:])


def _arrays(data: bytes, header: bytes, values: bytes) -> bytes:
    return _ARRAYS.pack(data[:8], len(header), zlib.crc32(header)) + header + values


def damaged_archive(data: bytes, draw: random.Random) -> bytes:
    """One member of a zip archive is damaged, and has its right checksum again."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return damaged(data, draw)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    which = draw.choice(sorted(members))
    members[which] = damaged(members[which], draw)
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return memory.getvalue()


def damaged_png(data: bytes, draw: random.Random) -> bytes:
    """The header of a PNG is damaged, and has its right checksum again."""
    head = damaged(data[16:29], draw).ljust(13, b"\0")[:13]
    return data[:16] + head + struct.pack(">I", zlib.crc32(b"IHDR" + head)) + data[33:]


def damaged_json(data: bytes, draw: random.Random) -> bytes:
    """One value of a JSON text, or of a line of it, has another type or size."""
    lines = data.splitlines()
    which = draw.randrange(len(lines))
    try:
        lines[which] = json.dumps(_other(json.loads(lines[which]), draw)).encode()
    except (ValueError, RecursionError):
        return damaged(data, draw)
    return b"\n".join(lines)


_VALUES = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    -(2**70),
    1e308,
    float("nan"),
    "",
    "x" * 70_000,
    "\0",
    [],
    {},
    [[]],
    "=1",
)


def _other(value: object, draw: random.Random) -> object:
    if isinstance(value, dict) and value and draw.random() < 0.85:
        key = draw.choice(sorted(value))
        return {**value, key: _other(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.85:
        at = draw.randrange(len(value))
        return [*value[:at], _other(value[at], draw), *value[at + 1:]]
    return draw.choice(_VALUES)
