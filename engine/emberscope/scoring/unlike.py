"""In what the frames of a clip are of another kind than those that a run has seen."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from emberscope.base.errors import EmberscopeError
from emberscope.project.exchange.sources import open_ref
from emberscope.project.model.project import SourceRef


class _Facts(NamedTuple):
    """What frames are like: size in words, bits of a pixel, units, polarity, camera; "" where that
    is not known."""

    size: str
    depth: str
    units: str
    polarity: str
    camera: str


_WORDS = {
    "size": "frames are {}, those that the run has seen {}: targets may be of another size",
    "depth": "pixels have {}, those that the run has seen {}",
    "units": "pixels are in {}, those that the run has seen in {}",
    "polarity": "it is {}, what the run has seen {}",
    "camera": "the camera is {}, that of the run {}",
}


def unlike_words(ref: SourceRef, known: Sequence[SourceRef]) -> str:
    """A sentence where a clip differs from all of known ones, "" where it does not, or where that
    is not known of a clip."""
    mine = _facts(ref)
    others = [facts for facts in map(_facts, known) if facts is not None]
    if mine is None or not others:
        return ""
    parts = list[str]()
    for name, words in _WORDS.items():
        own, seen = getattr(mine, name), [getattr(facts, name) for facts in others]
        if own and all(seen) and own not in seen:
            parts.append(words.format(own, " and ".join(dict.fromkeys(seen))))
    return f"{ref.name} is of another kind: {'; '.join(parts)}." if parts else ""


def _facts(ref: SourceRef) -> _Facts | None:
    """None where the file cannot be opened."""
    try:
        with open_ref(ref) as opened:
            bits = opened.bit_depth or 8 * opened.dtype.itemsize
            polarity = "" if opened.polarity == "unknown" else opened.polarity.replace("_", " ")
            return _Facts(f"{ref.cols} x {ref.rows} px", f"{bits} bits", opened.units, polarity,
                          _camera(opened.meta()))
    except EmberscopeError:
        return None


def _camera(meta: dict[str, Any]) -> str:
    found = meta.get("camera", meta.get("sensor", ""))
    if isinstance(found, dict):
        found = found.get("model", "")
    return str(found) if isinstance(found, str) else ""
