"""What is wrong with values that fit no record, in words: the library that checks them speaks of
types."""

import re
from typing import Any

from msgspec import inspect

_TYPES = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false",
    "null": "nothing", "array": "a list", "object": "a table of fields", "bytes": "bytes",
}
_BOUNDS = {"<=": "of {} at most", ">=": "of at least {}", "<": "below {}", ">": "above {}"}
_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<place>.*)`)?$", re.DOTALL)
_BOUND = re.compile(r"Expected `(?P<kind>\w+)` (?P<sign><=|>=|<|>) (?P<end>\S+)")
_OTHER = re.compile(r"Expected `(?P<kinds>[^`]+)`, got `(?P<got>[^`]+)`")
_FIELD = re.compile(r"Object (?P<how>contains unknown|missing required) field `(?P<name>.*)`",
                    re.DOTALL)
_ENUM = re.compile(r"Invalid enum value (?P<value>.*)", re.DOTALL)
_ENTRY = re.compile(r"\[(\d+|\.\.\.)\]")
_STEP = re.compile(r"(?P<field>\w+)|\[[^]]*\]")


def misfit_words(error: Exception, record: Any = None) -> str:
    """"share must be a number of 1 at most", "bags.also, entry 1 must be a whole number, not
    text"; words that are none of the library's stay as they are.

    error : as msgspec raises it where a value does not fit its field. record : the type that it did
    not fit, for what a field may be: "kind cannot be 'c'; it is one of a, b".
    """
    parts = _PLACE.match(str(error))
    assert parts is not None  # it takes any text
    what, where = parts["what"], _place_words(parts["place"] or "")
    if found := _BOUND.fullmatch(what):
        end = found["end"].removesuffix(".0")
        kind = _kind_words(found["kind"])
        return f"{where or 'it'} must be {kind} {_BOUNDS[found['sign']].format(end)}"
    if found := _OTHER.fullmatch(what):
        kinds = [kind for kind in found["kinds"].split(" | ") if kind != "null"]
        wanted = " or ".join(map(_kind_words, kinds))
        return f"{where or 'it'} must be {wanted}, not {_kind_words(found['got'])}"
    if found := _FIELD.fullmatch(what):
        inside = f" in {where}" if where else ""
        if found["how"] == "missing required":
            return f"{found['name']} is missing{inside}"
        return f"there is no field {found['name']}{inside}"
    if found := _ENUM.fullmatch(what):
        known = _choices(record, parts["place"] or "")
        listed = f"; it is one of {', '.join(map(str, known))}" if known else ""
        return f"{where or 'it'} cannot be {found['value']}{listed}"
    return f"{where}: {what}" if where else what


def _choices(record: Any, place: str) -> tuple[object, ...]:
    """What may stand at a place of a record: none where anything may, or where nobody knows."""
    kind = None if record is None else inspect.type_info(record)
    for step in _STEP.finditer(place):
        if isinstance(kind, inspect.UnionType):
            kind = next((one for one in kind.types if not isinstance(one, inspect.NoneType)), None)
        if isinstance(kind, inspect.StructType) and step["field"]:
            fields = {field.encode_name: field.type for field in kind.fields}
            kind = fields.get(step["field"])
        else:
            kind = getattr(kind, "item_type", None)
    return kind.values if isinstance(kind, inspect.LiteralType) else ()


def _kind_words(kind: str) -> str:
    return _TYPES.get(kind, kind)


def _place_words(place: str) -> str:
    """"bags.also, entry 1," of "bags.also[0]"."""
    def entry(found: re.Match[str]) -> str:
        return ", an entry" if found[1] == "..." else f", entry {int(found[1]) + 1}"

    return _ENTRY.sub(entry, place).removeprefix(", ")
