"""Arrays kept by what they were computed from. Anything in the folder may be deleted at any
time."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.cache_file import SUFFIX, read_arrays, write_arrays
from emberscope.base.text import escaped, to_json

# Where to keep what is dear within a stage, and the code that computes it
_within: ContextVar[tuple[Path, str] | None] = ContextVar("_within", default=None)


@contextmanager
def keeping(where: tuple[Path, str] | None) -> Iterator[None]:
    """Meanwhile, in this thread, `kept_within` keeps what it computes in a folder, and believes
    what the same code left there.

    where : the folder, and the version of the code; None: nothing is kept.
    """
    before = _within.set(where)
    try:
        yield
    finally:
        _within.reset(before)


def kept_within(
    key: Mapping[str, object], compute: Callable[[], tuple[NDArray, ...]]
) -> tuple[NDArray, ...]:
    """What `compute` returns, as `cached` does it, in the folder of `keeping`. For a part of a
    stage that stages with other settings ask for too.

    compute : returns a tuple of arrays of numbers or text, of any shapes.
    """
    found = _within.get()
    if found is None:
        return compute()
    folder, code = found
    return cached(folder, {**key, "code": code}, compute)


def cached(
    folder: str | Path, key: bytes | Mapping[str, object],
    compute: Callable[[], tuple[NDArray, ...]]
) -> tuple[NDArray, ...]:
    """What `compute` returns, from the folder if it was computed before.

    Parameters
    ----------
    folder : made when absent. key : everything that determines the result; see `digest`.
    compute : returns a tuple of arrays of numbers or text; called at most once.

    Returns
    -------
    arrays : as `compute` returned them, C-contiguous and read-only.

    Notes
    -----
    Files are put in place whole: two processes may race, and readers see whole files only. Damaged
    ones are computed again. Where nothing can be written (full disk, read-only folder) the log says
    so once.
    """
    found = read_kept(folder, key)
    if found is not None:
        return found
    # the same layout as from disk, to the last bit
    arrays = tuple(np.array(array, order="C") for array in compute())
    write_arrays(path_of(folder, key), digest(key), arrays)
    for array in arrays:
        array.flags.writeable = False
    return arrays


def read_kept(folder: str | Path, key: bytes | Mapping[str, object]) -> tuple[NDArray, ...] | None:
    """What `cached` keeps under a key, or None; computes nothing."""
    return read_arrays(path_of(folder, key), digest(key))


def path_of(folder: str | Path, key: bytes | Mapping[str, object]) -> Path:
    """The file of a key."""
    return Path(folder) / f"{digest(key)}{SUFFIX}"


def digest(key: object) -> str:
    """A name for a key: bytes, or numbers, strings, arrays and records in mappings and sequences.

    Mapping order does not matter; dtype, shape and content of arrays do. 32 hexadecimal digits
    (BLAKE2b).
    """
    data = key if isinstance(key, bytes) else to_json(key, order="sorted", enc_hook=_plain)
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        content = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
        return {"dtype": value.dtype.str, "shape": value.shape, "content": content}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return escaped(str(value))
    raise TypeError(f"a cache key cannot hold {type(value).__name__}")
