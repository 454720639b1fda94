"""How labels become bags, as data."""

from typing import Literal

import msgspec


class BagRecipe(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `bags.make.make_bags`.

    level : "chip" - one instance per label, its box; "instance" - patches of a grid inside the label's support.
    patch, stride : int, px. Side of a grid patch and grid step (instance level; frame labels at chip level too).
    background : int. Background chips sampled on every frame marked complete (0 = none).
    guard : float, px. Positive boxes are inflated by this before background is sampled.
    seed : int. Of the background sampling.
    """

    level: Literal["chip", "instance"] = "instance"
    patch: int = 32
    stride: int = 16
    background: int = 0
    guard: float = 0.0
    seed: int = 0
