"""What is new at its place: how much hotter or colder a patch is than the same ground at other
times.

Ground stays where it is while a target moves over it. A single frame does not show that, its
neighbors do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.errors import EmberscopeError
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored
from emberscope.frames.blocks import block_means
from emberscope.frames.motion import Scenery, movement, scenery
from emberscope.frames.normalize import normalize
from emberscope.frames.source import FrameSource

# frames before and after: .1 to 1.5 s of video, or some steps of a clip of single looks
LAGS = (4, 15, 45)
_SIDE = 320         # px, of the reduced frames that are compared
_NEAR = 3           # reduced px: how far ground may seem to move, by parallax or an inexact shift
_SMOOTH = 1.0       # reduced px
_COMMON = 0.95      # quantile of the changes of a frame that are common
# every fourth pixel: enough for quantiles of a frame
_SPARSE = (slice(None, None, 2), slice(None, None, 2))
# root of the total variance on clips of three sensors: no more than other groups of `infrared`
_SPREAD = 1.1

NAMES = (
    *(f"{what} than {lag} frames away" for lag in LAGS for what in ("hotter", "colder")),
    "hotter than at most times", "colder than at most times",
)


_AHEAD_BYTES = 1 << 27  # of pixels that were read ahead; of larger frames they are read again


@dataclass(frozen=True, slots=True)
class _Look:
    """A frame as it is compared. image : (rows, cols) reduced, in MADs. step : px of the frame per
    px of it."""

    image: NDArray[np.float32]
    step: int
    scenery: Scenery


@dataclass(frozen=True, slots=True)
class Moment:
    """A frame among those before and after it.

    frame : its number. pixels : as they were read, None where they are to be read again. look : of
    it, None where it has no neighbors or cannot be read. others : lag to the look of the frame so
    much later.
    """

    frame: int
    pixels: NDArray | None
    look: _Look | None
    others: dict[int, _Look]


class Changes:
    """What is new on a frame. O(lags * pixels of the reduced frame)."""

    def __init__(self, moment: Moment) -> None:
        look = moment.look
        same = {} if look is None else {
            lag: other for lag, other in moment.others.items()
            if other.image.shape == look.image.shape}  # fmt: skip
        self._look, self._lags = look, np.abs(list(same))
        self._beside = [] if look is None else [
            _Beside.of(look, _aligned(look, other)) for other in same.values()]

    def of(self, boxes: NDArray) -> NDArray[np.float32]:
        """(n, len(NAMES)) as of `changes`, of supports (n, 4). O(pixels of them)."""
        out = np.zeros((len(boxes), len(NAMES)), np.float32)
        if self._look is None or not self._beside:
            return out
        rows, cols = self._look.image.shape
        small = boxes / self._look.step
        corners = np.stack([np.floor(small[:, :2]), np.ceil(small[:, 2:])], axis=1).reshape(-1, 4)
        corners = np.clip(corners, 0, [cols, rows, cols, rows]).astype(np.int64)
        # By looks first: the kernel gets arrays without gaps, however many looks there are
        by_look = np.empty((len(self._beside), len(boxes), 2), np.float32)
        for beside, most in zip(self._beside, by_look, strict=True):
            _largest(beside.hotter, beside.colder, corners, most)
            most -= beside.common
        most = by_look.swapaxes(0, 1)
        known = np.isfinite(most)
        most = (np.arcsinh(np.maximum(np.where(known, most, 0.0), 0.0)) / _SPREAD).astype(
            np.float32)
        for i, lag in enumerate(LAGS):
            own = self._lags == lag
            count = known[:, own].sum(axis=1)
            out[:, 2 * i : 2 * i + 2] = most[:, own].sum(axis=1) / np.maximum(count, 1)
        out[:, -2:] = _median_known(most, known)
        return out


@dataclass(frozen=True, slots=True)
class _Beside:
    """How much hotter and colder each pixel is than all near it on another frame, (rows, cols), and
    what of that is common, (2,)."""

    hotter: NDArray[np.float32]
    colder: NDArray[np.float32]
    common: NDArray[np.float32]

    @classmethod
    def of(cls, look: _Look, there: NDArray[np.float32]) -> "_Beside":
        """Changes are beyond what is common: of a frame that does not fit the other one, all of it
        changes. there : (rows, cols), NaN where nothing is known."""
        unknown = np.isnan(there)
        hotter = look.image - _highest(np.where(unknown, np.inf, there))
        colder = -_highest(np.where(unknown, np.inf, -there)) - look.image
        common = np.zeros(2, np.float32)
        for side, change in enumerate((hotter[_SPARSE], colder[_SPARSE])):
            known = change[np.isfinite(change)]
            if len(known):
                common[side] = max(float(np.quantile(known, _COMMON)), 0.0)
        return cls(hotter, colder, common)


def changes(
    instances: Instances, open_source: Callable[[int], FrameSource], *,
    monitor: Monitor | None = None
) -> NDArray[np.float32]:
    """How much hotter, or colder, than ever near its place on other frames the hottest, or coldest,
    pixel is.

    Parameters
    ----------
    instances : N pixel supports. open_source : source id to an open FrameSource; the caller closes.

    Returns
    -------
    X : float32 array, shape (N, len(NAMES)), columns as `NAMES`; arcsinh of MADs of the frame in
        units of 1.1, 0 where no pixel is hotter (colder) than ground within 3 reduced px of its
        place, and where no other frame shows it.

    Notes
    -----
    Other frames are those `LAGS` before and after; the mean of both sides is a column, the median
    of all is one. Camera motion is taken out by phase correlation, where that is clear and most
    pixels fit better after it; else places are compared as they lie in the frame, as under a sky.
    What changes as much as the 95 % quantile of the frame is common, and does not count. Unreadable
    neighbors are left out. Frames are read in order, each once, and at most 91 are held. Raises
    Cancelled.
    """
    watch = monitored(monitor)
    out = np.zeros((len(instances), len(NAMES)), np.float32)
    sources = np.unique(instances.source).tolist()
    for at, source_id in enumerate(sources):
        source = open_source(source_id)
        mine = np.flatnonzero(instances.source == source_id)
        frames = np.unique(instances.frame[mine]).tolist()
        for done, moment in enumerate(in_time(source, frames)):
            watch.step((at + done / len(frames)) / len(sources),
                       f"Changes at frame {moment.frame}")
            rows = mine[instances.frame[mine] == moment.frame]
            out[rows] = Changes(moment).of(instances.box[rows])
    return out


def in_time(source: FrameSource, frames: Sequence[int]) -> Iterator[Moment]:
    """Frames, ascending, of a source, which is read in its order."""
    mask, looks, ahead_of = source.valid_mask(), dict[int, _Look](), dict[int, NDArray]()
    wanted = {f: [lag for lag in (*(-n for n in LAGS), *LAGS) if 0 <= f + lag < source.n_frames]
              for f in frames}
    last: dict[int, int] = {}  # frame that is read -> the last that it is compared with
    for frame, lags in wanted.items():
        last.update(dict.fromkeys([frame, *(frame + lag for lag in lags)] if lags else [], frame))
    unread = iter(sorted(last))
    ahead = next(unread, None)
    for frame, lags in wanted.items():
        while lags and ahead is not None and ahead <= frame + max(lags[-1], 0):
            pixels = _read(source, ahead)
            if pixels is not None:
                looks[ahead] = _look(pixels, mask)
                if ahead in wanted and (len(ahead_of) + 1) * pixels.nbytes <= _AHEAD_BYTES:
                    ahead_of[ahead] = pixels
            ahead = next(unread, None)
        yield Moment(frame, ahead_of.pop(frame, None), looks.get(frame),
                     {lag: looks[frame + lag] for lag in lags if frame + lag in looks})
        looks = {index: look for index, look in looks.items() if last[index] > frame}


def _read(source: FrameSource, index: int) -> NDArray | None:
    """None where the frame cannot be read."""
    try:
        return source.read(index)
    except EmberscopeError:
        return None


def _look(pixels: NDArray, mask: NDArray[np.bool_] | None) -> _Look:
    from scipy.ndimage import gaussian_filter

    frame = np.asarray(pixels, np.float32)
    valid = np.isfinite(frame) if mask is None else mask & np.isfinite(frame)
    if not valid.all():
        frame = np.where(valid, frame, np.median(frame[valid]) if valid.any() else 0.0)
    step = max(min(-(-max(frame.shape) // _SIDE), *frame.shape), 1)
    small = normalize(block_means(frame, step), low=0.0, high=100.0)
    return _Look(gaussian_filter(small, _SMOOTH), step, scenery(frame))


def _aligned(look: _Look, other: _Look) -> NDArray[np.float32]:
    """The other image moved so that its scenery lies as in `look`; NaN where it shows nothing.

    As it lies, where most pixels fit better so: over faint ground a target may be what moved.
    """
    shift = np.nan_to_num(movement(look.scenery, other.scenery))
    down, right = np.rint(shift / look.step).astype(int).tolist()
    if not (down or right):
        return other.image
    moved = _moved(other.image, down, right)
    return other.image if _misfit(look, other.image) <= _misfit(look, moved) else moved


def _misfit(look: _Look, image: NDArray[np.float32]) -> float:
    gap = np.abs(look.image[_SPARSE] - image[_SPARSE])
    known = gap[np.isfinite(gap)]
    return float(np.median(known)) if len(known) else np.inf


def _moved(image: NDArray[np.float32], down: int, right: int) -> NDArray[np.float32]:
    rows, cols = image.shape
    out = np.full((rows, cols), np.nan, np.float32)
    to = (slice(max(-down, 0), max(rows - max(down, 0), 0)),
          slice(max(-right, 0), max(cols - max(right, 0), 0)))
    of = (slice(max(down, 0), max(rows + min(down, 0), 0)),
          slice(max(right, 0), max(cols + min(right, 0), 0)))
    out[to] = image[of]
    return out


def _highest(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Highest value within `_NEAR` rows and columns; by slices, which are faster than the filter of
    scipy."""
    (rows, cols), width = image.shape, 2 * _NEAR + 1
    padded = np.pad(image, _NEAR, constant_values=-np.inf)
    tall = reduce(np.maximum, (padded[k : k + rows] for k in range(width)))
    return reduce(np.maximum, (tall[:, k : k + cols] for k in range(width)))


@njit(cache=True, nogil=True)
def _largest(hotter: NDArray, colder: NDArray, corners: NDArray, out: NDArray) -> None:
    """Largest hotter and colder (n, 2) within corners (n, 4); -inf where there is no pixel."""
    for i in range(len(corners)):
        x0, y0, x1, y1 = corners[i]
        most = least = -np.float32(np.inf)
        for y in range(y0, y1):
            for x in range(x0, x1):
                most = max(most, hotter[y, x])
                least = max(least, colder[y, x])
        out[i, 0], out[i, 1] = most, least


def _median_known(values: NDArray, known: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Median over looks of (n, looks, 2) where known, (n, 2); 0 where nothing is."""
    ordered = np.sort(np.where(known, values, np.inf), axis=1)
    count = known.sum(axis=1)
    low, high = (count - 1) // 2, count // 2
    pick = [np.take_along_axis(ordered, np.maximum(at, 0)[:, None], axis=1)[:, 0]
            for at in (low, high)]
    return np.where(count > 0, (pick[0] + pick[1]) / 2, 0.0).astype(np.float32)
