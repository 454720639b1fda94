"""Numbers as Python has them, in records that a file keeps: it has no place for those of numpy, nor
for arrays."""

import msgspec

from emberscope.base.errors import DataError

_PLAIN = (float, int, str, bool, type(None))


def make_plain(record: msgspec.Struct) -> None:
    """Give a frozen record the numbers of Python in place of those of numpy, and tuples in place of
    arrays and lists, as its `__post_init__`. O(fields), or their items."""
    for name in record.__struct_fields__:
        given = getattr(record, name)
        if type(given) not in _PLAIN and (made := _plain(given)) is not given:
            msgspec.structs.force_setattr(record, name, made)


def check_numbers(record: msgspec.Struct, *fields: str, whole: bool = False) -> None:
    """Raise DataError for a field that is no number, or no whole one; None is left to the
    record."""
    for name in fields:
        given = getattr(record, name)
        right = type(given) is int or (type(given) is float and not whole)
        if not right and given is not None:
            what = "whole number" if whole else "number"
            raise DataError(f"{type(record).__name__}: {name} is {given!r}", hint=f"Give a {what}.")


def _plain(given: object) -> object:
    """The same of what Python knows; itself where there was nothing to do."""
    if type(given) in _PLAIN:
        return given
    if hasattr(given, "tolist"):  # a number or an array of numpy
        made = given.tolist()
        return _plain(made) if isinstance(made, list) else made
    if isinstance(given, list | tuple):
        items = tuple(map(_plain, given))
        same = isinstance(given, tuple) and all(new is old
                                                for new, old in zip(items, given, strict=True))
        return given if same else items
    return given
