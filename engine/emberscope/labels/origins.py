"""Where labels come from: drawn by hand, imported, copied along a clip, found by a model, or
background drawn by the program."""

from typing import NamedTuple


class Origin(NamedTuple):
    """word : how the `origin` of such labels begins. title : for people; whose : what they are, as
    in "only yours"."""

    word: str
    title: str
    whose: str


ORIGINS = (
    Origin("manual", "Mine", "yours"),
    Origin("imported", "Imported", "imported"),
    Origin("propagated", "Copied along the clip", "copied along the clip"),
    Origin("model", "Of a detector", "of a detector"),
    Origin("sampled", "Background drawn by the program", "drawn by the program"),
)
WORDS = tuple(origin.word for origin in ORIGINS)
MANUAL, IMPORTED, PROPAGATED, MODEL, SAMPLED = range(len(ORIGINS))  # in `LabelTable.origins`
_known: dict[str, int] = {word: k for k, word in enumerate(WORDS)}


def code_of(origin: str) -> int:
    """The place in `ORIGINS` of what an origin says; words of other programs count as imported.
    O(1)."""
    code = _known.get(origin)
    if code is None:
        code = next((k for k, word in enumerate(WORDS) if origin.startswith(word)), IMPORTED)
        if len(_known) < 10_000:  # a seed stands in some
            _known[origin] = code
    return code
