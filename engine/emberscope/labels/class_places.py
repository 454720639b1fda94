"""Which place among colors and glyphs a class takes: that of its name, the same in every project
where it is free."""

import zlib
from collections.abc import Container, Iterable, Sequence

import msgspec

from emberscope.labels.model import DEFAULT_CLASSES, TargetClass

_OWN = (1, 3, 4, 5, 6)  # places that names ask for
_LAST = (7, 2)  # blue as Background is, and that of Background itself: taken where no other is free
_DEFAULT = DEFAULT_CLASSES[0]


def own_place(name: str) -> int:
    """The place that a name asks for, one of those unlike Background, in any case of its
    letters."""
    key = name.casefold()
    if key == _DEFAULT.name.casefold():
        return _DEFAULT.slot
    return _OWN[zlib.crc32(key.encode()) % len(_OWN)]


def free_place(name: str, taken: Sequence[int]) -> int:
    """The place of a name, else the next one that is free after it; the rarest where all of them
    are taken."""
    first = _OWN.index(own_place(name))
    order = (*_OWN[first:], *_OWN[:first], *_LAST)
    return next((place for place in order if place not in taken), min(order, key=taken.count))


def placed(new: Iterable[TargetClass], classes: Iterable[TargetClass]) -> list[TargetClass]:
    """New classes, each in a place; those whose own place is free come before those that have to
    look for another.

    classes : those that hold their places.
    """
    new = list(new)
    taken = [found.slot for found in classes]
    out: dict[int, TargetClass] = {}
    for only_own in (True, False):
        for made in new:
            place = free_place(made.name, taken)
            if made.id not in out and (place == own_place(made.name) or not only_own):
                out[made.id] = msgspec.structs.replace(made, slot=place)
                taken.append(place)
    return [out[made.id] for made in new]


def gives_way(found: TargetClass, used: Container[int]) -> bool:
    """Whether a class is the one that every project begins with, and nothing was labeled with it.
    used : class ids."""
    return (found.id, found.name) == (_DEFAULT.id, _DEFAULT.name) and found.id not in used
