"""What is wrong with frames: constant, repeated, saturated, odd edge lines, not finite (spec 07, section 1.6)."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, monitored
from emberscope.frames.source import FrameSource

SAMPLED = 32              # frames looked at
SATURATED_SHARE = 0.01
EDGE_SIGMAS = 8.0         # how far an edge line lies from the rows beside it to count as metadata


class Flag(NamedTuple):
    """One thing that is odd about one frame. `code`: constant, repeated, saturated, edge-line or not-finite."""

    frame: int
    code: str
    text: str


class Quality(NamedTuple):
    """`bit_depth`: significant bits of the sampled frames, None for floats. `frames`: which frames were looked at."""

    bit_depth: int | None
    flags: tuple[Flag, ...]
    frames: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"bit_depth": self.bit_depth, "flags": [flag._asdict() for flag in self.flags]}


def assess(source: FrameSource, *, n_samples: int = SAMPLED, monitor: Monitor | None = None) -> Quality:
    """Look at up to `n_samples` spread frames, each with the frame before it. 0.1 s for 640 x 512."""
    watch = monitored(monitor)
    sampled = np.unique(np.linspace(0, source.n_frames - 1, n_samples).astype(int)).tolist()
    flags: list[Flag] = []
    bits = _bit_depth(source, sampled)
    for count, index in enumerate(sampled):
        watch.step(count / len(sampled), "Looking at frames")
        frame = source.read(index)
        before = source.read(index - 1) if index else None
        flags.extend(_flags(index, frame, before, bits))
    return Quality(bits, tuple(flags), tuple(sampled))


def count_not_finite(frame: NDArray) -> int:
    """How many pixels are NaN or infinite."""
    return 0 if frame.dtype.kind in "ui" else int(frame.size - np.count_nonzero(np.isfinite(frame)))


def _bit_depth(source: FrameSource, sampled: list[int]) -> int | None:
    if source.dtype.kind not in "ui":
        return None
    top = max(int(source.read(index).max()) for index in sampled)
    return max(math.ceil(math.log2(top + 1)), 1) if top > 0 else 1


def _flags(index: int, frame: NDArray, before: NDArray | None, bits: int | None) -> list[Flag]:
    bad = count_not_finite(frame)
    if bad:
        return [Flag(index, "not-finite", f"Frame {index} has {bad} pixels that are NaN or infinite.")]
    found = []
    if frame.min() == frame.max():
        found.append(Flag(index, "constant", f"Every pixel of frame {index} is {frame.flat[0]}."))
    if before is not None and np.array_equal(frame, before):
        found.append(Flag(index, "repeated", f"Frame {index} repeats the frame before it."))
    share = _saturated_share(frame, bits)
    if share > SATURATED_SHARE and not found:
        found.append(Flag(index, "saturated", f"{share:.0%} of frame {index} is at the end of its range."))
    found.extend(Flag(index, "edge-line", f"The {name} row of frame {index} looks like embedded data.")
                 for name in _odd_edges(frame))
    return found


def _saturated_share(frame: NDArray, bits: int | None) -> float:
    if bits is None:
        return 0.0
    return float(np.count_nonzero((frame == 0) | (frame == 2**bits - 1)) / frame.size)


def _odd_edges(frame: NDArray) -> list[str]:
    """"first" and "last" where that row's median lies far outside the medians of the rows near it."""
    if frame.shape[0] < 16:
        return []
    medians = np.median(frame[np.r_[0:9, -9:0]].astype(np.float64), axis=1)
    odd = []
    for name, edge, near in (("first", medians[0], medians[1:9]), ("last", medians[-1], medians[-9:-1])):
        center = np.median(near)
        spread = max(1.4826 * np.median(np.abs(near - center)), 1e-3 * max(abs(center), 1.0), float(np.ptp(near)))
        if abs(edge - center) > EDGE_SIGMAS * spread:
            odd.append(name)
    return odd
