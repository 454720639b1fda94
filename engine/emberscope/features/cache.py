"""Arrays cached by what they were computed from. Anything in the folder may be deleted at any time."""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Arrays = NDArray | tuple[NDArray, ...]

DEFAULT_MAX_BYTES = 4 << 30
_STALE_SECONDS = 24 * 3600.0  # a half-written entry older than this was left by a process that died


def cached(
    folder: str | Path,
    key: bytes | Mapping[str, Any],
    compute: Callable[[], Arrays],
    *,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Arrays:
    """What `compute` returns, from the folder if it was computed before.

    Parameters
    ----------
    folder : made when absent. key : everything that determines the result; see `digest`.
    compute : returns one array or a tuple of arrays (no object dtype); called at most once.
    max_bytes : the folder is kept below this by dropping what was used longest ago.

    Returns
    -------
    arrays : as `compute` returned them, but read-only and memory-mapped.

    Notes
    -----
    An entry is a folder NAME/0.npy, 1.npy ..., written beside its place and renamed: two processes may race, and
    readers see whole entries only. Damaged entries are computed again. Where nothing can be written (full disk,
    read-only folder) the computed arrays are returned as they are.
    """
    entry = Path(folder) / digest(key)
    found = _load(entry)
    if found is not None:
        return found
    arrays = compute()
    try:
        _store(entry, arrays)
        trim(folder, max_bytes=max_bytes, keep=entry)
    except OSError:
        return arrays
    found = _load(entry)
    return arrays if found is None else found


def kept(folder: str | Path, key: bytes | Mapping[str, Any]) -> Arrays | None:
    """What `cached` keeps under a key, or None; computes nothing."""
    return _load(Path(folder) / digest(key))


def digest(key: Any) -> str:
    """A name for a key: bytes, or numbers, strings, arrays and records in mappings and sequences.

    Mapping order does not matter; dtype, shape and content of arrays do. 32 hexadecimal digits (BLAKE2b).
    """
    data = key if isinstance(key, bytes) else msgspec.json.encode(key, order="sorted", enc_hook=_plain)
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def trim(folder: str | Path, *, max_bytes: int, keep: Path | None = None) -> None:
    """Drop the entries used longest ago until the folder holds at most `max_bytes`; `keep` stays."""
    entries = sorted(_entries(Path(folder)), key=lambda item: item[0])
    total = sum(size for _, size, _ in entries)
    for used, size, path in entries:
        stale = path.name.startswith(".") and used < time.time() - _STALE_SECONDS
        if not stale and (total <= max_bytes or path == keep or path.name.startswith(".")):
            continue
        shutil.rmtree(path, ignore_errors=True)  # an entry in use stays on systems that lock open files
        total -= size


def _entries(folder: Path) -> list[tuple[float, int, Path]]:
    """(time of last use, bytes, path) of every entry; those that vanish meanwhile are left out."""
    entries = []
    for path in folder.iterdir():
        try:
            if path.is_dir():
                entries.append((path.stat().st_mtime, sum(file.stat().st_size for file in path.iterdir()), path))
        except OSError:
            continue
    return entries


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        content = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
        return {"dtype": value.dtype.str, "shape": value.shape, "content": content}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a cache key cannot hold {type(value).__name__}")


def _load(entry: Path) -> Arrays | None:
    """The arrays of an entry, or None where it is absent or damaged."""
    try:
        names = sorted(entry.iterdir(), key=lambda path: path.name)
        single = [path.name for path in names] == ["array.npy"]
        if not names or not (single or [path.name for path in names] == _names(len(names))):
            return None
        arrays = tuple(_open(path) for path in names)
        os.utime(entry)
    except Exception:  # NumPy raises nearly anything on a damaged file
        return None
    return arrays[0] if single else arrays


def _names(count: int) -> list[str]:
    return [f"{i:03d}.npy" for i in range(count)]


def _open(path: Path) -> NDArray:
    """A read-only map of the file. Empty and 0-d arrays cannot be mapped and are read."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        array = np.load(path, allow_pickle=False)
        array.flags.writeable = False
        return array


def _store(entry: Path, arrays: Arrays) -> None:
    entry.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".", dir=entry.parent))
    try:
        if isinstance(arrays, tuple):
            for name, array in zip(_names(len(arrays)), arrays):
                np.save(scratch / name, array, allow_pickle=False)
        else:
            np.save(scratch / "array.npy", arrays, allow_pickle=False)
        if entry.exists():
            shutil.rmtree(entry, ignore_errors=True)  # damaged, or another process was faster
        scratch.rename(entry)
    except OSError:
        if not entry.exists():
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
