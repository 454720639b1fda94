"""Parameters as fields of a class: from the class body to `params`,
`__init__` and its signature."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from types import NoneType, UnionType
from typing import Any, Literal, get_args

from emberscope.base.param import Param

_TYPES = {int: "int", float: "float", str: "str", bool: "bool"}
_NOTHING: Any = object()


def not_a_param(default: Any = _NOTHING, *, init: Literal[False] = False) -> Any:
    """Declare an attribute that is no parameter, `mean_: NDArray = not_a_param()`:
    `fit` or a method sets it.

    `default` is what the class has until then.
    `init` tells type checkers that `__init__` does not take it.
    """
    return default


def own_fields(cls: type) -> dict[str, Param]:
    """Take the parameters that the body of this class declares out of it, by name.

    Raises TypeError where one has no type, a type that no form shows, or None without `auto`, and
    where the body lists `params` itself.
    """
    if "params" in vars(cls):
        raise TypeError(f"{cls.__name__} declares `params`: write each parameter as a field, `k: "
                        "int = param(3)`")
    types = inspect.get_annotations(cls)
    found = {name: value for name, value in vars(cls).items() if isinstance(value, Param)}
    for name in found:
        delattr(cls, name)  # only an instance has a value
    for name in [name for name, value in vars(cls).items() if value is _NOTHING]:
        delattr(cls, name)
    return {name: _named(value, name, types.get(name), cls.__name__)
            for name, value in found.items()}


def all_fields(cls: type, own: dict[str, Param]) -> tuple[Param, ...]:
    """Parameters of a class in the order of a dataclass: inherited ones first,
    a new declaration in the old place."""
    found: dict[str, Param] = {}
    for base in reversed(cls.__mro__[1:]):
        found |= {param.name: param for param in vars(base).get("params", ())}
    return tuple((found | own).values())


def initializer(cls: type, params: tuple[Param, ...]) -> Callable[..., None]:
    """`__init__` that stores keyword-only parameters as given;
    `inspect.signature` shows each of them."""
    usual = {param.name: param.default for param in params}

    def __init__(self: object, **given: Any) -> None:
        for name in given:
            if name not in usual:
                raise TypeError(f"{__init__.__qualname__}() got an unexpected keyword argument "
                                f"{name!r}")
        for name, default in usual.items():
            setattr(self, name, given.get(name, default))

    __init__.__qualname__, __init__.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    shown = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
             *map(_shown, params)]
    __init__.__signature__ = inspect.Signature(shown, return_annotation=None)  # type: ignore[attr-defined]
    return __init__


def _named(declared: Param, name: str, annotation: Any, owner: str) -> Param:
    """The declared parameter with its name and its type."""
    choices = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    kinds = [_TYPES[choice] for choice in choices if choice in _TYPES]
    if len(kinds) != 1 or set(choices) - set(_TYPES) - {NoneType}:
        raise TypeError(f"{owner}.{name} has no type: write `{name}: float = param(...)`, or int, "
                        "str, bool")
    if (NoneType in choices) != bool(declared.auto):
        raise TypeError(f"{owner}.{name}: None is allowed where `auto` says what it means, and "
                        "only there")
    return replace(declared, name=name, type=kinds[0])


def _shown(param: Param) -> inspect.Parameter:
    kind: Any = next(kind for kind, word in _TYPES.items() if word == param.type)
    annotation = kind | None if param.auto else kind
    return inspect.Parameter(
        param.name, inspect.Parameter.KEYWORD_ONLY, default=param.default, annotation=annotation
    )
