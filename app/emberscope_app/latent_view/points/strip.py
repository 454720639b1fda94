"""The strip of a run of one dimension: a band for each group of points, with the line of its
density."""

import numpy as np
from numpy.typing import NDArray

BAND = 0.28  # height of one group's band in the strip of a one-dimensional run, map units


def strip_places(places: NDArray, group: NDArray, ids: NDArray) -> NDArray[np.float32]:
    """Places of a one-dimensional run: one band a group, jittered in height by the id, so that a
    point stays put."""
    out = places.copy()
    keys, band = np.unique(group, return_inverse=True)
    jitter = (
        ((ids * 2654435761) % 65536) / 65536 - 0.5 if len(ids) == len(out) else np.zeros(len(out))
    )
    out[:, 1] = BAND * (((len(keys) - 1) / 2 - band) + 0.6 * jitter - 0.1)
    return out


def strip_density(places: NDArray, group: NDArray) -> dict[int, NDArray]:
    """Density line (64, 2) of each group, standing on its band."""
    out = {}
    keys = np.unique(group)
    for band, key in enumerate(keys):
        x = places[group == key, 0]
        counts, edges = np.histogram(x, bins=64, range=(-1.05, 1.05))
        kernel = np.exp(-0.5 * (np.arange(-6, 7) / 2.0) ** 2)
        smooth = np.convolve(counts, kernel, "same")
        foot = BAND * ((len(keys) - 1) / 2 - band + 0.22)
        height = 0.22 * BAND * smooth / max(smooth.max(), 1e-12)
        out[int(key)] = np.column_stack([(edges[:-1] + edges[1:]) / 2, foot + height])
    return out
