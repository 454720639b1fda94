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


def grouped(sentence: str) -> str:
    """A sentence with its counts as `spaced` writes them: "Of 1 548 instances"."""
    return _COUNT.sub(lambda found: spaced(int(found.group())), sentence)
