"""Handwritten digits as chips, shifted step by step or at random: what forgives a shift sees
digits, not places."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_ZOOM = 3
_MARGIN = 2  # px that the blur spreads into
# px. The reference only says "blurred"; at this width the tangents within and between digits differ
# as it reports.
_BLUR = 1.7


def shifted_digits(
    digits: Sequence[int], *, step: int = 1, n_shifts: int = 9, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float64]]:
    """One image of each digit, three times as large and blurred, at n_shifts places `step` px apart
    along the columns.

    Returns
    -------
    chips : (N, 28, columns) in [0, 1], wide enough that no digit leaves. digit : (N,). shift : (N,)
    px, mean 0 where n_shifts is odd.
    """
    from scipy.ndimage import gaussian_filter
    from sklearn.datasets import load_digits

    known = load_digits()
    rng = np.random.default_rng(seed)
    half = step * (n_shifts // 2)
    shifts = step * (np.arange(n_shifts) - n_shifts // 2)
    chips = []
    for digit in digits:
        small = known.images[rng.choice(np.flatnonzero(known.target == digit))] / 16
        large = gaussian_filter(np.kron(small, np.ones((_ZOOM, _ZOOM))), _BLUR)
        wide = np.pad(large, ((_MARGIN, _MARGIN), (_MARGIN + half, _MARGIN + half)))
        chips += [np.roll(wide, shift, axis=1) for shift in shifts]
    return (np.array(chips, np.float32), np.repeat(np.array(digits, np.int64), n_shifts),
            np.tile(shifts.astype(float), len(digits)))


def digits_off_center(
    n: int, *, reach: int = 2, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """n different images of digits, 8 x 8 px, each shifted by up to `reach` px along both axes, at
    random.

    Returns
    -------
    chips : (n, 8 + 2 reach, 8 + 2 reach) in [0, 1]. digit : (n,).
    """
    from sklearn.datasets import load_digits

    known = load_digits()
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(known.images), n, replace=False)
    wide = np.pad(known.images[rows] / 16, ((0, 0), (reach, reach), (reach, reach)))
    shifts = rng.integers(-reach, reach + 1, (n, 2))
    moved = [np.roll(chip, shift, axis=(0, 1)) for chip, shift in zip(wide, shifts, strict=True)]
    return np.array(moved, np.float32), known.target[rows].astype(np.int64)
