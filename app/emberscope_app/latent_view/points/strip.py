"""The strip of one axis: a band for each group of points, room for its density above them."""

import numpy as np
from numpy.typing import NDArray

BAND = 0.28   # height of one group's band, map units
FOOT = -0.22  # of the density, and
HIGH = 0.66   # how high it is at most: shares of the band, from its middle
_POINTS, _WIDE = -0.36, 0.2  # where the points are, and how far they are jittered


def strip_places(places: NDArray, group: NDArray, ids: NDArray) -> NDArray[np.float32]:
    """Places along one axis: one band a group, jittered in height by the id, so that a
    point stays put."""
    out = places.copy(order="K")  # each axis along memory, as they are
    keys, band = np.unique(group, return_inverse=True)
    jitter = (
        ((ids * 2654435761) % 65536) / 65536 - 0.5 if len(ids) == len(out) else np.zeros(len(out))
    )
    out[:, 1] = middle_of(band, len(keys)) + BAND * (_POINTS + _WIDE * jitter)
    return out


def height_of(low: float, high: float) -> tuple[float, float]:
    """From where to where bands are whose points lie from low to high."""
    return low - 0.04 * BAND, high + (HIGH + 0.1) * BAND


def middle_of(band: NDArray | int, count: int) -> NDArray | float:
    """The height of the middle of a band among so many, the first on top."""
    return BAND * ((count - 1) / 2 - band)
