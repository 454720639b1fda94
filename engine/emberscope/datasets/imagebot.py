"""IMAGEBOT: a small window that is moved over a large texture, action after action, and what it
sees."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates

from emberscope.base.errors import ParamError
from emberscope.labels.side_info import Sequence, SideInfo

_WORLD = (1536, 2048)  # px; it repeats at its borders
_SIDE = 100            # px of the window
_STEP = 25.0           # px of a move, at zoom 0
_TURN, _TURNS = 22.5, 16  # degrees, and how many make a full turn
_ZOOMS = 8             # zooms that double the scale
# A place along and across the first view is a whole number of these parts of a step, so that two
# places can be equal.
_FINE = 1000

# Moves along and across the view, turns in steps of 22.5 degrees, zooms in eighths of an octave.
_ACTIONS = {
    "forward": (1, 0, 0, 0), "back": (-1, 0, 0, 0), "back twice": (-2, 0, 0, 0),
    "left": (0, -1, 0, 0), "right": (0, 1, 0, 0), "turn right": (0, 0, 1, 0),
    "turn left": (0, 0, -1, 0), "zoom out": (0, 0, 0, 1), "zoom in": (0, 0, 0, -1),
}

def _letter(aside: str, inside: str) -> tuple[tuple[str, int], ...]:
    """An 'A' of 44 actions: up one leg and down the other, each with every fourth step aside, half
    up again, across."""
    up, down = (("forward", 3), (aside, 1)), (("back", 3), (aside, 1))
    again = ((inside, 1), ("forward", 3))
    return (*up * 4, *down * 4, *again * 2, (inside, 4))


PATHS: dict[str, tuple[tuple[str, int], ...]] = {
    "line": (("forward", 40), ("back", 20)),
    "double": (("forward", 40), ("back twice", 20)),
    "turn": (("turn right", 16), ("turn left", 8)),
    "letter": _letter("right", "left"),
    "zoom": _letter("zoom out", "zoom in"),
}


@dataclass(frozen=True, slots=True)
class Walk:
    """What the window saw. X : (T, pixels) float64. side : the track, with its actions.

    places : (T,) int64, the first frame at the same place. result : (T, A) int64, the place each
    action of `side` leads to from each frame, -1 where the window never was there.
    """

    X: NDArray[np.float64]
    side: SideInfo
    places: NDArray[np.int64]
    result: NDArray[np.int64]


def texture(
    exponent: float, *, seed: int = 0, shape: tuple[int, int] = _WORLD
) -> NDArray[np.float64]:
    """Random texture (rows, columns) with amplitude f^-exponent, mean 0 and variance 1, which goes
    on across its borders. O(N log N)."""
    rows, cols = shape
    frequency = np.hypot(np.fft.fftfreq(rows)[:, None], np.fft.rfftfreq(cols))
    frequency[0, 0] = np.inf
    noise = np.random.default_rng(seed).standard_normal(shape)
    world = np.fft.irfft2(np.fft.rfft2(noise) * frequency**-exponent, shape)
    return np.asarray(world / world.std())


def walk(path: str, world: NDArray, *, repeats: int = 1, every: int = 4) -> Walk:
    """Follow a path of PATHS over a texture (rows, columns).

    Parameters
    ----------
    repeats : times the path is walked, one after the other. every : each so-manieth pixel of the
        window is seen.

    Notes
    -----
    Ghodsi 2005, section 4.3: a window of 100 x 100 px on a photograph of 2048 x 1536, moves of 25
    px (times the zoom), turns of 22.5 degrees, zooms of 2^(1/8). Bilinear between pixels. Raises
    ParamError for another path.
    """
    if path not in PATHS:
        raise ParamError(f"there is no path {path!r}", hint=f"Choose {', '.join(PATHS)}.")
    taken = [action for action, times in PATHS[path] * repeats for _ in range(times)]
    names = tuple(sorted(set(taken)))
    poses = [(0, 0, 0, 0)]
    for action in taken:
        poses.append(_moved(poses[-1], action))
    first = {pose: t for t, pose in reversed(list(enumerate(poses)))}
    track = Sequence(rows=np.arange(len(poses)),
                     actions=np.array([names.index(action) for action in taken]))
    return Walk(
        np.stack([_seen(world, pose, every) for pose in poses]),
        SideInfo(sequences=(track,), actions=names), np.array([first[pose] for pose in poses]),
        np.array([[first.get(_moved(pose, name), -1) for name in names] for pose in poses]),
    )


_Pose = tuple[int, int, int, int]


def _moved(pose: _Pose, action: str) -> _Pose:
    along, across, turn, zoom = _ACTIONS[action]
    angle, size = np.deg2rad(_TURN * pose[2]), _FINE * 2.0 ** (pose[3] / _ZOOMS)
    ahead = size * (along * np.cos(angle) - across * np.sin(angle))
    aside = size * (along * np.sin(angle) + across * np.cos(angle))
    return pose[0] + round(ahead), pose[1] + round(aside), (pose[2] + turn) % _TURNS, pose[3] + zoom


def _seen(world: NDArray, pose: _Pose, every: int) -> NDArray[np.float64]:
    grid = (np.arange(0, _SIDE, every) - (_SIDE - 1) / 2) * 2.0 ** (pose[3] / _ZOOMS)
    angle = np.deg2rad(_TURN * pose[2])
    aside, ahead = np.meshgrid(grid, grid, indexing="ij")
    cols = _STEP * pose[0] / _FINE + ahead * np.cos(angle) - aside * np.sin(angle)
    rows = _STEP * pose[1] / _FINE + ahead * np.sin(angle) + aside * np.cos(angle)
    return np.asarray(map_coordinates(world, [rows + _SIDE, cols + _SIDE], order=1,
                                      mode="grid-wrap").ravel())
