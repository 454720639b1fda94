"""What a method needs to be known: labels or side information; and which label to draw next."""

from collections.abc import Collection, Iterable

from emberscope.catalogue.row import Method
from emberscope.catalogue.rows import METHODS

TARGET, BACKGROUND, SECOND_CLASS = "target", "background", "second target class"
# Side information: instances marked alike or different, known distances, actions that lead from
# chip to chip.
PAIRS, DISTANCES, ACTIONS = "pairs", "distances", "actions"
SIDE = frozenset({PAIRS, DISTANCES, ACTIONS})
# What must be labeled. "instance": labels per instance of two classes; "bag": positive and negative
# bags; "positive": positive bags are enough; "classes": positive bags of two classes of targets;
# the last three: side information.
NEEDS: dict[str, tuple[str, ...]] = {
    "none": (),
    "instance": (TARGET, BACKGROUND),
    "bag": (TARGET, BACKGROUND),
    "positive": (TARGET,),
    "classes": (TARGET, SECOND_CLASS),
    "pairs": (PAIRS,),
    "distances": (DISTANCES,),
    "actions": (ACTIONS,),
}


def lacks(row: Method, labeled: Collection[str]) -> tuple[str, ...]:
    """What a method needs of TARGET, BACKGROUND, SECOND_CLASS and side information and is not known
    yet."""
    return tuple(kind for kind in NEEDS[row.needs] if kind not in labeled)


def side_needed(row: Method) -> set[str]:
    """The kinds of side information without which a method cannot be fitted."""
    return set(NEEDS[row.needs]) & SIDE


def side_read(row: Method) -> set[str]:
    """The kinds of side information that a method reads, needed or not."""
    return side_needed(row) | set(row.takes)


def unlocks(
    labeled: Collection[str], rows: Iterable[Method] = METHODS
) -> tuple[tuple[str, ...], int]:
    """The fewest kinds of labels that open methods closed now, and how many methods these open;
    ((), 0) for none."""
    closed = [
        lacking for row in rows if (lacking := lacks(row, labeled)) and not SIDE & set(lacking)
    ]
    opened = {kinds: sum(set(lacking) <= set(kinds) for lacking in closed) for kinds in closed}
    return min(opened.items(), key=lambda item: (len(item[0]), -item[1]), default=((), 0))


def missing_hint(kind: str) -> str:
    """What to do where a method lacks this."""
    ways = {
        PAIRS: "Mark pairs of chips as alike or different.",
        DISTANCES: "Give distances of pairs of chips.",
        ACTIONS: "Say which actions lead from chip to chip.",
    }
    return ways.get(kind, f"Label some {kind}.")


def unlock_words(labeled: Collection[str]) -> str:
    """"A background label opens 31 more methods"; "" where none is closed."""
    kinds, count = unlocks(labeled)
    if not kinds:
        return ""
    more = f"{count} more method{'s' * (count != 1)}"
    if kinds == (SECOND_CLASS,):
        return f"Labels of a second class of targets open {more}"
    return (
        f"A {kinds[0]} label opens {more}"
        if len(kinds) == 1
        else f"Labels of {' and '.join(kinds)} open {more}"
    )
