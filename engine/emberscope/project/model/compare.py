"""Equality of two projects: for tests, recovery and "unsaved changes"."""

from typing import Any

import msgspec
import numpy as np

from emberscope.project.model.project import Project

# What this computer knows of a project, not what the project holds
_NOT_KEPT = {"withheld", "within"}


def same_project(a: Project, b: Project) -> bool:
    """Whether two projects hold the same things, arrays compared with their dtype."""
    return not differences(a, b)


def differences(a: Project, b: Project) -> list[str]:
    """Names of the parts in which two projects differ: "labels", "runs" ..."""
    return [name for name in vars(a) if not same(getattr(a, name), getattr(b, name))]


def same(a: Any, b: Any) -> bool:
    """Deep equality of plain data, records and arrays; NaN equals NaN, a NumPy scalar equals its
    value."""
    a, b = _plain(a), _plain(b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _same_array(a, b)
    if type(a) is not type(b):
        return False
    if isinstance(a, msgspec.Struct):
        return all(
            same(getattr(a, name), getattr(b, name))
            for name in a.__struct_fields__
            if name not in _NOT_KEPT
        )
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b) or (a != a and b != b)


def _plain(value: object) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, tuple) else value


def _same_array(a: object, b: object) -> bool:
    return (
        isinstance(a, np.ndarray)
        and isinstance(b, np.ndarray)
        and a.dtype == b.dtype
        and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    )
