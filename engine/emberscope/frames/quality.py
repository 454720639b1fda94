"""Quality flags of frames: constant, repeated, saturated, odd edge lines, not finite."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.monitor import Monitor, monitored
from emberscope.frames.source import FrameSource

SAMPLED = 32              # frames looked at
SATURATED_SHARE = 0.01
EDGE_SIGMAS = 8.0         # how far an edge line lies from the rows beside it to count as metadata
# Of the frames looked at; embedded data is in every frame, an odd scene in a few
EDGE_SHARE = 0.5
# The gravest first
_CODES = ("unreadable", "not-finite", "constant", "saturated", "repeated", "edge-line")


class Flag(NamedTuple):
    """One thing that is odd about one frame; `share`: of its pixels, where that has a meaning."""

    frame: int
    code: str
    share: float = 0.0


class Finding(NamedTuple):
    """One thing that is odd about a source. `frames`: where it was seen; `short`: the same in a
    word or two."""

    code: str
    frames: tuple[int, ...]
    short: str
    text: str


class Quality(NamedTuple):
    """`bit_depth`: significant bits of the sampled frames, None for floats. `frames`: which frames
    were looked at."""

    bit_depth: int | None
    flags: tuple[Flag, ...]
    frames: tuple[int, ...]

    @property
    def findings(self) -> list[Finding]:
        """The flags that a person should know of, one sentence per kind, the gravest first."""
        by_code = [(code, [flag for flag in self.flags if flag.code == code]) for code in _CODES]
        return [
            self._finding(code, flags)
            for code, flags in by_code
            if flags and not self._by_chance(code, flags)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = [
            {"code": item.code, "frames": list(item.frames), "text": item.text}
            for item in self.findings
        ]
        return {"bit_depth": self.bit_depth, "looked_at": list(self.frames), "findings": found}

    def _by_chance(self, code: str, flags: list[Flag]) -> bool:
        return code == "edge-line" and len(flags) < EDGE_SHARE * len(self.frames)

    def _finding(self, code: str, flags: list[Flag]) -> Finding:
        percent, top = 100 * max(flag.share for flag in flags), 2 ** (self.bit_depth or 1) - 1
        most = f"{'up to ' * (len(flags) > 1)}{percent:.0f} %"
        short, text = {
            "unreadable": ("unreadable frames", "the frame cannot be read"),
            "not-finite": ("NaN pixels", "pixels are NaN or infinite and left out of everything"),
            "constant": ("constant frames", "all pixels are the same"),
            "saturated": (
                "saturated",
                f"{most} of pixels are at 0 or {top}, the ends of the range",
            ),
            "repeated": ("repeated frames", "the frame before is repeated"),
            "edge-line": (
                "odd edge row",
                "the first or last row is unlike the rows beside it, as embedded data is",
            ),
        }[code]
        frames = tuple(flag.frame for flag in flags)
        where = (
            f"{len(frames)} of {len(self.frames)} frames looked at"
            if len(self.frames) > 1
            else "Its one frame"
        )
        return Finding(code, frames, short, f"{where}: {text}.")


def assess(
    source: FrameSource, *, n_samples: int = SAMPLED, monitor: Monitor | None = None
) -> Quality:
    """Look at up to `n_samples` spread frames, each with the frame before it. 0.1 s for 640 x
    512."""
    watch = monitored(monitor)
    sampled = np.unique(np.linspace(0, source.n_frames - 1, n_samples).astype(int)).tolist()
    flags: list[Flag] = []
    ends: list[_Ends] = []
    for count, index in enumerate(sampled):
        watch.step(count / len(sampled), "Looking at frames")
        before = _read(source, index - 1) if index else None
        frame = _read(source, index)
        flags.extend(_flags(index, frame, before))
        if frame is not None and frame.dtype.kind in "ui":
            ends.append(_ends(index, frame))
    bits = _bit_depth(ends)
    return Quality(bits, tuple(sorted([*flags, *_saturated(ends, bits)])), tuple(sampled))


def count_not_finite(frame: NDArray) -> int:
    """How many pixels are NaN or infinite. `frame` : (rows, cols)."""
    return 0 if frame.dtype.kind in "ui" else int(frame.size - np.count_nonzero(np.isfinite(frame)))


class _Ends(NamedTuple):
    """What lies at the ends of a frame of integers: its largest value, the shares of pixels at 0
    and at that value."""

    frame: int
    top: int
    at_zero: float
    at_top: float


def _read(source: FrameSource, index: int) -> NDArray | None:
    try:
        return source.read(index)
    except FormatError:
        return None


def _ends(index: int, frame: NDArray) -> _Ends:
    top = int(frame.max())
    low = np.count_nonzero(frame == 0) if frame.min() == 0 else 0  # below signed counts 0 is no end
    return _Ends(index, top, low / frame.size, np.count_nonzero(frame == top) / frame.size)


def _bit_depth(ends: list[_Ends]) -> int | None:
    """ceil(log2(largest count + 1)), at least 1."""
    return max(max(end.top for end in ends), 1).bit_length() if ends else None


def _saturated(ends: list[_Ends], bits: int | None) -> list[Flag]:
    found = []
    for end in ends:
        share = end.at_zero + (end.at_top if end.top == 2 ** (bits or 1) - 1 else 0.0)
        if share > SATURATED_SHARE and max(end.at_zero, end.at_top) < 1.0:  # else it is constant
            found.append(Flag(end.frame, "saturated", share))
    return found


def _flags(index: int, frame: NDArray | None, before: NDArray | None) -> list[Flag]:
    if frame is None:
        return [Flag(index, "unreadable")]
    bad = count_not_finite(frame)
    if bad:
        return [Flag(index, "not-finite", bad / frame.size)]
    checks = {
        "constant": frame.min() == frame.max(),
        "repeated": before is not None and np.array_equal(frame, before),
        "edge-line": _has_odd_edge(frame),
    }
    return [Flag(index, code) for code, found in checks.items() if found]


def _has_odd_edge(frame: NDArray) -> bool:
    """Whether the median of the first or last row lies far outside the medians of the rows near
    it."""
    if frame.shape[0] < 16:
        return False
    medians = np.median(frame[np.r_[0:9, -9:0]].astype(np.float64), axis=1)
    # Medians of whole numbers are no closer to each other
    step = 1.0 if frame.dtype.kind in "ui" else 0.0
    for edge, near in ((medians[0], medians[1:9]), (medians[-1], medians[-9:-1])):
        center = np.median(near)
        mad = 1.4826 * np.median(np.abs(near - center))
        spread = max(mad, 1e-3 * max(abs(center), 1.0), float(np.ptp(near)), step)
        if abs(edge - center) > EDGE_SIGMAS * spread:
            return True
    return False
