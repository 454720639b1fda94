"""How well words match what a person typed. What is no match scores 0: nothing is better than
nonsense."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+")
_LEAST_INSIDE = 3  # letters that may begin inside of a word
_LEAST_LOOSE = 6   # letters of which the last few may lie apart
_LOOSE = 2         # so many


def match(query: str, title: str, also: str = "") -> int:
    """0 where some word of the query is found nowhere; else the more the better.

    title : what is looked for first, whose words can also be typed by their beginnings: "sa" and
    "saas" find "Save as".
    also : other words it is found with, each whole or by its beginning.
    """
    words, others = _words(title), _words(also)
    found = [max(2 * _in_title(part, words), _in_words(part, others)) for part in _words(query)]
    return 100 * sum(found) - len(title) if found and all(found) else 0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _in_words(part: str, words: Sequence[str]) -> int:
    if part in words:
        return 10
    if any(word.startswith(part) for word in words):
        return 8
    return 4 if len(part) >= _LEAST_INSIDE and any(part in word for word in words) else 0


def _in_title(part: str, words: Sequence[str]) -> int:
    found = _in_words(part, words)
    if found or len(part) < 2:
        return found
    if any(_chained(part, words, at) for at in range(len(words))):
        return 4
    ends = range(1, _LOOSE + 1) if len(part) >= _LEAST_LOOSE else ()
    loosely = any(
        _chained(part[:-end], words, at, loose=part[-end:])
        for end in ends
        for at in range(len(words))
    )
    return 2 if loosely else 0


def _chained(part: str, words: Sequence[str], at: int, loose: str = "") -> bool:
    """Whether letters are beginnings of words that follow each other, from one on; `loose`: and
    these, in their order, lie in the rest of the last of them."""
    if at == len(words):
        return False
    for size in range(min(len(part), len(words[at])), 0, -1):
        if part[:size] != words[at][:size]:
            continue
        if size == len(part):
            if _in_order(loose, words[at][size:]):
                return True
        elif _chained(part[size:], words, at + 1, loose):
            return True
    return False


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)
