"""How labels become bags, as data."""

from collections.abc import Sequence
from numbers import Integral
from typing import Annotated, Literal, get_args

import msgspec

from emberscope.base.errors import ParamError

_MOST = 2**31 - 1  # what no frame, no count and no seed reaches; larger numbers fit in no array
_MOST_SIZES = 64
_MOST_CHIPS = 10_000  # of background on a frame: each is placed beside all others
_Side = Annotated[int, msgspec.Meta(ge=1, le=_MOST)]
_Level = Literal["chip", "instance", "rows"]
ROWS: _Level = "rows"
_Rule = Literal["random", "same-place", "near"]
_Natural = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]
_Sides = Annotated[tuple[_Side, ...], msgspec.Meta(max_length=_MOST_SIZES)]


class BagRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `bags.make.make_bags`.

    level : "chip" - one instance per label, its box; "instance" - patches of a grid inside the
    label's support; "rows" - of a point set, whose frames are bags and whose rows are instances.
    patch, stride : int, px. Side of a grid patch and grid step (instance level; frame labels at
    chip level too).
    also : sides of further patches in px (instance level), each with steps of half its side: for
        targets of sizes that one patch does not serve. A bag has the patches of all sizes.
    background : int. Background chips sampled on every frame marked complete (0 = none).
    background_rule : where these are sampled. "random" - anywhere outside the labels; "same-place"
        - first where labels of targets lie on other frames, which is right where the camera stands
        still; "near" - first next to labels of targets on the frame.
    guard : float, px. Positive boxes are inflated by this before background is sampled.
    seed : int. Of the background sampling.
    """

    level: _Level = "instance"
    patch: _Side = 32
    stride: _Side = 16
    also: _Sides = ()
    background: Annotated[int, msgspec.Meta(ge=0, le=_MOST_CHIPS)] = 0
    background_rule: _Rule = "random"
    guard: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    seed: _Natural = 0

    def __post_init__(self) -> None:
        """Raises ParamError: what a file may not say, Python may not either."""
        for name, least in (("patch", 1), ("stride", 1), ("background", 0), ("seed", 0)):
            _check_whole(name, getattr(self, name), least, _MOST_CHIPS if name == "background"
                         else _MOST)
        if len(self.also) > _MOST_SIZES:
            raise ParamError(f"bags: also has {len(self.also)} sides",
                             hint=f"Give {_MOST_SIZES} or fewer.")
        for side in self.also:
            _check_whole("a side in also", side, 1)
        if not self.guard >= 0:
            raise ParamError(f"bags: guard is {self.guard!r}", hint="Give 0 px or more.")
        for name, choices in (("level", get_args(_Level)), ("background_rule", get_args(_Rule))):
            if getattr(self, name) not in choices:
                raise ParamError(f"bags: {name} is {getattr(self, name)!r}",
                                 hint=f"Give one of {', '.join(choices)}.")

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides of all patches in px, each once, `patch` first; chips of labels have that one
        only."""
        return tuple(dict.fromkeys((self.patch, *(self.also if self.level == "instance" else ()))))


def gaps_in_words(recipe: BagRecipe) -> str:
    """That steps are wider than patches, and what to do; "" where patches leave no gap, or there is
    no grid."""
    if recipe.level != "instance" or recipe.stride <= recipe.patch:
        return ""
    gap = f"Steps of {recipe.stride} px leave gaps between patches of {recipe.patch} px"
    return f"{gap}, where no patch shows a target: take steps of {recipe.patch} px or less."


def _check_whole(name: str, value: object, least: int, most: int = _MOST) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise ParamError(f"bags: {name} is {value!r}",
                         hint=f"Give a whole number, {least} or more.")
    if int(value) > most:
        raise ParamError(f"bags: {name} is {value}", hint=f"Give {most} or less.")


def sides_in_words(sides: Sequence[int]) -> str:
    """ "24", "24 and 64", "24, 64 and 96"."""
    first = ", ".join(map(str, sides[:-1]))
    return f"{first} and {sides[-1]}" if first else str(sides[-1])
