"""What is wrong with values that fit no record, in words: the library that checks them speaks of
types."""

import re

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


def misfit_words(error: Exception) -> str:
    """"share must be a number of 1 at most", "bags.also, entry 1 must be a whole number, not
    text"; words that are none of the library's stay as they are.

    error : as msgspec raises it where a value does not fit its field.
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
        return f"{where or 'it'} cannot be {found['value']}"
    return f"{where}: {what}" if where else what


def _kind_words(kind: str) -> str:
    return _TYPES.get(kind, kind)


def _place_words(place: str) -> str:
    """"bags.also, entry 1," of "bags.also[0]"."""
    def entry(found: re.Match[str]) -> str:
        return ", an entry" if found[1] == "..." else f", entry {int(found[1]) + 1}"

    return _ENTRY.sub(entry, place).removeprefix(", ")
