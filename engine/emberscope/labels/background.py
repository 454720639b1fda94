"""Where background boxes are drawn: rules that keep the place of a box from giving its label
away."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from emberscope.base.errors import ParamError
from emberscope.base.grouping import how_many
from emberscope.frames.motion import Reader, stands_still
from emberscope.labels.geometry import Corners, as_boxes, centers, distance_to_boxes
from emberscope.labels.relax import background_like, boxes_among, free_places

BackgroundRule = Literal["auto", "same-place", "between", "near", "matched", "random"]
RULES: tuple[BackgroundRule, ...] = get_args(BackgroundRule)
USUAL_COUNT = 4  # boxes per frame, in the window as by command
_IN_WORDS = {
    "same-place": "at places of targets on other frames",
    "between": "of one patch beside and between labels",
    "near": "near targets",
    "matched": "on ground like that around targets",
    "random": "at random places",
}
_ORDER = {  # what is tried where a rule finds too few places
    "same-place": ("same-place", "matched", "random"),
    "between": ("between", "matched", "random"),
    "near": ("near", "random"),
    "matched": ("matched", "random"),
    "random": ("random",),
}
_WINDOW = 1000    # targets before and after a frame, whose places are thought of
_PLACES = 24      # other frames' targets that are tried for a box
_SHIFTS = 8       # draws of a loose box about each of them
_CANDIDATES = 64  # places whose ground is compared with that around a target
_PIXELS = 1000    # of a place are looked at, about
# Of the longer side of a box: how much farther than the nearest free place is still near
_BAND = 0.25
_PATCHES = 40     # between labels of one frame, at most
_SEVERAL = 2      # targets per frame, in the median, from which on there is a between
_DECILES = (0.1, 0.3, 0.5, 0.7, 0.9)
_RIM = 4.0        # px around targets that do not count as ground

Loosen = Callable[[Corners, np.random.Generator], Corners]


class Background:
    """Draws background boxes, frame by frame, by a rule; `note` says which rule gave how many.

    Parameters
    ----------
    rule : "same-place" takes the place of a target of another frame, where none is now: those used
        least first, of these the nearest in time. Its box is loosened as that of the target would
        be. "between" places of one patch, as many for each box as would fill it (40 per frame at
        most), those beside labels first; bags take those of a frame together. "near" a place next
        to a target of the frame. "matched" of 64 places at random the one whose counts and their
        gradients are most like those around a target. "random" any place. "auto" is same-place
        where the camera stands still and targets leave places free, else between where frames hold
        several targets and the patch is known, else matched; random where frames cannot be read.
        Whatever the rule, a frame that has too few such places is filled up, in this order: matched
        (after same-place and between only), random.
    targets : frame -> boxes of its targets, of all labeled frames. loosen : makes the loose box of
    a target.
    frame_shape : rows, cols. margin, guard : as in `labels.weaken.weaken`.
    read : frame -> (rows, cols) counts; "matched" needs it, and so does "auto" to see whether the
    camera moves.
    patch : px, side of the patches that bags will have; 0: not known. "between" needs it.

    Notes
    -----
    Boxes at random places let terrain tell bags apart: a classifier then finds the ground that
    targets drive on. Where loose boxes cover much of a frame, boxes as large as these find room at
    its rim only. Where a frame holds one target, patches beside it serve worse than matched ones:
    see `bench first_picture`.
    """

    def __init__(
        self, rule: BackgroundRule, *, targets: Mapping[int, Sequence[Corners]], loosen: Loosen,
        frame_shape: tuple[int, int], margin: float = 0.0, guard: float = 0.0,
        read: Reader | None = None,
        patch: int = 0,
    ) -> None:  # fmt: skip
        if rule not in RULES:
            raise ParamError(f"background rule {rule!r}", hint=f"Give one of {', '.join(RULES)}.")
        if rule == "matched" and read is None:
            raise ParamError(
                "background by matched ground needs the frames", hint="Give a reader of frames."
            )
        if rule == "between" and patch < 1:
            raise ParamError(
                "background between labels needs the side of a patch",
                hint="Give a margin of half of it.",
            )
        frames = sorted(targets)
        self._alone = len(frames) == 1
        self._still = bool(rule == "auto" and read is not None and stands_still(read, frames))
        several = np.median([len(boxes) for boxes in targets.values()] or [0]) >= _SEVERAL
        self._crowded = bool(
            rule == "auto" and read is not None and not self._still and several and patch
        )
        auto = (
            "same-place"
            if self._still
            else "between"
            if self._crowded
            else "random"
            if read is None
            else "matched"
        )
        self._rules = [
            name for name in _ORDER[auto if rule == "auto" else rule] if name != "matched" or read
        ]
        self._asked, self._read, self._loosen = rule, read, loosen
        self._shape, self._margin, self._guard, self._patch = frame_shape, margin, guard, patch
        self._place_frame = np.repeat(frames, [len(targets[frame]) for frame in frames]).astype(
            np.int64
        )
        self._place = as_boxes([box for frame in frames for box in targets[frame]])
        self._used = np.zeros(len(self._place), np.int64)
        self._boxes: Counter[str] = Counter()
        self._frames: Counter[str] = Counter()

    def draw(
        self, frame: int, count: int, *, sizes: Sequence[tuple[int, int]], near: Sequence[Corners],
        avoid: Sequence[Corners], rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Up to `count` boxes (n, 4) that touch none of `avoid`; by "between" as many patches as
        would fill these.

        near : targets of the frame with an extent. sizes : (rows, cols) without the margin, one per
        target, or one.
        """
        more = round(2 * self._margin)
        grown = [(rows + more, cols + more) for rows, cols in sizes]
        found = np.empty((0, 4))
        for rule in self._rules:
            wanted = count - len(found)
            if wanted <= 0:
                break
            if rule == "same-place":
                new = self._same_place(frame, wanted, avoid, rng)
            elif rule == "between":
                new = self._between(wanted, sizes, avoid, rng)
            elif rule == "near":
                new = self._near(wanted, grown, near, avoid, rng)
            elif rule == "matched":
                new = self._matched(frame, wanted, grown, near, avoid, rng)
            else:
                new = background_like(
                    grown, wanted, avoid, frame_shape=self._shape, rng=rng, guard=self._guard
                )
            self._boxes[rule] += len(new)
            self._frames[rule] += len(new) > 0
            found = np.concatenate([found, new])
        return found

    @property
    def patch_between(self) -> int:
        """Side of the boxes drawn by "between", px; 0 where that rule takes no part."""
        return self._patch if "between" in self._rules else 0

    def note(self) -> str:
        """One sentence: which rule gave how many boxes on how many frames, and why; "" for random
        on request."""
        used = [rule for rule in self._rules if self._boxes[rule]]
        if not used or self._asked == "random":
            return ""
        parts = [f"{how_many(self._boxes[rule], 'box')} {_IN_WORDS[rule]} "
                 f"({how_many(self._frames[rule], 'frame')})"
                 for rule in used]  # fmt: skip
        return f"Background: {', '.join(parts)}; {self._why(used)}."

    def _why(self, used: Sequence[str]) -> str:
        asked = self._rules[0]
        if self._asked == "auto" and self._still:
            why = "the camera stands still"
        elif self._asked == "auto":
            seen = (
                "one frame tells nothing of the camera"
                if self._alone
                else "the camera does not seem to stand still"
            )
            why = seen if self._read else "the frames were not looked at"
            why += ", and frames hold several targets" * self._crowded
        else:
            why = "as asked"
        if used == [asked]:
            return why
        few = (
            "too few targets leave a place free"
            if asked == "same-place"
            else "too few such places are free"
        )
        return f"{why}, but {few}"

    def _same_place(
        self, frame: int, count: int, avoid: Sequence[Corners], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        taken = as_boxes(avoid) + np.array([-1, -1, 1, 1]) * self._guard
        now = int(np.searchsorted(self._place_frame, frame))
        near = np.arange(max(now - _WINDOW, 0), min(now + _WINDOW, len(self._place)))
        other = near[(self._place_frame[near] != frame) & ~_touches(self._place[near], taken)]
        order = np.lexsort(
            (rng.random(len(other)), np.abs(self._place_frame[other] - frame), self._used[other])
        )
        found: list[Corners] = []
        for place in other[order[: _PLACES * count]]:
            if len(found) == count:
                break
            box = next(
                (b for b in self._loosened(place, rng) if not _touches(as_boxes(b), taken)[0]), None
            )
            if box is not None:
                self._used[place] += 1
                found.append(box)
        return as_boxes(found)

    def _loosened(self, place: int, rng: np.random.Generator) -> Iterator[Corners]:
        """Loose boxes about a place, grown by the margin, pushed into the frame where they leave
        it."""
        target = tuple(self._place[place].tolist())
        rows, cols = self._shape
        for _ in range(_SHIFTS):
            x0, y0, x1, y1 = self._loosen(target, rng)
            width, height = (round(side + 2 * self._margin) for side in (x1 - x0, y1 - y0))
            if width > cols or height > rows:
                return
            left = min(max(np.floor(x0 - self._margin), 0.0), float(cols - width))
            top = min(max(np.floor(y0 - self._margin), 0.0), float(rows - height))
            yield float(left), float(top), float(left + width), float(top + height)

    def _between(
        self,
        count: int,
        sizes: Sequence[tuple[int, int]],
        avoid: Sequence[Corners],
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Free places of one patch, in steps of two thirds of it: those beside what is avoided
        first, by whole patches of distance, at random among equals."""
        side, step = self._patch, max(self._patch * 2 // 3, 1)
        fills = [np.ceil(rows / step) * np.ceil(cols / step) for rows, cols in sizes] or [1.0]
        wanted = min(max(round(count * float(np.mean(fills))), count), max(_PATCHES, count))
        free = free_places((side, side), avoid, frame_shape=self._shape, guard=self._guard)[
            ::step, ::step
        ]
        top, left = (step * at for at in np.nonzero(free))
        boxes = np.stack([left, top, left + side, top + side], axis=1).astype(np.float64)
        gap = np.zeros(len(boxes))
        if len(avoid):
            gap = np.ceil(distance_to_boxes(centers(boxes), as_boxes(avoid)).min(axis=1) / side)
        return boxes[np.lexsort((rng.random(len(boxes)), gap))[:wanted]]

    def _near(
        self,
        count: int,
        sizes: Sequence[tuple[int, int]],
        near: Sequence[Corners],
        avoid: Sequence[Corners],
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Places whose gap to a target is about the smallest there is."""
        found: list[NDArray] = []
        for k in range(count if near else 0):
            height, width = sizes[k % len(sizes)]
            x0, y0, x1, y1 = near[k % len(near)]
            free = free_places((height, width), avoid, frame_shape=self._shape, guard=self._guard)
            top, left = np.nonzero(free)
            if not len(top):
                continue
            gap = np.maximum.reduce([left - x1, x0 - left - width, top - y1, y0 - top - height])
            close = np.flatnonzero(gap <= gap.min() + _BAND * max(height, width))
            at = rng.choice(close)
            found.append(
                np.array([left[at], top[at], left[at] + width, top[at] + height], np.float64)
            )
        return _distinct(found)

    def _matched(
        self, frame: int, count: int, sizes: Sequence[tuple[int, int]], near: Sequence[Corners],
        avoid: Sequence[Corners], rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Of places at random, the ones whose ground is most like that around the targets in
        turn."""
        if not near or self._read is None:
            return np.empty((0, 4))
        ground = _Ground(self._read(frame), avoid)
        found: list[NDArray] = []
        places: dict[tuple[int, int], NDArray[np.int64]] = {}
        for k in range(count):
            size = sizes[k % len(sizes)]
            wanted = ground.around(near[k % len(near)], size)
            if size not in places:
                free = free_places(size, avoid, frame_shape=self._shape, guard=self._guard)
                places[size] = np.flatnonzero(free)
            drawn = boxes_among(places[size], _CANDIDATES, size, frame_shape=self._shape, rng=rng)
            if wanted is None or not len(drawn):
                continue
            seen = ground.of(drawn, size)
            scale = seen.std(axis=0) + 1e-9 * (1 + np.abs(seen).max(axis=0))
            found.append(drawn[np.argmin((((seen - wanted) / scale) ** 2).sum(axis=1))])
        return _distinct(found)


class _Ground:
    """What the ground of a frame looks like in a box: deciles of counts, and mean gradient down and
    across.

    Of each box a grid of about a thousand pixels is looked at, of which alone gradients are taken.
    """

    def __init__(self, frame: NDArray, avoid: Sequence[Corners]) -> None:
        counts = np.asarray(frame, np.float32)
        if frame.dtype.kind == "f":
            counts = np.nan_to_num(counts)
        self._padded = np.pad(counts, 1, mode="edge")  # so that each pixel has its neighbors
        # Px from one neighbor to the other
        self._gaps = [np.full(side, 2, np.float32) for side in counts.shape]
        for gap in self._gaps:
            gap[[0, -1]] = 1  # at the edge from the pixel itself
        self._ground = np.ones(counts.shape, bool)
        for x0, y0, x1, y1 in as_boxes(avoid) + np.array([-1, -1, 1, 1]) * _RIM:
            self._ground[_span(y0, y1), _span(x0, x1)] = False

    def of(self, boxes: NDArray, size: tuple[int, int]) -> NDArray[np.float64]:
        """(n, 7) of n boxes of (rows, cols) = `size` with whole-pixel corners inside the frame."""
        step = max(int(np.sqrt(size[0] * size[1] / _PIXELS)), 1)
        x, y = (boxes[:, k].astype(np.int64) for k in (0, 1))
        parts = sliding_window_view(self._padded, size)[:, :, ::step, ::step]
        gaps = [
            self._gaps[axis][first[:, None] + np.arange(0, size[axis], step)]
            for axis, first in ((0, y), (1, x))
        ]
        down = np.abs(parts[y + 2, x + 1] - parts[y, x + 1]) / gaps[0][:, :, None]
        across = np.abs(parts[y + 1, x + 2] - parts[y + 1, x]) / gaps[1][:, None, :]
        return _looks(parts[y + 1, x + 1], down, across)

    def around(self, target: Corners, size: tuple[int, int]) -> NDArray[np.float64] | None:
        """Of the box of (rows, cols) about a target, or a rim where that is larger, without
        targets; None where nothing is left of it."""
        (x, y), (x0, y0, x1, y1) = centers(as_boxes(target))[0], target
        height, width = max(size[0], y1 - y0 + 4 * _RIM), max(size[1], x1 - x0 + 4 * _RIM)
        part = _span(y - height / 2, y + height / 2), _span(x - width / 2, x + width / 2)
        ground = self._ground[part]
        if not ground.any():
            return None
        step = max(int(np.sqrt(ground.size / _PIXELS)), 1)
        if not ground[::step, ::step].any():
            step = 1
        rows, cols = np.nonzero(ground[::step, ::step])
        y, x = part[0].start + step * rows, part[1].start + step * cols
        down = np.abs(self._padded[y + 2, x + 1] - self._padded[y, x + 1]) / self._gaps[0][y]
        across = np.abs(self._padded[y + 1, x + 2] - self._padded[y + 1, x]) / self._gaps[1][x]
        return _looks(*(values[None] for values in (self._padded[y + 1, x + 1], down, across)))[0]


def _looks(counts: NDArray, down: NDArray, across: NDArray) -> NDArray[np.float64]:
    """Deciles of counts and means of gradients, (n, 7), of n sets of pixels."""
    ordered = np.sort(counts.reshape(len(counts), -1), axis=1)
    at = np.array(_DECILES) * (ordered.shape[1] - 1)
    low, high = np.floor(at).astype(int), np.ceil(at).astype(int)
    deciles = ordered[:, low] + (ordered[:, high] - ordered[:, low]) * (at - low)
    means = [slope.reshape(len(slope), -1).mean(axis=1)[:, None] for slope in (down, across)]
    return np.concatenate([deciles, *means], axis=1).astype(np.float64)


def _span(low: float, high: float) -> slice:
    return slice(max(int(np.floor(low)), 0), max(int(np.ceil(high)), 0))


def _touches(boxes: NDArray, taken: NDArray) -> NDArray[np.bool_]:
    """(N,) True where a box overlaps one of `taken` (M, 4), or holds it where that is a place
    without extent."""
    a, b = boxes[:, None], taken[None]
    both = (a[..., :2] < b[..., 2:]) & (b[..., :2] < a[..., 2:])
    return np.any(both[..., 0] & both[..., 1], axis=1)


def _distinct(found: Sequence[NDArray]) -> NDArray[np.float64]:
    return np.array(list(dict.fromkeys(tuple(box.tolist()) for box in found)), np.float64).reshape(
        -1, 4
    )
