"""Records kept on disk under a key: scores, advice, fitted methods."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from emberscope.base.cache_file import throw_away
from emberscope.base.errors import ProjectError
from emberscope.features.cache import cached, path_of, read_kept
from emberscope.project.model.packing import decode, encode

T = TypeVar("T")


def cached_record(
    folder: Path, key: dict[str, object], compute: Callable[[], T], *, kind: type[T]
) -> T:
    """What `compute` returns, a record that `project.model.packing` can write, from disk where it
    was computed before.

    kind : the type of the record. What is on disk under the key and is no such record is computed
    again.
    """
    found = kept_record(folder, key, kind=kind)
    if found is not None:
        return found
    (stored,) = cached(folder, key, lambda: (np.frombuffer(encode(compute()), np.uint8),))
    return decode(stored.data, kind=kind, what="what was computed")


def kept_record(folder: Path, key: dict[str, object], *, kind: type[T]) -> T | None:
    """The record that `cached_record` keeps under a key, or None; computes nothing."""
    stored = read_kept(folder, key)
    if stored is None:
        return None
    try:
        return decode(np.concatenate(stored).data, kind=kind, what="a kept record")
    except (ProjectError, ValueError) as error:
        throw_away(path_of(folder, key), str(error))
        return None
