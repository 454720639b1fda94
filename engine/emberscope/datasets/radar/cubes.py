"""Alarms of a ground-penetrating radar, generated: cubes of echoes in which something is buried,
or clutter that looks like it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

DEPTHS, SCANS, CHANNELS = 500, 25, 25
WINDOW, WINDOWS = 60, 15  # depths of an instance, and instances of an alarm
_SPEED = 2.5  # depths by which an echo comes later for each scan or channel aside
_WIDTH = 3.0  # depths, of the wave
_FADING = 25.0  # depths of delay after which an echo has 37 % of its strength
_SMOOTH = (3, 3, 3)  # voxels over which noise is alike
_LAYERS = 0.5  # standard deviations of noise, of what is the same in a whole depth
_INSIDE = 12  # depths that the top of an echo keeps from the ends of a window that holds it


@dataclass(frozen=True, slots=True)
class Shape:
    """What is buried. down, cross : half its length in scans and channels. sharp : depths from its
    top at which an echo is as good as straight; small for a narrow one. depths : where its top may
    lie. strength : of its echo, in standard deviations of noise."""

    down: float
    cross: float
    sharp: float
    depths: tuple[float, float]
    strength: float


TARGETS = {
    "large, shallow": Shape(3.5, 3.5, 6.0, (90.0, 140.0), 7.0),
    "large, deep": Shape(3.0, 3.0, 16.0, (280.0, 400.0), 5.0),
    "compact, shallow": Shape(0.5, 0.5, 4.0, (90.0, 140.0), 7.0),
    "small": Shape(0.5, 0.5, 8.0, (100.0, 350.0), 2.5),
    "long down-track": Shape(12.0, 1.0, 8.0, (120.0, 300.0), 5.0),
}


@dataclass(frozen=True, slots=True)
class Alarm:
    """One cube. echoes : (DEPTHS, SCANS, CHANNELS) float32, noise has about unit variance.
    kind : a name of TARGETS or CLUTTER. target : whether it is one. top : the depth at which its
    echo begins, NaN for what has none."""

    echoes: NDArray[np.float32]
    kind: str
    target: bool
    top: float


def alarms(n_targets: int = 100, n_clutter: int = 100, *, seed: int = 0) -> Iterator[Alarm]:
    """Targets of all kinds in turn, then clutter of all kinds in turn, each with a draw of its own:
    more of them leave the others as they are. A megabyte each, one at a time.

    In the likeness of Karem 2019, section 5.3: depth, down-track (scans) and cross-track
    (channels); the echo of a body comes later to either side of it, in a hyperbola around its
    length, and weaker; depth unknown; background removed but for noise and layers. What kinds there
    are, and all numbers, are ours.
    """
    for number in range(n_targets):
        rng = np.random.default_rng([seed, 0, number])
        name = list(TARGETS)[number % len(TARGETS)]
        yield Alarm(*_buried(TARGETS[name], _noise(rng), rng, name))
    for number in range(n_clutter):
        rng = np.random.default_rng([seed, 1, number])
        name = list(CLUTTER)[number % len(CLUTTER)]
        echoes = _noise(rng) + CLUTTER[name](rng).astype(np.float32)
        yield Alarm(echoes, name, False, np.nan)


def windows() -> NDArray[np.int64]:
    """The first depth of each window, (WINDOWS,): evenly spaced, half of each is of the next."""
    return np.linspace(0, DEPTHS - WINDOW, WINDOWS).round().astype(np.int64)


def witnesses(alarm: Alarm) -> NDArray[np.bool_]:
    """Which windows hold the top of the target, not at their ends, (WINDOWS,); of clutter none."""
    first = windows()
    inside = (first + _INSIDE <= alarm.top) & (alarm.top <= first + WINDOW - _INSIDE)
    return inside & alarm.target


def _noise(rng: np.random.Generator) -> NDArray[np.float32]:
    white = rng.standard_normal((DEPTHS, SCANS, CHANNELS), np.float32)
    smooth = uniform_filter(white, _SMOOTH, mode="wrap")
    layers = uniform_filter(rng.standard_normal(DEPTHS), _SMOOTH[0], mode="wrap")
    layers *= _LAYERS / layers.std()
    return (smooth / smooth.std() + layers[:, None, None]).astype(np.float32)


def _buried(
    shape: Shape, noise: NDArray, rng: np.random.Generator, name: str
) -> tuple[NDArray[np.float32], str, bool, float]:
    top = float(rng.uniform(*shape.depths))
    strength = shape.strength * rng.uniform(0.8, 1.2)
    scan, channel = _aside(rng.uniform(-1, 1), rng.uniform(-1, 1))
    beside = np.hypot(np.maximum(np.abs(scan) - shape.down, 0),
                      np.maximum(np.abs(channel) - shape.cross, 0))
    delay = np.hypot(shape.sharp, _SPEED * beside) - shape.sharp
    echo = _wave(top + delay) * np.exp(-delay / _FADING)
    again = 0.4 * _wave(top + 14 + delay) * np.exp(-delay / _FADING)
    return (noise + strength * (echo + again)).astype(np.float32), name, True, top


def _aside(scan: float, channel: float) -> tuple[NDArray, NDArray]:
    """How far every scan, in a column, and every channel lies from the middle, less an offset."""
    return (np.arange(SCANS)[:, None] - (SCANS - 1) / 2 - scan,
            np.arange(CHANNELS) - (CHANNELS - 1) / 2 - channel)


def _wave(depth: NDArray) -> NDArray[np.float64]:
    """(DEPTHS, SCANS, CHANNELS) a Ricker wavelet about a depth (SCANS, CHANNELS)."""
    off = np.square((np.arange(DEPTHS)[:, None, None] - depth) / _WIDTH)
    return np.asarray((1 - off) * np.exp(-off / 2))


def _layer(rng: np.random.Generator) -> NDArray:
    """A layer of soil that rises to one side."""
    scan, channel = _aside(0.0, 0.0)
    slope = rng.choice([-1, 1], 2) * rng.uniform(0.6, 1.6, 2)
    return rng.uniform(3, 7) * _wave(
        rng.uniform(100, 400) + slope[0] * scan + slope[1] * channel)


def _ditch(rng: np.random.Generator) -> NDArray:
    """A flat layer that ends at either side."""
    scan, channel = _aside(0.0, 0.0)
    held = (np.abs(scan) < rng.uniform(3, 7)) & (np.abs(channel) < rng.uniform(3, 7))
    return rng.uniform(3, 7) * held * _wave(np.full((SCANS, CHANNELS), rng.uniform(100, 400)))


def _half(rng: np.random.Generator) -> NDArray:
    """A stone aslant: half of a hyperbola, on one side along and across the track."""
    scan, channel = _aside(0.0, 0.0)
    along, across = rng.choice([-1, 1], 2)
    beside = np.hypot(np.maximum(along * scan, 0), np.maximum(across * channel, 0))
    held = (along * scan > -1) & (across * channel > -1)
    delay = np.hypot(5.0, _SPEED * beside) - 5.0
    return rng.uniform(4, 7) * held * _wave(rng.uniform(100, 350) + delay) * np.exp(
        -delay / _FADING)


def _stripes(rng: np.random.Generator) -> NDArray:
    """A jolt of the vehicle: a few scans that are stronger at all depths."""
    scan, _ = _aside(rng.uniform(-3, 3), 0.0)
    strength = np.exp(-np.square(scan / rng.uniform(1, 2)))
    along = uniform_filter(rng.standard_normal(DEPTHS), 5)
    return np.asarray(rng.uniform(4, 8) * (along / along.std())[:, None, None] * strength)


CLUTTER: dict[str, Callable[[np.random.Generator], NDArray]] = {
    "layer": _layer, "ditch": _ditch, "half": _half, "stripes": _stripes,
}  # fmt: skip
