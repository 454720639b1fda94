"""Features of patches of whole frames, one frame after the other, each read and prepared once."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.features.changes import Changes, Moment, in_time
from emberscope.features.chips import resample
from emberscope.features.extract import (
    chip_shape,
    describe_chips,
    grown,
    n_features,
    preparation,
)
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.bands import open_bands
from emberscope.frames.source import FrameSource

_AT_ONCE = 1 << 18  # pixels of chips that are cut at a time: they stay in the processor's cache


class OnFrame:
    """A frame whose patches are described as often as is asked for. Prepared where it is first
    asked, so that threads can do so.

    number : of the frame, from 0. pixels : (rows, cols) as they were read. mask : False at pixels
    to leave out, or None.
    """

    def __init__(
        self, moment: Moment, pixels: NDArray, mask: NDArray[np.bool_] | None,
        recipe: FeatureRecipe,
    ) -> None:
        self.number = moment.frame
        self._recipe, self._moment = recipe, moment
        self._pixels, self._mask = pixels, mask
        self._prepared: tuple[NDArray[np.float32], Changes | None] | None = None

    def of(self, boxes: NDArray) -> NDArray[np.float32]:
        """(n, D) features of supports (n, 4), equal to the bit to those of `extract`."""
        if self._prepared is None:
            moves = Changes(self._moment) if self._recipe.kind == "infrared" else None
            self._prepared = preparation(self._recipe)(self._pixels, self._mask), moves
        frame, moves = self._prepared
        out, shape = np.empty((len(boxes), n_features(self._recipe)), np.float32), chip_shape(
            self._recipe)
        seen = _grown(boxes, self._recipe.sees)
        order = np.lexsort((seen[:, 1], seen[:, 0]))  # boxes in the same columns share lines
        at_once = max(1, _AT_ONCE // (shape.rows * shape.cols))
        for start in range(0, len(order), at_once):
            rows = order[start : start + at_once]
            found = describe_chips(self._recipe, resample(frame, seen[rows], shape))
            out[rows, : found.shape[1]] = found
        if moves is not None:
            what = moves.of(boxes.astype(np.float32))
            out[:, out.shape[1] - what.shape[1] :] = what
        return out


class OnBands:
    """A frame of several bands, whose features lie side by side."""

    def __init__(self, bands: Sequence["OnFrame | OnBands"]) -> None:
        self.number: int = bands[0].number
        self._bands = bands

    def of(self, boxes: NDArray) -> NDArray[np.float32]:
        """(n, D) features of supports (n, 4)."""
        return np.concatenate([band.of(boxes) for band in self._bands], axis=1)


def frames_in_turn(
    source: FrameSource, frames: Sequence[int], recipe: FeatureRecipe
) -> Iterator[OnFrame | OnBands]:
    """Frames, ascending, of a source, to be described. Raises FormatError where one cannot be
    read."""
    if recipe.bands:
        one = recipe.of_one_band
        with open_bands(source, recipe.bands) as bands:
            for found in zip(*(frames_in_turn(band, frames, one) for band in bands), strict=True):
                yield OnBands(found)
        return
    mask = source.valid_mask()
    moments = (in_time(source, frames) if recipe.kind == "infrared"
               else (Moment(frame, None, None, {}) for frame in frames))
    for moment in moments:
        pixels = source.read(moment.frame) if moment.pixels is None else moment.pixels
        yield OnFrame(moment, pixels, mask, recipe)


def _grown(boxes: NDArray, factor: float) -> NDArray[np.float32]:
    none = np.zeros(len(boxes), np.int64)
    whole = Instances(none, none, none.astype(np.int32), boxes.astype(np.float32))
    return grown(whole, factor).box if factor != 1 else whole.box
