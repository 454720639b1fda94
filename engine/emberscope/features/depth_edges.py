"""Edge histograms of a cube of echoes, down-track and cross-track, for every window of depths."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.features.ehd import DIRECTIONS, THRESHOLD, edge_directions

PARTS = 7  # that overlap, side by side along the scans or channels
LONG, THIN = 15, 7  # scans (channels) of a histogram, and channels (scans) beside each other
_PART = 4  # of the 13 pixels with an edge, in each part
WAYS = ("down-track", "cross-track")
NAMES = tuple(f"{way} {part} {what}"
              for way, part, what in product(WAYS, range(1, PARTS + 1), DIRECTIONS))
# those that tell most of different kinds of what is buried apart: the arms of a hyperbola
ARMS = tuple(
    NAMES.index(f"{way} {part} {what}") for way in WAYS
    for what, parts in (("diagonal", (1, 2, 3)), ("antidiagonal", (5, 6, 7))) for part in parts
)


def depth_edges(
    echoes: NDArray, first: NDArray[np.int64], depths: int, *, threshold: float = THRESHOLD
) -> NDArray[np.float32]:
    """Features of every window of depths.

    Parameters
    ----------
    echoes : (depths of the cube, scans, channels), with 15 scans and 15 channels at least, of which
        those in the middle are read. first : (W,) the first depth of each window. depths : of a
        window, 3 at least. threshold : see `ehd`.

    Returns
    -------
    X : (W, 70) float32, columns as `NAMES`: 7 parts by 5 shares that add up to 1, down-track and
        then cross-track. "diagonal" ascends with the scan (channel).

    Notes
    -----
    Karem 2019, section 5.3.3: down-track, the images of depth by 15 scans of 7 channels; every
    pixel goes to its strongest edge; shares are means over depths and channels in 7 overlapping
    parts along the scans. Cross-track with scans and channels exchanged. How wide a part is does
    not stand in print: 4 of 13 pixels here. Raises DataError for a smaller cube. O(W depths 15 7).
    """
    echoes = np.asarray(echoes)
    if echoes.ndim != 3 or min(echoes.shape[1:]) < LONG or len(echoes) < depths or depths < 3:
        raise DataError(f"a cube of shape {echoes.shape} has no windows of {depths} depths",
                        hint=f"Give depths by {LONG} scans by {LONG} channels at least.")
    down = _middle(_middle(echoes, 1, LONG), 2, THIN)
    cross = _middle(_middle(echoes, 1, THIN), 2, LONG).transpose(0, 2, 1)
    return np.hstack([_one_way(part, first, depths, threshold) for part in (down, cross)])


def _one_way(
    echoes: NDArray, first: NDArray, depths: int, threshold: float
) -> NDArray[np.float32]:
    """(W, 35) of echoes (depths, 15, 7)."""
    edges = edge_directions(echoes.transpose(2, 0, 1), threshold=threshold)
    found = np.stack([edges == k for k in range(len(DIRECTIONS))]).mean(axis=1)  # (5, depths, 13)
    starts = np.linspace(0, edges.shape[2] - _PART, PARTS).round().astype(np.int64)
    parts = np.stack([found[:, :, s : s + _PART].mean(axis=2) for s in starts], axis=1)
    rows = [parts[:, :, z : z + depths - 2].mean(axis=2).T.ravel() for z in first.tolist()]
    return np.array(rows, np.float32)


def _middle(echoes: NDArray, axis: int, count: int) -> NDArray:
    first = (echoes.shape[axis] - count) // 2
    return echoes.take(range(first, first + count), axis)
