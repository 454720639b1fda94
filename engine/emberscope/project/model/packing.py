"""Records with arrays anywhere inside, as MessagePack bytes. No pickle: decoding runs no code."""

import contextlib
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ProjectError
from emberscope.base.text import SIGN, escaped, mapped, unescaped

ARRAY = 1        # the MessagePack extension type of an array: (dtype, shape, bytes)
ARRAY_ASIDE = 2  # the same of an array whose bytes lie elsewhere: (dtype, shape, name)
LARGE = 1 << 16  # bytes from which an array may lie elsewhere
_PACKABLE = "iufb"

_PLAIN = msgspec.msgpack.Encoder()

PutAside = Callable[[memoryview], str]     # keeps the bytes of an array; returns their name
# Name, number of bytes -> the bytes; raises ValueError
TakeAside = Callable[[str, int], memoryview]
# Declared type, array -> the array; raises TypeError where it is no such one
Check = Callable[[Any, Any], Any]


def encode(value: object, *, aside: PutAside | None = None, large: int = LARGE) -> bytes:
    """MessagePack bytes of plain data, records and arrays of numbers. Raises TypeError for anything
    else.

    With `aside`, arrays of `large` bytes and more are handed to it, and only their names are in the
    result. Text may be any, see `base.text`.
    """
    encoder = msgspec.msgpack.Encoder(enc_hook=partial(_pack, aside, large))
    with contextlib.suppress(UnicodeEncodeError):
        found = _packed(value, encoder)
        if SIGN not in found:
            return bytes(found)
    return bytes(_packed(mapped(value, escaped), encoder))


def _packed(value: object, encoder: msgspec.msgpack.Encoder = _PLAIN) -> bytearray:
    """MessagePack bytes, into an array of bytes: msgspec 0.22 ends the process where `encode` finds
    no memory for its result, while this raises MemoryError."""
    out = bytearray()
    encoder.encode_into(value, out)
    return out


def decode(
    data: bytes | memoryview, *, kind: Any, what: str, aside: TakeAside | None = None
) -> Any:
    """The value of type `kind` that `encode` wrote; arrays are read-only views of `data`, or of
    what `aside` gives.

    Raises ProjectError, naming `what`, for bytes that are anything else.
    """
    try:
        return decode_checked(data, kind=kind, aside=aside)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise ProjectError(f"{what} cannot be read: {error}") from error


def decode_checked(
    data: bytes | memoryview,
    *,
    kind: Any,
    aside: TakeAside | None = None,
    check: Check | None = None,
) -> Any:
    """As `decode`, for who has words of their own for what is wrong.

    check : what is done about arrays that are declared with a dtype. Raises msgspec.MsgspecError,
    ValueError, TypeError and RecursionError.
    """
    found = msgspec.msgpack.decode(
        data, type=kind, ext_hook=partial(_unpack, aside), dec_hook=check
    )
    return mapped(found, unescaped) if SIGN in bytes(data) else found


def _pack(aside: PutAside | None, large: int, value: object) -> object:
    if isinstance(value, np.ndarray) and value.dtype.kind in _PACKABLE:
        raw = np.ascontiguousarray(value)
        if aside is not None and raw.nbytes >= large:
            name = aside(raw.reshape(-1).view(np.uint8).data)
            return msgspec.msgpack.Ext(ARRAY_ASIDE, _packed((value.dtype.str, value.shape, name)))
        return msgspec.msgpack.Ext(ARRAY, _packed((value.dtype.str, value.shape, raw.tobytes())))
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _unpack(aside: TakeAside | None, code: int, data: memoryview) -> NDArray:
    if code == ARRAY_ASIDE and aside is not None:
        name, shape, where = msgspec.msgpack.decode(data, type=tuple[str, tuple[int, ...], str])
        dtype = number_type(name)
        return np.frombuffer(aside(where, array_bytes(dtype, shape)), dtype).reshape(shape)
    if code != ARRAY:
        raise ValueError(f"unknown extension {code}")
    name, shape, raw = msgspec.msgpack.decode(data, type=tuple[str, tuple[int, ...], memoryview])
    return np.frombuffer(raw, number_type(name)).reshape(shape)


def number_type(name: str) -> np.dtype:
    """The dtype of that name. Raises ValueError where it is not one of numbers."""
    dtype = np.dtype(name)
    if dtype.kind not in _PACKABLE or dtype.subdtype is not None:
        raise ValueError(f"array of dtype {dtype}")
    return dtype


def array_bytes(dtype: np.dtype, shape: tuple[int, ...]) -> int:
    """How many bytes such an array has. Raises ValueError for a shape that no array has."""
    if len(shape) > 32 or any(length < 0 for length in shape):
        raise ValueError(f"array of shape {shape}")
    return math.prod(shape) * dtype.itemsize
