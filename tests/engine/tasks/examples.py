"""An example of a value of any class that is made of declared fields."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

_PLAIN = {
    int: 3,
    float: 2.5,
    str: "x",
    bool: True,
    bytes: b"x",
    type(None): None,
    Any: {"a": [1, 2.5]},
}


def whole(kind: type) -> Any:
    """A value with all fields given, where `example` leaves out what has a default."""
    return kind(**{name: example(declared) for name, declared in declared_fields(kind).items()})


def declared_fields(kind: type) -> dict[str, Any]:
    """Name -> declared type of the fields of a record, those of its bases too."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return {field.name: hints[field.name] for field in fields(kind)}
    return {field.name: field.type for field in msgspec.structs.fields(kind)}


def example(declared: Any) -> Any:
    """A value of a declared type; of records what has no default."""
    declared = _written_out(declared)
    origin, args = get_origin(declared), get_args(declared)
    if (isinstance(declared, type) and declared in _PLAIN) or declared is Any:
        return _PLAIN[declared]
    if declared is np.ndarray or origin is np.ndarray:
        return _array(args)
    if origin is Annotated:
        return example(args[0])
    if origin is Literal:
        return args[0]
    if origin in (Union, types.UnionType):
        return example(args[0])
    if origin is list:
        return [example(args[0])]
    if origin is tuple:
        return tuple(example(arg) for arg in args if arg is not Ellipsis)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {example(args[0]): example(args[1])}
    needed = _without_default(declared)
    return declared(
        **{
            name: example(field)
            for name, field in declared_fields(declared).items()
            if name in needed
        }
    )


def _written_out(declared: Any) -> Any:
    """What a name given by a `type` statement stands for, as numpy's NDArray is from 2.5 on."""
    value = getattr(get_origin(declared) or declared, "__value__", None)
    args = get_args(declared)
    return declared if value is None else value[args] if args else value


def _array(args: tuple[Any, ...]) -> np.ndarray:
    named = [
        part for arg in args for part in get_args(arg) if isinstance(part, type) and part is not Any
    ]
    return np.arange(6).reshape(2, 3).astype(named[-1] if named else np.float32)


def _without_default(kind: type) -> set[str]:
    if is_dataclass(kind):
        return {
            field.name
            for field in fields(kind)
            if field.default is field.default_factory is MISSING
        }
    return {field.name for field in msgspec.structs.fields(kind) if field.required}
