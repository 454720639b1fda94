"""Text that no encoding takes: names of files that are no UTF-8, and what somebody pasted.

Python stands a lone surrogate for each byte of a name that is no UTF-8 (PEP 383: the byte 0xff is
"\\udcff"), and other programs hand over halves of a character. Such text, a path above all, is kept
as it is: in records (`escaped`), in JSON as the escape "\\udcff" (`to_json`), in keys (`as_bytes`).
What is shown to a person, and the names that records have, has "\\xff" in its place (`plain_text`).
"""

import codecs
import json
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import msgspec

# as `errors` of a file that is written: halves of characters as in `plain_text.plain`
SHOWN = "emberscope-shown"
_LONE = re.compile("[\ud800-\udfff]")
# A character that is none, for use inside of programs, stands before what stands for a lone
# surrogate, and is doubled.
_SIGN = "\U0010ffff"
SIGN = _SIGN.encode()
_FIRST = 0xE000 - 0xD800  # from a surrogate to the character that stands for it
_ESCAPED = re.compile(f"{_SIGN}({_SIGN}|[\ue000-\ue7ff])")
_ESCAPED_BYTES = re.compile(SIGN + b"(" + SIGN + b"|\xee[\x80-\x9f][\x80-\xbf])")


def as_bytes(text: str) -> bytes:
    """UTF-8 bytes of any text, for keys and marks; two texts have the same ones only where they are
    the same."""
    return text.encode("utf-8", "surrogatepass")


def escaped(text: str) -> str:
    """Text that every encoding of Unicode takes; `unescaped` gives the first one back."""
    if text.isascii():
        return text
    text = text.replace(_SIGN, 2 * _SIGN)
    return _LONE.sub(lambda found: _SIGN + chr(ord(found[0]) + _FIRST), text)


def unescaped(text: str) -> str:
    """The text that `escaped` got."""
    return text if text.isascii() else _ESCAPED.sub(_back, text)


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Plain data and records with all their texts changed, keys too; the rest is the same."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, msgspec.Struct):
        before = {name: getattr(value, name) for name in value.__struct_fields__}
        new = {name: mapped(field, change) for name, field in before.items()}
        changes = {name: field for name, field in new.items() if field is not before[name]}
        return msgspec.structs.replace(value, **changes) if changes else value
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **{name: mapped(part, change) for name, part in parts.items()})
    if isinstance(value, dict):
        return {mapped(key, change): mapped(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(mapped(item, change) for item in value)
    return value


def to_json(value: Any, **options: Any) -> bytes:
    """JSON of plain data and records, with any text in it. Options and errors as of
    `msgspec.json.encode`."""
    try:
        return msgspec.json.encode(value, **options)
    except UnicodeEncodeError:
        data = msgspec.json.encode(mapped(value, escaped), **options)
        return _ESCAPED_BYTES.sub(lambda found: _as_escape(found[1].decode()).encode(), data)


def from_json(data: bytes, *, kind: Any) -> Any:
    """The value of type `kind` in JSON, of this program or another one.

    Raises msgspec.MsgspecError, UnicodeDecodeError, RecursionError.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        if b"\\ud" not in data.lower():  # msgspec takes no halves of characters
            raise
    try:
        value = json.loads(data)
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from error
    return msgspec.convert(value, kind, str_keys=True)


def _in_words(lone: str) -> str:
    code = ord(lone)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _back(found: re.Match[str]) -> str:
    return _SIGN if found[1] == _SIGN else chr(ord(found[1]) - _FIRST)


def _as_escape(sign: str) -> str:
    return _SIGN if sign == _SIGN else f"\\u{ord(sign) - _FIRST:04x}"


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return ("".join(_in_words(c) if _LONE.match(c) else "?"
                    for c in error.object[error.start:error.end]), error.end)


codecs.register_error(SHOWN, _replace)
