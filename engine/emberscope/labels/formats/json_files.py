"""Truth in JSON: which kind a file is, and reading it."""

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from emberscope.base.errors import FormatError
from emberscope.labels.truth_text import declared_text

_T = TypeVar("_T")


def json_kind(text: str) -> str:
    """"coco", "labelme", "atr" or "tracks", "" for other JSON and for text that is none."""
    try:
        keys = set(msgspec.json.decode(text, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, RecursionError):  # damaged; reading it as what it was says where
        known = ("images", "annotations", "shapes", "imagePath", "tracks", "frameAnnotations")
        keys = {key for key in known if f'"{key}"' in text}
    if {"images", "annotations"} <= keys:
        return "coco"
    if "shapes" in keys:
        return "labelme"
    return "atr" if "frameAnnotations" in keys else "tracks" if "tracks" in keys else ""


def read_json(path: Path, kind: type[_T], what: str, guessed: list[str] | None = None) -> _T:
    """A file as records of type `kind`; `what` begins the sentence that says what is wrong with it,
    and `guessed` is as in `truth_text.declared_text`. Raises FormatError."""
    try:
        return msgspec.json.decode(declared_text(path, guessed=guessed), type=kind, strict=False)
    except msgspec.ValidationError as error:
        place = re.search(r"`\$\.?(.+)`$", str(error))
        where = f" at {place[1]}" if place else ""
        raise FormatError(
            str(path), None, f"{what} not as expected{where}", "Save it again."
        ) from error
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FormatError(str(path), None, "it is cut off, or no JSON", "Save it again.") from error
