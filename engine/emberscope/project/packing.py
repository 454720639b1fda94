"""Records with arrays anywhere inside, as MessagePack bytes. No pickle: decoding runs no code."""

from typing import Any

import msgspec
import numpy as np

from emberscope.base.errors import ProjectError

ARRAY = 1  # the MessagePack extension type of an array: (dtype, shape, bytes)
_PACKABLE = "iufb"


def encode(value: Any) -> bytes:
    """MessagePack bytes of plain data, records and arrays of numbers. Raises TypeError for anything else."""
    return msgspec.msgpack.encode(value, enc_hook=_pack)


def decode(data: bytes | memoryview, *, kind: Any, what: str) -> Any:
    """The value of type `kind` that `encode` wrote; arrays are read-only views of `data`.

    Raises ProjectError, naming `what`, for bytes that are anything else.
    """
    try:
        return msgspec.msgpack.decode(data, type=kind, ext_hook=_unpack)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise ProjectError(f"{what} cannot be read: {error}") from error


def _pack(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in _PACKABLE:
        parts = (value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes())
        return msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode(parts))
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _unpack(code: int, data: memoryview) -> np.ndarray:
    if code != ARRAY:
        raise ValueError(f"unknown extension {code}")
    name, shape, raw = msgspec.msgpack.decode(data, type=tuple[str, tuple[int, ...], memoryview])
    dtype = np.dtype(name)
    if dtype.kind not in _PACKABLE:
        raise ValueError(f"array of dtype {dtype}")
    return np.frombuffer(raw, dtype).reshape(shape)
