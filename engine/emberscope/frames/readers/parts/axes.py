"""Which axis of an array counts frames, which are rows, columns and colors."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.frames.readers.parts.base import to_read

COLORS = (3, 4)
# A frame of more than so many times its other side is taken for one only where nothing else fits
LONG = 2
NAMED = 3  # other arrays that a note names
HINT = "Save a (frames, rows, cols) or (rows, cols) array of numbers."


class Layout(NamedTuple):
    """Where frames lie in an array. `frames` and `samples`: the axis that counts them, None for an
    array without.

    `note`: a sentence about what was taken and what else the array may be, empty where there is no
    doubt.
    """

    stored: tuple[int, ...]
    rows: int
    cols: int
    frames: int | None = None
    samples: int | None = None
    note: str = ""

    @property
    def n_frames(self) -> int:
        """How many frames the array holds."""
        return 1 if self.frames is None else self.stored[self.frames]

    @property
    def size(self) -> tuple[int, int]:
        """(rows, cols)"""
        return self.stored[self.rows], self.stored[self.cols]

    @property
    def n_samples(self) -> int:
        """How many numbers a pixel has."""
        return 1 if self.samples is None else self.stored[self.samples]

    @property
    def in_order(self) -> bool:
        """Whether frame after frame lies in an array in C order, each as (rows, cols[,
        samples])."""
        order = [
            axis for axis in (self.frames, self.rows, self.cols, self.samples) if axis is not None
        ]
        return order == sorted(order)

    def key(self, index: int | slice) -> tuple[int | slice, ...]:
        """What an array is to be indexed with for a frame, or for several."""
        kept = {
            self.rows: slice(None),
            self.cols: slice(None),
            self.samples: slice(None),
            self.frames: index,
        }
        return tuple(kept.get(axis, 0) for axis in range(len(self.stored)))

    def upright(self, frame: NDArray) -> NDArray:
        """What came for one frame, with its axes as (rows, cols[, samples])."""
        axes = [axis for axis in (self.rows, self.cols, self.samples) if axis is not None]
        return frame.transpose(np.argsort(np.argsort(axes)))


def layout(uri: str, shape: tuple[int, ...], *, axis: int | None = None,
           columns_first: bool = False, what: str = "it") -> Layout:
    """How frames lie in an array of this shape. `axis` counts frames, from 0; None: the shape
    tells.

    `columns_first`: the axes are those of a MATLAB array in reverse order, and the last axis of
    MATLAB counts frames. Raises FormatError for shapes that are none of frames.
    """
    order = [i for i in range(len(shape)) if shape[i] > 1]
    if len(shape) <= 3 and shape[-1:] != (1,):
        order = list(range(len(shape)))
    if columns_first:
        order.reverse()
    if len(order) < 2:  # a frame of one row, or of one column
        order = list(range(len(shape)))[-2:]
    if axis is not None and (len(shape) < 3 or not 0 <= axis < len(shape)):
        raise FormatError(
            uri, None, f"{what} has shape {shape}, and no axis {axis} that counts frames", HINT
        )
    if axis is not None:
        order = [axis, *(i for i in order if i != axis)]
    if 0 in shape or len(shape) < 2 or not _fits(shape, order):
        raise FormatError(uri, None, f"{what} has shape {shape}", HINT)
    return _plain(shape, order) if axis is not None else _guessed(shape, order, columns_first)


def matlab_note(found: Layout) -> str:
    """The sentence about an array that MATLAB marks as its own."""
    rows, cols = found.size
    count = f"{found.n_frames} frame{'s' * (found.n_frames != 1)}"
    return f"MATLAB wrote it, columns first: it is read as {count} of {cols} x {rows} pixels."


def upright_note(found: Layout) -> str:
    """The sentence about an array without a mark whose frames are higher than wide, which those of
    few cameras are; else empty."""
    rows, cols = found.size
    if rows <= cols:
        return ""
    return (f"Its frames are {cols} x {rows} pixels, higher than wide. Where h5write of MATLAB "
            "wrote it, rows and columns are swapped. "
            f"{to_read('columns first', '--columns-first')}")


def others_note(taken: str, others: list[str]) -> str:
    """The sentence that names what was taken, and what else of as many axes the file holds; empty
    without others."""
    if not others:
        return ""
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    return (f"{taken} is read; it also holds {', '.join(others[:NAMED])}{more}. "
            f"Add ::{others[0]} to its name to read another.")


def _fits(shape: tuple[int, ...], order: list[int]) -> bool:
    return len(order) in (2, 3) or (len(order) == 4 and shape[order[-1]] in COLORS)


def _plain(shape: tuple[int, ...], order: list[int]) -> Layout:
    """Frames, rows, columns, colors: in this order."""
    if len(order) == 2:
        return Layout(shape, order[0], order[1])
    return Layout(shape, order[1], order[2], order[0], order[3] if len(order) == 4 else None)


def _guessed(shape: tuple[int, ...], order: list[int], columns_first: bool) -> Layout:
    if len(order) != 3:
        return _plain(shape, order)
    first, middle, last = (shape[i] for i in order)
    if last in COLORS and min(first, middle) > max(COLORS):
        note = (
            f"Its shape {shape} is taken for one color image, not for {first} frames of {last} x "
            f"{middle} pixels. {to_read('these', f'--axis {order[0]}')}"
        )
        return Layout(shape, order[0], order[1], None, order[2], note)
    as_last, as_first = _odd(first, middle, last), _odd(last, middle, first)
    if as_last or (columns_first and not as_first):
        note = (
            f"Its shape {shape} is taken for {last} frames of {middle} x {first} pixels, counted "
            f"by the last axis, not for {first} frames of {last} x {middle}. "
            f"{to_read('these', f'--axis {order[0]}')}"
        )
        return Layout(shape, order[0], order[1], order[2], None, "" if columns_first else note)
    return _plain(shape, order)


def _odd(frames: int, long: int, side: int) -> bool:
    """Whether frames of `long` x `side` pixels are too narrow to be meant, and those of `frames` x
    `long` are not."""
    return (
        side * LONG < long
        and side * LONG < frames
        and max(frames, long) <= LONG * min(frames, long)
    )
