"""Frame normalization before features: clip at two percentiles, then median and MAD (help page:
features)."""

import numpy as np
from numpy.typing import NDArray


def normalize(
    frame: NDArray, *, low: float = 0.5, high: float = 98.0, mad_factor: float = 1.0,
    mask: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Clip a frame at its `low` and `high` percentiles, then center on the median in units of the
    MAD.

    Parameters
    ----------
    frame : ndarray, shape (rows, cols), integers or floats. Raw counts; never changed.
    low, high : percentiles in [0, 100] of the valid pixels.
    mad_factor : the MAD is multiplied by this; 1.4826 turns it into a standard deviation of
    Gaussian pixels.
    mask : bool array, shape (rows, cols), optional. False at pixels to leave out.

    Returns
    -------
    out : float32 array, shape (rows, cols), finite everywhere. Pixels that are masked or not finite
        take no part in the statistics and become 0, the value of the median. MAD = 0 counts as 1.

    Notes
    -----
    x' = (clip(x) - median) / (mad_factor * MAD), MAD = median |clip(x) - median|. Median and MAD
    are those of the clipped pixels. 8- and 16-bit frames go through their histogram and one table
    look-up: the same numbers to float32, about 1 ms for 640 x 512.
    """
    frame = np.asarray(frame)
    good = _good(frame, mask)
    if frame.dtype.kind in "iu" and frame.dtype.itemsize <= 2:
        return _through_table(frame, good, low, high, mad_factor)
    pixels = np.asarray(frame if good is None else frame[good], np.float64).ravel()
    out = np.zeros(frame.shape, np.float32)
    if pixels.size == 0:
        return out
    clipped = np.clip(pixels, *np.percentile(pixels, [low, high]))
    median = np.median(clipped)
    clipped -= median
    clipped /= _scale(np.median(np.abs(clipped)), mad_factor)
    if good is None:
        return clipped.reshape(frame.shape).astype(np.float32)
    out[good] = clipped
    return out


def _good(frame: NDArray, mask: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """The pixels to use, None for all."""
    if frame.dtype.kind == "f":
        finite = np.isfinite(frame)
        if not finite.all():
            return finite if mask is None else finite & mask
    return mask


def _scale(mad: float, factor: float) -> float:
    return float(mad) * factor if mad > 0 else 1.0


def _through_table(
    frame: NDArray, good: NDArray[np.bool_] | None, low: float, high: float, mad_factor: float
) -> NDArray[np.float32]:
    offset = int(np.iinfo(frame.dtype).min)
    shifted = frame if offset == 0 else frame.astype(np.int32) - offset
    counts = np.bincount((shifted if good is None else shifted[good]).ravel())
    values = np.flatnonzero(counts)
    if values.size == 0:
        return np.zeros(frame.shape, np.float32)
    weights = counts[values]
    clipped = np.clip(values, *_quantiles(values, weights, [low / 100, high / 100]))
    median = _quantiles(clipped, weights, [0.5])[0]
    away = np.abs(clipped - median)
    order = np.argsort(away, kind="stable")
    scale = _scale(_quantiles(away[order], weights[order], [0.5])[0], mad_factor)
    table = np.zeros(int(shifted.max()) + 1, np.float32)
    table[values] = (clipped - median) / scale
    out = np.take(table, shifted)
    if good is not None:
        out[~good] = 0
    return out


def _quantiles(values: NDArray, weights: NDArray[np.int64], q: list[float]) -> NDArray[np.float64]:
    """`numpy.quantile` of ascending `values` that occur `weights` times each (linear
    interpolation)."""
    last = np.cumsum(weights) - 1
    position = np.asarray(q) * last[-1]
    below = values[np.searchsorted(last, np.floor(position))]
    above = values[np.searchsorted(last, np.ceil(position))]
    return below + (above - below) * (position - np.floor(position))
