"""How large a relaxed box of u = 1 is: by each clip's own targets, by those of all clips, or in
pixels."""

import re
from collections.abc import Iterable
from typing import Literal

from emberscope.base.errors import ParamError
from emberscope.labels.model import Box, Label
from emberscope.labels.truth_objects import TruthBox
from emberscope.labels.weaken import Base, Size, base_sizes

Basis = Literal["clip", "all"] | Size
"""clip : the largest box of a class in its clip. all : that in all clips of the import, so that the
size of a box does not say at which range its clip was taken. (rows, cols) : of all targets, px."""

LARGEST = 4096  # px, of a side


def basis_from(text: str) -> Basis:
    """What somebody wrote: clip, all, or width x height in pixels, as 121x51.

    Raises ParamError.
    """
    if text in ("clip", "all"):
        return "all" if text == "all" else "clip"
    found = re.fullmatch(r"(\d{1,6}) ?[x×] ?(\d{1,6})", text.strip())
    if found is None:
        raise ParamError(
            f"the size of boxes is '{text}'",
            hint="Give clip, all, or width x height in pixels, as 121x51.",
        )
    return checked((int(found[2]), int(found[1])))


def checked(size: Size) -> Size:
    """A size in pixels (rows, cols). Raises ParamError where a side is none of 1 to 4096."""
    if min(size) < 1 or max(size) > LARGEST:
        raise ParamError(
            f"the size of boxes is {size[1]} x {size[0]} px", hint=f"Give 1 to {LARGEST} a side."
        )
    return size


def largest_of(truths: Iterable[Iterable[TruthBox]]) -> dict[str, Size]:
    """Rows and cols of the largest box of each name in several truths (`weaken.base_sizes`)."""
    sizes: dict[str, Size] = {}
    for truth in truths:
        for name, (rows, cols) in base_sizes(truth).items():
            before = sizes.get(name, (0, 0))
            sizes[name] = max(before[0], rows), max(before[1], cols)
    return sizes


def bases_for(basis: Basis, truths: Iterable[Iterable[TruthBox]]) -> Base | None:
    """What `weaken.Weakening` takes as its base; None: that of each clip. truths : of all clips of
    the import, not looked at but for "all"."""
    if basis != "all":
        return None if basis == "clip" else checked(basis)
    return largest_of(truths)


def note_on_sizes(labels: Iterable[Label]) -> str:
    """A sentence where relaxed boxes of one class differ between clips by a quarter or more; ""
    where they do not."""
    sides: dict[int, dict[int, Size]] = {}
    for label in labels:
        if isinstance(label, Box) and label.core is not None:
            size = round(label.y1 - label.y0), round(label.x1 - label.x0)
            mine = sides.setdefault(label.class_id, {})
            mine[label.source] = max(mine.get(label.source, (0, 0)), size, key=max)
    found = [
        (max(sizes.values(), key=max), min(sizes.values(), key=max)) for sizes in sides.values()
    ]
    large, small = max(
        found, key=lambda pair: max(pair[0]) / max(pair[1]), default=((1, 1), (1, 1))
    )
    if max(large) < 1.25 * max(small):
        return ""
    return (
        f"Relaxed boxes of one class are {small[1]} x {small[0]} px in one clip and {large[1]} x "
        f"{large[0]} px in another, so their size gives the range away; one size for all clips "
        "does not."
    )
