"""How labels become bags, as data."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

_Side = Annotated[int, msgspec.Meta(ge=1)]
_Natural = Annotated[int, msgspec.Meta(ge=0)]


class BagRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `bags.make.make_bags`.

    level : "chip" - one instance per label, its box; "instance" - patches of a grid inside the label's support.
    patch, stride : int, px. Side of a grid patch and grid step (instance level; frame labels at chip level too).
    also : sides of further patches in px (instance level), each with steps of half its side: for targets of sizes that
        one patch does not serve. A bag has the patches of all sizes.
    background : int. Background chips sampled on every frame marked complete (0 = none).
    background_rule : where these are sampled. "random" - anywhere outside the labels; "same-place" - first where labels
        of targets lie on other frames, which is right where the camera stands still; "near" - first next to labels of
        targets on the frame.
    guard : float, px. Positive boxes are inflated by this before background is sampled.
    seed : int. Of the background sampling.
    """

    level: Literal["chip", "instance"] = "instance"
    patch: _Side = 32
    stride: _Side = 16
    also: tuple[_Side, ...] = ()
    background: _Natural = 0
    background_rule: Literal["random", "same-place", "near"] = "random"
    guard: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    seed: _Natural = 0

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides of all patches in px, each once, `patch` first; chips of labels have that one only."""
        return tuple(dict.fromkeys((self.patch, *(self.also if self.level == "instance" else ()))))


def sides_in_words(sides: Sequence[int]) -> str:
    """ "24", "24 and 64", "24, 64 and 96"."""
    first = ", ".join(map(str, sides[:-1]))
    return f"{first} and {sides[-1]}" if first else str(sides[-1])
