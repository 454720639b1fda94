"""Changes of chips that do not matter: moved, turned, scaled, made brighter or filtered;
borders are repeated."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError
from emberscope.labels.side_info import Family, Invariance

MOST_CHANGES = 500  # of one invariance: each costs as much as all Euclidean distances
AS_IT_IS = "as it is"
_FACTORS = ("scale", "gain")
_NAMES = {"translate": "shift", "rotate": "turn"}
_SLACK = 1e-9  # 3 steps of 0.1 reach 0.3


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a chip.

    amount : of "translate" (rows, columns) px down and to the right; of "rotate" (degrees,),
    counterclockwise as drawn; of "scale" and "gain" (factor,).
    """

    family: Family
    amount: tuple[float, ...]

    @property
    def forward(self) -> bool:
        """Whether it goes the way that counts as positive: larger, counterclockwise,
        right or else down."""
        if self.family == "translate":
            return (self.amount[1], self.amount[0]) > (0, 0)
        return self.amount[0] > (0 if self.family == "rotate" else 1)

    @property
    def words(self) -> str:
        """The amount as it is written below a chip, e.g. "+2 px" or "+1 px down"."""
        if self.family == "translate":
            down, right = self.amount
            parts = [f"{right:+.3g} px"] if right or not down else []
            return ", ".join([*parts, f"{down:+.3g} px down"] if down else parts)
        return f"{self.amount[0]:+.3g}°" if self.family == "rotate" else f"×{self.amount[0]:.3g}"


def changes(invariance: Invariance, shape: tuple[int, int]) -> list[Change]:
    """All changes that an invariance allows, ascending, the identity left out;
    none for a local filter.

    A translation without a direction goes along both axes at once: (2 k + 1)² - 1 changes for k
    steps. With a direction of a degrees a step is (sin a, cos a) px in (rows, columns). Steps of a
    factor multiply.
    `shape` : (rows, columns) of the chips. Raises DataError for a change larger than such a chip,
        or more than 500.
    """
    check_fits(invariance, shape)
    if invariance.family == "local-filter":
        return []
    steps = _steps(invariance)
    if invariance.family != "translate":
        return [Change(invariance.family, (amount,)) for amount in steps]
    if invariance.direction is not None:
        down, right = _unit(invariance.direction)
        return [Change("translate", (amount * down, amount * right)) for amount in steps]
    both = sorted([*steps, 0.0])
    return [Change("translate", (down, right)) for down in both for right in both if down or right]


def check_fits(invariance: Invariance, shape: tuple[int, int]) -> None:
    """Raise DataError for a change larger than chips of `shape` (rows, columns),
    or more than 500 of them."""
    family, step, reach = invariance.family, invariance.step, invariance.reach
    name = _NAMES.get(family, family)
    if family == "local-filter":
        _width(invariance, shape)
        return
    if family in _FACTORS and step <= 1:
        raise DataError(f"a step of {step:g} makes no {family}",
                        hint="Give a factor above 1: 1.05 is 5 %.")
    if _too_far(invariance, shape):
        unit = " px" if family == "translate" else ""
        raise DataError(f"a {name} of {reach:g}{unit} is larger than chips of {shape[0]} x "
                        f"{shape[1]} px",
                        hint="Choose a smaller reach, or larger chips.")
    if family == "rotate" and reach > 180:
        raise DataError(f"a turn of {reach:g} degrees goes round",
                        hint="Choose a reach of 180 degrees at most.")
    ratio = math.log(reach) / math.log(step) if family in _FACTORS else reach / step
    ways = 2 * ratio + 1
    count = ways**2 if family == "translate" and invariance.direction is None else ways
    if count > MOST_CHANGES + 1:
        raise DataError(f"a {name} up to {reach:g} in steps of {step:g} makes {count:.0f} changes "
                        "of every chip",
                        hint=f"Choose larger steps: {MOST_CHANGES} changes at most.")


def changed(chips: NDArray, change: Change) -> NDArray[np.float32]:
    """Chips (N, rows, columns) after a change, same shape;
    pixels between others are interpolated linearly.

    What comes in from outside is the border pixel nearest to it, so that a target which leaves on
    one side does not come in again on the other. O(N rows columns).
    """
    # 0.3 s: the window checks amounts by this module, without moving a pixel
    from scipy import ndimage

    chips = np.asarray(chips, np.float32)
    if change.family == "gain":
        return chips * np.float32(change.amount[0])
    center = (np.array(chips.shape[1:]) - 1) / 2
    turn, shift = np.eye(2), np.zeros(2)
    if change.family == "translate":
        shift = -np.array(change.amount)
    elif change.family == "rotate":
        sine, cosine = _unit(change.amount[0])
        turn = np.array([[cosine, sine], [-sine, cosine]])
    else:
        turn /= change.amount[0]
    # affine_transform asks for the way from a pixel of the result to one of the chip.
    matrix = np.eye(3)
    matrix[1:, 1:] = turn
    offset = np.concatenate([[0.0], center - turn @ center + shift])
    return ndimage.affine_transform(chips, matrix, offset, order=1, mode="nearest",
                                    output=np.float32)


def windows(chips: NDArray, width: int) -> NDArray[np.float32]:
    """The window around every pixel, borders repeated: (N, rows, columns) ->
    (N, rows * columns, width²)."""
    chips = np.asarray(chips, np.float32)
    half = width // 2
    padded = np.pad(chips, ((0, 0), (half, half), (half, half)), mode="edge")
    found = np.lib.stride_tricks.sliding_window_view(padded, (width, width), axis=(1, 2))
    return np.ascontiguousarray(found).reshape(len(chips), -1, width * width)


def filter_widths(invariances: Sequence[Invariance], shape: tuple[int, int]) -> list[int]:
    """Window widths of the local filters among invariances of chips of `shape` (rows, columns).

    Raises DataError for a width that is even, below 3 or wider than the chip.
    """
    return sorted({_width(found, shape) for found in invariances if found.family == "local-filter"})


def strip(chip: ArrayLike, invariance: Invariance) -> tuple[list[str], NDArray[np.float32]]:
    """What an invariance makes of one chip, for a person to look at:
    words (K) and chips (K, rows, columns).

    From the largest change one way over the chip itself to the largest the other way; of a
    translation along both axes first along the columns, then along the rows. A local filter is
    learned from other chips: of what it can do, its largest shifts and its mean are shown.
    `chip` : (rows, columns). Raises DataError for another array, and as `changes`.
    """
    chip = np.asarray(chip, np.float32)
    if chip.ndim != 2 or not chip.size:
        raise DataError(f"a chip has rows and columns, this array has the shape {chip.shape}",
                        hint="Give the chip of one instance.")
    if invariance.family == "local-filter":
        return _filtered(chip, _width(invariance, chip.shape))
    found = changes(invariance, chip.shape)
    if invariance.family == "translate" and invariance.direction is None:
        right = [change for change in found if not change.amount[0]]
        down = [change for change in found if not change.amount[1]]
        first, second = _around(chip, right), _around(chip, down)
        return [*first[0], *second[0]], np.concatenate([first[1], second[1]])
    return _around(chip, found)


def _around(chip: NDArray, found: list[Change]) -> tuple[list[str], NDArray[np.float32]]:
    """Half of the changes, the chip as it is, the other half:
    there are as many one way as the other."""
    half = len(found) // 2
    shown = [changed(chip[None], change)[0] for change in found]
    words = [change.words for change in found]
    return [*words[:half], AS_IT_IS, *words[half:]], np.stack([*shown[:half], chip, *shown[half:]])


def _filtered(chip: NDArray, width: int) -> tuple[list[str], NDArray[np.float32]]:
    half = width // 2
    ways = [Change("translate", amount)
            for amount in ((0, -half), (0, half), (-half, 0), (half, 0))]
    mean = windows(chip[None], width).mean(axis=2).reshape(chip.shape)
    shown = [chip, *(changed(chip[None], way)[0] for way in ways), mean]
    return [AS_IT_IS, *(way.words for way in ways), "mean"], np.stack(shown)


def _unit(degrees: float) -> tuple[float, float]:
    """Sine and cosine, exact at right angles."""
    angle = math.radians(degrees)
    return round(math.sin(angle), 15), round(math.cos(angle), 15)


def _steps(invariance: Invariance) -> list[float]:
    """Amounts both ways, ascending, without the one that changes nothing."""
    if invariance.family in _FACTORS:
        count = math.floor(math.log(invariance.reach) / math.log(invariance.step) + _SLACK)
        return [invariance.step**k for k in range(-count, count + 1) if k]
    count = math.floor(invariance.reach / invariance.step + _SLACK)
    return [invariance.step * k for k in range(-count, count + 1) if k]


def _too_far(invariance: Invariance, shape: tuple[int, int]) -> bool:
    """Whether a shift leaves nothing of a chip, or a scale a single pixel."""
    if invariance.family == "translate":
        parts = (1.0, 1.0) if invariance.direction is None else _unit(invariance.direction)
        return any(invariance.reach * abs(part) >= side
                   for part, side in zip(parts, shape, strict=True))
    return invariance.family == "scale" and invariance.reach >= min(shape)


def _width(invariance: Invariance, shape: tuple[int, ...]) -> int:
    width = round(invariance.reach)
    if width % 2 == 0 or not 3 <= width <= min(shape):
        raise DataError(f"a local filter of {invariance.reach:g} px does not fit chips of "
                        f"{shape[0]} x {shape[1]} px",
                        hint="Choose an odd width from 3 px to the side of the chip.")
    return width
