"""Chips: pixel supports cut out of frames and resampled to one size, streamed frame by frame."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.errors import DataError
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored
from emberscope.frames.source import FrameSource

Prepare = Callable[[NDArray, NDArray[np.bool_] | None], NDArray]

# Output pixels per batch: a chunk of work stays under 0.2 s, so that cancelling does too.
BATCH_PIXELS = 1 << 21


@dataclass(frozen=True, slots=True)
class ChipShape:
    """How a support becomes a chip.

    rows, cols : px of the chip. keep_aspect : the support is extended to the chip's aspect ratio
    around its center, instead of being stretched. kernel : "triangle" is bilinear when enlarging
    and an area-like average when shrinking; "cubic" is Keys' kernel (a = -0.5), widened likewise
    when shrinking.
    """

    rows: int
    cols: int
    keep_aspect: bool = True
    kernel: Literal["triangle", "cubic"] = "triangle"


def cut_chips(
    instances: Instances,
    open_source: Callable[[int], FrameSource],
    *,
    size: int,
    keep_aspect: bool = True,
    prepare: Prepare | None = None,
    monitor: Monitor | None = None,
) -> NDArray[np.float32]:
    """All chips at once, in raw counts (or in what `prepare` makes of a frame).

    Returns
    -------
    chips : float32 array, shape (N, size, size), in the order of `instances`.
    """
    chips = np.empty((len(instances), size, size), np.float32)
    shape = ChipShape(size, size, keep_aspect=keep_aspect)
    for rows, part in stream_chips(instances, open_source, shape=shape, prepare=prepare,
                                   monitor=monitor):
        chips[rows] = part
    return chips


def stream_chips(
    instances: Instances,
    open_source: Callable[[int], FrameSource],
    *,
    shape: ChipShape,
    prepare: Prepare | None = None,
    monitor: Monitor | None = None,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Batches of (rows of the instance table, chips of them), ordered by source and frame.

    Parameters
    ----------
    instances : N pixel supports. They may leave the frame (its border is replicated) and may be
        tiny (what is thinner than one pixel is taken as one pixel wide).
    open_source : source id to an open FrameSource. Called once per source; the caller closes
        (`OpenSources` does).
    prepare : (frame, valid mask or None) to frame; called once per frame, e.g. to normalize it.

    Yields
    ------
    rows : int64 array, shape (B,). chips : float32 array, shape (B, shape.rows, shape.cols).

    Notes
    -----
    Every frame is read once; one frame and one batch are held. Raises DataError for a support that
    is not finite or a frame that the source does not have, Cancelled when the monitor says so.
    """
    monitor = monitored(monitor)
    if not np.isfinite(instances.box).all():
        raise DataError("a pixel support is not finite", hint="Remove the label it came from.")
    order = np.lexsort((np.arange(len(instances)), instances.frame, instances.source))
    batch = max(1, BATCH_PIXELS // (shape.rows * shape.cols))
    done = 0
    for source_id, of_source in _groups(instances.source, order):
        source = open_source(source_id)
        mask = source.valid_mask()
        for index, rows in _groups(instances.frame, of_source):
            monitor.step(done / len(order), f"Chips of frame {index}")
            frame = _read(source, index)
            frame = frame if prepare is None else prepare(frame, mask)
            for start in range(0, len(rows), batch):
                part = rows[start : start + batch]
                if start:
                    monitor.step(done / len(order), f"Chips of frame {index}")
                yield part, resample(frame, instances.box[part], shape)
                done += len(part)
    monitor.step(1.0, "Chips cut")


def resample(frame: NDArray, boxes: NDArray, shape: ChipShape) -> NDArray[np.float32]:
    """Supports of one frame as chips, (B, 4) -> (B, rows, cols) float32. Separable; O(B * rows *
    support cols)."""
    rows, cols = frame.shape
    # Corners far outside see nothing but replicated border: nearer ones see the same and keep the
    # kernel small.
    boxes = np.clip(np.asarray(boxes, np.float64).reshape(-1, 4), [-cols, -rows] * 2,
                    [2 * cols, 2 * rows] * 2)
    chips = np.empty((len(boxes), shape.rows, shape.cols), np.float32)
    pixels = np.require(frame, np.float32, ["C", "W"])  # one compiled kernel for all sample types
    supports = _supports(boxes, shape)
    order = np.lexsort((supports[:, 1], supports[:, 2], supports[:, 0]))
    _resample(pixels, supports, order, chips, shape.kernel == "cubic")
    return chips


def _groups(column: NDArray, order: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """(value, rows) of every run of equal values of `column` along `order`."""
    if len(order) == 0:
        return
    values = column[order]
    for rows in np.split(order, np.flatnonzero(np.diff(values)) + 1):
        yield int(column[rows[0]]), rows


def _read(source: FrameSource, index: int) -> NDArray:
    if not 0 <= index < source.n_frames:
        raise DataError(
            f"frame {index} is not there: the source has {source.n_frames}", where=source.uri,
            hint="Relink the source, or remove the labels on that frame.",
        )
    return source.read(index)


def _supports(boxes: NDArray[np.float64], shape: ChipShape) -> NDArray[np.float64]:
    """Supports at least a pixel wide, with the chip's aspect ratio where that is asked for. (B, 4):
    cx, cy, w, h."""
    width = np.maximum(boxes[:, 2] - boxes[:, 0], 1.0)
    height = np.maximum(boxes[:, 3] - boxes[:, 1], 1.0)
    if shape.keep_aspect:
        aspect = shape.cols / shape.rows
        width, height = np.maximum(width, height * aspect), np.maximum(height, width / aspect)
    center = (boxes[:, :2] + boxes[:, 2:]) / 2
    return np.column_stack([center, width, height])


@njit(cache=True, nogil=True)
def _weight(x: float, cubic: bool) -> float:
    """The kernel at distance x: a triangle on [-1, 1], or Keys' cubic with a = -0.5 on [-2, 2]."""
    x = abs(x)
    if not cubic:
        return max(0.0, 1.0 - x)
    if x < 1.0:
        return (1.5 * x - 2.5) * x * x + 1.0
    if x < 2.0:
        return ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return 0.0


@njit(cache=True, nogil=True)
def _taps(center: float, length: float, n_out: int, cubic: bool) -> tuple[NDArray, NDArray]:
    """First input pixel (not yet clamped) and normalized weights of every output pixel along one
    axis."""
    step = length / n_out
    spread = max(step, 1.0)
    reach = spread * (2.0 if cubic else 1.0)
    n_taps = int(np.ceil(2.0 * reach)) + 1
    first = np.empty(n_out, np.int64)
    weights = np.zeros((n_out, n_taps))
    for o in range(n_out):
        # Positions of pixel centers: edge coordinate minus one half.
        at = center - length / 2 + (o + 0.5) * step - 0.5
        first[o] = int(np.ceil(at - reach))
        total = 0.0
        for t in range(n_taps):
            weights[o, t] = _weight((first[o] + t - at) / spread, cubic)
            total += weights[o, t]
        for t in range(n_taps):
            weights[o, t] /= total
    return first, weights


@njit(cache=True, nogil=True)
def _resample(
    frame: NDArray, boxes: NDArray, order: NDArray, chips: NDArray, cubic: bool
) -> None:
    """chip = (row weights) @ frame @ (column weights), columns first, borders replicated by
    clamping.

    In an order in which boxes with the same columns follow each other: these share the lines of
    the frame that they have in common.
    """
    n_rows, n_cols = frame.shape
    height, width = chips.shape[1], chips.shape[2]
    lines, held = np.empty((n_rows, width)), np.zeros(n_rows, np.bool_)
    total = np.empty(width)
    x_first, x_weights = _taps(0.0, 1.0, width, cubic)
    for at in range(len(order)):
        b = order[at]
        if at == 0 or (boxes[b, 0] != boxes[order[at - 1], 0]
                       or boxes[b, 2] != boxes[order[at - 1], 2]):
            x_first, x_weights = _taps(boxes[b, 0], boxes[b, 2], width, cubic)
            held[:] = False
        y_first, y_weights = _taps(boxes[b, 1], boxes[b, 3], height, cubic)
        for r in range(y_first[0], y_first[-1] + y_weights.shape[1]):
            row = min(max(r, 0), n_rows - 1)
            if not held[row]:
                held[row] = True
                _along(frame[row], x_first, x_weights, lines[row])
        for o in range(height):
            total[:] = 0.0
            for t in range(y_weights.shape[1]):
                weight = y_weights[o, t]
                line = lines[min(max(y_first[o] + t, 0), n_rows - 1)]
                for c in range(width):
                    total[c] += weight * line[c]
            for c in range(width):
                chips[b, o, c] = total[c]


@njit(cache=True, nogil=True)
def _along(row: NDArray, first: NDArray, weights: NDArray, out: NDArray) -> None:
    """A row of a frame, resampled."""
    last, taps = len(row) - 1, weights.shape[1]
    for c in range(len(out)):
        total = 0.0
        for t in range(taps):
            total += weights[c, t] * row[min(max(first[c] + t, 0), last)]
        out[c] = total
