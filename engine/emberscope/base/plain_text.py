"""Names and words that come from elsewhere, as text that only shows what it is.

A name may hold what a terminal obeys, what turns the direction of writing, line breaks, or ten
thousand letters. Every name of a project is made `showable` when its record is made; every line
that is printed, logged or shown is `plain`.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

import msgspec

LONGEST_NAME, LONGEST_NOTE = 200, 2000  # letters

# What steers instead of being seen: control characters, marks of direction, line separators, halves
# of letters. Joiners of letters, which some scripts need, are not among them.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """The text with a sign for each character that steers, as in "\\x1b"; lines and tabs stay."""
    return _STEERING.sub(lambda found: _sign(found[0]), text)


def showable(name: str, most: int = LONGEST_NAME) -> str:
    """A name on one line of at most `most` letters; what is too much is left out in the middle
    ("...").

    Of a very long one little is looked at.
    """
    line = plain(middle_out(name, 2 * most)).replace("\n", "\\n").replace("\t", "\\t")
    return middle_out(line, most)


def make_showable(record: msgspec.Struct, *fields: str) -> None:
    """Make names that a frozen record was given showable, as its `__post_init__`: one, a tuple of
    them, or keys."""
    for field in fields:
        given = getattr(record, field)
        if isinstance(given, str):
            shown: object = showable(given)
        elif isinstance(given, dict):
            shown = given if all(map(is_showable, given)) else {showable(name): value
                                                                for name, value in given.items()}
        else:
            shown = given if all(map(is_showable, given)) else type(given)(map(showable, given))
        if shown is not given and shown != given:
            msgspec.structs.force_setattr(record, field, shown)


def is_showable(name: str) -> bool:
    """Whether a name is shown as it is."""
    return len(name) <= LONGEST_NAME and ((name.isascii() and name.isprintable())
                                          or showable(name) == name)


def middle_out(text: str, most: int) -> str:
    """At most `most` letters of a text: its beginning and its end, "..." between them."""
    if len(text) <= most:
        return text
    kept = most - 3
    return f"{text[: kept // 2]}...{text[len(text) - (kept - kept // 2) :]}"


def _sign(character: str) -> str:
    """ "\\x1b"; a byte of a name of a file that is no text as itself, "\\xff"."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def meant(word: str, known: Iterable[str]) -> str:
    """A sentence that asks for the known word that is spelled nearly so; "" where there is none."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.75)
    return f"Did you mean {near[0]}?" if near else ""
