"""Values on their way into another process: of a declared class, as bytes with arrays beside."""

import re
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import msgspec
import numpy as np

from emberscope.base.errors import ParamError, QuestionError
from emberscope.project.model.packing import decode_checked, encode

T = TypeVar("T")
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<field>.*)`)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value as bytes; those of its arrays apart: not copied, and where an array may begin."""

    body: bytes | memoryview
    arrays: tuple[memoryview, ...]


def encoded(value: object, kind: type) -> Encoded:
    """The bytes of a value of a class.

    Raises QuestionError, naming the field, where it is not; ParamError for a whole number of more
    than 64 bits.
    """
    name = kind.__name__
    if not isinstance(value, kind):
        raise QuestionError(f"expected `{name}`, got `{type(value).__name__}`", where=name)
    arrays: list[memoryview] = []

    def put_aside(data: memoryview) -> str:
        arrays.append(data)
        return str(len(arrays) - 1)

    try:
        body = encode(value, aside=put_aside, large=0)
    except TypeError as error:
        raise QuestionError(str(error), where=name + _unsendable(value)) from error
    except OverflowError as error:
        raise ParamError(_too_large(value), hint="Give a smaller number.") from error
    made = Encoded(body, tuple(arrays))
    decoded(made, kind)
    return made


def decoded(made: Encoded, kind: type[T]) -> T:
    """The value of `encoded`; its arrays are read-only views.

    Raises QuestionError, naming the field, where it is not of that class.
    """

    def take_aside(name: str, size: int) -> memoryview:
        return made.arrays[int(name)].toreadonly()

    try:
        return decode_checked(made.body, kind=kind, aside=take_aside, check=_of_dtype)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        found = _PLACE.fullmatch(str(error))
        assert found is not None  # it takes any text
        where = f"{kind.__name__}.{found['field']}" if found["field"] else kind.__name__
        raise QuestionError(found["what"][:1].lower() + found["what"][1:], where=where) from error


def across(value: T, kind: type[T]) -> T:
    """The value as another process would get it.

    Raises QuestionError, naming the field, where it is not of that class.
    """
    return decoded(encoded(value, kind), kind)


def _unsendable(value: object) -> str:
    """".field" of a record that has no bytes."""
    for name in getattr(value, "__struct_fields__", ()):
        try:
            encode(getattr(value, name))
        except TypeError:
            return f".{name}"
    return ""


def _too_large(value: object, name: str = "a number") -> str:
    """"n_components is 10000000000000000000000", of the first whole number that is too large."""
    if isinstance(value, int):
        return "" if -(2**63) <= value < 2**64 else f"{name} is {value}"
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    parts: list[tuple[str, object]] = []
    if isinstance(value, dict):
        parts = [(str(key), part) for key, part in value.items()]
    elif isinstance(value, list | tuple):
        parts = [(name, part) for part in value]
    return next(filter(None, (_too_large(part, key) for key, part in parts)), "")


def _of_dtype(declared: Any, value: Any) -> Any:
    """An array that is declared as NDArray[np.float32] is of that dtype."""
    parts = [part for arg in get_args(declared) for part in get_args(arg)]
    wanted = [part for part in parts if isinstance(part, type) and issubclass(part, np.generic)]
    if isinstance(value, np.ndarray) and wanted and not issubclass(value.dtype.type, wanted[-1]):
        raise TypeError(f"Expected an array of {wanted[-1].__name__}, got {value.dtype}")
    return value
