"""Whole numbers with a thin space between thousands, the one way in which people read them.

Sentences that a run keeps, and those that the command line prints, have their numbers as they are:
programs read them again. Where a sentence is shown beside other numbers, it is `grouped`.
"""

import re

THIN = "\N{THIN SPACE}"
# A count stands before what it counts, and is no part of a name, a decimal or a day
_COUNT = re.compile(r"(?<![\w.,:/+\-\N{THIN SPACE}])\d{4,}(?= (?:of )?[a-z]| px\b)")


def spaced(number: int) -> str:
    """12345 as "12 345", with a thin space."""
    return f"{number:,}".replace(",", THIN)


def plural(thing: str) -> str:
    """More than one of a thing: "bags", "boxes", "relaxed boxes"."""
    return f"{thing}es" if thing.endswith(("s", "x", "ch", "sh")) else f"{thing}s"


def how_many(number: int, thing: str) -> str:
    """A number of things in a sentence that is kept or printed: "1 bag", "1280 bags"."""
    return f"{number} {thing if number == 1 else plural(thing)}"


def grouped(sentence: str) -> str:
    """A sentence with its counts as `spaced` writes them: "Of 1 548 instances"."""
    return _COUNT.sub(lambda found: spaced(int(found.group())), sentence)


def score_text(score: float) -> str:
    """A score, or a threshold of scores, with two digits that tell: "0.50", "0.0038"."""
    return f"{score:.2f}" if abs(score) >= 0.1 else f"{score:.2g}"


def duration(seconds: float) -> str:
    """"under 1 s", "6 s", "4 min", "2 h"."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{round(seconds / 3600)} h"


def about(seconds: float) -> str:
    """An estimate: "under 1 s", "about 6 s", "about 4 min"."""
    return duration(seconds) if seconds < 1 else f"about {duration(seconds)}"
