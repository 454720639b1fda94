"""From counts of a thermal camera to temperatures: its Planck constants, and what is known about
the scene.

What the camera sees of a scene comes from the object itself, from what the object reflects, from
the air between, and from a window in front of the lens. With W(T) = R1 / (R2 (exp(B / T) - F)) - O,
the counts of a black body at T kelvin:

    counts = t (tau (e W(object) + (1 - e) W(reflected)) + (1 - tau) W(air)) + (1 - t) W(window)

e is the emissivity, t the transmission of the window, and tau that of the air:

    tau = X exp(-sqrt(d) (alpha1 + beta1 sqrt(h))) + (1 - X) exp(-sqrt(d) (alpha2 + beta2 sqrt(h)))
    h = humidity exp(1.5587 + 0.06939 T - 0.00027816 T^2 + 0.00000068455 T^3)

with d in m and T of the air in deg C.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ParamError

ZERO_C = 273.15  # K
UNITS = ("counts", "degC", "K")
_COUNTS = 1 << 16  # of 16-bit frames: as many temperatures are computed once and looked up
_LIMITS = {  # of each parameter: smallest and largest value, unit
    "emissivity": (0.01, 1.0, ""),
    "reflected": (-ZERO_C, 5000.0, "degC"),
    "distance": (0.0, 100_000.0, "m"),
    "air": (-ZERO_C, 200.0, "degC"),
    "humidity": (0.0, 1.0, ""),
    "window": (-ZERO_C, 5000.0, "degC"),
    "transmission": (0.01, 1.0, ""),
}


@dataclass(frozen=True, slots=True)
class Scene:
    """What is known about an object and what lies between it and the camera: the object parameters.

    emissivity, humidity and transmission (of a window in front of the lens) are shares from 0 to 1;
    reflected, air and window are temperatures in degrees Celsius; distance is in meters.
    """

    emissivity: float = 1.0
    reflected: float = 20.0
    distance: float = 0.0
    air: float = 20.0
    humidity: float = 0.5
    window: float = 20.0
    transmission: float = 1.0

    def changed(self, values: Mapping[str, float]) -> Self:
        """The same with other values. Raises ParamError for a name that is none, or a value out of
        its range."""
        return replace(self, **check_scene(values))


SCENE = tuple(field.name for field in fields(Scene))


def is_possible(name: str, value: float) -> bool:
    """Whether an object parameter may have this value: that of a damaged file may not."""
    low, high, _ = _LIMITS[name]
    return low <= value <= high


def check_scene(values: Mapping[str, Any]) -> dict[str, float]:
    """Object parameters as numbers. Raises ParamError for a name that is none, or a value out of
    its range."""
    found = {}
    for name, value in values.items():
        if name not in _LIMITS:
            raise ParamError(f"{name} is no object parameter", hint=f"Known: {', '.join(SCENE)}.")
        low, high, unit = _LIMITS[name]
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not low <= number <= high:
            said = f" {unit}" if unit else ""
            raise ParamError(
                f"{name} is {value}", hint=f"Give a number from {low:g} to {high:g}{said}."
            )
        found[name] = number
    return found


@dataclass(frozen=True, slots=True)
class Planck:
    """Constants of a camera in one range, and those of the air in front of it."""

    R1: float
    R2: float
    B: float
    F: float
    O: float  # noqa: E741 - as every file and paper names it
    alpha1: float = 0.006569
    alpha2: float = 0.01262
    beta1: float = -0.002276
    beta2: float = -0.00667
    X: float = 1.9

    @property
    def usable(self) -> bool:
        """Whether the constants can be those of a camera; a file may leave them at zero."""
        values = (self.R1, self.R2, self.B, self.F, self.O)
        return all(math.isfinite(value) for value in values) and min(self.R1, self.R2, self.B) > 0


@dataclass(frozen=True, slots=True)
class Calibration:
    """How counts become temperatures."""

    planck: Planck
    scene: Scene

    def temperatures(self, counts: NDArray, units: str = "degC") -> NDArray[np.float32]:
        """The temperature of each of the counts (rows, cols), in degC or K; NaN where no body has
        these."""
        if counts.dtype == np.uint16:
            return _table(self, units)[counts]
        return self.computed(counts, units)

    def computed(self, counts: NDArray, units: str) -> NDArray[np.float32]:
        """What `temperatures` looks up, computed for each of the counts, (rows, cols)."""
        less = 0.0 if units == "K" else ZERO_C
        scene, planck = self.scene, self.planck
        tau = self.air_transmission()
        through = scene.transmission * tau * scene.emissivity
        beside = (scene.transmission * (tau * (1 - scene.emissivity) * self._black(scene.reflected)
                                        + (1 - tau) * self._black(scene.air))
                  + (1 - scene.transmission) * self._black(scene.window))
        with np.errstate(all="ignore"):
            own = (counts - beside) / through + planck.O
            kelvin = planck.B / np.log(planck.R1 / (planck.R2 * own) + planck.F)
            return np.where((own > 0) & (kelvin > 0), kelvin - less, np.nan).astype(np.float32)

    def _black(self, celsius: float) -> float:
        """Counts of a black body."""
        planck = self.planck
        kelvin = celsius + ZERO_C
        if kelvin < 1:
            return -planck.O
        return (
            planck.R1 / (planck.R2 * (math.exp(min(planck.B / kelvin, 700.0)) - planck.F))
            - planck.O
        )

    def air_transmission(self) -> float:
        """The share of radiation that the air lets through."""
        scene, planck = self.scene, self.planck
        t = scene.air
        water = math.sqrt(
            scene.humidity * math.exp(1.5587 + 6.939e-2 * t - 2.7816e-4 * t**2 + 6.8455e-7 * t**3)
        )
        way = math.sqrt(scene.distance)
        tau = (planck.X * math.exp(-way * (planck.alpha1 + planck.beta1 * water))
               + (1 - planck.X) * math.exp(-way * (planck.alpha2 + planck.beta2 * water)))
        return min(max(tau, 1e-3), 1.0)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Plain data: "planck" and "object"."""
        return {"planck": asdict(self.planck), "object": asdict(self.scene)}


@functools.lru_cache(8)
def _table(calibration: Calibration, units: str) -> NDArray[np.float32]:
    """(65536,) the temperature of each count."""
    table = calibration.computed(np.arange(_COUNTS), units)
    table.flags.writeable = False
    return table
